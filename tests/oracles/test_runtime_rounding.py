"""A run under `rounding: runtime` beside upstream's own evaluation of the same checkpoint and files.

Where both sides run the same batches (each question alone, padded as our engine pads it) every figure is equal to
1e-9. As upstream batches by itself, all questions of a row together, padded lengths differ, so the last bits of
logits do, and with them now and then a fourth decimal: there figures are compared to 2e-4.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from labelled_sets import labelled_set, lines_of
from reports_alike import EXACT, assert_close, without_ms

from laya_sweep.__main__ import main
from laya_sweep.documents.evals_figures import evals_figures
from laya_sweep.documents.laya_evals import laya_evals_document
from laya_sweep.domain.layout import padded_shape
from laya_sweep.store.stored_run import StoredRun

laya = pytest.importorskip("laya", reason="laya is not installed")
torch = pytest.importorskip("torch", reason="torch is not installed")
evals = pytest.importorskip("laya.evals", reason="laya is not installed")
functional = torch.nn.functional

pytestmark = [pytest.mark.reference, pytest.mark.slow]

CLOSE = 2e-4
TOLERANCES = [0.25, 1.0]
GENERATED = 200
GOLDEN = ("fixture", "swedish_support")

#: Figures that jump where a rank, a bin edge or a label does.
JUMPY = ("ece", "aurc", "selective_accuracy@50", "selective_accuracy@80", "choice_accuracy", "noul_accuracy")


@pytest.fixture(scope="module")
def place(shared, tmp_path_factory):
    """A folder with the checkpoint under the name by which the upstream command asks the Hub for it."""
    folder = tmp_path_factory.mktemp("rounding")
    copied = folder / "convaiinnovations" / "laya"
    shutil.copytree(shared / "checkpoints" / "english", copied)
    for path in (copied, *copied.rglob("*")):
        path.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def agent(place):
    with pytest.warns(RuntimeWarning, match="invalid temperatures"):
        return laya.load(str(place / "convaiinnovations" / "laya"), device="cpu")


@pytest.fixture(scope="module")
def twin(agent):
    """The agent in our batches: every question alone, in the padded shape that our engine gives it."""
    made = copy.copy(agent)

    def forward(batch):
        outputs = [agent._forward(_alone(agent, batch, row)) for row in range(len(batch["input_ids"]))]
        widest = max(logits.shape[1] for logits, _ in outputs)
        logits = [np.pad(logits, ((0, 0), (0, widest - logits.shape[1]))) for logits, _ in outputs]
        return np.concatenate(logits), np.concatenate([act for _, act in outputs])

    made._forward = forward
    return made


def _alone(agent, batch, row):
    tokens, options = int(batch["attention_mask"][row].sum()), int(batch["marker_mask"][row].sum())
    shape = padded_shape(tokens, options, agent.cfg["max_len"])

    def padded(name, used, wide, value=0):
        return functional.pad(batch[name][row : row + 1, :used], (0, wide - used), value=value)

    return {
        "input_ids": padded("input_ids", tokens, shape.length, agent.tok.pad_token_id),
        "attention_mask": padded("attention_mask", tokens, shape.length),
        "marker_pos": padded("marker_pos", options, shape.options),
        "marker_mask": padded("marker_mask", options, shape.options),
        "qtype": batch["qtype"][row : row + 1],
    }


class Runner:
    """A checkpoint behind the name `english`, as the upstream command has it; keeps what it answered."""

    def __init__(self, agent):
        self.answered = []
        self._agent = agent

    def predict(self, state, questions, model=None):
        self.answered.append(self._agent.predict(state, questions))
        return self.answered[-1]


class Replay:
    """Gives answers again, in their order."""

    def __init__(self, answered):
        self._answers = iter(answered)

    def predict(self, state, questions, model=None):
        return next(self._answers)


def evaluated(runner, path):
    """Upstream's report, the checkpoint named for every row as `--model` does."""
    dataset = evals.Dataset.from_jsonl(str(path))
    for example in dataset.examples:
        example.model = "english"
    own = [*evals.default_evaluators(), *(evals.ScoreWithin(value) for value in TOLERANCES)]
    return evals.evaluate(runner, dataset, own)


def swept(place, path, name, rounding="runtime"):
    """A sweep of a labelled file."""
    words = [
        "dataset=jsonl",
        f"dataset.path={path}",
        "checkpoint=[]",
        f"+checkpoints.english.source={place}/convaiinnovations/laya",
        "executor=inline",
        "regime=[served]",
        "min_confidence=0.7",
        f"metrics.score_within={TOLERANCES}".replace(" ", ""),
        f"metrics.rounding={rounding}",
        f"store.uri={place}/store",
        f"out_dir={place}/{name}",
    ]
    with contextlib.redirect_stdout(None):
        assert main(words) == 0
    return StoredRun.open(place / name)


@pytest.fixture(scope="module")
def golden(place, shared):
    """A run of each labelled set that nobody here made."""
    return {name: swept(place, shared / "golden" / f"{name}.jsonl", name) for name in GOLDEN}


@pytest.fixture(scope="module")
def generated(place):
    """200 small labelled sets: their files, one file of all their rows, and the run of that one."""
    rng, files, every = random.Random(5), [], []
    for seed in range(GENERATED):
        rows = labelled_set(seed, rows=rng.randint(1, 3))
        files.append((place / f"set-{seed}.jsonl", len(rows)))
        files[-1][0].write_text(lines_of(rows), "utf-8")
        every += rows
    (place / "every.jsonl").write_text(lines_of(every), "utf-8")
    return files, place / "every.jsonl", swept(place, place / "every.jsonl", "every")


def by_question(cases):
    """Ours stand by sorted question id within a row, upstream's as the row names them."""
    return sorted(cases, key=lambda case: case["qid"])


def metrics_of(run):
    """The run's own table in upstream's form: overall figures, and slices of them; what has no value is left out."""
    overall, slices = {}, {}
    names = {*JUMPY, "score_mae", "brier", "mean_confidence", *(f"score_within_{value:g}" for value in TOLERANCES)}
    for row in pq.read_table(run.folder / "metrics.parquet").to_pylist():
        if row["min_confidence"] is not None or row["metric"] not in names or row["value"] is None:
            continue
        if row["slice"] == "overall":
            overall[row["metric"]] = row["value"]
        elif not row["slice"].startswith("macro:") and row["slice_value"]:
            slices.setdefault(row["slice"], {}).setdefault(row["slice_value"], {})[row["metric"]] = row["value"]
    return overall, slices


def assert_same_figures(run, document, theirs, tolerance=EXACT):
    """The metrics table and the export, both, against upstream's overall figures and every slice."""
    overall, slices = metrics_of(run)
    for ours, own in ((overall, slices), (without_ms(document["overall"]), document["slices"])):
        assert_close(ours, without_ms(theirs["overall"]), tolerance)
        assert_close(own, theirs["slices"], tolerance)


def assert_same_identity(document, theirs):
    """What upstream records of what was measured: its command names the file's digest too."""
    names = ["schema", "questions_sha256", "coverage_metric_definition", "laya_version"]
    names += ["dataset", "dataset_sha256", "model", "device", "score_within", "revisions"]
    for name in names:
        if name in theirs["config"]:
            assert document["config"][name] == theirs["config"][name], name


@pytest.mark.parametrize("name", GOLDEN)
def test_reference_sets_in_the_same_batches(golden, twin, shared, name):
    path = shared / "golden" / f"{name}.jsonl"
    theirs = evaluated(Runner(twin), path)
    document = laya_evals_document(golden[name].select(), 0.7)
    assert_same_figures(golden[name], document, theirs.to_json())
    assert_same_identity(document, theirs.to_json())
    assert document["config"]["dataset_sha256"] == evals.file_fingerprint(str(path))
    assert {*theirs.slices} == {*document["slices"]}
    for ours, own in zip(by_question(document["cases"]), by_question(theirs.cases), strict=True):
        for field in ("confidence", "correct", "scores", "model", "language", "expected"):
            assert ours[field] == own[field]


def test_generated_sets_in_the_same_batches(generated, twin):
    """Each of 200 sets alone, and all of their rows as one set through the metrics table and the export."""
    files, every, run = generated
    decisions, answered, start, kinds = run.select().decisions, [], 0, set()
    for path, rows in files:
        runner = Runner(twin)
        theirs = evaluated(runner, path)
        own = pc.and_(pc.greater_equal(decisions["row_index"], start), pc.less(decisions["row_index"], start + rows))
        ours = evals_figures(decisions.filter(own), TOLERANCES)
        assert_close(ours.overall, without_ms(theirs.overall))
        assert_close(ours.slices, theirs.slices)
        answered += runner.answered
        start += rows
        kinds.add(frozenset(ours.overall))
    assert (len(answered), len(kinds) >= 6) == (start, True)
    whole = evaluated(Replay(answered), every)
    document = laya_evals_document(run.select(), 0.7)
    assert_same_figures(run, document, whole.to_json())
    assert_same_identity(document, whole.to_json())
    assert {*whole.slices} == {"language", "model", "qid", "tag"}


@pytest.fixture(scope="module")
def reported(place, shared):
    """What the upstream command itself writes about a set, from the checkpoint's folder under its Hub name."""
    words = ["run", str(shared / "golden" / "swedish_support.jsonl"), "--model", "english", "--device", "cpu"]
    words += ["--min-confidence", "0.7", "--json", str(place / "upstream.json")]
    words += [word for value in TOLERANCES for word in ("--score-within", str(value))]
    done = subprocess.run(
        [sys.executable, "-m", "laya.evals_cli", *words],
        cwd=place,
        env=os.environ | {"HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return place / "upstream.json"


def test_the_upstream_command_in_its_own_batches(golden, reported):
    """Every answer to 2e-4. Ranks, bins and labels jump where a fourth decimal does: they are equal where none did."""
    theirs = json.loads(reported.read_text("utf-8"))
    run = golden["swedish_support"]
    document = laya_evals_document(run.select(), 0.7)
    assert_same_identity(document, theirs)
    pairs = [*zip(by_question(document["cases"]), by_question(theirs["cases"]), strict=True)]
    moved = 0
    for ours, own in pairs:
        assert (ours["answer"]["type"], ours["model"]) == (own["answer"]["type"], "english")
        assert ours["confidence"] == pytest.approx(own["confidence"], abs=CLOSE)
        assert ours["scores"] == pytest.approx(own["scores"], abs=CLOSE)
        moved += ours["answer"] != own["answer"]
    assert moved < len(pairs) / 10
    if moved:
        for ours in (metrics_of(run)[0], document["overall"]):
            smooth = {name: value for name, value in without_ms(ours).items() if name not in JUMPY}
            assert_close(smooth, {name: theirs["overall"][name] for name in smooth}, CLOSE)
    else:
        assert_same_figures(run, document, theirs, EXACT)


def test_an_upstream_report_is_a_baseline_of_rounded_and_of_exact_runs(golden, reported, place, capsys):
    run = golden["swedish_support"]
    (place / "tolerances.json").write_text(json.dumps(dict.fromkeys(metrics_of(run)[0], 0.05)), "utf-8")
    exact = swept(place, Path(json.loads(reported.read_text("utf-8"))["config"]["dataset"]), "exact", "exact")
    for folder in (run.folder, exact.folder):
        for mode in ("strict", "compatible"):
            words = [
                "--baseline",
                str(reported),
                "--tolerances",
                str(place / "tolerances.json"),
                "--mode",
                mode,
                "--all",
            ]
            assert main(["compare", str(folder), *words]) == 0
            assert "comparable: same schema, dataset_sha256, questions_sha256" in capsys.readouterr().out
