"""What an ONNX file says of itself, read from its outer fields: no tensor is loaded, no library is needed.

A plan identifies a file of a gigabyte by its bytes alone; these few fields say what the bytes mean: names of inputs
and outputs, the notes that `export-onnx` left, and files beside it that hold its weights. `onnx.load` would hold the
file twice, its own weights too (600 MB: a peak of 1.2 GB and a second; here a megabyte and no time).
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from laya_sweep.domain.identity import canonical_json, digest_file, digest_text
from laya_sweep.domain.layout import BY_CASE, BY_SHAPE, Layout

#: What the runtime feeds an exported graph, and what it reads.
INPUTS = ("input_ids", "attention_mask", "marker_pos", "marker_mask", "qtype")
OUTPUTS = ("logits", "act_logits")

#: Notes in the file's own metadata: `fp32` or `int8`; whether rows may share a call; the weights it was made of.
PRECISION_NOTE = "laya_sweep.precision"
ROWS_NOTE = "laya_sweep.rows"
WEIGHTS_NOTE = "laya_sweep.weights_sha256"

#: The value of ROWS_NOTE where a row's bits were found not to depend on the rows of its call.
TOGETHER = "together"

# Field numbers of onnx.proto.
_MODEL_GRAPH, _MODEL_METADATA = 7, 14
_GRAPH_INITIALIZER, _GRAPH_INPUT, _GRAPH_OUTPUT = 5, 11, 12
_TENSOR_EXTERNAL, _KEY, _VALUE, _NAME = 13, 1, 2, 1

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_WIDTH = {_FIXED64: 8, _FIXED32: 4}


class OnnxFile(NamedTuple):
    """A graph on disk. `sha256` is of all its bytes, those of weights in files beside it included."""

    path: Path
    sha256: str
    inputs: frozenset[str]
    outputs: frozenset[str]
    notes: dict[str, str]

    @property
    def layout(self) -> Layout:
        """Rows share a call where the export found that their bits do not depend on each other, and nowhere else."""
        return BY_SHAPE if self.notes.get(ROWS_NOTE) == TOGETHER else BY_CASE

    @property
    def precision(self) -> str | None:
        """`fp32` or `int8`; None where somebody else exported the file."""
        return self.notes.get(PRECISION_NOTE)

    @property
    def made_of(self) -> str | None:
        """Digest of the weights that it was made of; None where somebody else exported the file."""
        return self.notes.get(WEIGHTS_NOTE)


class _Field(NamedTuple):
    """A field of a protobuf message: its number, and where its value stands in the file."""

    number: int
    start: int
    end: int


def read_onnx_file(path: Path) -> OnnxFile:
    """Read what a file says of itself.

    Raises:
        OSError: the file, or one beside it that it needs, cannot be read.
        ValueError: it is no ONNX model.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        model = list(_fields(data, 0, len(data)))
        graph = [part for field in model if field.number == _MODEL_GRAPH for part in _fields(data, *field[1:])]
        inputs = frozenset(_text(data, part, _NAME) for part in graph if part.number == _GRAPH_INPUT)
        outputs = frozenset(_text(data, part, _NAME) for part in graph if part.number == _GRAPH_OUTPUT)
        notes = dict(_pair(data, field) for field in model if field.number == _MODEL_METADATA)
        beside = {name for part in graph if part.number == _GRAPH_INITIALIZER for name in _beside(data, part)}
    if not outputs:
        raise ValueError("no ONNX graph in it")
    return OnnxFile(path, _digest(path, beside), inputs, outputs, notes)


def _digest(path: Path, beside: set[str]) -> str:
    """The file's digest; with weights beside it, one digest of them all, by name."""
    if not beside:
        return digest_file(path)
    parts = {name: digest_file(path.parent / name) for name in beside}
    return digest_text(canonical_json({"model": digest_file(path), "beside": parts}))


def _beside(data: mmap.mmap, tensor: _Field) -> list[str]:
    """Names of files that hold a tensor's data."""
    own = [field for field in _fields(data, tensor.start, tensor.end) if field.number == _TENSOR_EXTERNAL]
    return [value for key, value in (_pair(data, field) for field in own) if key == "location"]


def _pair(data: mmap.mmap, entry: _Field) -> tuple[str, str]:
    return _text(data, entry, _KEY), _text(data, entry, _VALUE)


def _text(data: mmap.mmap, message: _Field, wanted: int) -> str:
    found = (field for field in _fields(data, message.start, message.end) if field.number == wanted)
    return next((data[field.start : field.end].decode("utf-8") for field in found), "")


def _fields(data: mmap.mmap, place: int, stop: int) -> Iterator[_Field]:
    """The fields of the message between two places, in order; nothing is copied."""
    while place < stop:
        tag, place = _varint(data, place, stop)
        kind = tag & 7
        if kind == _VARINT:
            end = _varint(data, place, stop)[1]
        elif kind == _BYTES:
            length, place = _varint(data, place, stop)
            end = place + length
        elif kind in _FIXED_WIDTH:
            end = place + _FIXED_WIDTH[kind]
        else:
            raise ValueError(f"no protobuf message (wire type {kind})")
        if end > stop:
            raise ValueError("it is cut short")
        yield _Field(tag >> 3, place, end)
        place = end


def _varint(data: mmap.mmap, place: int, stop: int) -> tuple[int, int]:
    """An integer of up to 64 bits, and the place behind it."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= stop:
            raise ValueError("it is cut short")
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise ValueError("no protobuf message (an integer of more than 64 bits)")
