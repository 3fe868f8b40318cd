"""Fewer options than a choice has, picked before it is answered: a shortlist by an embedder, or a knockout in groups.

What is kept depends on the case, the checkpoint and the embedder alone, so that it is a fact like the logits. Importing
this package imports no torch; `make_narrower` does.
"""

from laya_sweep.narrowing.cut import Cut, NarrowingError, narrowed
from laya_sweep.narrowing.embedder import Embed, import_embedder
from laya_sweep.narrowing.knockout import Knockout
from laya_sweep.narrowing.narrower import Narrower, make_narrower, narrowed_sample, narrowing_document, require_embedder
from laya_sweep.narrowing.shortlist import Shortlist

__all__ = [
    "Cut",
    "Embed",
    "Knockout",
    "Narrower",
    "NarrowingError",
    "Shortlist",
    "import_embedder",
    "make_narrower",
    "narrowed",
    "narrowed_sample",
    "narrowing_document",
    "require_embedder",
]
