"""Table files: the same rows from every format, texts kept as they are, every fault with its place."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from laya_sweep.errors import DatasetError
from laya_sweep.suites.table_file import read_table

WORDS = ["001", "no", "nan", "NULL", "1e3", "true", "a, b", 'say "hi"', "two\nlines", "größer 試験", " spaced ", "#x"]


def write(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def rows_of(file):
    assert not file.cells.faults
    return [cells for _, cells in file.cells.rows]


def faults_of(path, wanted=("a", "b"), **changes):
    return [(fault.line, fault.field, fault.got) for fault in read_table(path, wanted, **changes).cells.faults]


@pytest.fixture
def rows():
    return [{"a": word, "b": f"row {i}", "c": "x"} for i, word in enumerate(WORDS)]


def as_csv(rows, delimiter=","):
    made = io.StringIO()
    writer = csv.DictWriter(made, [*rows[0]], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return made.getvalue()


def test_every_format_gives_the_same_texts(tmp_path, rows):
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    coded = pa.Table.from_pylist(rows).set_column(0, "a", pa.array(WORDS).dictionary_encode())
    pq.write_table(coded, tmp_path / "coded.parquet")
    files = [
        read_table(write(tmp_path, "t.csv", as_csv(rows)), ["b", "a"]),
        read_table(write(tmp_path, "t.tab", as_csv(rows, "\t")), ["b", "a"], quoted=True),
        read_table(write(tmp_path, "t.jsonl", "".join(json.dumps(row) + "\n" for row in rows)), ["b", "a"]),
        read_table(tmp_path / "t.parquet", ["b", "a"]),
        read_table(tmp_path / "coded.parquet", ["b", "a"]),
    ]
    for file in files:
        assert rows_of(file) == [{"b": row["b"], "a": row["a"]} for row in rows]
    assert len({file.sha256 for file in files}) == len(files)


def test_a_long_cell_is_read_whole_and_the_limit_of_the_module_is_left_as_it_was(tmp_path):
    before, long = csv.field_size_limit(), "x" * 300_000
    assert rows_of(read_table(write(tmp_path, "t.csv", f"a\n{long}\n"), ["a"])) == [{"a": long}]
    assert csv.field_size_limit() == before


def test_lines_are_where_a_row_starts(tmp_path):
    file = read_table(write(tmp_path, "t.csv", 'a,b\n\n"1\n2",x\r\n3,y\n'), ["a"])
    assert [line for line, _ in file.cells.rows] == [3, 5]


def test_a_tsv_cell_that_starts_with_a_mark_must_be_spoken_for(tmp_path):
    path = write(tmp_path, "t.tsv", 'a\tb\n"x" or y\tz\n"q"\t"r"\n')
    [fault] = read_table(path, ["a", "b"]).cells.faults
    assert (fault.line, fault.field) == (2, "a")
    assert "dataset.quoted=" in fault.expected
    assert [row["a"] for row in rows_of(read_table(path, ["a", "b"], quoted=False))] == ['"x" or y', '"q"']
    assert faults_of(path, quoted=True)[0][0] == 2
    plain = write(tmp_path, "p.tsv", 'a\tb\nhe said "hi"\tz\n')
    assert rows_of(read_table(plain, ["a"])) == [{"a": 'he said "hi"'}]


FAULTS = {
    "missing column": ("a,c\n1,2\n", [(0, "b", "none")]),
    "column twice": ("a,b,a\n1,2,3\n", [(0, "a", "2 of them")]),
    "ragged rows": ("a,b\n1\n1,2\n1,2,3\n", [(2, "", "1"), (4, "", "3")]),
    "header alone": ("a,b\n", [(0, "", "none")]),
    "nothing": ("", [(0, "", "none")]),
    "byte order mark": ("\ufeffa,b\n1,2\n", [(1, "", "one")]),
    "latin-1": ("a,b\n1,2\n3,grö\n".encode("latin-1"), [(3, "", "byte 0xf6")]),
    "utf-16": ("a,b\n".encode("utf-16"), [(0, "", "UTF-16")]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_csv(tmp_path, name):
    data, expected = FAULTS[name]
    assert faults_of(write(tmp_path, "t.csv", data)) == expected


def test_an_open_quotation_mark_ends_the_reading_and_says_so(tmp_path):
    [(line, _, got)] = faults_of(write(tmp_path, "t.csv", 'a,b\n1,2\n"3,4\n5,6\n'))
    assert line == 3
    assert "not read" in got


def test_a_broken_jsonl_names_every_line(tmp_path):
    data = '# comment\n\n{"a": "x", "b": null}\n[1]\n{"a": 1,\n{"a": "y", "a": "z", "b": "w"}\n{"b": NaN, "a": ""}\n'
    path = write(tmp_path, "t.ndjson", data)
    assert [line for line, _, _ in faults_of(path)] == [4, 5, 6, 7]
    assert [cells for _, cells in read_table(path, ["a", "b"]).cells.rows] == [{"a": "x"}]
    assert faults_of(path, ["a", "zz"])[-1] == (0, "zz", "none")


def test_a_broken_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.array([1], pa.timestamp("s")), "b": ["x"]}), path)
    assert faults_of(path) == [(0, "a", "timestamp[ms]")]
    assert faults_of(path, ["b", "zz"])[0] == (0, "zz", "none")
    [(_, _, got)] = faults_of(write(tmp_path, "cut.parquet", path.read_bytes()[:-20]))
    assert "\n" not in got
    pq.write_table(pa.table({"a": ["x", None], "b": [[1], [2, 3]]}), path)
    assert rows_of(read_table(path, ["a", "b"])) == [{"a": "x", "b": [1]}, {"b": [2, 3]}]


@pytest.mark.parametrize("name", ["missing.csv", "folder.csv", "t.txt", "t"])
def test_a_file_that_cannot_be_read_is_one_line(tmp_path, name):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DatasetError) as caught:
        read_table(tmp_path / name, ["a"])
    assert len(str(caught.value).splitlines()) == 1


def test_a_named_format_wins_over_the_ending(tmp_path):
    assert rows_of(read_table(write(tmp_path, "t.txt", "a;b\tc\n1\t2\n"), ["c"], kind="tsv")) == [{"c": "2"}]
