"""What a worker says that it computes with."""

from __future__ import annotations

import shutil

from laya_sweep.domain.identity import library_versions
from laya_sweep.execution import software
from laya_sweep.execution.software import Software, code_digest, software_fault, software_here


def test_the_digest_is_of_every_module_wherever_the_package_lies_and_of_nothing_else(tmp_path):
    copy = tmp_path / "elsewhere" / "laya_sweep"
    shutil.copytree(software._PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    ours = code_digest(software._PACKAGE)
    assert code_digest(copy) == ours == software_here(("numpy",)).code
    (copy / "conf").mkdir(exist_ok=True)
    (copy / "conf" / "__init__.py").write_text("of an installed package alone\n")
    (copy / "engines" / "notes.txt").write_text("no module\n")
    assert code_digest(copy) == ours
    module = copy / "engines" / "torch_engine.py"
    module.write_bytes(module.read_bytes() + b"\n")
    edited = code_digest(copy)
    assert edited != ours
    module.rename(module.with_name("moved.py"))
    assert code_digest(copy) not in (ours, edited)


def test_a_difference_is_said_by_name():
    here = software_here(("numpy", "pyarrow"))
    assert here.versions == library_versions(("numpy", "pyarrow"))
    assert software_fault(here, here) == ""
    wanted, found = Software({"a": "1", "b": "2"}, "c" * 64), Software({"a": "1", "c": "3"}, "d" * 64)
    assert software_fault(wanted, found) == (
        "b: expected 2, got None; c: expected None, got 3; code of laya_sweep: expected cccccccccccc, got dddddddddddd"
    )
