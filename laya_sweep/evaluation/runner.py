"""Runners: objects with the runtime's `predict` or `predict_batch`, in any of the shapes in use.

`laya.load(...)` takes states and one set of questions, and no `model`; `laya.Router` takes a list of requests that
each have their own. What an object takes is read off its signatures once, so that nothing is sent that it does not
know, and nothing is asked for that it would silently not do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from laya_sweep.errors import Problem, UsageError

BatchForm: TypeAlias = Literal["states", "requests"]

#: An abstention threshold in the runtime's own form: for every answer, or by option bucket.
AskedThreshold: TypeAlias = float | Mapping[str, float]


class Request(NamedTuple):
    """One row as it is asked: its place in the data, and the checkpoint it is sent to (None: the runner's choice)."""

    row: int
    state: Any
    questions: dict[str, dict[str, Any]]
    model: str | None


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a callable takes. `known` is False where it has no signature; `forwards` where it takes any keyword."""

    positional: tuple[str, ...]
    named: frozenset[str]
    forwards: bool
    known: bool

    @classmethod
    def of(cls, call: Callable[..., Any]) -> Parameters:
        """Read off the signature."""
        try:
            given = list(inspect.signature(call).parameters.values())
        except (TypeError, ValueError):
            return cls((), frozenset(), False, False)
        places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        keywords = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return cls(
            tuple(one.name for one in given if one.kind in places),
            frozenset(one.name for one in given if one.kind in keywords),
            any(one.kind is inspect.Parameter.VAR_KEYWORD for one in given),
            True,
        )

    def takes(self, name: str) -> bool:
        """Whether a keyword can be sent; without a signature `model` alone, which fails loudly."""
        return name in self.named or self.forwards or (name == "model" and not self.known)

    def model(self, name: str | None) -> dict[str, Any]:
        """The keyword for a checkpoint: None is sent only where the parameter has a name."""
        if name is None and "model" not in self.named:
            return {}
        return {"model": name} if self.takes("model") else {}


class RunnerAdapter:
    """A runner object with what it takes."""

    def __init__(self, runner: object, min_confidence: AskedThreshold | None, *, sort_by_length: bool) -> None:
        """Wrap an object.

        Raises:
            UsageError: it has neither method.
        """
        self._predict: Callable[..., Any] | None = getattr(runner, "predict", None)
        self._batch: Callable[..., Any] | None = getattr(runner, "predict_batch", None)
        self._single = None if self._predict is None else Parameters.of(self._predict)
        self._many = None if self._batch is None else Parameters.of(self._batch)
        self.form: BatchForm | None = None if self._many is None else _batch_form(self._many)
        self.min_confidence = min_confidence
        self.sorts = sort_by_length and self._many_takes("sort_by_length")
        if self._predict is None and self.form is None:
            expected = "an object with predict(state, questions) or predict_batch(states, questions)"
            problem = Problem("runner", expected, type(runner).__name__, "pass laya.load(...), a Router or an engine")
            raise UsageError(problem)

    @property
    def takes_model(self) -> bool:
        """Whether rows can be sent to checkpoints of their own."""
        return self.alone_takes("any") or self.batches("any")

    def alone_takes(self, model: str | None) -> bool:
        """Whether a row for a checkpoint can be asked by itself through `predict`."""
        return self._single is not None and (model is None or self._single.takes("model"))

    def batches(self, model: str | None) -> bool:
        """Whether rows for a checkpoint can share a call."""
        return self.form == "requests" or (self.form == "states" and (model is None or self._many_takes("model")))

    def lacks_min_confidence(self, *, batched: bool) -> str | None:
        """The name of a method that would be called and takes no abstention threshold."""
        used = {"predict": self._single, "predict_batch": self._many if batched and self.form else None}
        for name, parameters in used.items():
            if parameters is not None and not parameters.takes("min_confidence"):
                return name
        return None

    def ask(self, requests: Sequence[Request], batch_size: int) -> Any:  # noqa: ANN401 - whatever the runner returns
        """The results of one call; rows that share one in the `states` form have equal questions and checkpoint."""
        first = requests[0]
        if len(requests) == 1 and self.alone_takes(first.model):
            return [self.alone(first)]
        assert self._batch is not None
        extra = self._threshold() | ({"batch_size": batch_size} if self._many_takes("batch_size") else {})
        extra |= {"sort_by_length": True} if self.sorts else {}
        if self.form == "requests":
            asked = [{"state": one.state, "questions": one.questions, "model": one.model} for one in requests]
            return self._batch(asked, **extra)
        assert self._many is not None
        return self._batch([one.state for one in requests], first.questions, **self._many.model(first.model), **extra)

    def alone(self, request: Request) -> Any:  # noqa: ANN401 - whatever the runner returns
        """The result of one row through `predict`, which must take it: see `alone_takes`."""
        assert self._predict is not None
        assert self._single is not None
        model = self._single.model(request.model)
        return self._predict(request.state, request.questions, **model, **self._threshold())

    def _threshold(self) -> dict[str, Any]:
        return {} if self.min_confidence is None else {"min_confidence": self.min_confidence}

    def _many_takes(self, name: str) -> bool:
        return self.form is not None and self._many is not None and self._many.takes(name)


def _batch_form(parameters: Parameters) -> BatchForm | None:
    """The shape of a batch call, by the names of its first parameters; one without a signature is left alone."""
    if parameters.positional[:1] == ("requests",):
        return "requests"
    return "states" if len(parameters.positional) > 1 else None
