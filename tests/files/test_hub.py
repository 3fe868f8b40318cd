"""The Hub: each repository is resolved once, rows are those of the files, and failures are one line."""

import gzip

import datasets
import huggingface_hub
import pytest
from builders import (
    HubDouble,
    checkpoint_settings,
    dataset_settings,
    language_rows,
    write_checkpoint,
    write_language,
)
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.errors import DatasetError, UsageError, exit_code
from laya_sweep.files.hub import CHECKPOINT_FILES, HuggingFaceHub, ResolveOnce
from laya_sweep.suites.intent import IntentSuite
from laya_sweep.suites.source import LanguageError


@pytest.fixture
def library_cache(tmp_path, monkeypatch):
    """The cache of `datasets` in a folder of the test, and no bars."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


def test_one_resolution_a_repository_whatever_the_number_of_users(tmp_path):
    write_checkpoint(tmp_path / "hub")
    write_checkpoint(tmp_path / "hub" / "small")
    write_checkpoint(tmp_path / "hub" / "large")
    double = HubDouble(tmp_path / "hub", language_rows(4))
    hub = ResolveOnce(double)
    for _ in range(3):  # the jobs of a multirun share the Hub
        located = [
            locate(checkpoint_settings("org/laya", "whole"), hub),
            locate(checkpoint_settings("org/laya", "small", subfolder="small"), hub),
            locate(checkpoint_settings("org/laya", "large", subfolder="large"), hub),
            locate(checkpoint_settings("org/laya", "pinned", revision="v2"), hub),
            locate(checkpoint_settings("org/other", "other"), hub),
        ]
        suite = IntentSuite(dataset_settings(repo="org/massive"), hub)
        for language in ("en", "de", "en"):
            suite.cases(language)
    assert sorted(double.resolved, key=str) == [
        ("org/laya", "v2", "model"),
        ("org/laya", None, "model"),
        ("org/massive", None, "dataset"),
        ("org/other", None, "model"),
    ]
    assert [checkpoint.commit for checkpoint in located] == [
        *["commit-of-org/laya-None"] * 3,
        "commit-of-org/laya-v2",
        "commit-of-org/other-None",
    ]
    assert {commit for _, commit, _, _ in double.asked} == {"commit-of-org/massive-None"}


def test_a_model_and_a_dataset_of_one_name_are_two_repositories():
    double = HubDouble()
    hub = ResolveOnce(double)
    for kind in ("model", "dataset", "model"):
        hub.resolve("org/laya", None, kind)
    assert double.resolved == [("org/laya", None, "model"), ("org/laya", None, "dataset")]


def test_a_failed_resolution_is_not_kept_as_an_answer():
    class Flaky(HubDouble):
        def resolve(self, repo, revision, kind):
            commit = super().resolve(repo, revision, kind)
            if len(self.resolved) == 1:
                raise OSError("no network yet")
            return commit

    hub = ResolveOnce(Flaky())
    with pytest.raises(OSError, match="no network yet"):
        hub.resolve("org/laya", None, "model")
    assert hub.resolve("org/laya", None, "model") == "commit-of-org/laya-None"


@pytest.mark.parametrize(("subfolder", "prefix"), [(None, ""), ("small", "small/")])
def test_only_the_files_of_the_checkpoint_are_downloaded(tmp_path, subfolder, prefix):
    write_checkpoint(tmp_path / (subfolder or ""))
    double = HubDouble(tmp_path)
    located = locate(checkpoint_settings("org/laya", subfolder=subfolder, revision="main"), double)
    assert double.downloaded == [
        ("org/laya", "commit-of-org/laya-main", tuple(prefix + name for name in CHECKPOINT_FILES))
    ]
    assert located.folder == tmp_path / (subfolder or "")


def test_the_dataset_is_read_at_its_commit(tmp_path):
    double = HubDouble(rows=language_rows(6))
    suite = IntentSuite(dataset_settings(repo="org/massive", revision="main", split="validation"), double)
    cases = suite.cases("zh-TW")
    assert double.asked == [("org/massive", "commit-of-org/massive-main", "zh-TW", "validation")]
    assert [case.state["utterance"] for case in cases] == [f"text {i}" for i in range(6)]
    assert suite.recipe("zh-TW")["source"] == {"repo": "org/massive", "commit": "commit-of-org/massive-main"}


class Response:
    """What huggingface_hub wants of a response to make an error of it."""

    request = None
    status_code = 404

    def __init__(self):
        self.headers = {}


@pytest.mark.parametrize(
    "error",
    [
        HfHubHTTPError("404 Client Error.\n\nRepository Not Found", response=Response()),
        HFValidationError("Repo id must use alphanumeric chars: 'a b'"),
        OSError("Name or service not known"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize(("kind", "setting"), [("model", "checkpoints.NAME.source"), ("dataset", "dataset.path")])
def test_a_hub_that_cannot_answer_is_exit_2_in_one_line(monkeypatch, error, kind, setting):
    def repo_info(*_, **__):
        raise error

    monkeypatch.setattr(huggingface_hub.HfApi, "repo_info", repo_info)
    with pytest.raises(UsageError) as caught:
        HuggingFaceHub().resolve("org/name", "v1", kind)
    [problem] = caught.value.problems
    assert exit_code(caught.value) == 2
    assert problem.what == f"{kind} org/name at v1"
    assert setting in problem.next_step
    assert problem.got == " ".join(str(error).split())
    assert "\n" not in str(problem)


def test_the_commit_is_asked_for_once_with_kind_and_revision(monkeypatch):
    asked = []

    class Info:
        sha = "0123abcd"

    def repo_info(_, repo, **options):
        asked.append((repo, options))
        return Info

    monkeypatch.setattr(huggingface_hub.HfApi, "repo_info", repo_info)
    assert HuggingFaceHub().resolve("org/name", None, "dataset") == "0123abcd"
    assert asked == [("org/name", {"revision": None, "repo_type": "dataset"})]


def test_an_answer_without_a_commit_is_refused(monkeypatch):
    monkeypatch.setattr(huggingface_hub.HfApi, "repo_info", lambda *_, **__: type("Info", (), {"sha": None}))
    with pytest.raises(UsageError, match="no commit"):
        HuggingFaceHub().resolve("org/name", None, "model")


def test_a_download_is_pinned_and_filtered(monkeypatch, tmp_path):
    asked = []

    def snapshot_download(repo, **options):
        asked.append((repo, options))
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    assert HuggingFaceHub().download("org/name", "0123abcd", ("a/*", "b")) == tmp_path
    assert asked == [("org/name", {"revision": "0123abcd", "allow_patterns": ["a/*", "b"]})]


@pytest.mark.parametrize(
    "error",
    [LocalEntryNotFoundError("cannot find the files"), HfHubHTTPError("401 Unauthorized", response=Response())],
    ids=lambda error: type(error).__name__,
)
def test_a_failed_download_is_exit_2_too(monkeypatch, error):
    def snapshot_download(*_, **__):
        raise error

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    with pytest.raises(UsageError) as caught:
        HuggingFaceHub().download("org/name", "0123abcd", CHECKPOINT_FILES)
    [problem] = caught.value.problems
    assert "org/name" in problem.what


@pytest.mark.reference
@pytest.mark.usefixtures("library_cache")
@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_rows_through_datasets_are_the_rows_of_the_files(shared, language):
    folder = shared / "data" / "amazon_massive_intent"

    class LocalHub(HuggingFaceHub):
        def resolve(self, repo, revision, kind):
            return "main"

    through_hub = IntentSuite(dataset_settings(repo=str(folder)), LocalHub())
    direct = IntentSuite(dataset_settings(path=folder), LocalHub())
    cases = through_hub.cases(language)
    assert len(cases) == 100
    assert cases == direct.cases(language)


def local_repository(root, language="en"):
    """A dataset folder that `load_dataset` reads: the layout of the Hub dataset with its card."""
    (root / "README.md").write_text(
        f"---\nconfigs:\n- config_name: {language}\n  data_files:\n"
        f"  - {{split: test, path: data/{language}/test.jsonl.gz}}\n---\n"
    )
    return str(root)


@pytest.mark.usefixtures("library_cache")
@pytest.mark.parametrize(("config", "split"), [("xx", "test"), ("en", "train")])
def test_a_config_or_split_that_is_not_there_is_a_dataset_error(tmp_path, config, split):
    write_language(tmp_path, "en", language_rows(4))
    with pytest.raises(DatasetError) as caught:
        HuggingFaceHub().rows(local_repository(tmp_path), "main", config, split)
    [problem] = caught.value.problems
    assert f"({config}, {split})" in problem.what
    assert "\n" not in str(problem)


@pytest.mark.usefixtures("library_cache")
@pytest.mark.parametrize("kind", ["truncated", "not gzip", "cut line"])
def test_a_broken_file_behind_datasets_is_a_dataset_error_and_fails_its_language_only(tmp_path, kind):
    path = write_language(tmp_path, "en", language_rows(200))
    cut = gzip.compress(b'{"id": "1", "text": "x", "label_text": "a"}\n{"id": "2", "te')
    path.write_bytes({"truncated": path.read_bytes()[:40], "not gzip": b"\xff\xfe\xfd{", "cut line": cut}[kind])
    repo = local_repository(tmp_path)
    with pytest.raises(DatasetError):
        HuggingFaceHub().rows(repo, "main", "en", "test")

    class LocalHub(HuggingFaceHub):
        def resolve(self, repo, revision, kind):
            return "main"

    with pytest.raises(LanguageError, match=r"^en: "):
        IntentSuite(dataset_settings(repo=repo), LocalHub()).cases("en")
