"""The backend that the settings name."""

from __future__ import annotations

from laya_sweep.domain.settings import ExecutorSettings
from laya_sweep.execution.contract import Backend


def make_backend(settings: ExecutorSettings) -> Backend:
    """The backend that the settings name."""
    if settings.name == "inline":
        from laya_sweep.execution.inline import InlineBackend

        return InlineBackend()
    from laya_sweep.execution.ray_backend import RayBackend

    return RayBackend(settings)
