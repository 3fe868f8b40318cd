"""Decisions of a transform beside those of the baseline: the `pairs` table and the robustness figures.

Both sides are in canonical option order already, and derived: a pair costs no forward. A pair is one answer of a
variant and the baseline's answer to the same question of the same case, in one language, under one regime.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.settings import BASELINE
from laya_sweep.metrics.bootstrap import REPLICATES
from laya_sweep.metrics.columns import SliceColumn
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.metrics.pair_summary import summarise_robustness
from laya_sweep.metrics.pair_view import PairColumns
from laya_sweep.metrics.robustness import PairFigures, compare_pairs
from laya_sweep.results.rows import PlaceRows
from laya_sweep.store.schemas import PAIRS

#: Probabilities may be the runtime's own of 4 decimals, whose sum is off by half of the last one for each option.
_SUM_TOLERANCE = 0.05

#: What a pair takes over from the variant's decision.
_COPIED = (
    *("checkpoint", "cell_key", "language", "transform", "case_id", "variant", "question", "regime", "source_id"),
    *("row_index", "tags", "question_type", "n_options", "model"),
)
_ANSWERS = ("pred_index", "pred_label", "correct")


class Side(NamedTuple):
    """Decisions of a cell under one regime, and its facts."""

    decisions: pa.Table
    facts: pa.Table


def pair_results(
    keys: Iterable[ResultKey], decisions: Mapping[ResultKey, Mapping[str, pa.Table]], cells: Iterable[PlaceRows]
) -> dict[ResultKey, pa.Table]:
    """The pairs of every result that is no baseline, languages in order of their codes.

    Args:
        keys: of all results.
        decisions: by result and language; a language that failed is not there, and has no pairs.
        cells: the facts that the decisions were derived from.
    """
    facts = {(rows.expected.checkpoint, rows.expected.transform, rows.expected.language): rows.facts for rows in cells}

    def side(key: ResultKey, language: str) -> Side:
        return Side(decisions[key][language], facts[key.checkpoint, key.transform, language])

    found = {}
    for key in keys:
        before = baseline_of(key)
        if key != before:
            shared = sorted(decisions.get(key, {}).keys() & decisions.get(before, {}).keys())
            tables = [pair_table(side(before, language), side(key, language)) for language in shared]
            found[key] = pa.concat_tables([PAIRS.empty_table(), *tables])
    return found


def baseline_of(key: ResultKey) -> ResultKey:
    """The result that a result is compared with."""
    return key._replace(transform=BASELINE)


def pair_table(baseline: Side, variant: Side) -> pa.Table:
    """The pairs of two cells, in the order of the variant's decisions; an answer without its other side is none."""
    places = {key: at for at, key in enumerate(_questions(baseline.decisions))}
    rows = [at for at, key in enumerate(_questions(variant.decisions)) if key in places]
    after = variant.decisions.take(pa.array(rows, pa.int64()))
    before = baseline.decisions.take(pa.array([places[key] for key in _questions(after)], pa.int64()))
    figures = _compare(before, after)
    columns: dict[str, Any] = {name: after[name] for name in _COPIED}
    columns |= {"baseline_cell_key": before["cell_key"]}
    for name, decisions, facts in (("baseline", before, baseline.facts), ("variant", after, variant.facts)):
        columns |= {f"{name}_{answer}": decisions[answer] for answer in _ANSWERS}
        own = _facts_of(decisions, facts)
        columns |= {f"{name}_tied": _tied(own["logits"]), f"{name}_options_distinct": own["options_distinct"]}
    columns |= {field: getattr(figures, field) for field in PairFigures.__dataclass_fields__}
    columns |= {"absolute_confidence_drift": np.abs(figures.confidence_drift)}
    return pa.table({name: columns[name] for name in PAIRS.names}).cast(PAIRS)


def robustness_rows(pairs: pa.Table, languages: Sequence[str], replicates: int = REPLICATES) -> list[MetricRow]:
    """Robustness figures of pairs: overall, by language (those asked for without pairs too), model, question, tag."""
    return summarise_robustness(pair_columns(pairs), expected={"language": languages}, replicates=replicates)


def compared_pairs(pairs: Mapping[ResultKey, pa.Table]) -> dict[ResultKey, pa.Table]:
    """The pairs that each result's robustness figures are over.

    Those of a baseline are over the pairs of all its transforms: the overall figures, pair-weighted.
    """
    found = dict(pairs)
    for before in dict.fromkeys(baseline_of(key) for key in pairs):
        found[before] = pa.concat_tables([table for key, table in pairs.items() if baseline_of(key) == before])
    return found


def pair_columns(pairs: pa.Table) -> PairColumns:
    """The columns that robustness figures read, from a pairs table."""
    figures = PairFigures(*(pairs[name].to_numpy() for name in PairFigures.__dataclass_fields__))
    sources = SliceColumn.of(pairs["source_id"].to_pylist())
    tags = pairs["tags"].combine_chunks()
    owners = pc.list_parent_indices(tags).to_numpy(zero_copy_only=False).astype(np.int64)
    named = SliceColumn.of(pc.list_flatten(tags).to_pylist())
    return PairColumns(
        figures=figures,
        right_before=_right(pairs["baseline_correct"]),
        right_after=_right(pairs["variant_correct"]),
        source=sources.codes,
        slices={
            "language": SliceColumn.of(pairs["language"].to_pylist()),
            "model": SliceColumn.of(pairs["model"].to_pylist()),
            "qid": SliceColumn.of(pairs["question"].to_pylist()),
            "tag": SliceColumn(named.codes, named.values, owners),
        },
    )


def _compare(before: pa.Table, after: pa.Table) -> PairFigures:
    return compare_pairs(
        _vectors(before),
        _vectors(after),
        before["pred_index"].to_numpy(),
        after["pred_index"].to_numpy(),
        tolerance=_SUM_TOLERANCE,
    )


def _vectors(decisions: pa.Table) -> Any:  # noqa: ANN401 - a matrix where all questions have as many options
    counts = decisions["n_options"].unique().to_pylist()
    if len(counts) == 1:
        flat = pc.list_flatten(decisions["probabilities"]).to_numpy()
        return flat.reshape(decisions.num_rows, counts[0])
    return decisions["probabilities"].to_pylist()


def _questions(table: pa.Table) -> list[tuple[str, str]]:
    return list(zip(table["case_id"].to_pylist(), table["question"].to_pylist(), strict=True))


def _facts_of(decisions: pa.Table, facts: pa.Table) -> pa.Table:
    """The facts behind decisions, in their order."""
    places = {key: at for at, key in enumerate(_rows(facts))}
    return facts.take(pa.array([places[key] for key in _rows(decisions)], pa.int64()))


def _rows(table: pa.Table) -> list[tuple[str, str, str]]:
    return list(zip(*(table[name].to_pylist() for name in ("case_id", "variant", "question")), strict=True))


def _tied(logits: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Whether several options of a row share its largest logit; float32, so that no temperature has a say."""
    if not len(logits):
        return np.zeros(0, dtype=np.bool_)
    lengths = pc.list_value_length(logits).to_numpy()
    flat, starts = pc.list_flatten(logits).to_numpy(), np.cumsum(lengths) - lengths
    largest = np.repeat(np.maximum.reduceat(flat, starts), lengths)
    return np.asarray(np.add.reduceat((flat == largest).astype(np.int64), starts) > 1)


def _right(column: pa.ChunkedArray) -> NDArray[np.int8]:
    return np.array([-1 if value is None else int(value) for value in column.to_pylist()], dtype=np.int8)
