"""What an engine is to a plan: every one can be loaded by its name, and what cells hold of it stays."""

from __future__ import annotations

import importlib

import pytest
from builders import NoHub, checkpoint_settings, write_checkpoint

from laya_sweep.checkpoints.checkpoint import locate, locate_here
from laya_sweep.checkpoints.engine_spec import ENGINES
from laya_sweep.domain.layout import BY_CASE, BY_SHAPE
from laya_sweep.domain.settings import CheckpointSettings
from laya_sweep.engines.engine import Engine


@pytest.mark.parametrize("name", [*ENGINES])
def test_an_engine_is_loaded_by_what_its_entry_says(name):
    module, _, kind = ENGINES[name].loader.partition(":")
    found = getattr(importlib.import_module(module), kind)
    wanted = [method for method in vars(Engine) if not method.startswith("_")]
    assert all(callable(getattr(found, method)) for method in wanted)


def test_what_cells_hold_of_engines_is_as_it_was():
    """Keys of stores that exist are digests of these."""
    assert {name: spec.libraries for name, spec in ENGINES.items()} == {
        "torch": ("laya", "torch", "transformers", "tokenizers"),
        "onnx": ("laya", "onnxruntime", "transformers", "tokenizers"),
    }
    assert {name: spec.digested_as for name, spec in ENGINES.items()} == {"torch": "weights", "onnx": "onnx"}
    assert BY_SHAPE.identity == {"version": 2, "length_multiple": 16}
    assert BY_CASE.identity == {"version": 1, "rows": "case"}


def test_settings_name_an_engine_that_there_is():
    assert CheckpointSettings("mine", "somewhere", None, None, None, None).engine in ENGINES


def test_another_node_finds_the_same_checkpoint(tmp_path):
    folder = write_checkpoint(tmp_path / "c")
    settings = checkpoint_settings(folder, max_len=64, head_max_len=32)
    found = locate(settings, NoHub())
    assert locate_here(found, NoHub()) == found
