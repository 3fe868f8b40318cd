"""The export: free sizes, the check against torch that can fail, what is noted in the file."""

from __future__ import annotations

import hashlib

import numpy as np
import onnx
import pytest

from laya_sweep.checkpoints.onnx_file import PRECISION_NOTE, ROWS_NOTE, TOGETHER, WEIGHTS_NOTE, read_onnx_file
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER
from laya_sweep.domain.layout import Shape
from laya_sweep.engines.export_probes import mate_feeds, probe_feeds, probe_variants
from laya_sweep.engines.onnx_check import measure_drift, require_parity, rows_are_independent
from laya_sweep.engines.onnx_engine import make_session, run_graph
from laya_sweep.engines.onnx_export import finish
from laya_sweep.errors import CheckpointError, ParityError, exit_code

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def session(graphs):
    return make_session(str(graphs.fp32), 1)


@pytest.mark.parametrize(
    ("rows", "length", "options"), [(1, 2, 2), (1, 300, 1 + 2), (11, 77, 3), (33, 19, 64), (4, 512, 255)]
)
def test_any_number_of_rows_tokens_and_options(graphs, session, rows, length, options):
    random = np.random.default_rng(rows)
    feed = {
        "input_ids": random.integers(0, graphs.loaded.words, (rows, length)),
        "attention_mask": np.ones((rows, length), np.int64),
        "marker_pos": random.integers(0, length, (rows, options)),
        "marker_mask": np.arange(options) < random.integers(1, options + 1, (rows, 1)),
        "qtype": random.integers(0, 3, rows),
    }
    for ours, theirs in zip(run_graph(session, feed), graphs.loaded(feed), strict=True):
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max() < 1e-4


def test_the_probes_hold_the_sizes_that_break_exports():
    feeds = [*probe_feeds(600, 512)]
    shapes = {(len(feed["qtype"]), Shape(feed["input_ids"].shape[1], feed["marker_pos"].shape[1])) for feed in feeds}
    assert {rows for rows, _ in shapes} >= {1, 2, 3, 5}
    assert max(shape.length for _, shape in shapes) == 512
    assert any(shape.options == 2 for _, shape in shapes)
    assert all(feed["marker_mask"][0].sum() == 1 for feed in feeds)
    assert max(feed["input_ids"].shape[1] for feed in probe_feeds(600, 40)) == 40
    assert all(len(feed["qtype"]) > 1 for feed in mate_feeds(600, 512))
    assert {len(variant.questions) for variant in probe_variants()} == {3}


def test_the_file_says_what_it_is(graphs):
    weights = hashlib.sha256((CHECKPOINTS_FOLDER / "demo_english" / "model.safetensors").read_bytes()).hexdigest()
    assert read_onnx_file(graphs.fp32).notes == {PRECISION_NOTE: "fp32", WEIGHTS_NOTE: weights, ROWS_NOTE: TOGETHER}
    assert read_onnx_file(graphs.int8).notes == {PRECISION_NOTE: "int8", WEIGHTS_NOTE: weights}
    assert graphs.int8.stat().st_size < 0.6 * graphs.fp32.stat().st_size
    assert "MatMulInteger" in {node.op_type for node in onnx.load(graphs.int8).graph.node}


def test_the_file_tells_nothing_of_the_machine_that_made_it(graphs):
    data = graphs.fp32.read_bytes() + graphs.int8.read_bytes()
    assert b"site-packages" not in data
    assert str(CHECKPOINTS_FOLDER).encode() not in data


def test_drift_is_none_in_full_precision_and_some_in_int8(graphs):
    full, small = (graphs.exported[name].drift for name in ("fp32", "int8"))
    assert full.rows == small.rows == 51
    assert full.agreeing == 51
    assert full.logit < 1e-4 < 1e-3 < small.logit
    assert full.probability < small.probability < 0.3
    assert (graphs.exported["fp32"].rows_together, graphs.exported["int8"].rows_together) == (True, False)


def spoiled(graphs, change):
    """The traced graph with one of its weights changed."""
    model = onnx.ModelProto()
    model.CopyFrom(graphs.traced)
    place = next(i for i, one in enumerate(model.graph.initializer) if len(one.dims) == 2)
    tensor = model.graph.initializer[place]
    values = change(onnx.numpy_helper.to_array(tensor).copy())
    tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))
    return model


@pytest.mark.parametrize("change", [lambda values: values[::-1], lambda values: values * np.nan], ids=["off", "nan"])
def test_a_graph_that_is_not_the_checkpoint_is_refused(graphs, change):
    with pytest.raises(ParityError, match="nothing was written") as caught:
        finish(graphs.loaded, spoiled(graphs, change), int8=False)
    assert exit_code(caught.value) == 2


def test_a_graph_of_fixed_sizes_is_refused(graphs):
    model = onnx.ModelProto()
    model.CopyFrom(graphs.traced)
    for entry in model.graph.input:
        entry.type.tensor_type.shape.dim[0].dim_value = 2
    with pytest.raises(ParityError, match="1 rows of 16 tokens"):
        require_parity(graphs.loaded, make_session(model.SerializeToString(), 1))


def test_rows_that_move_each_other_are_found(graphs):
    assert rows_are_independent(graphs.loaded, make_session(str(graphs.fp32), 1))
    assert not rows_are_independent(graphs.loaded, make_session(str(graphs.int8), 1))


def test_a_quantised_graph_of_no_numbers_is_refused(graphs):
    with pytest.raises(ParityError, match="not finite"):
        measure_drift(graphs.loaded, make_session(spoiled(graphs, lambda v: v * np.nan).SerializeToString(), 1))


def test_options_in_parallel_have_no_graph(graphs, monkeypatch):
    from laya_sweep.engines import onnx_export

    agent = type("Agent", (), {"cfg": {"option_layout": "parallel"}})
    monkeypatch.setattr(onnx_export, "load_agent", lambda folder, device: (agent, ()))
    with pytest.raises(CheckpointError, match="parallel"):
        onnx_export.load(graphs.loaded.checkpoint)
