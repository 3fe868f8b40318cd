"""A labelled set scored in a notebook or a test suite: no store, no run folder, no Ray.

`evaluate(data, runner)` asks any object with the runtime's `predict` or `predict_batch`, or an engine of this house,
and gives an `Evaluation`: metrics with intervals, decisions, a scorecard for gates, and a `laya-evals-report/1`.
Importing this package imports no torch; an engine that is loaded from a checkpoint does.
"""

from laya_sweep.evaluation.dataset import Data, Dataset, file_fingerprint, questions_fingerprint
from laya_sweep.evaluation.evaluation import Evaluation, evaluate
from laya_sweep.evaluation.loaded import LoadedEngine, open_engine
from laya_sweep.evaluation.narrowing import ByKnockout, ByShortlist
from laya_sweep.evaluation.outcome import EVALUATED, Answered, AnswerError, Outcome

__all__ = [
    "EVALUATED",
    "AnswerError",
    "Answered",
    "ByKnockout",
    "ByShortlist",
    "Data",
    "Dataset",
    "Evaluation",
    "LoadedEngine",
    "Outcome",
    "evaluate",
    "file_fingerprint",
    "open_engine",
    "questions_fingerprint",
]
