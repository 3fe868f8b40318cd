"""`validate` through the real command: counts, faults, exit codes, and nothing heavy behind it."""

import json
import subprocess
import sys

import pytest

from laya_sweep.__main__ import main
from laya_sweep.cli.validate import summary
from laya_sweep.suites.labelled import read_labelled

CHOICE = {"type": "choice", "instructions": "Which?", "criteria": ["no", "001"]}
SCORE = {"type": "score", "instructions": "How much?", "criteria": ["low", "high"]}
NOUL = {"type": "noul", "instructions": "Is it?"}
ROWS = [
    {
        "state": "a",
        "questions": {"c": CHOICE, "n": NOUL},
        "expected": {"c": "no"},
        "tags": ["x", "y"],
        "language": "no",
    },
    {"state": "b", "questions": {"c": CHOICE}, "expected": {"c": "001"}, "tags": ["x"], "model": "english"},
    {"state": "c", "questions": {"s": SCORE}, "expected": {"s": 0.5}, "note": 1, "language": "no"},
]


def write(folder, rows=ROWS, name="set.jsonl"):
    path = folder / name
    path.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in rows), "utf-8")
    return path


def test_counts_of_a_good_file(command, tmp_path):
    path = write(tmp_path)
    done = command("validate", path.name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "set.jsonl: 3 rows, 4 questions, 3 of them labelled",
        "types: choice 2 (2 labelled), noul 1 (0 labelled), score 1 (1 labelled)",
        "questions: c 2, n 1, s 1",
        "languages: no 2, (none) 1",
        "tags: x 2, y 1",
        "forced models: english 1",
        "fields that are not read: note 1",
        f"dataset_sha256: {read_labelled(path).sha256}",
        done.stdout.splitlines()[-1],
    ]
    assert done.stdout.splitlines()[-1].startswith("questions_sha256: ")


def test_all_faults_of_a_bad_file_on_lines_of_their_own(command, tmp_path):
    bad = [ROWS[0] | {"expected": {"c": "yes", "n": 1}}, "{", ROWS[1] | {"expected": {"d": 1}, "tags": "x"}]
    write(tmp_path, [ROWS[0], *bad])
    done = command("validate", "set.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: set.jsonl: line 2, expected.c: expected one of the labels no, 001, got 'yes'; correct the row",
        "error: set.jsonl: line 2, expected.n: expected true or false for a noul question, got 1; correct the row",
        "error: set.jsonl: line 3: expected JSON, got Expecting property name enclosed in double quotes at column 2; "
        "correct the row",
        "error: set.jsonl: line 4, expected.d: expected the id of a question of this row (c), got 'd'; correct the row",
        "error: set.jsonl: line 4, tags: expected a list of texts, got 'x'; correct the row",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.jsonl"], "No such file or directory"),
        (["."], "Is a directory"),
        ([], "neither"),
        (["a.jsonl", "--template"], "both"),
        (["a.jsonl", "b.jsonl"], "b.jsonl"),
        (["--models", "a.jsonl"], "--models"),
    ],
)
def test_what_cannot_be_read_is_one_line(capsys, monkeypatch, tmp_path, words, said):
    monkeypatch.chdir(tmp_path)
    assert main(["validate", *words]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


def test_the_template_validates_and_has_every_type_and_form(capsys, tmp_path):
    assert main(["validate", "--template"]) == 0
    path = tmp_path / "mine.jsonl"
    path.write_text(capsys.readouterr().out, "utf-8")
    assert main(["validate", str(path)]) == 0
    said = capsys.readouterr().out
    assert "choice" in said
    assert "noul" in said
    assert "score" in said
    found = read_labelled(path)
    assert any(len(one.expected) < len(one.questions) for one in found.examples)
    assert any(one.row_id for one in found.examples)
    assert len({one.language for one in found.examples}) > 1
    assert found.unread == {}
    comments = [line for line in path.read_text("utf-8").splitlines() if line.startswith("#")]
    assert all(any(name in line for line in comments) for name in ("state", "questions", "expected", "tags", "model"))


def test_many_values_are_cut_and_counted(tmp_path):
    rows = [ROWS[1] | {"tags": [f"tag {i:03}", "all\nof them"]} for i in range(50)]
    lines = [*summary(read_labelled(write(tmp_path, rows)))]
    [tags] = [line for line in lines if line.startswith("tags: ")]
    assert tags.startswith("tags: all of them 50, tag 000 1, ")
    assert tags.endswith(", and 21 more")


def test_neither_torch_nor_ray_nor_the_runtime_is_loaded(tmp_path):
    script = (
        f"import sys; from laya_sweep.__main__ import main; assert main(['validate', {str(write(tmp_path))!r}]) == 0;"
        "heavy = {'torch', 'ray', 'transformers', 'datasets', 'hydra', 'laya'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.reference
@pytest.mark.parametrize(("name", "said"), [("fixture", "12 rows, 12 questions"), ("swedish_support", "30 rows, 90 q")])
def test_the_reference_sets_validate(capsys, shared, name, said):
    assert main(["validate", str(shared / "golden" / f"{name}.jsonl")]) == 0
    assert said in capsys.readouterr().out
