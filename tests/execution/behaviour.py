"""A scripted engine that misbehaves where the state of a case says so; importable by actors."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

from laya_sweep.domain.question import option_labels
from laya_sweep.engines.engine import OutOfMemoryError
from laya_sweep.engines.scripted import ScriptedEngine


def spread(variant, qid):
    """Logits that depend on the case and the option alone."""
    labels = option_labels(variant.questions[qid])
    digests = [hashlib.sha256(f"{variant.state} {label}".encode()).digest() for label in labels]
    return [digest[0] / 32 for digest in digests]


class Misbehaving(ScriptedEngine):
    """Raises on POISON, runs out of memory above two rows, dies on DIE, dies once on DIE-ONCE:<file>, hangs on HANG."""

    def forward(self, rows):
        if len(rows) > 2:
            raise OutOfMemoryError(f"{len(rows)} rows")
        for row in rows:
            self._act(str(row.item["variant"].state))
        return super().forward(rows)

    def _act(self, state):
        if "POISON" in state:
            raise ValueError("the poison case")
        if "SHORT" in state:
            raise IndexError("fewer rows than asked for")
        if "HANG" in state:
            time.sleep(600)
        if "DIE-ONCE:" in state:
            once = Path(state.split("DIE-ONCE:")[1].split()[0])
            if not once.exists():
                once.touch()
                os._exit(7)
        elif "DIE" in state:
            os._exit(7)


def misbehaving(checkpoint, device, threads):
    """Engine factory."""
    return Misbehaving(spread, device, threads)


class Disagreeing(ScriptedEngine):
    """Its public answers are not those of its logits."""

    def predict(self, variant, min_confidence):
        answers = super().predict(variant, min_confidence)
        for answer in answers.values():
            if "probabilities" in answer:
                answer["probabilities"] = {key: p + 0.01 for key, p in answer["probabilities"].items()}
        return answers


def disagreeing(checkpoint, device, threads):
    """Engine factory."""
    return Disagreeing(spread, device, threads)


def elsewhere(checkpoint, device, threads):
    """An engine that is not on the device it was asked to be on."""
    return ScriptedEngine(spread, "cuda", threads)


def broken(checkpoint, device, threads):
    """An engine that cannot be loaded."""
    raise OSError("weights cannot be read")
