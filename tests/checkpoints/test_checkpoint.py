"""A checkpoint folder: found, told from what is none, identified by content, staged for the runtime."""

import json
import os
import shutil
from contextlib import suppress

import pytest
from builders import (
    CHECKPOINT_CONFIG,
    TOKENIZER_CONFIG,
    HubDouble,
    NoHub,
    checkpoint_settings,
    write_checkpoint,
)

from laya_sweep.checkpoints.checkpoint import locate, stage
from laya_sweep.errors import CheckpointError, exit_code


def located(folder, **changes):
    return locate(checkpoint_settings(folder, **changes), NoHub())


def problem_of(folder, **changes):
    with pytest.raises(CheckpointError) as caught:
        located(folder, **changes)
    assert exit_code(caught.value) == 2
    [problem] = caught.value.problems
    assert problem.what == "checkpoints.mine.source"
    assert "\n" not in str(problem)
    return problem


def test_a_local_folder_is_found_without_the_hub(tmp_path):
    checkpoint = located(write_checkpoint(tmp_path / "c"))
    assert checkpoint.folder == tmp_path / "c"
    assert (checkpoint.name, checkpoint.commit, checkpoint.subfolder) == ("mine", None, None)
    assert checkpoint.temperatures == {key: CHECKPOINT_CONFIG[key] for key in ("temperature", "temperature_by_options")}
    assert set(checkpoint.digests) == {"weights", "config", "encoder", "tokenizer"}
    assert len(checkpoint.digest) == 64


@pytest.mark.parametrize(
    ("config", "changes", "expected"),
    [
        ({"max_len": 1024, "head_max_len": 256}, {}, (1024, 256)),
        ({}, {}, (512, 192)),
        ({"max_len": 1024, "head_max_len": 256}, {"max_len": 256}, (256, 256)),
        ({"max_len": 1024}, {"head_max_len": 64}, (1024, 64)),
    ],
)
def test_budgets_are_the_checkpoints_own_unless_overridden(tmp_path, config, changes, expected):
    checkpoint = located(write_checkpoint(tmp_path / "c", config), **changes)
    assert (checkpoint.max_len, checkpoint.head_max_len) == expected


def test_the_budgets_assumed_are_those_of_the_runtime(tmp_path):
    """The runtime reads `cfg.get("max_len", 512)` and `cfg.get("head_max_len", 192)`, as `build_sequence` does."""
    import inspect

    from laya.common import build_sequence

    checkpoint = located(write_checkpoint(tmp_path / "c", {}))
    parameters = inspect.signature(build_sequence).parameters
    assert checkpoint.max_len == parameters["max_len"].default
    assert checkpoint.head_max_len == parameters["head_max_len"].default


def test_a_subfolder_of_a_folder(tmp_path):
    write_checkpoint(tmp_path / "c" / "small")
    checkpoint = located(tmp_path / "c", subfolder="small")
    assert (checkpoint.folder, checkpoint.subfolder) == (tmp_path / "c" / "small", "small")


def test_names_and_places_are_not_content(tmp_path):
    write_checkpoint(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "two" / "sub")
    first = located(tmp_path / "one")
    second = located(tmp_path / "two", name="other", subfolder="sub", max_len=64)
    third = locate(checkpoint_settings("org/laya"), HubDouble(tmp_path / "one"))
    assert first.digest == second.digest == third.digest
    assert third.commit == "commit-of-org/laya-None"


@pytest.mark.parametrize(
    "temperatures",
    [{}, {"temperature": [2.0, 2.0, 2.0]}, {"temperature_by_options": {"choice:2": 3.0}}],
)
def test_edited_temperatures_leave_the_digest(tmp_path, temperatures):
    kept = {key: value for key, value in CHECKPOINT_CONFIG.items() if not key.startswith("temperature")}
    before = located(write_checkpoint(tmp_path / "a"))
    after = located(write_checkpoint(tmp_path / "b", {**kept, **temperatures}))
    assert after.digest == before.digest
    assert after.temperatures == temperatures


@pytest.mark.parametrize(
    ("file", "content", "part"),
    [
        ("model.safetensors", "other weights", "weights"),
        ("rl_agent_config.json", json.dumps({**CHECKPOINT_CONFIG, "head_layers": 2}), "config"),
        ("encoder/config.json", '{"hidden_size": 9}', "encoder"),
        ("encoder/more.json", "{}", "encoder"),
        ("tokenizer/tokenizer.json", '{"version": "1.1"}', "tokenizer"),
        ("tokenizer/added_tokens.json", "{}", "tokenizer"),
        ("tokenizer/tokenizer_config.json", json.dumps({**TOKENIZER_CONFIG, "mask_token": "<mask>"}), "tokenizer"),
    ],
)
def test_content_moves_its_own_part_of_the_digest(tmp_path, file, content, part):
    folder = write_checkpoint(tmp_path / "c")
    before = located(folder)
    (folder / file).write_text(content)
    after = located(folder)
    assert after.digest != before.digest
    assert {name for name in after.digests if after.digests[name] != before.digests[name]} == {part}


def test_the_way_a_config_is_written_is_not_content(tmp_path):
    folder = write_checkpoint(tmp_path / "c")
    before = located(folder).digest
    turned = dict(reversed(CHECKPOINT_CONFIG.items()))
    (folder / "rl_agent_config.json").write_text(json.dumps(turned, indent=4))
    assert located(folder).digest == before


@pytest.mark.parametrize(
    "as_saved",
    [
        {**TOKENIZER_CONFIG, "tokenizer_class": "TokenizersBackend", "backend": "tokenizers", "is_local": True},
        {"mask_token": "[MASK]"},
        {"mask_token": "[MASK]", "tokenizer_class": None},
        {**TOKENIZER_CONFIG, "extra_special_tokens": ["<a>", "<b>"]},
        {"mask_token": "[MASK]", "backend": "tokenizers", "extra_special_tokens": []},
        {**TOKENIZER_CONFIG, "backend": "tokenizers"},
        TOKENIZER_CONFIG,
    ],
)
def test_the_runtimes_rewriting_of_the_tokenizer_config_moves_nothing(tmp_path, as_saved):
    """Against the rewriting itself: the runtime's own function, on a folder as transformers saves it."""
    from laya.agent import _fix_tokenizer_config

    folder = write_checkpoint(tmp_path / "c", tokenizer_config=as_saved)
    before = located(folder).digest
    _fix_tokenizer_config(str(folder))
    assert located(folder).digest == before


def test_a_file_that_the_runtime_is_just_writing_is_not_content(tmp_path):
    """It rewrites by `.tokenizer_config.<random>.tmp` and rename; another process may look in between."""
    folder = write_checkpoint(tmp_path / "c")
    before = located(folder).digest
    (folder / "tokenizer" / ".tokenizer_config.x1y2.tmp").write_text("{")
    assert located(folder).digest == before


@pytest.mark.parametrize("source", ["./nowhere", "/nowhere/at/all", "~/nowhere-at-all", "nowhere", "a/b/c"])
def test_a_missing_folder_is_a_fault_not_a_question_to_the_hub(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    problem = problem_of(source)
    assert problem.expected == "a checkpoint folder"
    assert source in problem.got


@pytest.mark.parametrize(
    "missing", [["rl_agent_config.json"], ["model.safetensors"], ["tokenizer"], ["model.safetensors", "tokenizer"]]
)
def test_a_folder_that_is_no_checkpoint_says_what_it_lacks(tmp_path, missing):
    folder = write_checkpoint(tmp_path / "c")
    for name in missing:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    assert problem_of(folder).got == f"{folder} without {', '.join(missing)}"


def test_a_missing_subfolder_says_what_it_lacks(tmp_path):
    write_checkpoint(tmp_path / "c")
    assert problem_of(tmp_path / "c", subfolder="small").got.startswith(f"{tmp_path}/c/small without ")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("rl_agent_config.json", b"{'max_len': 512}"),
        ("rl_agent_config.json", b""),
        ("rl_agent_config.json", b"\xff{}"),
        ("rl_agent_config.json", b"[1, 2]"),
        ("rl_agent_config.json", b"null"),
        ("rl_agent_config.json", b'{"max_len": "wide"}'),
        ("rl_agent_config.json", b'{"max_len": null}'),
        ("rl_agent_config.json", b'{"head_max_len": [192]}'),
        ("tokenizer/tokenizer_config.json", b"[1, 2]"),
        ("tokenizer/tokenizer_config.json", b"null"),
    ],
)
def test_a_broken_config_is_a_fault_of_the_checkpoint(tmp_path, file, content):
    folder = write_checkpoint(tmp_path / "c")
    (folder / file).write_bytes(content)
    assert problem_of(folder).expected


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("rl_agent_config.json", '{"act_costs": NaN, "x": 1}'),
        ("tokenizer/tokenizer_config.json", '{"model_max_length": Infinity, "x": 1}'),
    ],
)
def test_numbers_that_only_python_reads_are_identified_or_refused(tmp_path, file, content):
    """Python writes and reads NaN and Infinity in JSON, and so does the runtime."""
    folder = write_checkpoint(tmp_path / "c")
    digests = []
    for text in (content, content.replace("1", "2")):
        (folder / file).write_text(text)
        with suppress(CheckpointError):
            digests.append(located(folder).digest)
    assert len({*digests}) in (0, 2)


def test_a_staged_twin_reads_the_same_and_is_made_of_links(tmp_path):
    folder = write_checkpoint(tmp_path / "c")
    (folder / "encoder" / "deep").mkdir()
    (folder / "encoder" / "deep" / "file").write_text("x")
    with stage(folder) as twin:
        names = sorted(path.relative_to(folder) for path in folder.rglob("*"))
        for name in names:
            original, copy = folder / name, type(folder)(twin) / name
            assert copy.is_dir() == original.is_dir()
            if original.is_file():
                assert copy.is_symlink()
                assert copy.read_bytes() == original.read_bytes()
        assert sorted(path.relative_to(twin) for path in type(folder)(twin).rglob("*")) == names
        assert located(twin).digest == located(folder).digest
    assert not os.path.lexists(twin)
    assert (folder / "model.safetensors").read_bytes() == b"weights"


def test_the_runtime_rewrites_the_twin_and_never_the_source(tmp_path):
    from laya.agent import _fix_tokenizer_config

    folder = write_checkpoint(tmp_path / "c", tokenizer_config={"mask_token": "[MASK]"})
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with stage(folder) as twin:
        _fix_tokenizer_config(twin)
        rewritten = json.loads((type(folder)(twin) / "tokenizer" / "tokenizer_config.json").read_text())
        assert rewritten["tokenizer_class"] == "PreTrainedTokenizerFast"
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_hub_snapshot_made_of_links_is_staged_by_its_blobs(tmp_path):
    """A snapshot's files are relative links into a blob store: the twin's links must still lead there."""
    blobs = write_checkpoint(tmp_path / "blobs")
    snapshot = tmp_path / "snapshots" / "0123abcd"
    for path in blobs.rglob("*"):
        target = snapshot / path.relative_to(blobs)
        if path.is_dir():
            target.mkdir(parents=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(os.path.relpath(path, target.parent))
    with stage(snapshot) as twin:
        assert located(twin).digest == located(blobs).digest


@pytest.mark.reference
@pytest.mark.parametrize("name", ["english", "multilingual"])
def test_the_reference_checkpoints_are_located(shared, name):
    checkpoint = located(shared / "checkpoints" / name)
    config = json.loads((shared / "checkpoints" / name / "rl_agent_config.json").read_text())
    assert (checkpoint.max_len, checkpoint.head_max_len) == (config["max_len"], config["head_max_len"])
    assert ("temperature_by_options" in checkpoint.temperatures) is (name == "english")
