"""Revisions: one for all or one each, names folded, and a pin that cannot be kept refuses the run."""

from __future__ import annotations

import hashlib

import huggingface_hub
import pytest
from builders import HubDouble, NoHub, checkpoint_settings, write_checkpoint
from huggingface_hub.errors import RevisionNotFoundError
from laya.revisions import PINNED_REVISIONS

from laya_sweep.checkpoints.checkpoint import locate, locate_all
from laya_sweep.checkpoints.short_names import is_named
from laya_sweep.config.compose import compose_jobs
from laya_sweep.config.settings import build_settings
from laya_sweep.errors import CheckpointError, ConfigError, UsageError, exit_code
from laya_sweep.files.hub import HuggingFaceHub

HUB = ("checkpoint=[english,multilingual]",)
ENGLISH, MULTILINGUAL = "convaiinnovations/laya", "convaiinnovations/laya-multilingual"


def checkpoints(*words):
    [job] = compose_jobs([*HUB, *words], multirun=False)
    settings = build_settings({key: value for key, value in job.config.items() if key != "hydra"})
    return {checkpoint.name: checkpoint for checkpoint in settings.checkpoints}


def revisions(*words):
    return {name: checkpoint.revision for name, checkpoint in checkpoints(*words).items()}


def faults(*words):
    with pytest.raises(ConfigError) as caught:
        checkpoints(*words)
    assert exit_code(caught.value) == 2
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("words", "english", "multilingual"),
    [
        ([], None, None),
        (["revision=abc"], "abc", "abc"),
        (["revision=abc", "+checkpoints.english.revision=own"], "own", "abc"),
        (["revision.english=abc"], "abc", None),
        (["revision.en=abc", "revision.ML=def"], "abc", "def"),
        (["revision.en=abc", "revision.laya=abc", "revision.English=abc"], "abc", None),
        ([f"revision={{{ENGLISH}: abc, {MULTILINGUAL.upper()}: def}}"], "abc", "def"),
        (["revision.english=abc", "+checkpoints.english.revision=abc"], "abc", None),
        (["+checkpoints.english.revision=abc"], "abc", None),
    ],
)
def test_one_for_all_or_one_each(words, english, multilingual):
    assert revisions(*words) == {"english": english, "multilingual": multilingual}


@pytest.mark.parametrize(
    "words",
    [
        ["revision.english=abc", "revision.en=def"],
        ["revision.laya=abc", f"revision={{default: def, {ENGLISH}: abc}}"],
        ["revision.english=abc", "+checkpoints.english.revision=def"],
    ],
)
def test_two_commits_for_one_checkpoint_are_refused(words):
    [fault] = faults(*words[-2:]) if "{" not in words[-1] else faults(words[-1])
    assert "one commit for checkpoint english" in fault


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("revision.typed=abc", "english, multilingual"),
        ("revision.english=7", "as a text"),
        ("revision=[a,b]", "as a text"),
        ("revision=7", "as a text"),
        ("revision.english=' '", "as a text"),
    ],
)
def test_a_pin_that_means_nothing_is_refused(word, part):
    assert part in faults(word)[0]


def test_an_own_folder_named_like_a_short_name_is_not_the_repository():
    mine = checkpoint_settings("/models/mine", "english")
    assert is_named("en", mine)
    assert not is_named(ENGLISH, mine)
    assert not is_named("english", checkpoint_settings(ENGLISH, "mine", subfolder="small"))
    assert is_named("english", checkpoint_settings(ENGLISH, "mine"))


def test_reviewed_is_the_runtimes_list(tmp_path):
    hub = HubDouble(write_checkpoint(tmp_path))
    locate(checkpoint_settings("ConvaiInnovations/Laya", revision="reviewed"), hub)
    assert hub.resolved == [("ConvaiInnovations/Laya", PINNED_REVISIONS[ENGLISH], "model")]


def test_reviewed_without_an_entry_is_refused():
    with pytest.raises(CheckpointError, match=r"checkpoints\.mine\.revision.*reviewed"):
        locate(checkpoint_settings("org/laya", revision="reviewed"), NoHub())


@pytest.mark.parametrize("revision", ["abc", "reviewed"])
def test_a_local_folder_has_no_revision(tmp_path, revision):
    for source in (write_checkpoint(tmp_path / "c"), "bundled:demo_english"):
        with pytest.raises(CheckpointError, match="local folder"):
            locate(checkpoint_settings(source, revision=revision), NoHub())


def test_two_names_of_one_source_are_one_commit(tmp_path):
    hub = HubDouble(write_checkpoint(tmp_path))
    write_checkpoint(tmp_path / "small")
    pinned = [checkpoint_settings("org/laya", "a", revision="v1"), checkpoint_settings("Org/Laya", "b", revision="v2")]
    with pytest.raises(CheckpointError, match=r"one commit, got .* as a and .* as b"):
        locate_all(pinned, hub)
    with pytest.raises(CheckpointError, match="one commit"):
        locate_all([checkpoint_settings("org/laya", "a"), pinned[0]], hub)
    apart = [checkpoint_settings("org/laya", "a", revision="v1"), checkpoint_settings("org/other", "b", revision="v2")]
    apart.append(checkpoint_settings("org/laya", "c", revision="v3", subfolder="small"))
    assert [checkpoint.commit for checkpoint in locate_all(apart, hub)] == [
        "commit-of-org/laya-v1",
        "commit-of-org/other-v2",
        "commit-of-org/laya-v3",
    ]


def test_a_bogus_pin_fails_with_a_warm_cache(tmp_path, monkeypatch):
    """The files of another commit are at hand, and are not taken for the one that was asked for."""
    write_checkpoint(tmp_path)

    class Response:
        request = None
        status_code = 404
        headers: dict = {}  # noqa: RUF012

    def repo_info(_, repo, revision, repo_type):
        if revision is not None:
            raise RevisionNotFoundError(f"Revision Not Found: {revision}", response=Response())
        return type("Info", (), {"sha": "0123abcd"})

    downloads = []

    def snapshot_download(repo, revision, allow_patterns):
        downloads.append(revision)
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub.HfApi, "repo_info", repo_info)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    assert locate(checkpoint_settings("org/laya"), HuggingFaceHub()).commit == "0123abcd"
    with pytest.raises(UsageError, match="Revision Not Found: bogus") as caught:
        locate(checkpoint_settings("org/laya", revision="bogus"), HuggingFaceHub())
    assert exit_code(caught.value) == 2
    assert downloads == ["0123abcd"]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["+checkpoints.english.engine=onnx"], "checkpoints.english.onnx: expected a file"),
        (["+checkpoints.english.onnx=x.onnx"], "null with engine=torch"),
        (["+checkpoints.english.engine=tensorrt"], "one of torch, onnx"),
        (
            ["+checkpoints.english.engine=onnx", "+checkpoints.english.onnx=x.onnx", "executor.num_gpus=1"],
            "0 with checkpoint english, whose engine onnx runs on cpu",
        ),
        (
            ["+checkpoints.english.engine=onnx", "+checkpoints.english.onnx=x", "+checkpoints.english.device=cpu"],
            "device",
        ),
        (["+checkpoints.english.expected_sha256={model.safetensors: abc}"], "64 hex digits"),
        (["+checkpoints.english.expected_sha256=abc"], "a map of file"),
        (["+checkpoints.english.expected_sha256.model.safetensors=abc"], "{model.safetensors: DIGEST}"),
        (["drift=nobody"], "english, multilingual"),
    ],
)
def test_faults_of_the_new_keys_are_one_line(words, part):
    assert any(part in fault for fault in faults(*words)), faults(*words)


def test_engine_graph_and_digests_are_read(tmp_path):
    value = hashlib.sha256(b"x").hexdigest()
    made = checkpoints(
        "+checkpoints.english.engine=onnx",
        "+checkpoints.english.onnx=my/g.onnx",
        f"+checkpoints.english.expected_sha256={{model.safetensors: {value.upper()}, onnx: {value}}}",
    )["english"]
    assert (made.engine, str(made.onnx)) == ("onnx", "my/g.onnx")
    assert made.expected_sha256 == {"model.safetensors": value, "onnx": value}


def routes(*words):
    [job] = compose_jobs(["checkpoint=auto", *words], multirun=False)
    settings = build_settings({key: value for key, value in job.config.items() if key != "hydra"})
    [router] = settings.routers
    return {route.name: route.revision for route in router.routes}


def test_the_routes_of_a_router_are_pinned_by_their_names():
    own = "+checkpoints.auto.routes.english={source: org/mine, revision: own}"
    assert set(routes().values()) == {None}
    assert set(routes("revision=abc").values()) == {"abc"}
    assert routes("revision.en=abc") == {"english": "abc", "multilingual": None, "typed-decisions": None}
    assert routes("revision.multilingual=abc", own) == {
        "english": "own",
        "multilingual": "abc",
        "typed-decisions": None,
    }
    with pytest.raises(ConfigError, match=r"checkpoints\.auto\.routes\.english\.revision=own, revision\.en=abc"):
        routes("revision.en=abc", own)
    with pytest.raises(ConfigError, match=r"revision\.auto"):
        routes("revision.auto=abc")
