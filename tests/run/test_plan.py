"""Axes -> cells -> shards: keys that move with identity alone, and pending by ids."""

import dataclasses
import hashlib
import json

import pytest
from builders import (
    CHECKPOINT_CONFIG,
    HubDouble,
    checkpoint_settings,
    dataset_settings,
    error_row,
    executor_settings,
    fact_row,
    facts_table,
    language_rows,
    make_cases,
    make_settings,
    timings_table,
    write_checkpoint,
    write_language,
)
from exported_graphs import write_graph

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.checkpoints.engine_spec import ENGINES, TORCH
from laya_sweep.checkpoints.onnx_file import ROWS_NOTE, TOGETHER
from laya_sweep.checkpoints.routed import locate_routers
from laya_sweep.domain import identity
from laya_sweep.domain.identity import cell_key, ordered_json
from laya_sweep.domain.option import every_option
from laya_sweep.domain.settings import (
    NarrowingSettings,
    RegimeSettings,
    RouterSettings,
    RouteSettings,
    Settings,
    StoreSettings,
    TableMapping,
    TransformSettings,
)
from laya_sweep.run import plan
from laya_sweep.run.plan import Cell, make_plan, shards
from laya_sweep.store.facts import FactStore, Part, RowId
from laya_sweep.suites import intent
from laya_sweep.suites.language import Language, build_languages
from laya_sweep.suites.suite import make_suite
from laya_sweep.transforms.registry import TRANSFORMS, variants_of


class VersionedHub(HubDouble):
    """A Hub whose repositories hold another checkpoint and other rows at each commit."""

    def __init__(self, root):
        super().__init__()
        self.root = root

    def download(self, repo, commit, patterns):
        return write_checkpoint(self.root / commit.replace("/", "-"), weights=commit.encode())

    def rows(self, repo, commit, config, split):
        return language_rows(12, labels=[f"label_{i}" for i in range(8)])


@pytest.fixture
def world(tmp_path):
    """A local dataset and checkpoint, a Hub, a store; `plan_of(settings)` goes the whole way from settings to plan."""
    labels = [f"label_{i}" for i in range(8)]
    for code in ("en", "de"):
        for root, split in (("data", "test"), ("data", "dev"), ("other", "test")):
            write_language(tmp_path / root, code, language_rows(12 if root == "data" else 13, labels), split)
    write_checkpoint(tmp_path / "c")
    write_checkpoint(tmp_path / "c" / "sub", weights=b"sub")
    write_checkpoint(tmp_path / "other-c", weights=b"other")
    hub, store = VersionedHub(tmp_path / "hub"), FactStore(tmp_path / "store")

    class World:
        root = tmp_path
        settings = make_settings(
            checkpoints=(checkpoint_settings(tmp_path / "c"),),
            dataset=dataset_settings(tmp_path / "data", per_lang=6, n_opts=5),
        )

        @staticmethod
        def plan_of(settings):
            located = [locate(checkpoint, hub) for checkpoint in settings.checkpoints]
            languages = build_languages(make_suite(settings.dataset, hub), settings.languages)
            cases = [case for language in languages for case in language.cases]
            routers = locate_routers(settings.routers, cases, located, hub)
            return make_plan(settings, located, languages, store, routers)

        @classmethod
        def with_router(cls, source, **changes):
            """The settings with a router in place of the checkpoint; both of its routes are one source."""
            routes = tuple(RouteSettings(name, str(source)) for name in ("english", "multilingual"))
            router = RouterSettings("auto", routes, default="english")
            return dataclasses.replace(cls.settings, checkpoints=(), routers=(router,), **changes)

        @classmethod
        def settings_for(cls, name):
            """Settings that have the field of a name; the route that is renamed is one that no case takes."""
            if not name.startswith("routers."):
                return cls.settings
            settings = cls.with_router(tmp_path / "c")
            return changed(settings, "routers.default", "multilingual") if name == "routers.routes.name" else settings

        @classmethod
        def key_of(cls, settings):
            [key] = {cell.key for cell in cls.plan_of(settings).cells if cell.language == "en"}
            return key

        @staticmethod
        def commit(key, *rows):
            rows = [{**row, "cell_key": key} for row in rows]
            store.commit(key, Part.of(key, facts_table(rows), timings_table([])))

    World.store = store
    return World


def changed(settings, name, value):
    """Settings with one dotted field set, in the first item where the field belongs to an axis."""
    head, _, rest = name.partition(".")
    if not rest:
        return dataclasses.replace(settings, **{head: value})
    part = getattr(settings, head)
    if isinstance(part, tuple):
        return dataclasses.replace(settings, **{head: (changed(part[0], rest, value), *part[1:])})
    return dataclasses.replace(settings, **{head: changed(part, rest, value)})


def under(folder):
    """A path of the test's world, filled in when the test runs."""
    return lambda root: root / folder


RUNTIME_CHANGES = {
    "checkpoints.name": "another",
    "routers.name": "another",
    "routers.default": "multilingual",
    "routers.auto_task_detection": True,
    "routers.routes.name": "papers",
    "checkpoints.expected_sha256": {"model.safetensors": hashlib.sha256(b"weights").hexdigest()},
    "drift": "mine",
    "dataset.per_lang": 11,
    "languages": ("de", "en"),
    "transforms.variants": 3,
    "regimes.name": "cold",
    "regimes.kind": "raw",
    "regimes.temperature": 1.7,
    "regimes.path": under("map.json"),
    "regimes.sha256": "0" * 64,
    "regimes.document": {"temperatures": {"choice": 2.0}},
    "regimes.lang_temperatures": {"de": 2.0},
    "regimes.lang_path": under("languages.json"),
    "regimes.lang_sha256": "1" * 64,
    "regimes.fitted_rows": "allow",
    "min_confidence": (None, 0.5),
    "metrics.score_within": (0.5,),
    "metrics.rounding": "runtime",
    "metrics.replicates": 10,
    "executor.name": "ray",
    "executor.address": "auto",
    "executor.num_actors": 7,
    "executor.num_cpus": 3,
    "executor.handshake_timeout_s": 1.0,
    "executor.shard_timeout_s": 1.0,
    "executor.max_failures": 1,
    "store.uri": under("another-store"),
    "out_dir": under("out"),
    "on_error": "skip",
    "baseline": under("run"),
    "gate.mode": "compatible",
    "gate.min_accuracy": 0.5,
    "gate.max_ece": 0.5,
    "gate.min": {"ece": 0.0},
    "gate.max": {"ece": 1.0},
    "gate.tolerance": {"ece": 1.0},
    "gate.tolerances": under("tolerances.json"),
    "gate.policy": under("policy.json"),
    "gate.two_sided": True,
    "gate.max_errored_share": 0.5,
    "gate.model": "english",
    "gate.branch": "committed",
    "gate.languages": ("en",),
    "gate.only": ("ece", "macro.ece"),
    "gate.baseline_checkpoint": "other",
    "gate.baseline_regime": "raw",
    "gate.baseline_transform": "reverse",
    "gate.checks": {"de": {}},
    "batch_tokens": 17,
    "batch_size": 7,
    "sort_by_length": True,
    "shard_cases": 2,
    "dry_run": True,
}

#: Of a text/label file, whose mapping no other dataset has.
TABLE_RUNTIME_CHANGES = {"dataset.mapping.tags": ("other",)}

TABLE_CHANGES = {
    "dataset.mapping.format": "csv",
    "dataset.mapping.quoted": True,
    "dataset.mapping.text": "other",
    "dataset.mapping.label": "kind",
    "dataset.mapping.language": "code",
    "dataset.mapping.id": "other",
    "dataset.labels": (("a", "first"), ("b", None), ("c", None)),
    "dataset.mapping.question": "q",
    "dataset.mapping.instructions": "Why?",
}

IDENTITY_CHANGES = {
    "checkpoints.source": lambda root: str(root / "other-c"),
    "checkpoints.subfolder": "sub",
    "checkpoints.max_len": 100,
    "checkpoints.head_max_len": 100,
    "routers.max_len": 100,
    "routers.head_max_len": 100,
    "routers.routes.source": lambda root: str(root / "other-c"),
    "routers.routes.subfolder": "sub",
    "transforms.name": "another",
    "dataset.name": "demo",
    "dataset.path": under("other"),
    "dataset.split": "dev",
    "dataset.n_opts": 4,
    "dataset.seed": 14,
    "dataset.sampling": "by_row",
    "executor.num_gpus": 0.5,
}

#: On top of a narrowing that reads the field.
NARROWING_CHANGES = {
    "narrowing.name": (NarrowingSettings(), "knockout"),
    "narrowing.k": (NarrowingSettings("shortlist", 20, "m:f", "v1"), 21),
    "narrowing.embedder": (NarrowingSettings("shortlist", 20, "m:f", "v1"), "m:g"),
    "narrowing.embedder_id": (NarrowingSettings("shortlist", 20, "m:f", "v1"), "v2"),
    "narrowing.group_size": (NarrowingSettings("knockout", group_size=16), 8),
}

DRAWN_CHANGES = {"transforms.seed": 14, "transforms.sampler": "published"}
ONNX_CHANGES = {"checkpoints.engine", "checkpoints.onnx"}  # changed together, below

HUB_CHANGES = {
    "checkpoints.revision": "v2",
    "routers.routes.revision": "v2",
    "dataset.repo": "org/other",
    "dataset.revision": "v2",
}


def value_of(value, root):
    return value(root) if callable(value) else value


def test_every_classified_field_is_changed_below():
    roles = {option.name: option.option.role for option in every_option(Settings)}
    assert {*RUNTIME_CHANGES, *TABLE_RUNTIME_CHANGES} == {name for name, role in roles.items() if role == "runtime"}
    moving = {*IDENTITY_CHANGES, *HUB_CHANGES, *DRAWN_CHANGES, *TABLE_CHANGES, *ONNX_CHANGES, *NARROWING_CHANGES}
    assert moving == {name for name, role in roles.items() if role == "identity"}


@pytest.mark.parametrize("name", sorted(RUNTIME_CHANGES))
def test_no_runtime_field_moves_a_key(world, name):
    before = world.settings_for(name)
    settings = changed(before, name, value_of(RUNTIME_CHANGES[name], world.root))
    assert settings != before
    assert world.key_of(settings) == world.key_of(before) == world.key_of(world.settings)


@pytest.mark.parametrize("name", sorted(IDENTITY_CHANGES))
def test_every_identity_field_moves_the_key(world, monkeypatch, name):
    monkeypatch.setitem(TRANSFORMS, "another", TRANSFORMS["baseline"])
    settings = changed(world.settings_for(name), name, value_of(IDENTITY_CHANGES[name], world.root))
    assert world.key_of(settings) != world.key_of(world.settings)


def table_settings(root, quote=""):
    """A sweep of a file that is TSV and CSV: each row holds its cells parted by tabs, then others by commas."""
    names = ("text", "other", "label", "kind", "lang", "code")
    rows = [
        names,
        *((f"{quote}t{i}{quote}", f"o{i}", "abc"[i % 3], "de"[i % 2], "en", ("en", "fr")[i % 2]) for i in range(6)),
    ]
    text = (
        "".join("\t".join(row) + "\tx," + ",".join(row) + "\n" for row in rows)
        .replace(",t", ",c")
        .replace(",cext", ",text")
    )
    (root / "t.tsv").write_text(text)
    mapping = TableMapping("tsv", False if quote else None, "text", "label", "lang", None, (), "label", "Which?")
    return dataset_settings(root / "t.tsv", name="table", repo=None, sampling="by_row", n_opts=2, mapping=mapping)


@pytest.mark.parametrize("name", sorted(TABLE_CHANGES | TABLE_RUNTIME_CHANGES))
def test_what_a_table_is_asked_moves_its_rows_and_its_tags_do_not(world, name):
    quote = '"' if name.endswith("quoted") else ""
    settings = dataclasses.replace(world.settings, dataset=table_settings(world.root, quote))
    other = changed(settings, name, (TABLE_CHANGES | TABLE_RUNTIME_CHANGES)[name])
    assert other != settings
    rows, others = (
        [cell.row_ids for cell in world.plan_of(made).cells if cell.language == "en"] for made in (settings, other)
    )
    assert (others == rows) is (name in TABLE_RUNTIME_CHANGES)
    assert world.key_of(other) == world.key_of(settings)


def labelled_settings(world, states, **changes):
    question = {"type": "choice", "instructions": "?", "criteria": {"a": "A", "b": "B", "c": "C"}}
    rows = [{"state": state, "questions": {"q": question}, "expected": {}, "language": "en"} for state in states]
    path = world.root / "set.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return dataclasses.replace(world.settings, dataset=dataset_settings(path, name="jsonl", repo=None), **changes)


def answer(world, settings, key=None):
    """Commit every row of a plan, under the key of its cell or another."""
    [cell] = world.plan_of(settings).cells
    shown = {"transform": cell.transform, "question": "q"}
    world.commit(key or cell.key, *(fact_row(row.case_id, variant=row.variant, **shown) for row in cell.row_ids))
    return cell


@pytest.mark.parametrize("transform", ["baseline", "option_order"])
def test_an_edit_of_a_labelled_file_asks_the_edited_rows_alone(world, transform):
    axis = {"transforms": (TransformSettings(transform),)}
    answer(world, labelled_settings(world, ["one", "two", "two"], **axis))
    [cell] = world.plan_of(labelled_settings(world, ["new", "two", "one", "two"], **axis)).cells
    assert [variant.state for variant in cell.pending] == ["new"]
    axis["transforms"] = (TransformSettings(transform, sampler="published"),)
    answer(world, labelled_settings(world, ["one", "two", "two"], **axis))
    [cell] = world.plan_of(labelled_settings(world, ["new", "two", "one", "two"], **axis)).cells
    assert len(cell.pending) == (1 if transform == "baseline" else 4)


def test_a_store_whose_keys_hold_the_bytes_of_the_file_is_read(world):
    settings = labelled_settings(world, ["one", "two"])
    [language] = build_languages(make_suite(settings.dataset, HubDouble()), ["en"])
    [cell] = world.plan_of(settings).cells
    older = cell_key({**cell.identity, "suite": language.recipe})
    answer(world, settings, older)
    [found] = world.plan_of(settings).cells
    assert (found.key, found.pending) == (older, ())
    [edited] = world.plan_of(labelled_settings(world, ["one", "two", "three"])).cells
    assert (edited.key, len(edited.pending)) == (cell.key, 3)


def test_a_default_written_out_is_the_same_cell(world):
    settings = dataclasses.replace(world.settings, dataset=table_settings(world.root))
    said = changed(changed(settings, "dataset.mapping.format", None), "dataset.mapping.quoted", False)
    assert world.key_of(said) == world.key_of(settings)


@pytest.mark.parametrize("name", sorted(NARROWING_CHANGES))
def test_every_identity_field_of_a_narrowing_moves_the_key(world, name):
    narrowing, value = NARROWING_CHANGES[name]
    settings = dataclasses.replace(world.settings, narrowing=narrowing)
    assert world.key_of(changed(settings, name, value)) != world.key_of(settings)


def test_no_narrowing_is_no_part_of_an_identity(world):
    [cell] = world.plan_of(world.settings).cells
    assert "narrowing" not in cell.identity


@pytest.mark.parametrize("name", sorted(HUB_CHANGES))
def test_every_identity_field_of_the_hub_moves_the_key(world, name):
    dataset = dataset_settings(repo="org/massive")
    settings = dataclasses.replace(world.settings, checkpoints=(checkpoint_settings("org/laya"),), dataset=dataset)
    if name.startswith("routers."):
        settings = world.with_router("org/laya", dataset=dataset)
    assert world.key_of(changed(settings, name, HUB_CHANGES[name])) != world.key_of(settings)


@pytest.mark.parametrize("name", sorted(DRAWN_CHANGES))
def test_what_a_transform_draws_with_moves_the_key_where_it_draws(world, name):
    value = DRAWN_CHANGES[name]
    for transform, moves in (("option_order", True), ("label_rename", False), ("baseline", False)):
        settings = dataclasses.replace(world.settings, transforms=(TransformSettings(transform),))
        assert (world.key_of(changed(settings, name, value)) != world.key_of(settings)) == moves


def test_more_variants_of_a_case_keep_the_ones_that_are_there(world):
    few = dataclasses.replace(world.settings, transforms=(TransformSettings("option_order", variants=1),))
    more = changed(few, "transforms.variants", 3)
    [cell], [wider] = world.plan_of(few).cells, world.plan_of(more).cells
    assert wider.key == cell.key
    assert {*cell.row_ids} < {*wider.row_ids}
    shown = {(variant.case_id, variant.name): variant for variant in wider.variants}
    assert all(shown[variant.case_id, variant.name] == variant for variant in cell.variants)


@pytest.mark.parametrize(
    ("holder", "name", "value"),
    [
        (intent, "RECIPE_VERSION", 99),
        (identity, "KEY_VERSION", 99),
        (plan, "library_versions", lambda names: dict.fromkeys(names, "9.9")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_new_version_of_what_makes_a_logit_moves_the_key(world, monkeypatch, holder, name, value):
    before = world.key_of(world.settings)
    monkeypatch.setattr(holder, name, value)
    assert world.key_of(world.settings) != before


@pytest.mark.parametrize("name", ["version", "length_multiple"])
def test_a_new_version_of_how_rows_are_padded_moves_the_key(world, monkeypatch, name):
    before = world.key_of(world.settings)
    layout = dataclasses.replace(TORCH.layout, identity=TORCH.layout.identity | {name: 99})
    monkeypatch.setitem(ENGINES, "torch", dataclasses.replace(TORCH, layout=layout))
    assert world.key_of(world.settings) != before


def test_a_new_version_of_a_transform_moves_its_key(world, monkeypatch):
    before = world.key_of(world.settings)
    monkeypatch.setitem(TRANSFORMS, "baseline", TRANSFORMS["baseline"]._replace(version=2))
    assert world.key_of(world.settings) != before


def identity_of(world, **changes):
    checkpoint = dataclasses.replace(world.settings.checkpoints[0], **changes)
    [cell] = world.plan_of(dataclasses.replace(world.settings, checkpoints=(checkpoint,))).cells
    return cell.identity


def test_a_graph_is_another_work_and_torch_does_not_know_of_it(world):
    """By its bytes, not by its place; whether rows share a call is in the key too."""
    graph = write_graph(world.root / "g.onnx")
    alone = identity_of(world, engine="onnx", onnx=graph)
    moved = identity_of(world, engine="onnx", onnx=graph.rename(world.root / "h.onnx"))
    together = identity_of(world, engine="onnx", onnx=write_graph(graph, notes={ROWS_NOTE: TOGETHER}))
    torch = identity_of(world)
    assert alone == moved
    assert len({cell_key(one) for one in (alone, together, torch)}) == 3
    assert set(alone["versions"]) == {"laya", "onnxruntime", "transformers", "tokenizers"}
    assert (alone["engine"], torch["engine"]) == ("onnx", "torch")
    assert together["layout"] == torch["layout"] != alone["layout"]
    assert set(torch["checkpoint"]) == {"weights", "config", "encoder", "tokenizer"}


def test_a_row_of_another_checkpoint_is_refused_by_a_graph_alone(world):
    [cell] = world.plan_of(world.settings).cells
    cases = [dataclasses.replace(case, model=name) for case, name in zip(cell.cases, [None, "mine", "x"], strict=False)]
    language = Language("en", tuple(cases), {"name": "massive"}, None)
    graph = checkpoint_settings(world.root / "c", engine="onnx", onnx=write_graph(world.root / "g.onnx"))
    for checkpoint, refused in ((world.settings.checkpoints[0], []), (graph, [cases[2].case_id])):
        settings = dataclasses.replace(world.settings, checkpoints=(checkpoint,))
        made = make_plan(settings, [locate(checkpoint, HubDouble())], [language], world.store)
        assert [*made.cells[0].refused] == refused
        assert made.pending_rows == len(cases) - len(refused)
        assert made.refusals == ({"mine": 1} if refused else {})


def test_a_row_that_one_name_of_a_graph_refuses_is_run_for_the_other(world):
    [cell] = world.plan_of(world.settings).cells
    names = [None, "mine", "twin"]
    cases = [dataclasses.replace(case, model=name) for case, name in zip(cell.cases, names, strict=False)]
    graph = write_graph(world.root / "g.onnx")
    mine = checkpoint_settings(world.root / "c", engine="onnx", onnx=graph)
    twins = (mine, dataclasses.replace(mine, name="twin"))
    settings = dataclasses.replace(world.settings, checkpoints=twins)
    located = [locate(checkpoint, HubDouble()) for checkpoint in twins]
    made = make_plan(settings, located, [Language("en", tuple(cases), {"name": "massive"}, None)], world.store)
    first, second = made.cells
    assert first.key == second.key
    assert [variant.case_id for variant in first.pending] == [cases[0].case_id, cases[1].case_id]
    assert [variant.case_id for variant in second.pending] == [cases[2].case_id]
    assert {row.case_id for row in second.shared} == {cases[0].case_id}


def test_edited_temperatures_and_another_place_move_no_key(world):
    before = world.key_of(world.settings)
    write_checkpoint(world.root / "moved", {**CHECKPOINT_CONFIG, "temperature": [3.0, 3.0, 3.0]})
    assert world.key_of(changed(world.settings, "checkpoints.source", str(world.root / "moved"))) == before


def test_a_default_written_out_is_the_same_work(world):
    settings = changed(world.settings, "checkpoints.max_len", CHECKPOINT_CONFIG["max_len"])
    assert world.key_of(settings) == world.key_of(world.settings)


def test_libraries_in_the_key_are_those_that_move_logits(world):
    [cell] = world.plan_of(world.settings).cells
    assert set(cell.identity["versions"]) == {"laya", "torch", "transformers", "tokenizers"}


def test_cells_are_the_product_and_a_broken_language_is_recorded(world):
    (world.root / "data" / "data" / "de" / "test.jsonl.gz").write_bytes(b"")
    settings = dataclasses.replace(
        world.settings,
        checkpoints=tuple(checkpoint_settings(world.root / place, place) for place in ("c", "other-c")),
        languages=("de", "en", "fr"),
    )
    made = world.plan_of(settings)
    assert [(cell.checkpoint, cell.language, cell.transform) for cell in made.cells] == [
        ("c", "en", "baseline"),
        ("other-c", "en", "baseline"),
    ]
    assert [*made.failed_languages] == ["de", "fr"]
    assert all(error.startswith(f"{code}: ") for code, error in made.failed_languages.items())
    assert (made.rows, made.pending_rows, made.damaged) == (12, 12, ())
    assert not world.store.root.exists()


def test_the_same_weights_under_two_names_share_their_key(world):
    both = tuple(checkpoint_settings(world.root / "c", name) for name in ("one", "two"))
    made = world.plan_of(dataclasses.replace(world.settings, checkpoints=both))
    assert [cell.checkpoint for cell in made.cells] == ["one", "two"]
    assert len({cell.key for cell in made.cells}) == 1


def test_what_the_plan_read_is_kept_for_cells_that_have_all_their_rows_alone(world):
    [cell] = world.plan_of(world.settings).cells
    first, *others = (fact_row(row_id.case_id) for row_id in cell.row_ids)
    world.commit(cell.key, first)
    [part] = world.plan_of(world.settings).cells
    assert (part.pending_rows, part.stored) == (5, None)
    world.commit(cell.key, *others)
    [whole] = world.plan_of(world.settings).cells
    assert whole.stored.facts.equals(world.store.read(cell.key).facts)


def test_done_is_by_id_and_a_wider_per_lang_runs_only_what_is_missing(world):
    [narrow] = world.plan_of(world.settings).cells
    world.commit(narrow.key, *(fact_row(row_id.case_id) for row_id in narrow.row_ids))
    made = world.plan_of(world.settings)
    assert (made.rows, made.pending_rows, shards(made.cells, 5)) == (6, 0, [])
    wide = world.plan_of(changed(world.settings, "dataset.per_lang", 10))
    [cell] = wide.cells
    assert cell.key == narrow.key
    assert cell.row_ids[:6] == narrow.row_ids
    assert [variant.case_id for variant in cell.pending] == [row_id.case_id for row_id in cell.row_ids[6:]]
    assert (wide.rows, wide.pending_rows) == (10, 4)
    fewer = world.plan_of(changed(world.settings, "dataset.per_lang", 2))
    assert (fewer.rows, fewer.pending_rows) == (2, 0)


def test_a_file_is_not_a_row(world):
    """Parts that hold other rows, error rows or damage leave the cell as pending as it was."""
    [cell] = world.plan_of(world.settings).cells
    ids = [row_id.case_id for row_id in cell.row_ids]
    world.commit(cell.key, fact_row("somebody-else"), error_row(ids[0]), fact_row(ids[1], variant="turned"))
    world.commit(cell.key, fact_row(ids[2]), fact_row(ids[3]))
    before = {*world.store.root.rglob("part-*")}
    world.commit(cell.key, fact_row(ids[4]))
    [lost] = {*world.store.root.rglob("part-*")} - before
    lost.write_bytes(lost.read_bytes()[:-20])
    made = world.plan_of(world.settings)
    assert [variant.case_id for variant in made.cells[0].pending] == [ids[i] for i in (0, 1, 4, 5)]
    [message] = made.damaged
    assert message.startswith(lost.name)


def cell_of(cases, done=()):
    variants = tuple(variant for case in cases for variant in variants_of("baseline", case))
    return Cell(
        key="key",
        identity={},
        checkpoint="mine",
        language="en",
        transform="baseline",
        cases=tuple(cases),
        variants=variants,
        done=frozenset(done),
    )


@pytest.mark.parametrize(("size", "sizes"), [(1, [1] * 10), (4, [4, 4, 2]), (5, [5, 5]), (10, [10]), (64, [10])])
def test_shards_are_up_to_size_in_order_and_lose_nothing(size, sizes):
    cell = cell_of(make_cases(10))
    made = shards([cell], size)
    assert [len(shard.variants) for shard in made] == sizes
    assert [variant for shard in made for variant in shard.variants] == [*cell.variants]
    for shard in made:
        assert (shard.cell_key, shard.checkpoint, shard.language, shard.transform) == ("key", "mine", "en", "baseline")
        assert (shard.rows, shard.attempt) == (len(shard.variants), 1)


def test_a_shard_never_crosses_cells_and_holds_only_what_is_pending():
    cases = make_cases(6)
    done = {RowId(case.case_id, "baseline", "intent") for case in cases[1:4]}
    full = cell_of(cases, {RowId(case.case_id, "baseline", "intent") for case in cases})
    made = shards([cell_of(cases, done), full, cell_of(cases)], 100)
    assert [[cases.index(case) for case in cases if case.case_id in ids] for ids in map(case_ids, made)] == [
        [0, 4, 5],
        [0, 1, 2, 3, 4, 5],
    ]


def case_ids(shard):
    return [variant.case_id for variant in shard.variants]


def test_a_cost_is_the_bytes_of_what_the_model_reads():
    cell = cell_of(make_cases(3))
    [shard] = shards([cell], 3)
    assert shard.cost == sum(
        len(ordered_json([variant.state, variant.questions]).encode()) for variant in cell.variants
    )
    assert shard.cost > sum(part.cost for part in shards([cell], 1)[:2])
    long = dataclasses.replace(cell.variants[0], state={"utterance": "ሰላም" * 100})
    assert shards([dataclasses.replace(cell, variants=(long,))], 1)[0].cost >= 900


def test_a_case_with_one_question_done_runs_as_a_whole():
    [case] = make_cases(1)
    two = dataclasses.replace(case, questions={"a": case.questions["intent"], "b": case.questions["intent"]})
    half = cell_of([two], {RowId(two.case_id, "baseline", "a")})
    assert half.row_ids == [RowId(two.case_id, "baseline", "a"), RowId(two.case_id, "baseline", "b")]
    assert (len(half.pending), half.pending_rows) == (1, 2)
    assert cell_of([two], half.row_ids).pending == ()


def test_settings_used_here_are_changed_one_at_a_time():
    settings = make_settings(
        regimes=(RegimeSettings("served", "served", None),), transforms=(TransformSettings("baseline"),)
    )
    assert changed(settings, "executor.num_cpus", 9) == dataclasses.replace(
        settings, executor=executor_settings(num_cpus=9)
    )
    assert changed(settings, "store.uri", settings.store.uri).store == StoreSettings(settings.store.uri)
