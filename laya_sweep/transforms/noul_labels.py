"""`noul_labels`: the words for false and true become A and B; order and descriptions stay.

The runtime shows a noul as two options, `false: ...` and `true: ...`. A checkpoint that leans on those words and not on
what they say changes its answers here.
"""

from __future__ import annotations

from laya_sweep.domain.presented import Presented
from laya_sweep.domain.question import Question
from laya_sweep.transforms.rename import opaque_names, rename
from laya_sweep.transforms.transform import Transform, each_question


def declines(question: Question) -> str | None:
    """Every noul applies: where it has no descriptions the runtime gives it some."""
    return None if question["type"] == "noul" else f"a {question['type']} question, not a noul"


def _renamed(question: Question) -> Presented:
    return rename(question, opaque_names(2))


TRANSFORM = Transform(version=1, declines=declines, show=each_question(_renamed))
