"""A checkpoint with an ONNX graph: identity, pairing, digests that must hold."""

from __future__ import annotations

import hashlib
import json

import pytest
from builders import CHECKPOINT_CONFIG, HubDouble, NoHub, checkpoint_settings, write_checkpoint
from exported_graphs import write_graph

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.checkpoints.onnx_file import PRECISION_NOTE, WEIGHTS_NOTE
from laya_sweep.errors import CheckpointError, exit_code

WEIGHTS = hashlib.sha256(b"weights").hexdigest()


@pytest.fixture
def folder(tmp_path):
    return write_checkpoint(tmp_path / "c")


@pytest.fixture
def graph(tmp_path):
    return write_graph(tmp_path / "g.onnx", notes={PRECISION_NOTE: "fp32", WEIGHTS_NOTE: WEIGHTS})


def located(folder, graph, hub=None, **changes):
    return locate(checkpoint_settings(folder, engine="onnx", onnx=graph, **changes), hub or NoHub())


def problem_of(*words, **changes):
    with pytest.raises(CheckpointError) as caught:
        located(*words, **changes)
    assert exit_code(caught.value) == 2
    [problem] = caught.value.problems
    assert "\n" not in str(problem)
    return problem


def test_the_graph_is_the_content_and_the_weights_are_not(folder, graph):
    first = located(folder, graph)
    assert set(first.digests) == {"onnx", "config", "encoder", "tokenizer"}
    assert (first.engine.name, first.runner, first.weights, first.made_of) == ("onnx", "onnx fp32", WEIGHTS, WEIGHTS)
    write_graph(graph, notes={PRECISION_NOTE: "int8"})
    second = located(folder, graph)
    assert (second.runner, second.digest != first.digest) == ("onnx int8", True)
    write_graph(graph)
    assert located(folder, graph).runner == "onnx"


def test_torch_identity_does_not_know_of_graphs(folder):
    checkpoint = locate(checkpoint_settings(folder), NoHub())
    assert set(checkpoint.digests) == {"weights", "config", "encoder", "tokenizer"}
    assert (checkpoint.engine.name, checkpoint.runner, checkpoint.weights) == ("torch", "torch", WEIGHTS)


def test_a_deployment_without_weights_is_enough(folder, graph):
    (folder / "model.safetensors").unlink()
    checkpoint = located(folder, graph)
    assert (checkpoint.weights, checkpoint.made_of) == (None, WEIGHTS)
    with pytest.raises(CheckpointError):
        locate(checkpoint_settings(folder), NoHub())


def test_the_hub_is_asked_for_config_and_tokenizer_alone(folder, graph):
    hub = HubDouble(folder)
    located("org/laya", graph, hub, revision="v7")
    assert hub.resolved == [("org/laya", "v7", "model")]
    [(_, commit, patterns)] = hub.downloaded
    assert commit == "commit-of-org/laya-v7"
    assert patterns == ("rl_agent_config.json", "tokenizer/*", "encoder/*")


def test_an_export_of_other_weights_is_refused(folder, graph):
    (folder / "model.safetensors").write_bytes(b"tuned weights")
    problem = problem_of(folder, graph)
    assert problem.what == "checkpoints.mine.onnx"
    assert WEIGHTS[:12] in problem.got


def test_options_in_parallel_are_refused(folder, graph):
    (folder / "rl_agent_config.json").write_text(json.dumps({**CHECKPOINT_CONFIG, "option_layout": "parallel"}))
    assert "parallel" in problem_of(folder, graph).got


@pytest.mark.parametrize(
    "change", [{"inputs": ("input_ids", "attention_mask")}, {"outputs": ("logits",)}, {"inputs": ("x",)}]
)
def test_a_graph_of_something_else_is_refused(folder, tmp_path, change):
    problem = problem_of(folder, write_graph(tmp_path / "other.onnx", **change))
    assert problem.what == "checkpoints.mine.onnx"
    assert "marker_mask" in problem.expected


@pytest.mark.parametrize("place", ["nowhere.onnx", "c", "c/model.safetensors"])
def test_a_file_that_is_no_graph_is_refused(folder, tmp_path, place):
    problem = problem_of(folder, tmp_path / place)
    assert problem.what == "checkpoints.mine.onnx"
    assert "export-onnx" in problem.next_step


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_digests_that_hold_let_the_checkpoint_through(folder, graph):
    expected = {
        "model.safetensors": WEIGHTS.upper(),
        "tokenizer/tokenizer.json": digest(folder / "tokenizer" / "tokenizer.json"),
        "onnx": digest(graph),
    }
    assert located(folder, graph, expected_sha256=expected).digest == located(folder, graph).digest


@pytest.mark.parametrize(
    "expected",
    [
        {"model.safetensors": "0" * 64},
        {"onnx": "0" * 64},
        {"missing.bin": "0" * 64},
        {"../c/model.safetensors": WEIGHTS},
        {"model.safetensors": WEIGHTS, "rl_agent_config.json": "0" * 64},
    ],
)
def test_a_digest_that_does_not_hold_refuses_before_a_file_is_parsed(folder, graph, expected):
    (folder / "rl_agent_config.json").write_text("{ not even json")
    problem = problem_of(folder, graph, expected_sha256=expected)
    assert problem.what == "checkpoints.mine.expected_sha256"


def test_the_runtimes_own_variable_of_digests_holds_too(folder, graph, monkeypatch):
    monkeypatch.setenv("LAYA_SHA256_DIGESTS", json.dumps({"model.safetensors": "0" * 64}))
    assert "mismatch" in problem_of(folder, graph).got


def test_a_short_name_of_the_router_is_refused_with_its_repository(graph):
    problem = problem_of("english", graph)
    assert "convaiinnovations/laya" in problem.next_step
