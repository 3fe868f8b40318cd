"""The configuration as it is written -> `Settings`, with every fault shown at once."""

from laya_sweep.config.settings import build_settings

__all__ = ["build_settings"]
