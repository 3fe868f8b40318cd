"""Frozen cases as the cases table."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from laya_sweep.domain.case import Case
from laya_sweep.domain.identity import canonical_json, ordered_json
from laya_sweep.store.schemas import CASES


def cases_table(cases: Iterable[Case]) -> pa.Table:
    """The frozen cases, once per suite."""
    rows = [
        {
            "case_id": case.case_id,
            "source_id": case.source_id,
            "row_index": case.row_index,
            "language": case.language,
            "tags": list(case.tags),
            "model": case.model,
            "state_json": ordered_json(case.state),
            "questions_json": ordered_json(case.questions),
            "expected_json": canonical_json(case.expected),
            "input_sha256": case.input_sha256,
        }
        for case in cases
    ]
    return pa.Table.from_pylist(rows, schema=CASES)
