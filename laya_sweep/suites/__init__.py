"""Where cases come from: read once by the driver, frozen, handed out; workers never sample."""

from laya_sweep.suites.case import Case, Draft, freeze
from laya_sweep.suites.intent import INSTRUCTIONS, QUESTION_ID, IntentSuite, published_input_digest
from laya_sweep.suites.sampling import SAMPLINGS, LabelledText
from laya_sweep.suites.source import LanguageError

__all__ = [
    "INSTRUCTIONS",
    "QUESTION_ID",
    "SAMPLINGS",
    "Case",
    "Draft",
    "IntentSuite",
    "LabelledText",
    "LanguageError",
    "freeze",
    "published_input_digest",
]
