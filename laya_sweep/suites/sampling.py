"""How the options of a many-label question are drawn.

`published` repeats the sampling behind the published 51-language tables, to the draw. `by_row` is for
everything else: the options of a row depend on (seed, row id) and the label set alone, so that filtering
or re-ordering rows changes nothing. That set is the stated one (`dataset.labels`), else the whole split's: rows that
somebody took out into a folder of their own keep their options where the set is stated.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from laya_sweep.domain.identity import canonical_json, digest_text


class LabelledText(NamedTuple):
    """One row of a text-label dataset."""

    row_id: str
    text: str
    label: str


Sampling = Callable[[Sequence[LabelledText], Sequence[str], int, int], list[list[str]]]


def published(rows: Sequence[LabelledText], labels: Sequence[str], n_opts: int, seed: int) -> list[list[str]]:
    """Options per row as in the published tables: one fresh generator walks the language's rows in order.

    Args:
        rows: the first rows of the language, in file order.
        labels: every label of the language's whole split, sorted.
        n_opts: options wanted; fewer where the label set is smaller.
        seed: seed of the generator, the same for every language.
    """
    generator = random.Random(seed)
    drawn = []
    for row in rows:
        others = [label for label in labels if label != row.label]
        options = [row.label, *generator.sample(others, min(n_opts - 1, len(others)))]
        generator.shuffle(options)
        drawn.append(options)
    return drawn


def by_row(rows: Sequence[LabelledText], labels: Sequence[str], n_opts: int, seed: int) -> list[list[str]]:
    """Options per row from a hash of (seed, row id, label): the gold label and the labels of lowest rank.

    Arguments as for `published`. A label that joins or leaves the set moves at most one option of a row.
    """
    return [_ranked_options(row, labels, n_opts, seed) for row in rows]


def _ranked_options(row: LabelledText, labels: Sequence[str], n_opts: int, seed: int) -> list[str]:
    def rank(purpose: str, label: str) -> str:
        return digest_text(canonical_json([purpose, seed, row.row_id, label]))

    others = sorted((label for label in labels if label != row.label), key=lambda label: rank("draw", label))
    return sorted([row.label, *others[: n_opts - 1]], key=lambda label: rank("place", label))


SAMPLINGS: dict[str, Sampling] = {"published": published, "by_row": by_row}
