"""What an ONNX file says of itself, against the onnx package; and files that are none."""

from __future__ import annotations

import hashlib

import onnx
import pytest
from exported_graphs import tiny_graph, write_graph

from laya_sweep.checkpoints.onnx_file import INPUTS, OUTPUTS, PRECISION_NOTE, ROWS_NOTE, TOGETHER, read_onnx_file
from laya_sweep.domain.layout import BY_CASE, BY_SHAPE


def outside(path, location="weights.bin"):
    """A graph whose weights lie in a file beside it."""
    model = tiny_graph(weights=range(400))
    onnx.save_model(model, path, save_as_external_data=True, location=location, size_threshold=0)
    return path


def test_names_notes_and_digest_are_those_of_the_file(tmp_path):
    notes = {PRECISION_NOTE: "int8", "other": "größer 試験", "long": "x" * 300, "empty": ""}
    path = write_graph(tmp_path / "g.onnx", notes=notes)
    found, model = read_onnx_file(path), onnx.load(path)
    assert found.inputs == {entry.name for entry in model.graph.input} == {*INPUTS}
    assert found.outputs == {entry.name for entry in model.graph.output} == {*OUTPUTS}
    assert found.notes == {entry.key: entry.value for entry in model.metadata_props} == notes
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (found.precision, found.layout) == ("int8", BY_CASE)


@pytest.mark.slow
def test_an_exported_graph_is_read_as_the_library_reads_it(graphs):
    for path in (graphs.fp32, graphs.int8):
        found, model = read_onnx_file(path), onnx.load(path)
        assert found.inputs == {entry.name for entry in model.graph.input} == {*INPUTS}
        assert found.outputs == {entry.name for entry in model.graph.output} == {*OUTPUTS}
        assert found.notes == {entry.key: entry.value for entry in model.metadata_props}
    assert read_onnx_file(graphs.fp32).layout == BY_SHAPE


@pytest.mark.parametrize("notes", [{}, {ROWS_NOTE: "alone"}, {ROWS_NOTE: ""}])
def test_rows_share_a_call_only_where_the_export_says_so(tmp_path, notes):
    assert read_onnx_file(write_graph(tmp_path / "g.onnx", notes=notes)).layout == BY_CASE
    assert read_onnx_file(write_graph(tmp_path / "h.onnx", notes={ROWS_NOTE: TOGETHER})).layout == BY_SHAPE


def test_weights_beside_the_file_are_content(tmp_path):
    path = outside(tmp_path / "g.onnx")
    before = read_onnx_file(path).sha256
    assert read_onnx_file(path).sha256 == before
    beside = tmp_path / "weights.bin"
    beside.write_bytes(beside.read_bytes()[::-1])
    assert read_onnx_file(path).sha256 != before
    beside.unlink()
    with pytest.raises(FileNotFoundError):
        read_onnx_file(path)


def test_a_file_cut_anywhere_is_another_or_refused(tmp_path):
    whole = tiny_graph(notes={"a": "b"}).SerializeToString()
    path = tmp_path / "g.onnx"
    path.write_bytes(whole)
    digest = read_onnx_file(path).sha256
    refused = 0
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        try:
            assert read_onnx_file(path).sha256 != digest
        except ValueError:
            refused += 1
    assert refused > len(whole) // 2


@pytest.mark.parametrize("content", [b"", b"{}", b"a text\n" * 50, b"\x00" * 64, b"\xff" * 64, b"\x08\x07"])
def test_what_is_no_model_is_a_value_error(tmp_path, content):
    path = tmp_path / "g.onnx"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"."):
        read_onnx_file(path)
