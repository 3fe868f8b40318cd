"""Where cases come from: read once by the driver, frozen, handed out; workers never sample."""

from laya_sweep.suites.case import Case, Draft, freeze
from laya_sweep.suites.massive import LanguageError, MassiveSuite, published_input_digest
from laya_sweep.suites.sampling import SAMPLINGS, LabelledText

__all__ = [
    "SAMPLINGS",
    "Case",
    "Draft",
    "LabelledText",
    "LanguageError",
    "MassiveSuite",
    "freeze",
    "published_input_digest",
]
