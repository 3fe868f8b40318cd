"""Parquet as a table file: columns of types that JSON has, each value as it is."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from laya_sweep.files.strict_json import name_of
from laya_sweep.suites.cells import Cells, column_faults
from laya_sweep.suites.labelled import Fault


def read_parquet_cells(data: bytes, wanted: Sequence[str]) -> Cells:
    """The wanted columns of a Parquet file; a null is a missing cell, and lines are rows counted from 1."""
    cells = Cells()
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        schema = file.schema_arrow
        cells.faults += column_faults(schema.names, wanted)
        names = [] if cells.faults else [*dict.fromkeys(wanted)]
        for name in names:
            kind = schema.field(name).type
            if not _is_plain(kind):
                expected = "a column of texts, numbers, bools, or lists and objects of them"
                cells.faults.append(Fault(0, name_of(name), expected, str(kind)))
        if cells.faults:
            return cells
        columns = [file.read([name]).column(name).to_pylist() for name in names]
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        cells.faults.append(Fault(0, "", "a whole Parquet file", " ".join(str(error).split())[:200]))
        return cells
    for line, values in enumerate(zip(*columns, strict=True), start=1):
        row = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        cells.rows.append((line, row))
    return cells


def _is_plain(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _is_plain(kind.value_type)
    if types.is_struct(kind):
        return all(_is_plain(kind.field(i).type) for i in range(kind.num_fields))
    plain = (types.is_string, types.is_large_string, types.is_string_view, types.is_integer, types.is_floating)
    return any(check(kind) for check in (*plain, types.is_boolean, types.is_null))
