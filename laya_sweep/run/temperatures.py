"""The temperatures of a run's checkpoints: from a worker, from the store, and only then resolved here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from laya_sweep.calibration.served import type_temperatures
from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.checkpoints.temperatures import TemperatureFact, from_json, resolve_temperatures, to_json
from laya_sweep.domain.identity import library_versions, value_digest
from laya_sweep.domain.regime import BucketTemperature
from laya_sweep.store.facts import FactStore


class CheckpointTemperatures:
    """Temperatures by checkpoint. To resolve them loads torch, which a run with nothing to infer must not need."""

    def __init__(self, checkpoints: Sequence[Checkpoint], store: FactStore) -> None:
        self._checkpoints = {checkpoint.name: checkpoint for checkpoint in checkpoints}
        self._store = store
        self._known: dict[str, list[TemperatureFact]] = {}

    def keep(self, checkpoint: Checkpoint, facts: Iterable[TemperatureFact]) -> None:
        """Remember what a worker resolved, for this run and later ones."""
        self._known[checkpoint.name] = [*facts]
        self._store.keep_temperatures(_key(checkpoint), to_json(self._known[checkpoint.name]))

    def of(self, name: str) -> list[TemperatureFact]:
        """Raw and served temperatures of a checkpoint, by question type and bucket."""
        if name not in self._known:
            checkpoint = self._checkpoints[name]
            kept = self._store.temperatures(_key(checkpoint))
            if kept is None:
                self.keep(checkpoint, resolve_temperatures(checkpoint.temperatures))
            else:
                self._known[name] = from_json(kept)
        return self._known[name]

    def buckets(self, name: str) -> Mapping[str, BucketTemperature]:
        """By bucket, and by question type as far as a language may take that over."""
        buckets = {fact.bucket: BucketTemperature(fact.raw, fact.served, fact.source) for fact in self.of(name)}
        return buckets | type_temperatures(self._checkpoints[name].temperatures)


def _key(checkpoint: Checkpoint) -> str:
    """What decides resolved temperatures: what the checkpoint ships, and the runtime's rules."""
    return value_digest([checkpoint.temperatures, library_versions(("laya",))])
