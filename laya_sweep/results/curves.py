"""Decisions -> precision-coverage curves."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from laya_sweep.domain.result_key import ResultKey
from laya_sweep.metrics.columns import DecisionColumns
from laya_sweep.metrics.curve import curve
from laya_sweep.results.columns import decision_columns
from laya_sweep.store.schemas import CURVES


def curve_rows(key: ResultKey, decisions: pa.Table, *, whole: bool = True) -> pa.Table:
    """Precision-coverage curves of one result: overall where it is whole, and per language in order of the codes."""
    columns = decision_columns(decisions)
    languages = columns.slices["language"]
    tables = [_curve_table(key, ("overall", ""), columns)] if whole else []
    for code, language in enumerate(languages.values):
        rows = np.flatnonzero(languages.codes == code)
        tables.append(_curve_table(key, ("language", language), columns.take(rows)))
    return pa.concat_tables(tables)


def _curve_table(key: ResultKey, place: tuple[str, str], columns: DecisionColumns) -> pa.Table:
    points = curve(columns.level, columns.correct, source=columns.source)
    rows = len(points.threshold)
    texts = {**key._asdict(), "slice": place[0], "slice_value": place[1]}
    numbers = {name: getattr(points, name) for name in CURVES.names if name not in texts and name != "n"}
    return (
        pa.table({name: [text] * rows for name, text in texts.items()} | numbers | {"n": [points.n] * rows})
        .select(CURVES.names)
        .cast(CURVES)
    )
