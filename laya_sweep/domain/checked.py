"""The one dialect of validation: types that say in words what they take, and pydantic's errors as our problems.

Strict: a bool is no number, a text is no number, `no` of a YAML file, which is False, is no text; numbers are finite.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Collection
from dataclasses import MISSING, dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from laya_sweep.errors import Problem, name_list, one_line

_STRICT = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, arbitrary_types_allowed=True)

_CORRECT = "correct the value"


class Refusal(NamedTuple):
    """A value that a type refuses: its place inside, what is taken there, the value, what to do.

    `value` is `MISSING` where nothing is written, `got` what to say instead of it, `step` None "set it to one of them".
    """

    place: tuple[int | str, ...]
    words: str
    value: Any
    step: str | None = _CORRECT
    got: str | None = None


#: Finds what a type refuses of a value; nothing where the type takes it.
Refuser: TypeAlias = Callable[[object], list[Refusal]]


def refuse(*refusals: Refusal) -> None:
    """For a validator beside a type: ends it with every fault of its rule, where there is one."""
    details: list[InitErrorDetails] = []
    for one in refusals:
        said = {"words": one.words, "step": one.step, "got": one.got}
        details.append({"type": PydanticCustomError("takes", "{words}", said), "loc": one.place, "input": one.value})
    if details:
        raise ValidationError.from_exception_data("refused", details)


class Document(BaseModel):
    """The base of every shape of a document that comes in: strict, closed, frozen."""

    model_config = _STRICT


@dataclass(frozen=True, slots=True)
class Takes:
    """What a type takes, in words: the fault of every value that it refuses, and its name in help and docs.

    With `whole` they are the fault of whatever is wrong inside, too, as they must be of a union.
    """

    words: str
    step: str = _CORRECT
    whole: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401
        said = {"words": self.words, "step": self.step}
        if self.whole:
            return core_schema.custom_error_schema(
                handler(source), "takes", custom_error_message="{words}", custom_error_context=said
            )

        def check(value: Any, inner: core_schema.ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401
            try:
                return inner(value)
            except (ValidationError, OverflowError) as error:
                if isinstance(error, ValidationError) and all(fault["loc"] for fault in error.errors()):
                    raise  # of what is inside, which has words of its own
                raise PydanticCustomError("takes", "{words}", said) from error

        return core_schema.no_info_wrap_validator_function(check, handler(source))


def among(names: Collection[str], what: str) -> AfterValidator:
    """A text that is one of these names, the nearest of which a fault names first."""

    def known(name: str) -> str:
        if name not in names:
            refuse(Refusal((), f"{what} ({name_list([*names], name)})", name, "correct the name", "an unknown one"))
        return name

    return AfterValidator(known)


def null_is(value: Any) -> BeforeValidator:  # noqa: ANN401 - any default
    """A type for which null is the same as one of its values."""
    return BeforeValidator(lambda given: value if given is None else given)


def filled(value: Any) -> Any:  # noqa: ANN401 - a text, a list or a map
    """Beside a type: not an empty one."""
    if value:
        return value
    raise ValueError("empty")


def _not_blank(text: str) -> str:
    if text.strip():
        return text
    raise ValueError("blank")


def _path(value: object) -> Path:
    """A path as written. A number is not the folder that was written: YAML reads 2026_11_30 as 20261130."""
    if isinstance(value, Path):
        return value
    if isinstance(value, str) and value:
        return Path(value).expanduser()
    raise ValueError("no path")


def _one_or_more(value: object) -> object:
    return value if isinstance(value, list | tuple) else [value]


QUOTE = "in a YAML file quote words such as 'no' and 'on'"

Text = Annotated[str, Field(min_length=1), Takes("a text", "give it as a text")]
Name = Annotated[str, AfterValidator(_not_blank), Takes("a text that is not blank", "quote the value", whole=True)]
Finite = Annotated[float, Field(allow_inf_nan=False), Takes("a finite number")]
Flag = Annotated[bool, Takes("true or false")]
Whole = Annotated[int, Field(ge=0), Takes("a whole number of at least 0")]
Count = Annotated[int, Field(ge=1), Takes("a whole number of at least 1")]
Several = Annotated[int, Field(ge=2), Takes("a whole number of at least 2")]
Least0 = Annotated[float, Field(ge=0, allow_inf_nan=False), Takes("a finite number of at least 0")]
Above0 = Annotated[float, Field(gt=0, allow_inf_nan=False), Takes("a finite number above 0")]

#: What float32 divides logits by: beyond these a quotient is no number, or all of them are one.
DIVISORS: Final = (1e-30, 1e30)
Divisor = Annotated[float, Field(ge=DIVISORS[0], le=DIVISORS[1]), Takes("a number from 1e-30 to 1e30")]

_NUMBER = "write a path that looks like a number as ./NAME"
Folder = Annotated[Path, BeforeValidator(_path), Takes("a folder", _NUMBER)]
File = Annotated[Path, BeforeValidator(_path), Takes("a file", _NUMBER)]
FileOrFolder = Annotated[Path, BeforeValidator(_path), Takes("a file or folder", _NUMBER)]
OneOrMore = BeforeValidator(_one_or_more)

#: A tuple written as a list, each value once.
Listed = Field(strict=False)


@cache
def _adapter(hint: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - any annotation
    bare = typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint
    return TypeAdapter(hint, config=None if _is_document(bare) else _STRICT)


def checked(hint: Any, value: object, where: str, problems: list[Problem], joint: str = ".") -> Any:  # noqa: ANN401
    """The value of a declared type; None with its faults noted where it is none.

    Args:
        hint: the type: an annotation, or a `Document`.
        value: what came in.
        where: the name of the value in messages.
        problems: takes every fault, one problem each.
        joint: what stands between `where` and the keys inside the value.
    """
    try:
        return _adapter(hint).validate_python(value)
    except ValidationError as error:
        problems += [_problem(refusal, where, joint) for refusal in _refusals(error, hint)]
        return None


def refuser(hint: Any) -> Refuser:  # noqa: ANN401 - any annotation
    """A check of values by the thousand, which stay as they are: every fault, in the order of the declaration."""
    validate = _adapter(hint).validate_python

    def refused(value: object) -> list[Refusal]:
        try:
            validate(value)
        except ValidationError as error:
            return _refusals(error, hint)
        return []

    return refused


def shown(value: object) -> str:
    """A value in a message, on one line."""
    if value is None:
        return "null"
    try:
        return one_line(repr(value))
    except ValueError:  # a whole number with too many digits to print
        return f"a {type(value).__name__} too large to show"


def words_of(hint: Any) -> str:  # noqa: ANN401 - any annotation
    """What a declared type takes, for help and docs."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is Annotated:
        said = [part.words for part in arguments if isinstance(part, Takes)]
        return said[-1] if said else words_of(arguments[0])
    if typing.get_origin(hint) is Literal:
        return " or ".join(map(str, arguments)) if len(arguments) < 3 else "one of " + ", ".join(map(str, arguments))
    if type(None) in arguments:
        [other] = [part for part in arguments if part is not type(None)]
        return f"{words_of(other)}, or null"
    if typing.get_origin(hint) is tuple:
        return f"a list, each {words_of(arguments[0])}"
    return "a map" if typing.get_origin(hint) is not None else getattr(hint, "__name__", str(hint))


def _is_document(hint: Any) -> bool:  # noqa: ANN401 - any annotation
    return isinstance(hint, type) and issubclass(hint, BaseModel)


def _problem(refusal: Refusal, where: str, joint: str) -> Problem:
    """One fault; the place of an element of a list is the list."""
    place, value = refusal.place, refusal.value
    place = place[:-1] if place and isinstance(place[-1], int) else place
    what = joint.join([part for part in (where, *map(one_line, place)) if part]) or "the configuration"
    step = refusal.step or f"set {place[-1] if place else what.rpartition('.')[2]} to one of them"
    return Problem(what, refusal.words, refusal.got or ("none" if value is MISSING else shown(value)), step)


def _refusals(error: ValidationError, hint: Any) -> list[Refusal]:  # noqa: ANN401
    return [_refusal(detail, hint) for detail in error.errors(include_url=False)]


def _refusal(detail: ErrorDetails, hint: Any) -> Refusal:  # noqa: ANN401
    """The one way from pydantic's words to ours. A key that is refused is named as it was written."""
    place, value, context, kind = detail["loc"], detail["input"], detail.get("ctx", {}), detail["type"]
    place = (*place[:-2], value) if place and place[-1] == "[key]" else place
    if kind == "takes":
        quoted = isinstance(value, bool) and "text" in context["words"]
        return Refusal(place, context["words"], value, QUOTE if quoted else context["step"], context.get("got"))
    if kind == "extra_forbidden":
        known = name_list([*_fields(hint, place[:-1])], str(place[-1]))
        return Refusal(place, f"one of the known keys ({known})", value, "remove or correct the key")
    if kind == "missing":
        field = _fields(hint, place[:-1]).get(str(place[-1]))
        said = [part.words for part in field.metadata if isinstance(part, Takes)] if field else []
        return Refusal(place, said[-1] if said else "a value", MISSING, "write it")
    if kind == "literal_error":
        names = name_list(re.findall(r"'([^']*)'", context["expected"]), str(value))
        return Refusal(place, f"one of {names}", value, None)
    return Refusal(place, _WORDS.get(kind) or detail["msg"].lower(), value)


_WORDS = {
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "an object",
    "list_type": "a list",
    "tuple_type": "a list",
    "string_type": "a text",
    "float_type": "a finite number",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "bool_type": "true or false",
}


def _fields(hint: Any, place: tuple[int | str, ...]) -> dict[str, FieldInfo]:  # noqa: ANN401
    """The fields of the object at a place of a document."""
    for part in (*place, None):
        while typing.get_origin(hint) in (Annotated, typing.Union, UnionType):
            options = typing.get_args(hint)
            hint = next((one for one in options if _is_document(one)), options[0])
        if _is_document(hint) and part is not None:
            field = hint.model_fields.get(str(part))
            hint = None if field is None else field.annotation
        elif part is not None:
            hint = next((one for one in reversed(typing.get_args(hint)) if one is not ...), None)
    return dict(hint.model_fields) if _is_document(hint) else {}
