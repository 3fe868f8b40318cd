"""The main job on real input, as a user types it: 51 languages through Ray, then again for nothing."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from laya_sweep.store.schemas import TABLES

pytestmark = [pytest.mark.reference, pytest.mark.ray, pytest.mark.slow]

LINE = re.compile(
    r"^\S+ \S+ (\S+) n=3 acc=\d\.\d{4} macro_f1=\d\.\d{4} macro_f1_slot=\d\.\d{4} "
    r"ece=\d\.\d{4} conf=\d\.\d{4} \(\d+\.\ds\)$",
    re.M,
)
MACRO = re.compile(r"^(\S+ \S+) macro over 51 languages: acc=\d\.\d{4} ece=\d\.\d{4} macro_f1=\d\.\d{4} \S+$", re.M)
OVERALL = re.compile(r"^(\S+ \S+) overall, 153 answers pooled: acc=\d\.\d{4} ece=", re.M)
REPRODUCIBLE = [*(f"{name}.parquet" for name in TABLES), "report.json", "report.md", "timing.json"]


def provenance(folder: Path) -> dict:
    return json.loads((folder / "provenance.json").read_text("utf-8"))


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in REPRODUCIBLE}


def test_all_langs_and_then_everything_derived_costs_no_forward(command, inputs, tmp_path):
    words = ["+sweep=all_langs", *inputs, "dataset.per_lang=3", "out_dir=OUT"]
    out = tmp_path / "OUT"

    plan = command(*words, "dry_run=true")
    assert plan.returncode == 0
    assert "forwards: 0 cached, 306 to run; one pass per grid point would be 2448" in plan.stdout
    assert not any(tmp_path.iterdir())

    first = command(*words)
    assert first.returncode == 0, first.stderr
    assert len(LINE.findall(first.stdout)) == 51 * 2 * 2
    assert (
        set(MACRO.findall(first.stdout))
        == set(OVERALL.findall(first.stdout))
        == {f"{name} {regime}" for name in ("english", "multilingual") for regime in ("raw", "served")}
    )
    assert len(first.stderr.splitlines()) < 50
    assert first.stderr.count("ships invalid temperatures") == 1
    assert provenance(out)["forward_rows"] == 306
    assert provenance(out)["forwards_saved"] == 306 * 8 - 306
    for name, schema in TABLES.items():
        assert pq.read_schema(out / f"{name}.parquet").equals(schema), name
    before = contents(out)

    again = command(*words)
    assert again.returncode == 0
    assert "0 forwards done" in again.stderr
    assert contents(out) == before

    derived = command(
        *words, "regime=[served,raw,unit,fixed]", "regime.fixed.temperature=1.7", "min_confidence=[0.1,0.2]"
    )
    assert provenance(out)["forward_rows"] == 0, derived.stderr
    assert {row["regime"] for row in pq.read_table(out / "decisions.parquet", columns=["regime"]).to_pylist()} == {
        "served",
        "raw",
        "unit",
        "fixed",
    }

    wider = command(*words, "dataset.per_lang=4")
    assert wider.returncode == 0
    assert provenance(out)["forward_rows"] == 102


def test_a_run_with_nothing_to_infer_starts_neither_ray_nor_torch(command, inputs, tmp_path):
    words = [*inputs, "languages=[en]", "dataset.per_lang=2", "executor=inline"]
    assert command(*words, "out_dir=A").returncode == 0
    probe = (
        "import sys; from laya_sweep.__main__ import main; code = main(sys.argv[1:]);"
        "loaded = {'torch', 'ray', 'transformers', 'datasets'} & set(sys.modules); sys.exit(code or bool(loaded))"
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", probe, *words, "executor=ray", "out_dir=B"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "A") == contents(tmp_path / "B")


def test_multirun_shares_logits_and_keeps_each_job_apart(command, inputs, tmp_path):
    done = command(
        "-m",
        *inputs,
        "languages=[en,de]",
        "dataset.per_lang=2",
        "executor=inline",
        "min_confidence=0.0,0.5,0.9",
        "out_dir=M",
    )
    assert done.returncode == 0, done.stderr
    assert [provenance(tmp_path / "M" / str(job))["forward_rows"] for job in range(3)] == [8, 0, 0]
    thresholds = [
        set(pq.read_table(tmp_path / "M" / str(job) / "metrics.parquet")["min_confidence"].to_pylist()) - {None}
        for job in range(3)
    ]
    assert thresholds == [{0.0}, {0.5}, {0.9}]


def test_edited_temperatures_reuse_every_logit(command, massive, shared, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(shared / "checkpoints" / "english", copy, copy_function=shutil.copyfile)
    words = [
        *massive,
        "checkpoint=[]",
        f"+checkpoints.mine.source={copy}",
        "languages=[en]",
        "dataset.per_lang=5",
        "executor=inline",
        "out_dir=OUT",
    ]
    assert command(*words).returncode == 0
    logits = pq.read_table(tmp_path / "OUT" / "logits.parquet")
    config = json.loads((copy / "rl_agent_config.json").read_text("utf-8"))
    config["temperature_by_options"]["choice:11+"] = 2.5
    (copy / "rl_agent_config.json").write_text(json.dumps(config), "utf-8")
    done = command(*words)
    assert provenance(tmp_path / "OUT")["forward_rows"] == 0, done.stderr
    assert pq.read_table(tmp_path / "OUT" / "logits.parquet").equals(logits)
    served = pq.read_table(tmp_path / "OUT" / "decisions.parquet").to_pylist()
    assert {row["temperature"] for row in served} == {2.5}


def test_a_broken_language_is_recorded_and_the_others_are_kept(command, english, shared, tmp_path):
    import shutil

    data = tmp_path / "massive"
    shutil.copytree(shared / "data" / "amazon_massive_intent", data, copy_function=shutil.copyfile)
    broken = data / "data" / "de" / "test.jsonl.gz"
    broken.write_bytes(broken.read_bytes()[:300])
    done = command(
        "dataset=massive",
        f"dataset.path={data}",
        *english[2:],
        "languages=[de,en]",
        "dataset.per_lang=2",
        "executor=inline",
        "out_dir=OUT",
    )
    assert done.returncode == 3
    assert "language de failed" in done.stderr
    assert "no macro: 1 of 2 languages ran (without de)" in done.stdout
    report = json.loads((tmp_path / "OUT" / "report.json").read_text("utf-8"))
    for result in report["results"]:
        assert (result["complete"], result["languages_ran"], [*result["failed"]]) == (False, 1, ["de"])
        macro = result["macro"]["metrics"]
        assert macro["choice_accuracy"]["value"] is None
        assert (
            macro["choice_accuracy_partial"]["value"]
            == result["languages"]["en"]["metrics"]["choice_accuracy"]["value"]
        )
