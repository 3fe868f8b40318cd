"""Raw logits -> the readings of every check: numpy over the rows of the logits table, no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from laya_sweep.suites.check_design import LanguageDesign
from laya_sweep.suites.check_probe import Floats, Probe


@dataclass(frozen=True, slots=True)
class Readings:
    """One check in one language.

    Attributes:
        values: float64[states, configurations]; NaN where a state's logits are missing or not finite.
        slots: for each configuration float64[states, k], NaN alike.
        names: of the configurations.
        missing: readings that lack a row.
        not_finite: readings of which a logit is not finite.
    """

    check: str
    language: str
    values: Floats
    slots: tuple[Floats, ...]
    names: tuple[str, ...]
    missing: int
    not_finite: int

    @property
    def reason(self) -> str | None:
        """Why there is no figure: over a part of the states and orders it would be another one."""
        counts = ((self.missing, "are missing"), (self.not_finite, "have logits that are not finite"))
        said = [f"{count} of {self.values.size} readings {what}" for count, what in counts if count]
        return ", ".join(said) or None


def read_checks(language: str, design: LanguageDesign, facts: pa.Table, states: Mapping[str, int]) -> list[Readings]:
    """The readings of every check of a language.

    Args:
        language: its code.
        design: what it was asked.
        facts: its rows of the logits table, of any run; columns case_id, question, status, logits.
        states: case id -> index of the case's state in the design.
    """
    columns = (facts[name].to_pylist() for name in ("case_id", "question", "status", "logits"))
    logits = {
        (states[case], question): np.asarray(values, dtype=np.float64)
        for case, question, status, values in zip(*columns, strict=True)
        if status == "ok" and case in states
    }
    return [_readings(check, language, len(design.states), probes, logits) for check, probes in design.probes.items()]


def _readings(
    check: str, language: str, states: int, probes: Sequence[Probe], logits: Mapping[tuple[int, str], Floats]
) -> Readings:
    values = np.full((states, len(probes)), np.nan)
    slots = [np.full((states, 0), np.nan) for _ in probes]
    missing = not_finite = 0
    for place, probe in enumerate(probes):
        ids = probe.question_ids(check)
        for state in range(states):
            rows = [logits[state, qid] for qid in ids if (state, qid) in logits]
            if len(rows) < len(ids):
                missing += 1
            elif not all(np.isfinite(row).all() for row in rows):
                not_finite += 1
            else:
                reading = probe.read(rows)
                values[state, place] = reading.value
                if not slots[place].shape[1]:
                    slots[place] = np.full((states, len(reading.slots)), np.nan)
                slots[place][state] = reading.slots
    names = tuple(probe.name for probe in probes)
    return Readings(check, language, values, tuple(slots), names, missing, not_finite)
