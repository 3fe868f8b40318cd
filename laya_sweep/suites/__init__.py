"""Where cases come from: read once by the driver, frozen, handed out; workers never sample."""

from laya_sweep.suites.case import Case, Draft, canonical_rows_digest, freeze
from laya_sweep.suites.fingerprint import file_fingerprint, questions_fingerprint
from laya_sweep.suites.intent import INSTRUCTIONS, QUESTION_ID, IntentSuite, published_input_digest
from laya_sweep.suites.jsonl import JsonlSuite, labelled_cases
from laya_sweep.suites.labelled import Example, Fault, LabelledSet, labelled_rows, parse_labelled, read_labelled
from laya_sweep.suites.presentation import PresentationSuite
from laya_sweep.suites.sampling import SAMPLINGS, LabelledText
from laya_sweep.suites.source import LanguageError
from laya_sweep.suites.suite import Suite, make_suite
from laya_sweep.suites.table import TableSuite
from laya_sweep.suites.xnli import XnliSuite

__all__ = [
    "INSTRUCTIONS",
    "QUESTION_ID",
    "SAMPLINGS",
    "Case",
    "Draft",
    "Example",
    "Fault",
    "IntentSuite",
    "JsonlSuite",
    "LabelledSet",
    "LabelledText",
    "LanguageError",
    "PresentationSuite",
    "Suite",
    "TableSuite",
    "XnliSuite",
    "canonical_rows_digest",
    "file_fingerprint",
    "freeze",
    "labelled_cases",
    "labelled_rows",
    "make_suite",
    "parse_labelled",
    "published_input_digest",
    "questions_fingerprint",
    "read_labelled",
]
