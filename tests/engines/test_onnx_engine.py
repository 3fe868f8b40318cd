"""The ONNX engine against the runtime's own agents; and which rows may share a call."""

from __future__ import annotations

import shutil
import warnings

import numpy as np
import onnx
import pytest
from builders import NoHub, checkpoint_settings
from laya.onnx_agent import ONNXAgent

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER
from laya_sweep.domain.bucket import option_bucket
from laya_sweep.domain.case import Draft, freeze
from laya_sweep.engines.engine import DeviceError, EncodingError
from laya_sweep.engines.loading import load_engine
from laya_sweep.engines.onnx_engine import feed_of
from laya_sweep.execution.contract import Batching
from laya_sweep.execution.parity import check_parity
from laya_sweep.scoring.probability import softmax
from laya_sweep.transforms.registry import variants_of

pytestmark = pytest.mark.slow

FOLDER = CHECKPOINTS_FOLDER / "demo_english"
WORDS = ["parcel", "invoice", "refund", "late", "thanks", "again", "please", "now"]
QUESTIONS = {
    "one": {"type": "choice", "instructions": "Which?", "criteria": ["only"]},
    "noul": {"type": "noul", "instructions": "Is it?"},
    "score": {
        "type": "score",
        "instructions": "How much?",
        "criteria": ["low", "mid", "high"],
        "option_order": [2, 0, 1],
    },
    "nine": {"type": "choice", "instructions": "Which?", "criteria": [f"label {i}" for i in range(9)]},
    "many": {"type": "choice", "instructions": "Which?", "criteria": [f"label {i}" for i in range(17)]},
}


def made(count, questions=QUESTIONS):
    drafts = [Draft(str(i), i, "en", f"{' '.join(WORDS[i % 8 :])} {i}", questions, {}) for i in range(count)]
    return [variants_of("baseline", case)[0] for case in freeze(drafts)]


def located(graph):
    """The bundled checkpoint, answered by torch or by a graph."""
    engine = "torch" if graph is None else "onnx"
    return locate(checkpoint_settings(FOLDER, engine=engine, onnx=graph, max_len=512, head_max_len=128), NoHub())


@pytest.fixture(scope="module")
def engines(graphs):
    """Torch and both graphs, one thread each."""
    files = {"torch": None, "fp32": graphs.fp32, "int8": graphs.int8}
    return {name: load_engine(located(file), "cpu", 1) for name, file in files.items()}


@pytest.fixture(scope="module")
def agents(graphs, tmp_path_factory):
    """The runtime's own ONNX agents, with the sessions that it makes itself."""
    copy = tmp_path_factory.mktemp("agent") / "demo_english"
    shutil.copytree(FOLDER, copy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return {name: ONNXAgent(str(copy), onnx_path=str(getattr(graphs, name))) for name in ("fp32", "int8")}


def numbers(answer):
    """Probabilities of an answer, in the runtime's order."""
    return [answer["noul"]] if answer["type"] == "noul" else [*answer["probabilities"].values()]


def test_full_precision_is_torch_to_1e4(engines):
    for variant in made(6):
        for qid in QUESTIONS:
            rows = {name: engines[name].encode(variant, qid) for name in ("torch", "fp32")}
            assert rows["torch"] == rows["fp32"]
            forwards = {name: engines[name].forward([row]) for name, row in rows.items()}
            assert np.abs(forwards["torch"].logits[0] - forwards["fp32"].logits[0]).max() < 1e-4
            assert abs(forwards["torch"].act_probability - forwards["fp32"].act_probability).max() < 1e-4


def test_the_runtimes_onnx_agent_loads_the_file_and_answers_as_torch(engines, agents):
    for variant in made(4):
        ours = engines["torch"].predict(variant, None)
        theirs = agents["fp32"].predict(variant.state, variant.questions)["answers"]
        assert [*ours] == [*theirs]
        for qid in ours:
            assert numbers(ours[qid]) == pytest.approx(numbers(theirs[qid]), abs=1.01e-4)


@pytest.mark.parametrize("name", ["fp32", "int8"])
def test_our_logits_pass_parity_with_the_runtime_marks_included(engines, name):
    parity = check_parity(engines[name], made(8), (None, 0.0, 0.5, 0.9), name=name, batching=Batching(4096))
    assert (parity.cases, parity.mark_disagreements, parity.marks) == (8, 0, 8 * 5 * 3)
    assert parity.max_difference < 1e-4


def test_an_int8_answer_is_that_of_the_runtime_to_all_questions_of_the_case(engines, agents):
    for variant in made(4):
        theirs = agents["int8"].predict(variant.state, variant.questions, min_confidence=0.5)["answers"]
        assert engines["int8"].predict(variant, 0.5) == theirs
        rows = [engines["int8"].encode(variant, qid) for qid in variant.questions]
        for logits, row, answer in zip(engines["int8"].forward(rows).logits, rows, theirs.values(), strict=True):
            p = softmax(
                row.as_presented(logits)[None], np.array([temperature_of(engines["int8"], answer, len(logits))])
            )
            assert numbers(answer) == pytest.approx(p[0][-len(numbers(answer)) :], abs=1e-4)


def temperature_of(engine, answer, count):
    served = engine.info().served_temperatures
    return served.get(option_bucket(answer["type"], count), served[answer["type"]])


def rows_of_one_shape(engine, qid):
    rows = [engine.encode(variant, qid) for variant in made(96, {qid: QUESTIONS[qid]})]
    shapes = [row.shape for row in rows]
    return [row for row in rows if row.shape == max(shapes, key=shapes.count)][:12]


@pytest.mark.parametrize("name", ["fp32"])
@pytest.mark.parametrize("qid", sorted(QUESTIONS))
def test_a_row_alone_and_among_others_has_the_same_bits(engines, name, qid):
    rows = rows_of_one_shape(engines[name], qid)
    assert len(rows) >= 7
    alone = [engines[name].forward([row]) for row in rows]
    for size in (2, 3, 5, 7):
        together = engines[name].forward(rows[:size])
        for i in range(size):
            assert np.array_equal(together.logits[i], alone[i].logits[0])
            assert together.act_probability[i] == alone[i].act_probability[0]


def test_int8_rows_in_one_call_would_move_each_other(engines, agents):
    """Why cases do not share a call: the range of quantised activations is that of the whole call."""
    rows = rows_of_one_shape(engines["int8"], "nine")
    items, pad = [row.item for row in rows], agents["int8"].tok.pad_token_id
    [together, *_] = agents["int8"].session.run(["logits"], feed_of(items, rows[0].shape, pad))
    alone = [engines["int8"].forward([row]).logits[0] for row in rows]
    assert max(np.abs(together[i, : len(one)] - one).max() for i, one in enumerate(alone)) > 1e-3


def test_a_call_that_is_made_again_in_another_order_with_a_row_twice_gives_each_row_its_bits(engines):
    [variant] = made(1)
    engine = engines["int8"]
    rows = [engine.encode(variant, qid) for qid in variant.questions]
    first = engine.forward(rows).logits
    for order in ([0, *range(len(rows))], [2, *reversed(range(len(rows)))]):
        for at, logits in zip(order, engine.forward([rows[i] for i in order]).logits, strict=True):
            assert np.array_equal(logits, first[at])


def test_what_is_known_of_engines_that_compute_cases(engines):
    assert engines["int8"].info().rows_together is False
    assert engines["fp32"].info().rows_together is True


def test_a_graph_that_nobody_checked_is_computed_case_by_case(graphs, tmp_path):
    model = onnx.load(graphs.fp32)
    del model.metadata_props[:]
    onnx.save(model, tmp_path / "foreign.onnx")
    engine = load_engine(located(tmp_path / "foreign.onnx"), "cpu", 1)
    row = engine.encode(made(1)[0], "one")
    assert engine.info().rows_together is False
    assert row.shape == (row.input_tokens, 2)
    assert len(engine.forward([row]).logits[0]) == 1


def test_threads_are_those_of_the_session_and_the_device_is_the_cpu(graphs):
    info = load_engine(located(graphs.fp32), "cpu", 2).info()
    assert (info.device, info.threads) == ("cpu", 2)
    assert info.served_temperatures["choice:2"] == 0.5
    assert any("ships temperatures outside" in warning for warning in info.warnings)
    with pytest.raises(DeviceError):
        load_engine(located(graphs.fp32), "cuda", 1)


def test_what_does_not_fit_is_an_encoding_error_and_what_cannot_run_a_runtime_error(engines):
    [variant] = made(1, {"q": {"type": "choice", "instructions": "Which?", "criteria": [f"l{i}" for i in range(400)]}})
    with pytest.raises(EncodingError):
        engines["fp32"].encode(variant, "q")
    row = engines["fp32"].encode(made(1)[0], "noul")
    row.item["ids"][3] = 10**6
    with pytest.raises(RuntimeError, match="onnxruntime"):
        engines["fp32"].forward([row])
