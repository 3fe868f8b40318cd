"""The examples of docs/python.md, run as they stand, in order, in one namespace."""

from __future__ import annotations

import re
from pathlib import Path

from laya_sweep.__main__ import main

PAGE = Path(__file__).parents[1] / "docs" / "python.md"


def test_the_examples_run_as_they_stand(tmp_path, monkeypatch, capsys):
    assert main(["validate", "--template"]) == 0
    (tmp_path / "data.jsonl").write_text(capsys.readouterr().out, "utf-8")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 4
    space = {"__name__": "docs"}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{PAGE.name} block {number}", "exec"), space)
    space["test_the_checkpoint_is_no_worse"]()
    said = capsys.readouterr().out
    assert "overall  choice_accuracy" in said
    assert "gate failed" in said
    assert (tmp_path / "baseline.json").is_file()
