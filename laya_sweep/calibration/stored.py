"""The labelled logits of a stored result, and its decisions under any regime: derived, without a model."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from laya_sweep.calibration.fit import LabelledRow
from laya_sweep.calibration.overlap import DatasetRow, data_of
from laya_sweep.domain.question import Target, target_of
from laya_sweep.domain.regime import BucketTemperature, Regime
from laya_sweep.errors import Problem, UsageError
from laya_sweep.scoring.decision import RowPlace, ScoredCell, decide
from laya_sweep.store.schemas import DECISIONS
from laya_sweep.store.stored_run import StoredResult

#: Which rows: by their source_id.
Selection = Callable[[str], bool]


def every_row(_: str) -> bool:
    """The part that is all rows."""
    return True


def held_out(share: float, seed: int, joined: Mapping[str, str]) -> Selection:
    """A part of about this share, by a digest of (seed, source_id): an utterance is in it in all languages or in none.

    Args:
        share: of the sources.
        seed: of the draw.
        joined: source_id -> the source that speaks for it, where another one does (`joined_sources`).

    >>> held_out(1.0, 13, {})("any"), held_out(0.0, 13, {})("any")
    (True, False)
    """

    def inside(source_id: str) -> bool:
        digest = hashlib.sha256(f"{seed}:{joined.get(source_id, source_id)}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2.0**64 < share

    return inside


def other_rows(part: Selection) -> Selection:
    """The part that is all other rows."""
    return lambda source_id: not part(source_id)


class StoredLogits:
    """A result's logits with their right answers."""

    def __init__(self, result: StoredResult) -> None:
        """Find what scoring needs.

        Raises:
            UsageError: the run was imported, so it has no logits; the result is of a routed checkpoint, or
                has languages that failed.
        """
        if result.run.imported is not None:
            expected, got = "a run with logits", "an imported document, which has none"
            raise UsageError(Problem(f"run {result.run.folder}", expected, got, "name a run of a sweep"))
        if result.routes is not None:
            expected, got = "one checkpoint", f"the routed checkpoint {result.checkpoint}, which is several"
            step = "sweep the checkpoint that is to be calibrated by its own name"
            raise UsageError(Problem(f"result {result.key}", expected, got, step))
        if result.failed:
            got = f"none for {', '.join(code or '-' for code in result.failed)}"
            step = "run the sweep again: it computes what is missing"
            raise UsageError(Problem(f"result {result.key}", "figures of every language", got, step))
        self.result = result
        self._facts: pa.Table = result.facts.filter(pc.equal(result.facts["status"], "ok"))

    @property
    def served(self) -> dict[str, float]:
        """Bucket -> the checkpoint's temperature, as applied."""
        return self.result.served_temperatures[self.result.checkpoint]

    @property
    def languages(self) -> list[str]:
        """Languages with answers, in order of their codes."""
        return sorted(set(self._facts["language"].to_pylist()))

    def labelled(self, part: Selection = every_row) -> list[LabelledRow]:
        """The labelled answers of a part."""
        rows = []
        for fact in self._facts.to_pylist():
            place = fact["language"], fact["case_id"]
            case, target = self._cases[place], self._targets[*place, fact["question"]]
            vector = _target_vector(target)
            if vector is not None and part(case["source_id"]):
                rows.append(_labelled_row(fact, case, vector))
        return rows

    def dataset_rows(self, part: Selection = every_row) -> list[DatasetRow]:
        """The rows of a part, labelled or not, of the dataset that they came from."""
        config = self.result.run.config
        split = config["dataset"].get("split")
        data = {code: data_of(own.get("source", {}), split) for code, own in config["languages"].items()}
        answered = {*zip(self._facts["language"].to_pylist(), self._facts["case_id"].to_pylist(), strict=True)}
        return [
            DatasetRow(case["language"], data.get(case["language"], {}), case["source_id"], case["input_sha256"])
            for place, case in self._cases.items()
            if place in answered and part(case["source_id"])
        ]

    def decisions(self, regime: Regime, part: Selection = every_row) -> pa.Table:
        """Decisions of a part under a regime, exact figures, languages in order of their codes."""
        tables = [DECISIONS.empty_table()]
        for language in self.languages:
            own = self._facts.filter(pc.equal(self._facts["language"], language))
            tables.append(decide(own, self._cell(language), regime, DECISIONS))
        table = pa.concat_tables(tables)
        return table.filter(pa.array([part(source) for source in table["source_id"].to_pylist()], pa.bool_()))

    def _cell(self, language: str) -> ScoredCell:
        cases = {case_id: case for (code, case_id), case in self._cases.items() if code == language}
        served = {key: BucketTemperature(None, value, key) for key, value in self.served.items()}
        return ScoredCell(
            checkpoint=self.result.checkpoint,
            temperatures=served,
            places={
                case_id: RowPlace(case["source_id"], case["row_index"], tuple(case["tags"]))
                for case_id, case in cases.items()
            },
            targets={
                (case_id, qid): target for (code, case_id, qid), target in self._targets.items() if code == language
            },
        )

    @cached_property
    def _cases(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {(case["language"], case["case_id"]): case for case in self.result.run.cases}

    @cached_property
    def _targets(self) -> dict[tuple[str, str, str], Target]:
        found = {}
        for (language, case_id), case in self._cases.items():
            expected = json.loads(case["expected_json"])
            for qid, question in json.loads(case["questions_json"]).items():
                found[language, case_id, qid] = target_of(question, expected.get(qid))
        return found


def languages_of(rows: Iterable[LabelledRow]) -> dict[str, int]:
    """Language -> labelled answers."""
    found: dict[str, int] = {}
    for row in rows:
        found[row.language] = found.get(row.language, 0) + 1
    return dict(sorted(found.items()))


def _labelled_row(fact: Mapping[str, Any], case: Mapping[str, Any], vector: NDArray[np.float64]) -> LabelledRow:
    gold = int(vector.argmax())
    return LabelledRow(
        language=fact["language"],
        source_id=case["source_id"],
        input_sha256=case["input_sha256"],
        question_type=fact["question_type"],
        n_options=fact["n_options"],
        logits=np.array(fact["logits"], dtype=np.float32),
        presented_order=tuple(fact["presented_order"]),
        target=vector,
        gold_index=gold if vector[gold] == 1.0 else None,
    )


def _target_vector(target: Target) -> NDArray[np.float64] | None:
    """The gold answer as a distribution; a score between two levels weighs both. None: unlabelled, or off the scale."""
    vector = np.zeros(len(target.options))
    if target.gold_index is not None:
        vector[target.gold_index] = 1.0
        return vector
    if target.gold_score is None or not 0 <= target.gold_score <= len(vector) - 1:
        return None
    below = math.floor(target.gold_score)
    vector[below] = 1.0 - (target.gold_score - below)
    if below + 1 < len(vector):
        vector[below + 1] = target.gold_score - below
    return vector
