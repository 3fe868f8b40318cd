"""`label_rename`: the keys of a choice become A, B, C, ...; order and descriptions stay.

What moves then is due to the words of the labels alone. A label without description would have nothing left that says
what it means, so each option needs one.
"""

from __future__ import annotations

from laya_sweep.domain.presented import Presented
from laya_sweep.domain.question import Question, option_count
from laya_sweep.transforms.rename import opaque_names, rename
from laya_sweep.transforms.transform import Transform, described_choices_only, each_question


def _renamed(question: Question) -> Presented:
    return rename(question, opaque_names(option_count(question)))


TRANSFORM = Transform(version=1, declines=described_choices_only, show=each_question(_renamed))
