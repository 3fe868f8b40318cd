"""What training tells the model beside the answers, so that a tiny one learns within minutes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from laya.common import DecisionModel
from torch.nn import functional

from laya_sweep.demo.questions import INTENTS, URGENCY_LEVELS
from training.examples import Example

#: Share of a target spread over all options, so that logits stay small.
SMOOTHING = 0.1

#: `cross_entropy` leaves out positions with this label.
_NO_LABEL = -100


class Hints(torch.nn.Module):
    """Two readings of the encoder's output that exist in training alone.

    The mean over the utterance has to tell its intent and urgency, and an option's marker the intent it offers,
    both by one linear map. So the two come to lie in one space, and comparing them is quickly learnt; without
    it the same 600 steps left the English choice at 0.3 of the test rows.
    """

    def __init__(self, model: DecisionModel) -> None:
        super().__init__()
        width = model.encoder.config.hidden_size
        self._intent = torch.nn.Linear(width, len(INTENTS))
        self._urgency = torch.nn.Linear(width, len(URGENCY_LEVELS))
        self._hidden = torch.empty(0)
        self._hook = model.encoder.register_forward_hook(self._keep)

    def remove(self) -> None:
        """Take the hook off the encoder."""
        self._hook.remove()

    def loss(self, batch: dict[str, Any], drawn: Sequence[Example]) -> torch.Tensor:
        """Cross-entropy of both readings for the batch that just went through the encoder."""
        return self._utterances(batch, drawn) + self._options(batch, drawn)

    def _keep(self, _module: torch.nn.Module, _inputs: object, output: Any) -> None:  # noqa: ANN401
        self._hidden = output.last_hidden_state

    def _utterances(self, batch: dict[str, Any], drawn: Sequence[Example]) -> torch.Tensor:
        starts = torch.tensor([example.state_start for example in drawn])
        within = torch.arange(self._hidden.shape[1])[None] >= starts[:, None]
        weights = (within & batch["attention_mask"].bool()).float()[:, :, None]
        mean = (self._hidden * weights).sum(1) / weights.sum(1)
        intents = torch.tensor([INTENTS.index(example.row.intent) for example in drawn])
        urgencies = torch.tensor([example.row.urgency for example in drawn])
        by_intent = functional.cross_entropy(self._intent(mean), intents, label_smoothing=SMOOTHING)
        by_urgency = functional.cross_entropy(self._urgency(mean), urgencies, label_smoothing=SMOOTHING)
        return by_intent + 0.5 * by_urgency

    def _options(self, batch: dict[str, Any], drawn: Sequence[Example]) -> torch.Tensor:
        labels = torch.full(batch["marker_mask"].shape, _NO_LABEL)
        for index, example in enumerate(drawn):
            offered = [INTENTS.index(intent) for intent in example.offered]
            labels[index, : len(offered)] = torch.tensor(offered, dtype=torch.long)
        rows = torch.arange(len(drawn))[:, None]
        read = self._intent(self._hidden[rows, batch["marker_pos"]])
        # A sum over at least one: a batch without a choice has no label, and a mean of none is not a number.
        total = functional.cross_entropy(read.flatten(0, 1), labels.flatten(), ignore_index=_NO_LABEL, reduction="sum")
        return total / (labels != _NO_LABEL).sum().clamp(min=1)
