"""An option is declared once, on the field of the settings that holds it: type, default, help, identity or runtime.

Identity changes a logit, and so the key of a cell. Runtime selects, schedules, derives or places, and stays out of the
key, so that a wider, split, resumed or re-judged run finds what is already there. The reader of the configuration, the
base of the composed tree, `--help` and the table of docs/options.md follow from the declaration.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

from laya_sweep.domain.checked import words_of


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """What a field is to a sweep, and what it does, in words.

    `written` are the words for an option that is not one value of the field's type, so that a function reads it; with
    `found` nobody writes the field: it is what a file held, or the key of an entry.
    """

    role: Literal["identity", "runtime"]
    help: str
    written: str | None = None
    found: bool = False


def identity(said: str, *, written: str | None = None) -> Option:
    """An option that can change a logit."""
    return Option("identity", said, written)


def runtime(said: str, *, written: str | None = None) -> Option:
    """An option that never changes a logit."""
    return Option("runtime", said, written)


def found(said: str) -> Option:
    """A field that is no option: it comes with one, and never changes a logit."""
    return Option("runtime", said, found=True)


class Declared(NamedTuple):
    """One field of a declaration; `option` None is a group of options, or a field that nobody classified."""

    name: str
    hint: Any
    default: Any
    option: Option | None

    @property
    def words(self) -> str:
        """What the option takes."""
        return self.option.written if self.option and self.option.written else words_of(self.hint)


def declared(kind: type) -> list[Declared]:
    """The fields of a declaration, in its order; the default of one that must be written is `dataclasses.MISSING`."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return [
        Declared(
            field.name,
            hints[field.name],
            _default(field),
            next((part for part in typing.get_args(hints[field.name]) if isinstance(part, Option)), None),
        )
        for field in dataclasses.fields(kind)
    ]


def group_of(hint: Any) -> type | None:  # noqa: ANN401 - any annotation
    """The declaration of a field that is a group of options, or several of them; None for any other field."""
    if typing.get_origin(hint) is Annotated or (isinstance(hint, type) and not dataclasses.is_dataclass(hint)):
        return None
    inner = [part for part in (hint, *typing.get_args(hint)) if dataclasses.is_dataclass(part)]
    return inner[0] if len(inner) == 1 and isinstance(inner[0], type) else None


def every_option(kind: type, prefix: str = "") -> Iterator[Declared]:
    """Every field of a declaration and of the groups in it, by dotted name."""
    for field in declared(kind):
        group = group_of(field.hint)
        if group is None:
            yield field._replace(name=prefix + field.name)
        else:
            yield from every_option(group, f"{prefix}{field.name}.")


def identity_of(settings: Any) -> dict[str, Any]:  # noqa: ANN401 - a group of options
    """The options of a group that can change a logit, in the order of their declaration."""
    fields = declared(type(settings))
    return {
        field.name: getattr(settings, field.name)
        for field in fields
        if field.option and field.option.role == "identity"
    }


def _default(field: dataclasses.Field[Any]) -> Any:  # noqa: ANN401 - any default
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
