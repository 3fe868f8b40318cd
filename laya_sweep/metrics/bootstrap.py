"""The bootstrap over sources: how often each replicate draws each source.

Resampling *sources* (one utterance in all its languages) and not rows keeps what belongs together together:
ten copies of a row under one source_id tell nothing new. The weights of replicate i depend on (seed, i) and
nothing else, so they are the same for any number of workers and any chunking.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import whole_number

#: Replicates and seed of every bootstrap interval that nobody asks for otherwise.
REPLICATES: Final = 1000
SEED: Final = 13

_CHUNK_BYTES = 64 * 2**20
_KEPT_BYTES = 2**20
"""Weights of up to so many bytes are kept: many small figures draw the same sources."""


class WeightChunk(NamedTuple):
    """How often each source was drawn in the replicates start .. start + len(weights) - 1.

    Attributes:
        start: index of the first replicate.
        weights: uint8 or int32 [replicates of the chunk, sources]; each row sums to the number of sources.
    """

    start: int
    weights: NDArray[np.unsignedinteger]


def replicate_weights(n_sources: int, seed: int, index: int) -> NDArray[np.intp]:
    """How often replicate `index` draws each of `n_sources` sources, drawing n_sources times with
    replacement.

    >>> int(replicate_weights(5, seed=13, index=0).sum())
    5
    """
    generator = np.random.Generator(np.random.Philox(key=np.array([seed, index], dtype=np.uint64)))
    return np.bincount(generator.integers(0, n_sources, n_sources), minlength=n_sources)


def weight_chunks(n_sources: int, replicates: int, seed: int) -> Iterator[WeightChunk]:
    """The weights of all replicates, in chunks of at most about 64 MiB.

    A source is drawn 256 times or more with a probability below 1e-500, but it is checked all the same.
    """
    whole_number(n_sources, "n_sources")
    whole_number(replicates, "replicates")
    whole_number(seed, "seed", least=0)
    step = max(1, min(replicates, _CHUNK_BYTES // n_sources))
    for start in range(0, replicates, step):
        count = min(step, replicates - start)
        draw = _kept_weights if count * n_sources <= _KEPT_BYTES else _weights
        yield WeightChunk(start, draw(n_sources, seed, start, count))


def _weights(n_sources: int, seed: int, start: int, count: int) -> NDArray[np.uint8]:
    weights = np.empty((count, n_sources), dtype=np.uint8)
    for row in range(count):
        drawn = replicate_weights(n_sources, seed, start + row)
        if drawn.max() > 255:
            raise OverflowError(f"replicate {start + row} drew one source {drawn.max()} times")
        weights[row] = drawn
    weights.setflags(write=False)
    return weights


_kept_weights = lru_cache(maxsize=8)(_weights)
