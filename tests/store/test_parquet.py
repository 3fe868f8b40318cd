"""Atomic files, equal bytes for equal tables, and files that are not what they promise."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import error_row, fact_row, facts_table, timing_row

from laya_sweep.errors import OutputError, exit_code
from laya_sweep.files.atomic import make_folder, require_writable, write_bytes
from laya_sweep.store.parquet import DamagedFileError, parquet_bytes, read_parquet
from laya_sweep.store.schemas import FACTS, SCHEMA_VERSION, TABLES, TIMINGS

ROWS = [*(fact_row(f"case-{i:03}", [i, -i, 0.5]) for i in range(300)), error_row("case-300")]


class KilledError(BaseException):
    """Stands for a kill: no handler of the code under test may matter."""


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_at_any_step_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, step):
    path = tmp_path / "deep" / "part.parquet"
    write_bytes(path, b"old")

    def fail(*_, **__):
        raise KilledError

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(KilledError):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert [*path.parent.iterdir()] == [path]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_kill_at_any_step_shows_no_part_to_a_reader(tmp_path, monkeypatch, step):
    """A killed process cleans up nothing: what stays is a name that no reader looks at."""

    def fail(*_, **__):
        raise KilledError

    monkeypatch.setattr(os, step, fail)
    monkeypatch.setattr(Path, "unlink", fail)
    with pytest.raises(KilledError):
        write_bytes(tmp_path / "part-1.parquet", b"new")
    assert len([*tmp_path.iterdir()]) == 1
    assert not [*tmp_path.glob("part-*.parquet")]
    assert not [*tmp_path.glob("*.json")]


def test_the_bytes_are_on_the_disk_before_the_name_is(tmp_path, monkeypatch):
    steps = []
    real = {name: getattr(os, name) for name in ("fsync", "replace")}

    def fsync(descriptor):
        steps.append(("fsync", str(Path(f"/proc/self/fd/{descriptor}").readlink())))
        real["fsync"](descriptor)

    def replace(source, target):
        assert Path(source).read_bytes() == b"data"
        assert Path(source).parent == Path(target).parent
        steps.append(("replace", os.fspath(target)))
        real["replace"](source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    path = tmp_path / "file"
    write_bytes(path, b"data")
    assert [name for name, _ in steps] == ["fsync", "replace", "fsync"]
    assert steps[1:] == [("replace", str(path)), ("fsync", str(tmp_path))]
    assert path.stat().st_mode & 0o777 == 0o644


def test_the_same_rows_are_the_same_bytes_however_they_are_chunked():
    table = facts_table(ROWS)
    bytes_of = parquet_bytes(table, {"cell_key": "k"})
    pieces = [facts_table(ROWS[start : start + 7]) for start in range(0, len(ROWS), 7)]
    longer = facts_table([*ROWS[:5], *ROWS, *ROWS[:5]])
    assert parquet_bytes(pa.concat_tables(pieces), {"cell_key": "k"}) == bytes_of
    assert parquet_bytes(longer.slice(5, len(ROWS)), {"cell_key": "k"}) == bytes_of
    assert parquet_bytes(table.replace_schema_metadata({"left": "over"}), {"cell_key": "k"}) == bytes_of
    assert parquet_bytes(table, {"cell_key": "other"}) != bytes_of


def test_another_process_writes_the_same_bytes():
    script = (
        "import hashlib; from builders import error_row, fact_row, facts_table;"
        "from laya_sweep.store.parquet import parquet_bytes;"
        "rows = [*(fact_row(f'case-{i:03}', [i, -i, 0.5]) for i in range(300)), error_row('case-300')];"
        "print(hashlib.sha256(parquet_bytes(facts_table(rows), {'cell_key': 'k'})).hexdigest())"
    )
    tests = str(Path(__file__).parents[1])
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONPATH": tests, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert seen == {hashlib.sha256(parquet_bytes(facts_table(ROWS), {"cell_key": "k"})).hexdigest() + "\n"}


def test_what_was_written_is_read_back_with_its_footer(tmp_path):
    path = tmp_path / "part.parquet"
    table = facts_table(ROWS)
    write_bytes(path, parquet_bytes(table, {"cell_key": "abc"}))
    assert read_parquet(path, FACTS).equals(table)
    footer = pq.read_schema(path).metadata
    assert footer[b"laya_sweep.rows"] == b"301"
    assert footer[b"laya_sweep.schema_version"] == str(SCHEMA_VERSION).encode()
    assert footer[b"laya_sweep.cell_key"] == b"abc"


def promising(rows, promise):
    """A readable file whose footer promises another number of rows."""
    metadata = {} if promise is None else {"laya_sweep.rows": promise}
    sink = pa.BufferOutputStream()
    pq.write_table(facts_table(rows).replace_schema_metadata(metadata), sink)
    return sink.getvalue().to_pybytes()


GOOD = parquet_bytes(facts_table(ROWS), {})
DAMAGED = {
    "20 bytes short": GOOD[:-20],
    "half": GOOD[: len(GOOD) // 2],
    "empty": b"",
    "no parquet": b"PAR1 is not enough",
    "a hole": GOOD[:500] + bytes(len(GOOD) // 2) + GOOD[500 + len(GOOD) // 2 :],
    "rows promised, fewer there": promising(ROWS[:4], "5"),
    "rows promised, more there": promising(ROWS[:4], "3"),
    "nothing promised": promising(ROWS[:4], None),
    "a promise that is no number": promising(ROWS[:4], "four"),
    "another schema": parquet_bytes(facts_table(ROWS).drop_columns(["n_options"]), {}),
    "another type": parquet_bytes(
        facts_table(ROWS).set_column(7, "n_options", pa.array([3] * len(ROWS), pa.int64())), {}
    ),
    "another table": parquet_bytes(pa.Table.from_pylist([timing_row("case-1")], schema=TIMINGS), {}),
}


@pytest.mark.parametrize("damage", sorted(DAMAGED))
def test_a_file_that_is_not_what_it_promises_is_said_to_be(tmp_path, damage):
    path = tmp_path / "part-1.parquet"
    path.write_bytes(DAMAGED[damage])
    with pytest.raises(DamagedFileError, match=r"^part-1\.parquet: "):
        read_parquet(path, FACTS)


@pytest.mark.parametrize("depth", [(), ("new",), ("new", "deep")])
def test_a_path_below_a_file_is_refused_and_nothing_is_made(tmp_path, depth):
    file = tmp_path / "file"
    file.write_text("x")
    path = file.joinpath(*depth)
    for refuse in (require_writable, make_folder):
        with pytest.raises(OutputError) as caught:
            refuse(path, "out_dir")
        [problem] = caught.value.problems
        assert exit_code(caught.value) == 2
        assert problem.what == f"out_dir {path}"
    assert [*tmp_path.iterdir()] == [file]
    assert file.read_text() == "x"


def test_a_folder_that_can_be_made_is_not_made_by_asking(tmp_path, monkeypatch):
    require_writable(tmp_path / "new" / "deep", "out_dir")
    monkeypatch.chdir(tmp_path)
    require_writable(Path("relative"), "out_dir")
    assert not [*tmp_path.iterdir()]
    make_folder(tmp_path / "new" / "deep", "out_dir")
    make_folder(tmp_path / "new" / "deep", "out_dir")
    assert (tmp_path / "new" / "deep").is_dir()


def test_no_permission_is_no_permission(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(OutputError, match=f"got no permission to write at {tmp_path}; name another"):
        require_writable(tmp_path / "new", "store.uri")


def filled(schema, row):
    """A row of a schema: numbers and texts that tell themselves apart, every second one null where it may be."""
    values = {}
    for i, field in enumerate(schema):
        if field.nullable and row:
            values[field.name] = None
        elif pa.types.is_list(field.type):
            inner = field.type.value_type
            values[field.name] = ["001", "nan", "no"] if pa.types.is_string(inner) else [1, 0, 2]
        elif pa.types.is_string(field.type):
            values[field.name] = "001"
        elif pa.types.is_boolean(field.type):
            values[field.name] = True
        else:
            values[field.name] = i
    return values


@pytest.fixture(params=sorted(TABLES))
def table_file(request, tmp_path):
    """A table of each written schema with a full row and one whose optional columns are null."""
    schema = TABLES[request.param]
    rows = [filled(schema, 0), filled(schema, 1)]
    path = tmp_path / f"{request.param}.parquet"
    write_bytes(path, parquet_bytes(pa.Table.from_pylist(rows, schema=schema), {"table": request.param}))
    return path, rows


def test_duckdb_reads_every_table(table_file):
    import duckdb

    path, rows = table_file
    result = duckdb.sql(f"select * from read_parquet('{path}')")
    assert [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()] == rows


def test_polars_reads_every_table(table_file):
    import polars

    path, rows = table_file
    assert polars.read_parquet(path).to_dicts() == rows


def test_pandas_reads_every_table(table_file):
    import pandas

    path, rows = table_file
    frame = pandas.read_parquet(path)
    assert [*frame.columns] == [*rows[0]]
    for name in frame.columns:
        for got, row in zip(frame[name], rows, strict=True):
            if row[name] is None:
                assert pandas.isna(got)
            elif isinstance(row[name], list):
                assert [*got] == row[name]
            else:
                assert got == row[name]


def test_a_first_part_of_nulls_fixes_no_type(tmp_path):
    nulls, values = tmp_path / "a.parquet", tmp_path / "b.parquet"
    write_bytes(nulls, parquet_bytes(facts_table([error_row("case-1")]), {}))
    write_bytes(values, parquet_bytes(facts_table([fact_row("case-2")]), {}))
    joined = pa.concat_tables([read_parquet(path, FACTS) for path in (nulls, values)])
    assert joined["logits"].to_pylist() == [None, [1.0, 0.0, -1.0]]


def test_every_column_that_a_row_needs_says_so():
    """Keys are never null, in no table; numbers that an error row lacks may be."""
    for name, schema in TABLES.items():
        keys = {"checkpoint", "cell_key", "language", "transform", "case_id", "variant", "question", "regime", "metric"}
        assert {field.name for field in schema if field.name in keys and field.nullable} == set(), name


def test_indices_of_earlier_versions_are_read_as_wide_as_they_are_now(tmp_path):
    table = facts_table(ROWS)
    for name in ("presented_order", "kept"):
        place = table.schema.get_field_index(name)
        narrow = table[name].cast(pa.list_(pa.field("item", pa.int16())))
        table = table.set_column(place, pa.field(name, narrow.type), narrow)
    write_bytes(tmp_path / "older.parquet", parquet_bytes(table, {"cell_key": "k"}))
    assert read_parquet(tmp_path / "older.parquet", FACTS).equals(facts_table(ROWS))


def test_an_index_may_be_beyond_16_bits(tmp_path):
    row = fact_row("case", [0.5], presented_order=[40_000], kept=[40_000])
    write_bytes(tmp_path / "part.parquet", parquet_bytes(facts_table([row]), {}))
    [read] = read_parquet(tmp_path / "part.parquet", FACTS).to_pylist()
    assert (read["presented_order"], read["kept"]) == ([40_000], [40_000])
