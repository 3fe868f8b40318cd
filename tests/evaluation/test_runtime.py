"""The runtime's own agents and router, with the bundled checkpoints: asked by `evaluate` and by laya.evals."""

from __future__ import annotations

import shutil
import warnings

import pytest
from labelled_sets import labelled_set

from laya_sweep import evaluate, open_engine
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER

laya = pytest.importorskip("laya", reason="laya is not installed")
evals = pytest.importorskip("laya.evals", reason="laya is not installed")
evals_cli = pytest.importorskip("laya.evals_cli", reason="laya is not installed")


@pytest.fixture(scope="module")
def agents(tmp_path_factory):
    """Both bundled checkpoints, in folders of their own, which the runtime may rewrite."""
    made = {}
    for name in ("english", "multilingual"):
        folder = tmp_path_factory.mktemp("agents") / name
        shutil.copytree(CHECKPOINTS_FOLDER / f"demo_{name}", folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            made[name] = laya.load(str(folder), device="cpu")
    return made


def rows_of(seeds, *, model):
    rows = [row for seed in seeds for row in labelled_set(seed)]
    return rows if model else [{key: value for key, value in row.items() if key != "model"} for row in rows]


def upstream(rows, runner, **asked):
    dataset = evals.Dataset([evals.Example.from_dict(row) for row in rows])
    return evals.evaluate(runner, dataset, **asked).to_json()


def assert_close(ours, theirs, tolerance=1e-9):
    assert ours.keys() == theirs.keys()
    for name in theirs:
        if isinstance(theirs[name], dict):
            assert_close(ours[name], theirs[name], tolerance)
        elif not name.endswith("_ms"):
            assert ours[name] == pytest.approx(theirs[name], abs=tolerance), name


def test_an_agent_and_an_engine_of_one_checkpoint_agree(agents):
    rows = rows_of(range(4), model=False)
    engine = open_engine("bundled:demo_multilingual")
    ours = evaluate(rows, engine, min_confidence=0.5)
    theirs = evaluate(rows, agents["multilingual"], min_confidence=0.5)
    assert theirs.outcome.timing["batch_form"] == "states"
    assert theirs.outcome.timing["chunks"] < len(rows)
    assert theirs.decisions["checkpoint"].unique().to_pylist() == ["multilingual"]
    assert ours.decisions["checkpoint"].unique().to_pylist() == ["demo_multilingual"]
    assert ours.notes  # the runtime warns of a temperature that it clamps
    for one, other in zip(ours.decisions.to_pylist(), theirs.decisions.to_pylist(), strict=True):
        assert one["probabilities"] == pytest.approx(other["probabilities"], abs=2e-4)
        if abs(other["answer_confidence"] - 0.5) > 2e-4:
            assert one["abstention"] == other["abstention"]
        if one["margin"] > 1e-3:
            assert one["pred_label"] == other["pred_label"]
    marks = {one["abstention"] for one in ours.decisions.to_pylist()}
    assert marks == {"passed", "abstained"}


def test_an_agent_asked_row_by_row_has_upstream_s_figures(agents):
    rows = rows_of(range(4, 6), model=False)
    ours, theirs = evaluate(rows, agents["english"], batch_size=1).document(), upstream(rows, agents["english"])
    assert_close(ours["overall"], theirs["overall"])
    assert_close(ours["slices"]["qid"], theirs["slices"]["qid"])
    assert [case["answer"] for case in ours["cases"]] == [case["answer"] for case in theirs["cases"]]


def test_a_router_sends_each_row_to_its_checkpoint(agents):
    router = laya.Router()
    for name, agent in agents.items():
        router.attach(name, agent)
    rows = rows_of(range(6), model=True)
    ours = evaluate(rows, router, batch_size=1, min_confidence=0.4)
    theirs = upstream(rows, evals_cli.RouterRunner(router), min_confidence=0.4)
    assert_close(ours.document()["overall"], theirs["overall"])
    assert_close(ours.document()["slices"], theirs["slices"])
    assert {case["model"] for case in theirs["cases"]} == {"english", "multilingual"}
    batched = evaluate(rows, router, min_confidence=0.4)
    assert batched.outcome.timing["batch_form"] == "requests"
    assert batched.decisions["checkpoint"].equals(ours.decisions["checkpoint"])
    for one, other in zip(ours.decisions.to_pylist(), batched.decisions.to_pylist(), strict=True):
        assert one["probabilities"] == pytest.approx(other["probabilities"], abs=2e-4)
    forced = evaluate(rows, router, checkpoint="english")
    assert forced.decisions["checkpoint"].unique().to_pylist() == ["english"]
    assert evaluate(rows, agents["english"], checkpoint="english").answers == pytest.approx(forced.answers)
