"""Kill it anywhere, run it again: nothing lost, nothing twice, and the same bytes however it was cut."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytestmark = [pytest.mark.reference, pytest.mark.slow]


def logits(folder: Path) -> bytes:
    return (folder / "logits.parquet").read_bytes()


def parts(store: Path) -> list[Path]:
    return sorted(store.glob("cells/*/*/part-*.parquet"))


@pytest.fixture
def words(english: list[str]) -> list[str]:
    """One checkpoint, three languages of three lengths."""
    return [*english, "languages=[en,km,ja]"]


@pytest.mark.ray
def test_killed_then_terminated_then_resumed_with_one_actor_only_the_missing_rows_run(
    command, words, tmp_path, started
):
    words = [*words, "dataset.per_lang=60", "out_dir=OUT"]
    store = tmp_path / "outputs" / "store"

    def stop_after(count, send):
        """Run on two actors until there are so many parts, then stop the driver with a signal."""
        run = subprocess.Popen(
            [sys.executable, "-m", "laya_sweep", *words, "shard_cases=6", "executor.num_actors=2"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        started.append(run)
        deadline = time.monotonic() + 120
        while len(parts(store)) < count and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(run.pid, send)
        code = run.wait(60)
        time.sleep(3)  # actors of a killed driver linger for a moment; what they commit counts
        return code

    assert stop_after(3, signal.SIGKILL) == -signal.SIGKILL
    killed = sum(pq.read_metadata(path).num_rows for path in parts(store))
    assert stop_after(len(parts(store)) + 3, signal.SIGTERM) == 130
    assert not (tmp_path / "OUT" / "report.json").exists()
    done = sum(pq.read_metadata(path).num_rows for path in parts(store))
    assert 0 < killed < done < 180

    resumed = command(*words, "executor.num_actors=1", "batch_size=5")
    assert resumed.returncode == 0, resumed.stderr
    assert f"180 rows: {done} cached, {180 - done} to run" in resumed.stderr
    assert f"{180 - done} forwards done" in resumed.stderr

    whole = command(*words[:-1], "executor=inline", "store.uri=fresh", "out_dir=WHOLE")
    assert whole.returncode == 0, whole.stderr
    assert logits(tmp_path / "OUT") == logits(tmp_path / "WHOLE")


@pytest.mark.ray
def test_actors_batches_and_shards_never_move_a_byte_of_the_facts(command, words, tmp_path):
    words = [*words, "dataset.per_lang=30"]
    layouts = {
        "one": ["executor.num_actors=1", "batch_size=1"],
        "two": ["executor.num_actors=2", "batch_size=7", "shard_cases=11"],
        "inline": ["executor=inline", "batch_size=25"],
        "tokens": ["executor=inline", "batch_tokens=9000"],
    }
    for name, layout in layouts.items():
        done = command(*words, *layout, f"out_dir={name}", f"store.uri=store_{name}")
        assert done.returncode == 0, done.stderr
    facts = {name: logits(tmp_path / name) for name in layouts}
    assert len(set(facts.values())) == 1
    reports = {(tmp_path / name / "report.json").read_bytes() for name in layouts}
    assert len(reports) == 1


def test_a_truncated_part_is_computed_again_and_the_rest_is_kept(command, words, tmp_path):
    words = [*words, "dataset.per_lang=12", "shard_cases=4", "executor=inline", "out_dir=OUT"]
    assert command(*words).returncode == 0
    before = logits(tmp_path / "OUT")
    victim = parts(tmp_path / "outputs" / "store")[0]
    victim.write_bytes(victim.read_bytes()[:-20])
    again = command(*words)
    assert again.returncode == 0
    assert "a damaged part is computed again" in again.stderr
    assert "36 rows: 32 cached, 4 to run" in again.stderr
    assert logits(tmp_path / "OUT") == before


def test_two_runs_at_once_share_a_store_and_refuse_to_share_a_folder(command, words, tmp_path, started):
    words = [*words, "dataset.per_lang=10", "executor=inline"]
    pair = [
        subprocess.Popen(
            [sys.executable, "-m", "laya_sweep", *words],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        for _ in range(2)
    ]
    started.extend(pair)
    for process in pair:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    folders = sorted((tmp_path / "outputs" / "runs").iterdir())
    assert len(folders) == 2
    assert logits(folders[0]) == logits(folders[1])

    from laya_sweep.store.run_folder import claim

    with claim(tmp_path / "TAKEN"):
        refused = command(*words, "out_dir=TAKEN")
    assert refused.returncode == 2
    assert "another run writing to it" in refused.stderr


def test_a_checkpoint_folder_is_never_written_and_two_fresh_loads_share_cells(command, massive, shared, tmp_path):
    import shutil

    fresh = tmp_path / "fresh"
    shutil.copytree(shared / "checkpoints" / "multilingual", fresh, copy_function=shutil.copyfile)
    before = {path: path.read_bytes() for path in fresh.rglob("*") if path.is_file()}
    words = [
        *massive,
        "checkpoint=[]",
        f"+checkpoints.mine.source={fresh}",
        "languages=[en]",
        "dataset.per_lang=3",
        "executor=inline",
    ]
    assert command(*words).returncode == 0
    assert {path: path.read_bytes() for path in fresh.rglob("*") if path.is_file()} == before
    # What the runtime does to a folder that it loads in place must not move the identity of the folder.
    config = fresh / "tokenizer" / "tokenizer_config.json"
    import laya

    laya.load(str(fresh), device="cpu")
    assert config.read_bytes() != before[config]
    assert "3 rows: 3 cached, 0 to run" in command(*words).stderr
