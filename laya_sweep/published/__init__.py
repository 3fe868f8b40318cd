"""Documents that others publish or read: export of a result, import of a document, verification cell by cell."""

from laya_sweep.published.document import PublishedDocument, read_document
from laya_sweep.published.intake import import_document
from laya_sweep.published.laya_eval import laya_eval_document, result_table
from laya_sweep.published.laya_evals import laya_evals_document
from laya_sweep.published.metamorphic import metamorphic_document
from laya_sweep.published.verification import TOLERANCE, MetricAgreement, Verification, verify_tables

__all__ = [
    "TOLERANCE",
    "MetricAgreement",
    "PublishedDocument",
    "Verification",
    "import_document",
    "laya_eval_document",
    "laya_evals_document",
    "metamorphic_document",
    "read_document",
    "result_table",
    "verify_tables",
]
