"""The command line: a mistake is exit 2, one line, before anything starts, and nothing is written."""

import os
import signal
import sys

import pytest
from builders import language_rows, write_checkpoint, write_language

from laya_sweep.__main__ import main


@pytest.fixture(autouse=True)
def _own_sigterm():
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs the command in an empty folder beside good inputs; returns exit code, lines on stderr, and what is new."""
    inputs, here = tmp_path / "inputs", tmp_path / "here"
    here.mkdir()
    write_checkpoint(inputs / "checkpoint")
    write_language(inputs / "data", "en", language_rows(5))
    (inputs / "empty").mkdir()
    monkeypatch.chdir(here)
    good = (
        "dataset=massive",
        "languages=[en]",
        "checkpoint=[]",
        f"+checkpoints.mine.source={inputs}/checkpoint",
        f"dataset.path={inputs}/data",
        "executor=inline",
    )

    def command(*overrides):
        code = main([*good, *(text.replace("INPUTS", str(inputs)) for text in overrides)])
        written = capsys.readouterr()
        return code, written.out, written.err.splitlines(), sorted(path.name for path in here.iterdir())

    return command


@pytest.mark.parametrize(
    ("override", "what", "mentions"),
    [
        ("languages=[eng]", "languages", "(en, "),
        ("languages=[no]", "languages", "got 'no'"),
        ("checkpoints.mine.source=INPUTS/nowhere", "checkpoints.mine.source", "a checkpoint folder"),
        ("checkpoints.mine.source=INPUTS/empty", "checkpoints.mine.source", "without rl_agent_config.json"),
        ("+checkpoints.mine.subfolder=small", "checkpoints.mine.source", "small"),
        ("dataset.path=INPUTS/nowhere", "dataset.path", "no such folder"),
        ("dataset.path=INPUTS/empty", "dataset.path", "data/<language>/test.jsonl.gz"),
        ("dataset.split=train", "dataset.path", "dataset.split"),
        ("min_confidence=1.5", "min_confidence", "got 1.5"),
        ("min_confidence=nan", "min_confidence", "got nan"),
        ("min_confidence=true", "min_confidence", "got True"),
        ("dataset.per_lang=0", "dataset.per_lang", "at least 1"),
        ("dataset.n_opts=1", "dataset.n_opts", "at least 2"),
        ("dataset.per_lan=5", "dataset.per_lan", "dataset.per_lang"),
        ("+per_lang=5", "per_lang", "known keys"),
        ("out_dir=INPUTS/checkpoint/model.safetensors/out", "out_dir", "a file at"),
        ("store.uri=INPUTS/checkpoint/model.safetensors/store", "store.uri", "a file at"),
    ],
)
def test_bad_input_is_exit_2_and_one_line_and_writes_nothing(run, override, what, mentions):
    code, out, err, new = run(override)
    assert code == 2
    [line] = err
    assert line.startswith(f"error: {what}")
    for part in (mentions, ": expected ", ", got ", "; "):
        assert part in line
    assert (out, new) == ("", [])
    assert "ray" not in sys.modules or not sys.modules["ray"].is_initialized()


def test_all_faults_of_the_configuration_come_at_once(run):
    code, _, err, _ = run("languages=[xx]", "dataset.per_lang=0", "min_confidence=2")
    assert code == 2
    assert sorted(line.split(":")[1] for line in err) == [" dataset.per_lang", " languages", " min_confidence"]


@pytest.mark.parametrize("word", ["en", "--fast", "-x"])
def test_a_word_that_is_no_override_is_exit_2(run, word):
    code, _, [line], new = run(word)
    assert (code, new) == (2, [])
    assert line.startswith(f"error: {word!r}: expected an override key=value")


def test_multirun_checks_every_job_before_the_first_starts(run):
    code, out, [line], new = run("-m", "dry_run=true", "dataset.per_lang=5,0")
    assert (code, out, new) == (2, "", [])
    assert line.startswith("error: dataset.per_lang: ")


def test_a_dry_run_prints_the_plan_and_writes_nothing(run):
    code, out, err, new = run(
        "dry_run=true", "regime=[served,raw,unit]", "min_confidence=[0.0,0.5]", "dataset.per_lang=4"
    )
    assert (code, err, new) == (0, ["1 of 1 languages has fewer options than n_opts=20: en 3"], [])
    assert "1 checkpoint(s) x 1 language(s) x 1 transform(s) = 1 cells" in out
    assert "mine: 1 cells, 4 forwards: 0 cached, 4 to run" in out
    assert "forwards: 0 cached, 4 to run; one pass per grid point would be 24" in out


def test_a_dry_run_with_a_missing_language_is_incomplete(run):
    code, out, _, new = run("dry_run=true", "languages=[en,de]")
    assert (code, new) == (3, [])
    assert "language de fails: de: " in out


def test_multirun_runs_every_job_and_keeps_the_worst_code(run):
    code, out, err, _ = run("-m", "dry_run=true", "languages=de,en")
    assert code == 3
    assert out.count("plan: ") == 2
    assert [line.split(":")[0] for line in err if line.startswith("job")] == ["job 1 of 2", "job 2 of 2"]


def test_cfg_prints_what_was_composed_and_starts_nothing(run):
    code, out, err, new = run("--cfg", "dataset.per_lang=7")
    assert (code, err, new) == (0, [], [])
    assert "per_lang: 7\n" in out


def test_version_and_help_need_no_configuration(run):
    assert run("--version")[:2] == (0, "laya-sweep 0.1.0\n")
    code, out, _, _ = run("-h", "nonsense")
    assert code == 0
    assert out.startswith("usage: python -m laya_sweep")


@pytest.mark.parametrize("option", ["--help", "--version", "--cfg", "--multirun", "-m", "-h"])
def test_the_help_names_every_option(run, option):
    assert option in run("--help")[1]


def test_a_termination_signal_ends_the_run_as_an_interruption(run, monkeypatch):
    import laya_sweep.config.compose

    monkeypatch.setattr(
        laya_sweep.config.compose, "compose_jobs", lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM)
    )
    code, _, [line], _ = run()
    assert code == 130
    assert line.startswith("error: stopped")
