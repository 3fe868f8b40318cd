"""The bootstrap over sources: replicate weights, and the interval of a set of replicates.

Resampling *sources* (one utterance in all its languages) and not rows keeps what belongs together together:
ten copies of a row under one source_id tell nothing new. The weights of replicate i depend on (seed, i) and
nothing else, so they are the same for any number of workers and any chunking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Floats, number_within, whole_number
from laya_sweep.metrics.interval import Interval

Draws: TypeAlias = Floats
"""One value a replicate, float64[replicates]; NaN where the replicate has no value (no row drawn, one
class)."""

_CHUNK_BYTES = 64 * 2**20


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
        weights = np.empty((count, n_sources), dtype=np.uint8)
        for row in range(count):
            drawn = replicate_weights(n_sources, seed, start + row)
            if drawn.max() > 255:
                raise OverflowError(f"replicate {start + row} drew one source {drawn.max()} times")
            weights[row] = drawn
        yield WeightChunk(start, weights)


def mean_draws(parts: Sequence[Draws | None]) -> Draws | None:
    """The replicates of an unweighted mean over slices that were resampled together; None without any."""
    known = [part for part in parts if part is not None]
    if not known or len(known) != len(parts):
        return None
    mean: Draws = np.mean(np.stack(known), axis=0)
    return mean


def bootstrap_interval(draws: Draws, value: float, confidence: float = 0.95) -> Interval | str:
    """The percentile interval of replicates, or the reason why there is none.

    Replicates without value are never dropped: those that are left would be the harmless ones.

    >>> low, high = bootstrap_interval(np.arange(101.0), 50.0)
    >>> round(low, 6), round(high, 6)
    (2.5, 97.5)
    >>> bootstrap_interval(np.array([0.5, float("nan")]), 0.5)
    '1 of 2 replicates have no value'
    """
    number_within(confidence, "confidence", 0.0, 1.0, open_low=True)
    undefined = int(np.count_nonzero(~np.isfinite(draws)))
    if undefined:
        return f"{undefined} of {len(draws)} replicates have no value"
    if len(draws) < 2:
        return "fewer than 2 replicates"
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return Interval(float(low), float(high))
