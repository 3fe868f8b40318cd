"""Parquet files of ours: the footer promises schema and rows, and a reader holds it to that."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from laya_sweep.store.schemas import ADDED, SCHEMA_VERSION

_NARROW_INDICES = pa.list_(pa.field("item", pa.int16()))


class DamagedFileError(Exception):
    """A file is truncated or is not what its footer promises."""


def parquet_bytes(table: pa.Table, metadata: dict[str, str]) -> bytes:
    """A Parquet file as bytes: the same table gives the same bytes.

    The footer holds the schema version, the row count and `metadata`. No dictionary encoding, whose bytes
    depend on how a table is chunked.
    """
    footer = {"laya_sweep.schema_version": str(SCHEMA_VERSION), "laya_sweep.rows": str(table.num_rows)}
    footer |= {f"laya_sweep.{key}": value for key, value in metadata.items()}
    sink = io.BytesIO()
    tagged = table.replace_schema_metadata(footer)
    pq.write_table(tagged, sink, use_dictionary=False, compression="zstd", store_schema=True)
    return sink.getvalue()


def read_parquet(path: Path, schema: pa.Schema) -> pa.Table:
    """A Parquet file of ours, checked against the footer's promise.

    Raises:
        DamagedFileError: truncated, not Parquet, another schema, or another number of rows than promised.
    """
    try:
        with pq.ParquetFile(path) as file:  # not read_table, which first looks for a dataset of many files
            table = file.read(use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise DamagedFileError(f"{path.name}: {error}") from error
    promised = (table.schema.metadata or {}).get(b"laya_sweep.rows", b"none").decode()
    if promised != str(table.num_rows):
        raise DamagedFileError(f"{path.name}: expected {promised} rows, got {table.num_rows}")
    table = _widened(_completed(table, schema), schema)
    if not table.schema.equals(schema):
        raise DamagedFileError(f"{path.name}: expected schema version {SCHEMA_VERSION}, got another one")
    return table


def _widened(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with option indices as wide as they are now: up to version 3 they had 16 bits."""
    narrow = [field for field in table.schema if field.type == _NARROW_INDICES and field.name in schema.names]
    for field in narrow:
        wide = schema.field(field.name)
        table = table.set_column(table.schema.get_field_index(field.name), wide, table[field.name].cast(wide.type))
    return table


def _completed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with the columns that came after it, as nulls."""
    missing = set(schema.names) - set(table.schema.names)
    if not missing or not missing <= ADDED or set(table.schema.names) - set(schema.names):
        return table
    for field in schema:
        if field.name in missing:
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    return table.select(schema.names)
