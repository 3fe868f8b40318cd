"""Which commit of the package ran."""

import subprocess

from laya_sweep.run import source_revision
from laya_sweep.run.source_revision import source_document


def git(folder, *words):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *identity, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_checkout_tells_its_commit_and_whether_tracked_files_differ(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-qm", "one")
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "run").write_text("untracked")
    head = git(tmp_path, "rev-parse", "HEAD")
    assert source_document(tmp_path) == {"source_revision": head, "source_dirty": False}
    (tmp_path / "file").write_text("two")
    assert source_document(tmp_path) == {"source_revision": head, "source_dirty": True}


def test_a_checkout_that_git_cannot_read_is_unknown(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    assert source_document(tmp_path) == {}
    monkeypatch.setenv("PATH", "")
    assert source_document(tmp_path) == {}


def test_an_installed_package_tells_what_its_installer_wrote_down(tmp_path, monkeypatch):
    class Installed:
        text = '{"url": "https://example.org/x.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}'

        def read_text(self, name):
            assert name == "direct_url.json"
            return self.text

    installed = Installed()
    monkeypatch.setattr(source_revision.metadata, "distribution", lambda name: installed)
    assert source_document(tmp_path) == {"source_revision": "abc"}
    for text in (None, '{"url": "file:///x", "dir_info": {"editable": true}}'):
        installed.text = text
        assert source_document(tmp_path) == {}
