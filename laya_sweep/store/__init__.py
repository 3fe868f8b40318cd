"""Facts on disk: explicit schemas, atomic parts, done by ids."""

from laya_sweep.store.facts import CellFacts, FactStore, Part, RowId, row_ids
from laya_sweep.store.files import (
    DamagedFileError,
    make_folder,
    parquet_bytes,
    read_parquet,
    require_writable,
    write_bytes,
)
from laya_sweep.store.schemas import (
    CALLS,
    CASES,
    CHECKPOINTS,
    CURVES,
    DECISIONS,
    FACTS,
    LOGITS,
    METRICS,
    RUN_CALLS,
    RUN_TIMINGS,
    SCHEMA_VERSION,
    TABLES,
    TIMINGS,
)

__all__ = [
    "CALLS",
    "CASES",
    "CHECKPOINTS",
    "CURVES",
    "DECISIONS",
    "FACTS",
    "LOGITS",
    "METRICS",
    "RUN_CALLS",
    "RUN_TIMINGS",
    "SCHEMA_VERSION",
    "TABLES",
    "TIMINGS",
    "CellFacts",
    "DamagedFileError",
    "FactStore",
    "Part",
    "RowId",
    "make_folder",
    "parquet_bytes",
    "read_parquet",
    "require_writable",
    "row_ids",
    "write_bytes",
]
