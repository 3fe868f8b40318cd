"""Plain dictionaries -> `Settings`: every option arrives, every fault is named, all faults at once."""

import copy
import math
from contextlib import suppress
from pathlib import Path

import pytest
from laya import Router

from laya_sweep.config.compose import compose_jobs
from laya_sweep.config.settings import build_settings
from laya_sweep.domain.checked import shown
from laya_sweep.domain.option import every_option
from laya_sweep.domain.settings import (
    CheckpointSettings,
    DatasetSettings,
    ExecutorSettings,
    GateSettings,
    MetricSettings,
    RegimeSettings,
    RouteSettings,
    Settings,
    StoreSettings,
    TransformSettings,
)
from laya_sweep.domain.thresholds import BucketThresholds
from laya_sweep.errors import ConfigError, exit_code
from laya_sweep.suites.languages import LANGUAGES
from laya_sweep.suites.suite import SUITES, SuiteEntry
from laya_sweep.transforms.registry import TRANSFORMS

NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def composed():
    overrides = ("dataset=massive", "checkpoint=[english,multilingual]", "languages=[en]", "min_confidence=[0.0]")
    [job] = compose_jobs(overrides, multirun=False)
    return {key: value for key, value in job.config.items() if key != "hydra"}


@pytest.fixture
def raw(composed):
    """The configuration of a small run as a dictionary that a test may change."""
    return copy.deepcopy(composed)


def put(raw, key, value):
    *path, last = key.split(".")
    for name in path:
        raw = raw[name]
    raw[last] = value


def problems_of(raw):
    with pytest.raises(ConfigError) as caught:
        build_settings(raw)
    assert exit_code(caught.value) == 2
    return caught.value.problems


def test_every_option_reaches_its_setting():
    """Each key is set to a value that is not its default and that no other key has."""
    overrides = (
        "dataset=massive",
        "checkpoint=[]",
        "+checkpoints.mine.source=org/laya",
        "+checkpoints.mine.subfolder=small",
        "+checkpoints.mine.revision=v7",
        "+checkpoints.mine.max_len=333",
        "+checkpoints.mine.head_max_len=111",
        "languages=[de,zh-TW]",
        "regime=[fixed,unit]",
        "regime.fixed.temperature=1.7",
        "transform=[baseline,option_order]",
        "transform.option_order.variants=4",
        "transform.option_order.seed=5",
        "transform.option_order.sampler=published",
        "min_confidence=[null,0.25]",
        "dataset.path=some/data",
        "dataset.repo=org/data",
        "dataset.revision=r9",
        "dataset.split=validation",
        "dataset.per_lang=7",
        "dataset.n_opts=6",
        "dataset.seed=5",
        "dataset.sampling=by_row",
        "executor.address=10.0.0.1:6379",
        "executor.num_actors=4",
        "executor.num_cpus=2",
        "executor.num_gpus=0.5",
        "executor.handshake_timeout_s=31",
        "executor.shard_timeout_s=32.5",
        "executor.max_failures=9",
        "store.uri=my/store",
        "gate.mode=compatible",
        "gate.min_accuracy=0.8",
        "gate.max_ece=0.1",
        "gate.min.choice_accuracy=0.7",
        "gate.max={selective_accuracy@50: 0.9, score_within_0.25: 0.8}",
        "gate.tolerance.ece=0.02",
        "gate.tolerances=my/tolerances.json",
        "gate.policy=my/policy.json",
        "gate.two_sided=true",
        "gate.max_errored_share=0.25",
        "baseline=my/baseline",
        "on_error=skip",
        "out_dir=my/out",
        "batch_tokens=1234",
        "batch_size=12",
        "shard_cases=17",
        "dry_run=true",
        "drift=mine",
        "metrics.score_within=[0.5,2]",
        "metrics.rounding=runtime",
        "metrics.replicates=77",
    )
    [job] = compose_jobs(overrides, multirun=False)
    built = build_settings({key: value for key, value in job.config.items() if key != "hydra"})
    assert built == Settings(
        checkpoints=(CheckpointSettings("mine", "org/laya", "small", "v7", 333, 111),),
        languages=("de", "zh-TW"),
        regimes=(RegimeSettings("fixed", "fixed", 1.7), RegimeSettings("unit", "unit", None)),
        transforms=(TransformSettings("baseline"), TransformSettings("option_order", 4, 5, "published")),
        min_confidence=(None, 0.25),
        dataset=DatasetSettings(
            name="massive",
            path=Path("some/data"),
            repo="org/data",
            revision="r9",
            split="validation",
            per_lang=7,
            n_opts=6,
            seed=5,
            sampling="by_row",
        ),
        executor=ExecutorSettings(
            name="ray",
            address="10.0.0.1:6379",
            num_actors=4,
            num_cpus=2,
            num_gpus=0.5,
            handshake_timeout_s=31.0,
            shard_timeout_s=32.5,
            max_failures=9,
        ),
        store=StoreSettings(Path("my/store")),
        gate=GateSettings(
            mode="compatible",
            min_accuracy=0.8,
            max_ece=0.1,
            min={"choice_accuracy": 0.7},
            max={"selective_accuracy@50": 0.9, "score_within_0.25": 0.8},
            tolerance={"ece": 0.02},
            tolerances=Path("my/tolerances.json"),
            policy=Path("my/policy.json"),
            two_sided=True,
            max_errored_share=0.25,
        ),
        baseline=Path("my/baseline"),
        on_error="skip",
        out_dir=Path("my/out"),
        batch_tokens=1234,
        batch_size=12,
        shard_cases=17,
        dry_run=True,
        metrics=MetricSettings(score_within=(0.5, 2.0), rounding="runtime", replicates=77),
        drift="mine",
    )


def test_every_key_of_the_configuration_is_a_declared_option(composed):
    """The tree on disk and the declarations hold the same options, up to the names of the axes."""
    axes = {"regime": "regimes", "transform": "transforms"}
    keys = set()
    for key, value in composed.items():
        if key in ("checkpoints", "regime", "transform"):
            keys |= {f"{axes.get(key, key)}.{field}" for entry in value.values() for field in entry}
        elif isinstance(value, dict):
            keys |= {f"{key}.{field}" for field in value}
        else:
            keys.add(key)
    options = {option.name for option in every_option(Settings)}
    keys.remove("revision")  # it is folded into checkpoints.revision
    assert keys <= options
    optional = ("checkpoints.", "regimes.", "transforms.", "narrowing.", "routers.", "dataset.mapping.")
    assert {name for name in options - keys if not name.startswith(optional)} == set()


BAD_VALUES = [
    ("min_confidence", 1.5),
    ("min_confidence", -0.1),
    ("min_confidence", NAN),
    ("min_confidence", INF),
    ("min_confidence", True),
    ("min_confidence", [0.5, True]),
    ("min_confidence", "0.5"),
    ("min_confidence", []),
    ("min_confidence", [[0.5]]),
    ("min_confidence", {}),
    ("min_confidence", {"choice:2": True}),
    ("min_confidence", {"choice:2": NAN}),
    ("min_confidence", {"choice:3": 0.5}),
    ("min_confidence", {"choice:2": None, "default": 0.5}),
    ("min_confidence", [0.5, {2: 0.5}]),
    ("min_confidence", [{"default": 0.5}, {}]),
    ("min_confidence", 10**400),
    ("min_confidence", "nowhere.json"),
    ("dataset.per_lang", 0),
    ("dataset.per_lang", 2.0),
    ("dataset.per_lang", True),
    ("dataset.per_lang", "10"),
    ("dataset.n_opts", 1),
    ("dataset.seed", -1),
    ("dataset.seed", None),
    ("dataset.sampling", "random"),
    ("metrics.score_within", -0.25),
    ("metrics.score_within", [0.25, NAN]),
    ("metrics.score_within", [0.25, INF]),
    ("metrics.score_within", [True]),
    ("metrics.score_within", ["0.25"]),
    ("metrics.score_within", None),
    ("metrics.rounding", "none"),
    ("metrics.rounding", None),
    ("metrics.score_within", [0.12345671, 0.12345672]),
    ("metrics.tolerance", 1),
    ("metrics.replicates", -1),
    ("metrics.replicates", 10.0),
    ("metrics.replicates", None),
    ("dataset.name", "xnly"),
    ("window", 128),
    ("window", "auto"),
    ("window", False),
    ("dataset.repo", ""),
    ("dataset.revision", 1234567),
    ("dataset.path", False),
    ("dataset.path", ""),
    ("languages", "xx"),
    ("languages", ["no"]),
    ("languages", [False]),
    ("languages", ["en", None]),
    ("languages", ["all"]),
    ("languages", []),
    ("languages", None),
    ("languages", 5),
    ("checkpoints", {}),
    ("checkpoints", None),
    ("checkpoints.english.source", 17),
    ("checkpoints.english.max_len", 7),
    ("checkpoints.english.head_max_len", "192"),
    ("checkpoints.english.maxlen", 512),
    ("regime", {}),
    ("regime.raw.kind", "fix"),
    ("regime.served.temperature", 2.0),
    ("transform", {}),
    ("transform.baseline.name", "shuffle"),
    ("executor.name", "dask"),
    ("executor.num_actors", 0),
    ("executor.num_cpus", 0),
    ("executor.num_gpus", -1),
    ("executor.num_gpus", NAN),
    ("executor.num_gpus", 1.5),
    ("executor.handshake_timeout_s", 0),
    ("executor.shard_timeout_s", INF),
    ("executor.max_failures", 0),
    ("executor.gpus", 1),
    ("store.uri", None),
    ("store.uri", "s3://bucket/store"),
    ("out_dir", True),
    ("batch_tokens", 0),
    ("batch_size", 0),
    ("shard_cases", 0),
    ("dry_run", "yes"),
    ("dry_run", 1),
    ("per_lang", 10),
]


@pytest.mark.parametrize(("key", "value"), BAD_VALUES, ids=str)
def test_a_bad_value_is_one_fault_that_names_its_key(raw, key, value):
    put(raw, key, value)
    [problem] = problems_of(raw)
    assert problem.what == key
    assert problem.expected
    assert problem.next_step
    got = value[-1] if isinstance(value, list) and value else value
    assert problem.got == shown(got)


OPTION_ORDER = {"name": "option_order", "variants": 2, "seed": 3, "sampler": "by_case"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("transform.option_order.variants", 0),
        ("transform.option_order.variants", True),
        ("transform.option_order.seed", -1),
        ("transform.option_order.seed", None),
        ("transform.option_order.sampler", "by_row"),
        ("transform.option_order.name", "reverse"),
        ("transform.baseline.seed", 13),
    ],
)
def test_a_bad_value_of_a_transform_names_its_key(raw, key, value):
    raw["transform"]["option_order"] = dict(OPTION_ORDER)
    put(raw, key, value)
    named = [problem for problem in problems_of(raw) if problem.what == key]
    assert [problem.got for problem in named] == [shown(value)]


def test_transforms_without_the_baseline_say_what_to_write(raw):
    raw["transform"] = {"option_order": dict(OPTION_ORDER)}
    [problem] = problems_of(raw)
    assert (problem.what, problem.next_step) == ("transform", "'transform=[baseline,option_order]'")


def test_an_unknown_transform_lists_the_registered_ones(raw):
    raw["transform"]["shuffle"] = {"name": "shuffle"}
    [problem] = problems_of(raw)
    assert problem.what == "transform.shuffle.name"
    assert all(name in problem.expected for name in TRANSFORMS)


@pytest.mark.parametrize(
    "key", ["checkpoints.english", "regime.raw", "transform.baseline", "dataset", "executor", "store"]
)
def test_a_value_where_a_mapping_belongs_is_named_first(raw, key):
    put(raw, key, "text")
    problem = problems_of(raw)[0]
    assert (problem.what, problem.expected, problem.got) == (key, "a mapping", "'text'")


def test_all_faults_are_shown_at_once_in_one_line_each(raw):
    bad = {
        "languages": ["xx", "en", "yy"],
        "min_confidence": [0.5, 1.5],
        "dataset.per_lang": 0,
        "checkpoints.english.source": None,
        "executor.num_cpus": 0,
        "shard_cases": 0,
        "per_lang": 10,
    }
    for key, value in bad.items():
        put(raw, key, value)
    problems = problems_of(raw)
    assert sorted(problem.what for problem in problems) == sorted([*bad, "languages"])
    assert len(str(ConfigError(*problems)).splitlines()) == len(problems)


@pytest.mark.parametrize(
    ("code", "nearest"), [("no", "nb"), ("eng", "en"), ("zh", "zh-TW"), ("zh_CN", "zh-CN"), ("pt-BR", "pt")]
)
def test_an_unknown_language_lists_the_51_with_near_ones_first(raw, code, nearest):
    raw["languages"] = code
    [problem] = problems_of(raw)
    listed = problem.expected[problem.expected.index("(") + 1 : -1].split(", ")
    assert nearest in listed[:3]
    assert sorted(listed) == sorted(LANGUAGES)
    assert problem.got == repr(code)


def test_an_unknown_key_lists_its_neighbours_with_the_nearest_first(raw):
    raw["dataset"]["per_lan"] = 5
    [problem] = problems_of(raw)
    assert problem.what == "dataset.per_lan"
    assert problem.expected.startswith("one of the known keys (per_lang, ")
    assert "n_opts" in problem.expected


@pytest.mark.parametrize(("value", "quoting"), [(False, True), (True, True), ("no", False), (1, False)])
def test_only_a_yaml_boolean_gets_the_hint_to_quote(raw, value, quoting):
    raw["languages"] = [value]
    [problem] = problems_of(raw)
    assert ("quote" in problem.next_step) is quoting


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, (None,)),
        (0.0, (0.0,)),
        (0, (0.0,)),
        (1, (1.0,)),
        ([0.7], (0.7,)),
        ([None, 0.0], (None, 0.0)),
        ([0, 0.0, 0.5, 0.5, 1], (0.0, 0.5, 1.0)),
        ([0.9, 0.1], (0.9, 0.1)),
    ],
)
def test_thresholds_are_floats_once_each_and_none_is_not_zero(raw, given, expected):
    raw["min_confidence"] = given
    built = build_settings(raw).min_confidence
    assert built == expected
    assert [type(value) for value in built] == [type(value) for value in expected]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("en", ("en",)),
        (["de", "en", "de"], ("de", "en")),
        (("zh-TW",), ("zh-TW",)),
        ("all", tuple(LANGUAGES)),
    ],
)
def test_languages_are_one_code_a_list_or_all(raw, given, expected):
    raw["languages"] = given
    assert build_settings(raw).languages == expected


def test_all_means_the_51_of_massive():
    assert len(LANGUAGES) == 51
    assert [*LANGUAGES] == sorted(LANGUAGES)


def test_the_order_in_which_names_were_written_is_not_kept(raw):
    first = build_settings(raw)
    for key in ("checkpoints", "regime"):
        raw[key] = dict(reversed(raw[key].items()))
    assert build_settings(raw) == first


@pytest.mark.parametrize("key", ["executor.num_gpus", "executor.shard_timeout_s", "regime.fixed.temperature"])
def test_a_whole_number_will_do_where_a_number_is_wanted(raw, key):
    raw["regime"] = {"fixed": {"kind": "fixed", "temperature": 1.0}}
    put(raw, key, 2)
    built = build_settings(raw)
    value = built.regimes[0].temperature if key.startswith("regime") else getattr(built.executor, key.split(".")[1])
    assert (type(value), value) == (float, 2.0)


@pytest.mark.parametrize("temperature", [0, 0.0, -1.0, NAN, INF, None, True, "1.7", 1e-50, 1e39, 10**400])
def test_a_fixed_temperature_is_a_number_that_float32_divides_by(raw, temperature):
    raw["regime"] = {"warm": {"kind": "fixed", "temperature": temperature}}
    [problem] = problems_of(raw)
    assert problem.what == "regime.warm.temperature"
    assert "from 1e-30 to 1e30" in problem.expected


@pytest.mark.parametrize(("key", "value"), [("address", "auto"), ("num_actors", 2)])
def test_inline_refuses_what_it_would_ignore(raw, key, value):
    raw["executor"] |= {"name": "inline", "num_actors": 1, key: value}
    [problem] = problems_of(raw)
    assert problem.what == f"executor.{key}"
    assert "executor=ray" in problem.next_step


@pytest.mark.parametrize(("gpus", "device"), [(0, "cpu"), (0.25, "cuda"), (2, "cuda")])
def test_the_device_follows_the_gpus_asked_for(raw, gpus, device):
    raw["executor"]["num_gpus"] = gpus
    assert build_settings(raw).executor.device == device


@pytest.mark.parametrize(
    ("uri", "folder"),
    [("outputs/store", "outputs/store"), ("file:///data/my%20store", "/data/my store"), ("/abs", "/abs")],
)
def test_the_store_is_a_folder_or_a_file_uri(raw, uri, folder):
    raw["store"]["uri"] = uri
    assert build_settings(raw).store.uri == Path(folder)


@pytest.mark.parametrize(("given", "folder"), [("2026", Path("2026")), ("~/x", Path("~/x").expanduser()), (None, None)])
def test_a_folder_may_be_named_by_a_text_of_digits_or_the_home_sign(raw, given, folder):
    raw["out_dir"] = given
    assert build_settings(raw).out_dir == folder


@pytest.mark.parametrize("key", ["out_dir", "dataset.path"])
@pytest.mark.parametrize("number", [2026, 20261130, 1000.0])
def test_a_number_is_no_folder_since_nobody_knows_how_it_was_written(raw, key, number):
    put(raw, key, number)
    [problem] = problems_of(raw)
    assert (problem.what, problem.got) == (key, repr(number))


@pytest.mark.parametrize("written", ["2026_11_30", "1e3", "007"])
def test_a_folder_on_the_command_line_is_the_one_that_was_written(written):
    """Hydra reads `2026_11_30` as 20261130 and `1e3` as 1000.0: the folder stays as written, or is refused."""
    [job] = compose_jobs([f"out_dir={written}", f"dataset.path={written}"], multirun=False)
    config = {key: value for key, value in job.config.items() if key != "hydra"}
    got = {"as written"}
    with suppress(ConfigError):
        built = build_settings(config)
        got = {str(built.out_dir), str(built.dataset.path)}
    assert got <= {"as written", written}


def test_without_a_word_the_demo_is_swept_and_needs_no_network():
    [job] = compose_jobs([], multirun=False)
    built = build_settings({key: value for key, value in job.config.items() if key != "hydra"})
    assert (built.dataset.name, built.dataset.path, built.dataset.repo) == ("demo", None, None)
    assert len(built.languages) == 51
    assert [checkpoint.source for checkpoint in built.checkpoints] == [
        "bundled:demo_english",
        "bundled:demo_multilingual",
    ]
    assert [regime.name for regime in built.regimes] == ["raw", "served"]
    assert math.isfinite(built.executor.shard_timeout_s)


@pytest.mark.parametrize(("name", "path", "repo"), [("massive", None, None), ("demo", "my/data", None)])
def test_a_dataset_has_one_place(raw, name, path, repo):
    raw["dataset"] |= {"name": name, "path": path, "repo": repo}
    [problem] = problems_of(raw)
    assert problem.what == "dataset.path"


def labelled(raw, **changes):
    raw["dataset"] = {"name": "jsonl", "path": "rows.jsonl", "per_lang": None} | changes
    return raw


def test_a_labelled_file_is_taken_whole_unless_told_otherwise(raw):
    built = build_settings(labelled(raw))
    assert (built.dataset.name, built.dataset.path, built.dataset.per_lang) == ("jsonl", Path("rows.jsonl"), None)
    assert build_settings(labelled(raw, per_lang=5)).dataset.per_lang == 5


@pytest.mark.parametrize(
    ("given", "expected"), [("all", None), ("sv-SE", ("sv-SE",)), (["no", "001", ""], ("no", "001", ""))]
)
def test_languages_of_a_labelled_file_are_the_files_own(raw, given, expected):
    raw["languages"] = given
    assert build_settings(labelled(raw)).languages == expected


def test_a_language_that_yaml_made_a_boolean_is_refused_there_too(raw):
    raw["languages"] = [False]
    [problem] = problems_of(labelled(raw))
    assert problem.what == "languages"
    assert "quote" in problem.next_step


def test_a_labelled_file_needs_a_path_and_knows_no_sampling(raw):
    assert [problem.what for problem in problems_of(labelled(raw, path=None, n_opts=5))] == [
        "dataset.path",
        "dataset.n_opts",
    ]


def test_a_suite_is_a_dataset_by_its_entry(raw, monkeypatch):
    monkeypatch.setitem(SUITES, "mine", SuiteEntry(lambda settings, hub: None, ("path",), file="a file of mine"))
    raw |= {"dataset": {"name": "mine", "path": None}, "languages": "all"}
    assert [(problem.what, problem.expected) for problem in problems_of(raw)] == [("dataset.path", "a file of mine")]
    put(raw, "dataset.path", "rows")
    assert (build_settings(raw).dataset.path, build_settings(raw).languages) == (Path("rows"), None)


def routed(raw, **changes):
    raw["checkpoints"]["auto"] = {"source": "auto", **changes}
    return raw


def test_a_router_has_the_runtimes_own_routes_and_a_users(raw):
    routes = {"EN": "folder", "papers": {"source": "org/papers", "subfolder": "s", "revision": "v2"}}
    settings = build_settings(routed(raw, routes=routes, default="en", max_len=64))
    assert [entry.name for entry in settings.checkpoints] == ["english", "multilingual"]
    [router] = settings.routers
    assert (router.name, router.default, router.max_len, router.auto_task_detection) == ("auto", "en", 64, False)
    assert router.routes == (
        RouteSettings("english", "folder"),
        RouteSettings("multilingual", "convaiinnovations/laya-multilingual"),
        RouteSettings("papers", "org/papers", "s", "v2"),
        RouteSettings("typed-decisions", "convaiinnovations/laya-typed-decisions"),
    )
    bare = build_settings(routed(raw)).routers[0]
    assert {route.name: route.source for route in bare.routes} == Router(standalone_repos=True).models


@pytest.mark.parametrize(
    ("changes", "what", "said"),
    [
        ({"routes": {"englsh": "x"}}, "routes", "one letter away"),
        ({"routes": {"a/b": "x"}}, "routes", "invalid checkpoint name"),
        ({"routes": {"auto": "x"}}, "routes", "invalid checkpoint name"),
        ({"routes": {"en": "x", "laya": "y"}}, "routes", "are both 'english'"),
        ({"routes": {"papers": "auto"}}, "routes.papers.source", "'auto'"),
        ({"routes": {"papers": {"source": "x", "max_len": 9}}}, "routes.papers.max_len", "9"),
        ({"routes": {"papers": 3}}, "routes.papers", "3"),
        ({"routes": ["english"]}, "routes", "['english']"),
        ({"default": "french"}, "default", "'french'"),
        ({"auto_task_detection": "yes"}, "auto_task_detection", "'yes'"),
        ({"revision": "v2"}, "revision", "'v2'"),
    ],
)
def test_a_router_that_cannot_mean_anything_is_refused_where_it_is_written(raw, changes, what, said):
    problems = problems_of(routed(raw, **changes))
    assert problems[0].what == f"checkpoints.auto.{what}"
    assert said in problems[0].got


def test_one_tolerance_alone_will_do_and_each_counts_once(raw):
    raw["metrics"]["score_within"] = 1
    assert build_settings(raw).metrics.score_within == (1.0,)
    raw["metrics"]["score_within"] = [0.5, 0.25, 0.5]
    assert build_settings(raw).metrics.score_within == (0.5, 0.25)
    raw["metrics"]["score_within"] = []
    assert build_settings(raw).metrics.score_within == ()


def test_maps_of_thresholds_stand_in_lists_beside_numbers_and_none(raw, tmp_path):
    path = tmp_path / "map.json"
    path.write_text('{"choice:2": 0.7, "default": 1}', "utf-8")
    raw["min_confidence"] = [{"default": 1, "choice:2": 0.7}, None, 0.5, str(path), {"default": 0.5}, 0.5]
    seven = BucketThresholds.of({"choice:2": 0.7, "default": 1.0})
    assert build_settings(raw).min_confidence == (seven, None, 0.5, BucketThresholds.of({"default": 0.5}))
    raw["min_confidence"] = str(path)
    assert build_settings(raw).min_confidence == (seven,)


@pytest.mark.parametrize(
    "text", ["{}", "[0.5]", "null", "true", '{"choice:2": 0.5, "choice:2": 0.6}', "{", '{"a": 0.5}']
)
def test_a_file_that_holds_no_threshold_is_one_complaint_that_names_it(raw, tmp_path, text):
    path = tmp_path / "map.json"
    path.write_text(text, "utf-8")
    raw["min_confidence"] = str(path)
    [problem] = problems_of(raw)
    assert (problem.what, str(path) in problem.got) == ("min_confidence", True)


def test_a_map_with_a_wrong_bucket_says_which(raw):
    raw["min_confidence"] = {"choice:2": 0.5, "choice:7": 0.5}
    [problem] = problems_of(raw)
    assert "'choice:7'" in problem.next_step
