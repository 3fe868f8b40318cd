"""What a person sees: results on stdout, the rest on stderr, and a short log on a pipe."""

import dataclasses

import pytest
from builders import make_cases

from laya_sweep.execution.contract import Handshake, Parity, Shard, ShardResult
from laya_sweep.execution.events import CaseLost, ShardDone, WorkerReady
from laya_sweep.execution.software import Software
from laya_sweep.run.console import Console
from laya_sweep.transforms.registry import variants_of


def shard():
    return Shard("key", "mine", "en", "baseline", tuple(variants_of("baseline", make_cases(1)[0])), 1.0)


def done(rows):
    return ShardDone(
        shard(),
        ShardResult(
            cell_key="key",
            peak_rss_bytes=1,
            part=None,
            rows=rows,
            errors=0,
            forward_rows=rows,
            forward_calls=1,
            forward_s=0.1,
            call_s=0.1,
        ),
    )


@pytest.mark.parametrize(("shards", "rows"), [(1000, 64), (1000, 1), (3, 5), (1, 1)])
def test_a_log_stays_short_and_ends_with_the_whole(capsys, shards, rows):
    with Console().progress(shards * rows) as bar:
        for _ in range(shards):
            bar.see(done(rows))
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert 1 <= len(lines) < 50
    assert lines[-1] == f"inference: {shards * rows} of {shards * rows} rows"
    assert len(lines) == len({*lines})


def test_results_and_notes_go_their_own_ways_as_they_are(capsys):
    console = Console()
    console.result("en n=100 acc=0.8200 [bold]:smile: " + "x" * 300)
    console.note("a [red]note[/red]")
    out, err = capsys.readouterr()
    assert out == "en n=100 acc=0.8200 [bold]:smile: " + "x" * 300 + "\n"
    assert err == "a [red]note[/red]\n"


def test_a_warning_of_many_workers_is_said_once_a_checkpoint(capsys):
    hand = Handshake(
        1,
        "n1",
        "cpu",
        1,
        "d",
        Software({}, "c"),
        (),
        Parity(8, 1e-6, 16, 0),
        True,
        0.5,
        ("ships\n temperatures outside",),
    )
    with Console().progress(10) as bar:
        for pid in range(4):
            bar.see(WorkerReady("english", dataclasses.replace(hand, pid=pid)))
        bar.see(WorkerReady("other", hand))
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if line.startswith("note: ")] == [
        "note: english: ships temperatures outside",
        "note: other: ships temperatures outside",
    ]
    assert len([line for line in lines if line.startswith("worker ")]) == 5


def test_a_lost_case_is_named(capsys):
    with Console().progress(10) as bar:
        bar.see(CaseLost(shard(), "the worker died"))
    assert capsys.readouterr().err == "mine en: a case is given up: the worker died\n"
