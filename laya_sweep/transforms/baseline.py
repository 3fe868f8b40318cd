"""`baseline`: the case as it stands, which every other transform is compared with."""

from __future__ import annotations

from laya_sweep.domain.presented import untouched
from laya_sweep.transforms.transform import Transform, each_question

TRANSFORM = Transform(version=1, declines=lambda question: None, show=each_question(untouched))
