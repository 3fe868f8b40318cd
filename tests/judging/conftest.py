"""What tests of judging share: a command in the folder `place` that each of them makes."""

from __future__ import annotations

import pytest

from laya_sweep.__main__ import main


@pytest.fixture
def said(place, monkeypatch, capsys):
    """`said(*words)`: exit code, standard output and error of a command in that folder."""
    monkeypatch.chdir(place)

    def run(*words):
        code = main([*words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
