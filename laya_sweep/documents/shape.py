"""The shapes of documents by the names that `export --format` has for them."""

from __future__ import annotations

from typing import Final

LAYA_EVAL: Final = "laya-eval"
LAYA_EVALS: Final = "laya-evals"
METAMORPHIC: Final = "laya-metamorphic"

#: Every shape that a run is exported in.
SHAPES_WRITTEN: Final = (LAYA_EVAL, LAYA_EVALS, METAMORPHIC)

#: Figures by language of several models or branches: read, and not written.
LANGUAGE_TABLE: Final = "language table"
