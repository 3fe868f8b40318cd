"""At its shape a row's logits do not depend on its mates, whatever the number of options of its question."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from builders import NoHub, checkpoint_settings

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER
from laya_sweep.domain.case import Draft, freeze
from laya_sweep.engines.loading import load_engine
from laya_sweep.transforms.registry import variants_of

WORDS = ["parcel", "invoice", "refund", "late", "thanks", "again", "please", "now"]
QUESTIONS = {
    "one option": {"type": "choice", "instructions": "Which?", "criteria": ["only"]},
    "noul": {"type": "noul", "instructions": "Is it?"},
    "two": {"type": "choice", "instructions": "Which?", "criteria": ["a", "b"]},
    "score": {"type": "score", "instructions": "How much?", "criteria": ["low", "mid", "high"]},
    "five": {"type": "choice", "instructions": "Which?", "criteria": [f"label {i}" for i in range(5)]},
    "nine": {"type": "choice", "instructions": "Which?", "criteria": [f"label {i}" for i in range(9)]},
    "seventeen": {"type": "choice", "instructions": "Which?", "criteria": [f"label {i}" for i in range(17)]},
}


@pytest.fixture(scope="module", params=["demo", pytest.param("reference", marks=pytest.mark.reference)])
def engine(request):
    """A bundled checkpoint of 64 dimensions and, where it is at hand, a reference one of 192."""
    if request.param == "demo":
        settings = checkpoint_settings(CHECKPOINTS_FOLDER / "demo_english", max_len=512, head_max_len=128)
    else:
        folder = request.getfixturevalue("shared") / "checkpoints" / "english"
        settings = checkpoint_settings(folder, max_len=512, head_max_len=192)
    return load_engine(locate(settings, NoHub()), "cpu", 1)


@pytest.mark.parametrize("qid", sorted(QUESTIONS))
def test_a_row_alone_and_among_others_has_the_same_bits(engine, qid):
    drafts = [
        Draft(str(i), i, "en", f"{' '.join(WORDS[i % 8 :])} {i}", {qid: QUESTIONS[qid]}, {}) for i in range(0, 480, 8)
    ]
    rows = [engine.encode(variants_of("baseline", case)[0], qid) for case in freeze(drafts)]
    [(shape, count)] = Counter(row.shape for row in rows).most_common(1)
    assert count >= 12
    rows = [row for row in rows if row.shape == shape][:12]
    alone = [engine.forward([row]).logits[0] for row in rows]
    for size in (2, 3, 5, 7, 12):
        together = [one for i in range(0, 12, size) for one in engine.forward(rows[i : i + size]).logits]
        assert all(map(np.array_equal, alone, together)), size
