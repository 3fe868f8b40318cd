"""Atomic files: a reader sees a whole file or none.

Steps: write to a temporary name in the same folder, flush, fsync the file, rename over the final name, fsync
the folder. A kill between any two steps leaves at most a temporary file, which no reader looks at. The
trade-off: two fsyncs a file, which on a slow disk cost some milliseconds a part.
"""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from laya_sweep.errors import OutputError, Problem
from laya_sweep.store.schemas import ADDED, SCHEMA_VERSION

_TEMPORARY_PREFIX = ".writing-"


class DamagedFileError(Exception):
    """A file is truncated or is not what its footer promises."""


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file atomically (see the module docstring)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=_TEMPORARY_PREFIX, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


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
    table = _completed(table, schema)
    if not table.schema.equals(schema):
        raise DamagedFileError(f"{path.name}: expected schema version {SCHEMA_VERSION}, got another one")
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


def require_writable(path: Path, setting: str) -> None:
    """Refuse a folder that cannot be made or written, without making it.

    Raises:
        OutputError: naming the setting.
    """
    existing = path.absolute()
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        got = "a file" if existing.is_file() else "no permission to write"
        raise OutputError(
            Problem(f"{setting} {path}", "a folder that can be written", f"{got} at {existing}", "name another")
        )


def make_folder(path: Path, setting: str) -> None:
    """Make a folder.

    Raises:
        OutputError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            Problem(f"{setting} {path}", "a folder that can be written", str(error), "name another")
        ) from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
