"""An exported graph against the torch model that it was made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import onnxruntime
import torch
from numpy.typing import NDArray

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.domain.layout import BY_CASE
from laya_sweep.engines.encoding import encode_question
from laya_sweep.engines.engine import EncodingError
from laya_sweep.engines.export_probes import Feed, mate_feeds, probe_feeds, probe_variants
from laya_sweep.engines.exported_graph import Drift
from laya_sweep.engines.onnx_engine import feed_of, run_graph
from laya_sweep.errors import ParityError, Problem
from laya_sweep.scoring.probability import softmax

#: How far a full-precision graph may be from torch, in logits.
TOLERANCE = 1e-4

_UNIT = np.ones(1)


class Loaded(NamedTuple):
    """A checkpoint in torch, with its tokenizer and how many words that knows."""

    checkpoint: Checkpoint
    model: torch.nn.Module
    tokenizer: object
    words: int

    def __call__(self, feed: Feed) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits and act logits of torch."""
        with torch.inference_mode():
            logits, act = self.model(**{name: torch.from_numpy(value) for name, value in feed.items()})
        return logits.float().numpy(), act.float().numpy()


def require_parity(loaded: Loaded, session: onnxruntime.InferenceSession) -> float:
    """The largest difference over calls of every size.

    Raises:
        ParityError: it is above 1e-4, or the graph cannot compute one of them.
    """
    worst = 0.0
    for feed in probe_feeds(loaded.words, loaded.checkpoint.max_len):
        try:
            found = run_graph(session, feed)
        except RuntimeError as error:
            raise ParityError(_problem(loaded, feed, str(error))) from error
        differences = [np.abs(ours - theirs).max() for ours, theirs in zip(found, loaded(feed), strict=True)]
        if not max(differences) <= TOLERANCE:
            raise ParityError(_problem(loaded, feed, f"a difference of {max(differences):.3g}"))
        worst = max(worst, *map(float, differences))
    return worst


def rows_are_independent(loaded: Loaded, session: onnxruntime.InferenceSession) -> bool:
    """Whether the bits of a row are the same alone and among others of its shape."""
    for feed in mate_feeds(loaded.words, loaded.checkpoint.max_len):
        together = run_graph(session, feed)
        for row in range(len(feed["qtype"])):
            alone = run_graph(session, {name: value[row : row + 1] for name, value in feed.items()})
            if any(not np.array_equal(one[0], all_[row]) for one, all_ in zip(alone, together, strict=True)):
                return False
    return True


def measure_drift(loaded: Loaded, session: onnxruntime.InferenceSession) -> Drift:
    """How far answers to real questions move, each computed alone as the runtime computes a single question.

    Raises:
        ParityError: a number that is none.
    """
    logit = probability = 0.0
    agreeing = rows = 0
    for feed in _questions(loaded):
        options = int(feed["marker_mask"].sum())
        ours, theirs = run_graph(session, feed)[0][0, :options], loaded(feed)[0][0, :options]
        if not np.isfinite(ours).all():
            raise ParityError(_problem(loaded, feed, "logits that are not finite"))
        rows += 1
        agreeing += int(ours.argmax() == theirs.argmax())
        logit = max(logit, float(np.abs(ours - theirs).max()))
        probability = max(probability, float(np.abs(softmax(ours[None], _UNIT) - softmax(theirs[None], _UNIT)).max()))
    return Drift(rows, logit, probability, agreeing)


def _questions(loaded: Loaded) -> Iterator[Feed]:
    """Questions that fit the checkpoint, as calls of one row."""
    budgets = (loaded.checkpoint.max_len, loaded.checkpoint.head_max_len)
    for variant in probe_variants():
        for qid in variant.questions:
            try:
                row = encode_question(loaded.tokenizer, variant, qid, budgets, BY_CASE)
            except EncodingError:
                continue
            yield feed_of([row.item], row.shape, 0)


def _problem(loaded: Loaded, feed: Feed, got: str) -> Problem:
    rows, length = feed["input_ids"].shape
    return Problem(
        f"export of {loaded.checkpoint.source}",
        f"logits within {TOLERANCE:g} of torch's for {rows} rows of {length} tokens and "
        f"{feed['marker_pos'].shape[1]} option slots",
        got,
        "nothing was written; this graph cannot be trusted with these library versions",
    )
