"""Cells of scripted engines under any transform: variants -> facts -> decisions -> pairs, without a model."""

from __future__ import annotations

from laya_sweep.domain.regime import BucketTemperature, Regime
from laya_sweep.domain.settings import TransformSettings
from laya_sweep.engines.scripted import ScriptedEngine
from laya_sweep.execution.rows import Issued, Prepared, RowKeys, fact_rows, success
from laya_sweep.results.decisions import score_cell
from laya_sweep.results.pairs import Side, pair_table
from laya_sweep.results.rows import select_rows
from laya_sweep.run.plan import Cell
from laya_sweep.store.schemas import TIMINGS
from laya_sweep.transforms.registry import present

BUCKETS = {
    f"{kind}:{size}": BucketTemperature(1.0, 1.0, kind)
    for kind in ("choice", "score", "noul")
    for size in ("2", "3-5", "6-10", "11+")
}
BASELINE = TransformSettings("baseline")


def fixed(temperature=1.0):
    return Regime(f"T={temperature}", "fixed", temperature)


def facts_of(script, variants, transform="baseline", language="en", batch=3):
    """Facts of the variants' questions, forwarded `batch` at a time."""
    engine, outcomes = ScriptedEngine(script), []
    rows = [(variant, qid) for variant in variants for qid in variant.questions]
    for start in range(0, len(rows), batch):
        prepared = [Prepared(v, qid, engine.encode(v, qid), 0.0) for v, qid in rows[start : start + batch]]
        forward = engine.forward([row.encoded for row in prepared])
        outcomes += [
            success(row, z, 0.0, 0.0, 0.0, (Issued(str(start), batch, 0.0),), row.encoded.shape.length)
            for row, z in zip(prepared, forward.logits, strict=True)
        ]
    return fact_rows(RowKeys(f"key of {transform}", language, transform), outcomes)


def side_of(script, cases, settings, regime, language="en", batch=3):
    """Decisions and facts of one cell."""
    variants = tuple(present(settings, cases))
    facts = facts_of(script, variants, settings.name, language, batch)
    cell = Cell(
        key="key",
        identity={},
        checkpoint="mine",
        language=language,
        transform=settings.name,
        cases=tuple(cases),
        variants=variants,
        done=frozenset(),
    )
    rows = select_rows(cell, facts, TIMINGS.empty_table())
    return Side(score_cell(rows, regime, BUCKETS), rows.facts)


def pairs_of(script, cases, settings, regime=None, **how):
    """The pairs table of a transform against the baseline."""
    regime = regime or fixed()
    return pair_table(side_of(script, cases, BASELINE, regime, **how), side_of(script, cases, settings, regime, **how))
