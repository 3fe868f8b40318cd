"""A loaded checkpoint as a scorer: probabilities in full precision, which the runtime's own answers round away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laya_sweep.domain.bucket import option_bucket
from laya_sweep.domain.settings import BASELINE
from laya_sweep.domain.variant import Variant
from laya_sweep.engines.engine import by_shape
from laya_sweep.engines.loading import agent_engine
from laya_sweep.metamorphic.case import Input
from laya_sweep.metamorphic.prediction import Scorer
from laya_sweep.scoring.probability import softmax


def model_scorer(agent: Any, temperature: float | None = None) -> Scorer:  # noqa: ANN401 - the runtime's Agent
    """A scorer that asks a loaded `laya` agent, in float32, and divides logits as the agent serves them.

    Inputs are padded to lengths of their own (as in a sweep), so a batch never changes a probability.

    Args:
        agent: from `laya.load`; it is not changed.
        temperature: one for all questions in place of the agent's own.

    Raises:
        ValueError: the temperature is no positive number, or the model is being trained and would drop out at random.
    """
    if temperature is not None and not 0.0 < temperature < np.inf:
        raise ValueError(f"Expected `temperature` to be None or a finite number above 0, but got {temperature!r}")
    if agent.model.training:
        raise ValueError("Expected a model that is not being trained, but got one; call agent.model.eval()")
    engine = agent_engine(agent)
    served = engine.info().served_temperatures

    def score(inputs: Sequence[Input]) -> list[NDArray[np.float64]]:
        shown = [(Variant("", BASELINE, one.state, one.questions, {}), qid) for one in inputs for qid in one.questions]
        rows = [engine.encode(variant, qid) for variant, qid in shown]
        found: list[NDArray[np.float64]] = [np.empty(0)] * len(rows)
        for places in by_shape(rows).values():
            forward = engine.forward([rows[place] for place in places])
            for place, logits in zip(places, forward.logits, strict=True):
                count = len(logits)
                own = served.get(option_bucket("choice", count), served["choice"])
                applied = np.array([own if temperature is None else temperature])
                found[place] = rows[place].as_presented(softmax(logits[None, :], applied)[0])
        return found

    return score
