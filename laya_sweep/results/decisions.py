"""Facts and temperatures -> decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.domain.bucket import option_bucket
from laya_sweep.domain.question import target_of
from laya_sweep.domain.regime import BucketTemperature, Regime, UnusableTemperatureError
from laya_sweep.errors import CheckpointError, Problem
from laya_sweep.results.rows import PlaceRows, joined, take_rows
from laya_sweep.scoring.decision import RowPlace, ScoredCell, decide
from laya_sweep.scoring.rounding import Rounding
from laya_sweep.store.schemas import DECISIONS


def score_place(
    parts: Sequence[PlaceRows],
    regime: Regime,
    temperatures: Mapping[str, Mapping[str, BucketTemperature]],
    rounding: Rounding = "exact",
) -> pa.Table:
    """Decisions of the cells of one place in case order, each under the temperatures of who answered it.

    Args:
        parts: the cells; one, or one for each member of a routed checkpoint.
        regime: the temperature rule.
        temperatures: by who answers, then by bucket.
        rounding: exact figures, or the runtime's own.

    Raises:
        CheckpointError: as `score_cell`.
    """
    tables = [score_cell(part, regime, temperatures[part.expected.answered_by], rounding) for part in parts]
    return tables[0] if len(parts) == 1 else take_rows(pa.concat_tables(tables), joined(parts).expected.row_ids)


def score_cell(
    rows: PlaceRows, regime: Regime, temperatures: Mapping[str, BucketTemperature], rounding: Rounding = "exact"
) -> pa.Table:
    """Decisions of a cell's successful rows under a regime, in exact figures or in the runtime's own.

    Raises:
        CheckpointError: the raw regime of a checkpoint that ships no usable temperature.
    """
    expected = rows.expected
    scored = ScoredCell(
        checkpoint=expected.checkpoint,
        model=expected.answered_by,
        temperatures=temperatures,
        places={case.case_id: RowPlace(case.source_id, case.row_index, case.tags) for case in expected.cases},
        targets={
            (case.case_id, qid): target_of(question, case.expected.get(qid))
            for case in expected.cases
            for qid, question in case.questions.items()
        },
    )
    ok = rows.facts.filter(pc.equal(rows.facts["status"], "ok"))
    try:
        return decide(ok, scored, regime, DECISIONS, rounding)
    except UnusableTemperatureError as error:
        problem = Problem(
            f"regime {regime.name} of checkpoint {expected.asked_of}",
            f"a raw temperature for {error.bucket} that float32 divides by",
            "none in its rl_agent_config.json",
            "drop the raw regime for it, or use served, unit or fixed",
        )
        raise CheckpointError(problem) from error


def is_served(decisions: pa.Table, served: Mapping[str, Mapping[str, float]]) -> bool:
    """Whether every decision has the temperature that the runtime applies: only then are its marks the runtime's.

    Args:
        decisions: of one result.
        served: who answers -> bucket -> its served temperature.
    """
    names = ["model", "question_type", "n_options", "temperature"]
    kinds = decisions.group_by(names).aggregate([])
    return all(
        served[model][option_bucket(kind, options)] == temperature
        for model, kind, options, temperature in zip(*(kinds[name].to_pylist() for name in names), strict=True)
    )
