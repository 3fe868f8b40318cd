"""Whether a batch call returns its results in the order of its rows: a sample of them is asked alone too.

Results carry no name of their row. A runner that sorts rows by length and does not sort its results back gives
answers that are all valid, and all of other rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

from laya_sweep.errors import ParityError, Problem, one_line
from laya_sweep.evaluation.runner import Request, RunnerAdapter

#: Rows of an evaluation that are asked alone too.
SAMPLE = 4

#: How far a figure of a row alone may be from that of the row in a batch: padding and reduced precision move it.
_TOLERANCE = 1e-2

_Leaves = dict[tuple[str, ...], Any]


class OrderCheck:
    """Spends the sample on the first batches, two rows of each: the shortest and the longest, else first and last."""

    def __init__(self, runner: RunnerAdapter, sample: int) -> None:
        self._runner = runner
        self._left = sample
        self._batches = 0
        self._why = "order_sample is 0" if sample == 0 else ""
        self.checked = 0

    @property
    def unchecked(self) -> str | None:
        """Why nothing is known of the order of batches; None where some rows were checked, or no call had several."""
        return None if self.checked or not self._batches else self._why

    def see(self, requests: Sequence[Request], results: Sequence[Any]) -> None:
        """Check a batch that returned.

        Raises:
            ParityError: a row alone gets the answers that another row got in the batch, and not its own.
        """
        if len(requests) < 2:
            return
        self._batches += 1
        for place in _ends(requests)[: self._left]:
            self._left -= 1
            self._check(place, requests, results)

    def _check(self, place: int, requests: Sequence[Request], results: Sequence[Any]) -> None:
        try:
            [result] = self._runner.ask([requests[place]], 1)
            alone = _figures(result)
        except Exception as error:  # noqa: BLE001 - a row that cannot be asked alone says nothing about the batch
            self._why = f"no row could be asked alone: {one_line(f'{type(error).__name__}: {error}')}"
            return
        self.checked += 1
        if _close(alone, _figures(results[place])):
            return
        others = [i for i, result in enumerate(results) if i != place and _close(alone, _figures(result))]
        if others:
            what, other = f"row {requests[place].row}", requests[others[0]].row
            got = f"answers of row {other}: asked alone, row {requests[place].row} gets those and not its own"
            step = "the runner's predict_batch returns results in another order than its rows; use batch_size=1"
            raise ParityError(Problem(what, "its own answers from predict_batch", got, step))


def _ends(requests: Sequence[Request]) -> list[int]:
    lengths = [len(str(request.state)) for request in requests]
    shortest, longest = lengths.index(min(lengths)), lengths.index(max(lengths))
    return [0, len(requests) - 1] if shortest == longest else [shortest, longest]


def _figures(result: Any) -> _Leaves:  # noqa: ANN401 - whatever the runner returned
    """Answers and probabilities of a result by place; other fields, such as usage, belong to a call."""
    answers = result.get("answers") if isinstance(result, Mapping) else None
    return dict(_leaves(answers, ())) if isinstance(answers, Mapping) else {}


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:  # noqa: ANN401 - any JSON value
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    elif path[-1] in ("choice", "noul", "score") or "probabilities" in path:
        yield path, value


def _close(one: _Leaves, other: _Leaves) -> bool:
    return bool(one) and one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)


def _same(one: Any, other: Any) -> bool:  # noqa: ANN401 - labels and numbers
    if isinstance(one, Real) and isinstance(other, Real) and not isinstance(one, bool):
        return abs(float(one) - float(other)) <= _TOLERANCE
    return bool(one == other)
