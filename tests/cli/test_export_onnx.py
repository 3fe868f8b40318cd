"""`export-onnx`: what is written and said, and that a failure leaves nothing behind."""

from __future__ import annotations

import pytest

from laya_sweep.__main__ import main
from laya_sweep.cli import export_onnx as verb
from laya_sweep.errors import ParityError, Problem

pytestmark = pytest.mark.slow


@pytest.fixture
def asked(graphs, monkeypatch):
    """The export itself is tested elsewhere: here it is at hand, and what was asked for is noted."""
    noted = []

    def export(checkpoint, *, int8):
        noted.append((checkpoint.source, int8))
        return graphs.exported["int8" if int8 else "fp32"]

    monkeypatch.setattr(verb, "export_onnx", export)
    return noted


@pytest.mark.parametrize(("words", "precision"), [([], "fp32"), (["--int8"], "int8")])
def test_the_file_is_written_and_described(asked, graphs, tmp_path, capsys, words, precision):
    out = tmp_path / "new" / "g.onnx"
    assert main(["export-onnx", "bundled:demo_english", str(out), *words]) == 0
    assert out.read_bytes() == graphs.exported[precision].data
    assert [*out.parent.iterdir()] == [out]
    assert asked == [("bundled:demo_english", precision == "int8")]
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{out}: {precision}, ")
    assert "/51, largest difference" in second


def test_nothing_is_written_where_the_graph_cannot_be_trusted(monkeypatch, tmp_path, capsys):
    def export(checkpoint, *, int8):
        raise ParityError(Problem("export", "logits within 0.0001", "0.5", "nothing was written"))

    monkeypatch.setattr(verb, "export_onnx", export)
    out = tmp_path / "g.onnx"
    out.write_bytes(b"an earlier one")
    assert main(["export-onnx", "bundled:demo_english", str(out)]) == 2
    assert (out.read_bytes(), [*tmp_path.iterdir()]) == (b"an earlier one", [out])
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["./nowhere", "OUT.onnx"], "no folder ./nowhere"),
        (["english", "OUT.onnx"], "convaiinnovations/laya"),
        (["bundled:other", "OUT.onnx"], "bundled:demo_english"),
        (["bundled:demo_english", "OUT.onnx", "--revision", "abc"], "local folder"),
        (["bundled:demo_english", "."], "a folder"),
        (["bundled:demo_english", "file/OUT.onnx"], "a file at"),
        (["bundled:demo_english"], "OUT"),
        (["bundled:demo_english", "OUT.onnx", "--int4"], "--int4"),
    ],
)
def test_wrong_words_are_one_line_before_anything_is_loaded(asked, tmp_path, monkeypatch, capsys, words, part):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    assert main(["export-onnx", *words]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert part in line
    assert asked == []
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
