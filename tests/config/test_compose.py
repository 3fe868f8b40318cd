"""Overrides -> plain dictionaries: the axes, multirun, and Hydra's complaints as one line."""

from importlib import resources
from pathlib import Path

import pytest

from laya_sweep.config.compose import compose_jobs, to_yaml
from laya_sweep.config.settings import build_settings
from laya_sweep.errors import ConfigError, exit_code
from laya_sweep.transforms.registry import TRANSFORMS

CONF = Path(str(resources.files("laya_sweep.conf")))
DATASETS = {"demo", "jsonl", "massive", "massive_scenario", "presentation", "table", "xnli"}
CHECKPOINTS = {"auto", "english", "multilingual", "demo_english", "demo_multilingual"}
GROUP_FILES = sorted(path.relative_to(CONF).with_suffix("") for path in CONF.glob("*/*.yaml"))


def compose_one(*overrides):
    [job] = compose_jobs(overrides, multirun=False)
    return job.config


def build_one(*overrides):
    return build_settings({key: value for key, value in compose_one(*overrides).items() if key != "hydra"})


def problem_of(*overrides, multirun=False):
    with pytest.raises(ConfigError) as caught:
        compose_jobs(overrides, multirun=multirun)
    assert exit_code(caught.value) == 2
    [problem] = caught.value.problems
    assert "\n" not in str(problem)
    return problem


def test_the_tree_has_the_groups_that_the_command_line_names():
    assert {path.parts[0] for path in GROUP_FILES} == {
        "checkpoint",
        "dataset",
        "executor",
        "narrowing",
        "regime",
        "sweep",
    }


def test_every_transform_is_a_preset_without_a_file():
    for name in TRANSFORMS:
        [job] = compose_jobs([f"transform=[baseline,{name}]"], multirun=False)
        assert job.config["transform"][name]["name"] == name


@pytest.mark.parametrize("path", GROUP_FILES, ids=str)
def test_every_file_composes_into_legal_settings(path):
    group, name = path.parts
    listed = group in ("checkpoint", "regime", "transform")
    sign = "+" if group == "sweep" else ""
    rows, languages = ["dataset.path=rows.jsonl"], ["regime.map.lang_temperatures={de: null}"]
    needed = {"dataset/jsonl": rows, "dataset/table": rows, "regime/map": languages}
    own = needed.get(f"{group}/{name}", [])
    names = [*dict.fromkeys(["baseline", name])] if group == "transform" else [name]
    built = build_one(f"{sign}{group}=[{','.join(names)}]" if listed else f"{sign}{group}={name}", *own)
    if listed:
        axis = {
            "checkpoint": built.checkpoints + built.routers,
            "regime": built.regimes,
            "transform": built.transforms,
        }[group]
        assert [entry.name for entry in axis] == names
    elif group != "sweep":
        assert getattr(built, group).name == name


def test_robustness_is_the_main_grid_with_two_transforms():
    built = build_one("+sweep=robustness")
    assert len(built.languages) == 51
    assert [transform.name for transform in built.transforms] == ["baseline", "label_rename", "option_order"]


def test_all_langs_is_the_grid_of_the_main_job():
    built = build_one("+sweep=all_langs")
    assert len(built.languages) == 51
    assert [checkpoint.name for checkpoint in built.checkpoints] == ["english", "multilingual"]
    assert {regime.kind for regime in built.regimes} == {"served", "raw"}
    assert built.min_confidence == (0.0, 0.5, 0.7, 0.9)
    assert [transform.name for transform in built.transforms] == ["baseline"]
    assert (built.dataset.per_lang, built.dataset.n_opts, built.dataset.seed) == (100, 20, 13)


def test_the_presentation_sweep_asks_every_language_of_the_checks_without_a_temperature():
    built = build_one("+sweep=presentation", "gate.checks={de: {score_slot0_identical: {min: -0.2}}}")
    assert (built.dataset.name, built.dataset.path, built.languages) == ("presentation", None, None)
    assert [regime.kind for regime in built.regimes] == ["unit"]
    assert (built.min_confidence, built.executor.device) == ((None,), "cpu")
    assert built.gate.checks == {"de": {"score_slot0_identical": {"min": -0.2}}}
    assert built.dataset.parity_on_all
    assert not build_one("+sweep=all_langs").dataset.parity_on_all


def test_the_checks_present_every_order_themselves():
    with pytest.raises(ConfigError, match=r"transform: expected \[baseline\] with dataset=presentation"):
        build_one("+sweep=presentation", "transform=[baseline,option_order]")


def test_the_command_line_wins_over_all_langs():
    built = build_one("+sweep=all_langs", "languages=[en,de]", "dataset.per_lang=10", "min_confidence=0.3")
    assert (built.languages, built.dataset.per_lang, built.min_confidence) == (("en", "de"), 10, (0.3,))


def test_checkpoints_of_my_own_replace_the_published_ones():
    built = build_one("+sweep=all_langs", "checkpoint=[]", "+checkpoints.x.source=DIR", "+checkpoints.y.source=a/b")
    assert [(entry.name, entry.source) for entry in built.checkpoints] == [("x", "DIR"), ("y", "a/b")]


def test_a_fixed_regime_with_its_temperature():
    [regime] = build_one("regime=fixed", "regime.fixed.temperature=1.7").regimes
    assert (regime.name, regime.kind, regime.temperature) == ("fixed", "fixed", 1.7)


@pytest.mark.parametrize("word", ["no", "on", "off", "yes", "001", "nb-NO"])
def test_words_that_yaml_would_twist_stay_texts_on_the_command_line(word):
    config = compose_one(f"languages=[{word}]", f"dataset.split={word}")
    assert (config["languages"], config["dataset"]["split"]) == ([word], word)


def test_a_plain_run_is_one_job_with_plain_values():
    [job] = compose_jobs(["languages=[en,de]"], multirun=False)
    assert job.overrides == ("languages=[en,de]",)
    assert type(job.config["languages"]) is list
    assert type(job.config["dataset"]) is dict


def test_multirun_is_the_product_with_the_last_axis_fastest():
    jobs = compose_jobs(["languages=en,de", "dataset.seed=range(1,4)", "dry_run=true"], multirun=True)
    assert [job.overrides for job in jobs] == [
        (f"languages={code}", f"dataset.seed={seed}", "dry_run=true") for code in ("en", "de") for seed in (1, 2, 3)
    ]
    assert [(job.config["languages"], job.config["dataset"]["seed"]) for job in jobs] == [
        (code, seed) for code in ("en", "de") for seed in (1, 2, 3)
    ]
    assert all(job.config["dry_run"] is True for job in jobs)


def test_a_list_is_one_value_also_in_multirun():
    [job] = compose_jobs(["languages=[en,de]"], multirun=True)
    assert job.config["languages"] == ["en", "de"]


def test_multirun_refuses_everything_when_its_last_combination_is_wrong():
    problem = problem_of("executor=inline,ray,dask", multirun=True)
    assert problem.what == "executor"
    assert problem.got == "'dask'"


def test_a_sweep_without_multirun_says_how():
    problem = problem_of("min_confidence=0.0,0.5")
    assert "min_confidence=0.0,0.5" in problem.what
    assert "-m" in problem.next_step


@pytest.mark.parametrize("sweep", ["dataset.seed=interval(1,4)", "languages=glob(*)"])
def test_sweeps_that_cannot_be_enumerated_are_a_fault_not_a_traceback(sweep):
    assert sweep.split("=")[0] in problem_of(sweep, multirun=True).what


@pytest.mark.parametrize(
    ("override", "what", "nearest"),
    [
        ("dataset.per_lan=5", "dataset.per_lan", "dataset.per_lang"),
        ("languges=en", "languges", "languages"),
        ("min_confidance=0.5", "min_confidance", "min_confidence"),
        ("executor.gpus=1", "executor.gpus", "executor.num_gpus"),
    ],
)
def test_an_unknown_key_is_named_with_its_nearest_first(override, what, nearest):
    problem = problem_of(override)
    assert problem.what == what
    assert problem.expected.startswith(f"a known key (nearest: {nearest}")


@pytest.mark.parametrize(
    ("override", "group", "got", "nearest", "all_names"),
    [
        ("dataset=masive", "dataset", "masive", "massive", DATASETS),
        ("executor=rai", "executor", "rai", "ray", {"ray", "inline"}),
        ("+sweep=all_lang", "sweep", "all_lang", "all_langs", {"all_langs", "presentation", "robustness"}),
        ("regime=sreved", "regime", "sreved", "served", {"served", "raw", "unit", "fixed", "map"}),
        ("regime=[raw,sreved]", "regime", "sreved", "served", {"served", "raw", "unit", "fixed", "map"}),
        ("checkpoint=[englsh]", "checkpoint", "englsh", "english", CHECKPOINTS),
        ("transform=[base]", "transform", "base", "baseline", {*TRANSFORMS}),
    ],
)
def test_a_selector_that_matches_nothing_lists_what_exists_nearest_first(override, group, got, nearest, all_names):
    problem = problem_of(override)
    assert (problem.what, problem.got) == (group, repr(got))
    listed = problem.expected.removeprefix("one of ").split(", ")
    assert listed[0] == nearest
    assert set(listed) == all_names


@pytest.mark.parametrize("override", ["languages=[en", "dataset.seed=${nope}", "seed", "dataset.path=???"])
def test_what_hydra_cannot_read_is_one_line_that_repeats_it(override):
    assert override in problem_of(override).what


def test_the_shown_configuration_composes_to_itself():
    from omegaconf import OmegaConf

    config = compose_one("checkpoint=[]", "+checkpoints.mine.source=a/b")
    assert OmegaConf.to_container(OmegaConf.create(to_yaml(config))) == config


@pytest.mark.parametrize("plus", ["", "+"])
def test_routes_are_an_open_map_of_the_routed_checkpoint(plus):
    config = compose_one(
        "checkpoint=auto", f"{plus}checkpoints.auto.routes.multilingual=a", "checkpoints.auto.routes.mine=b"
    )
    [(name, auto)] = config["checkpoints"].items()
    assert (name, auto["source"]) == ("auto", "auto")
    assert auto["routes"] == {
        "english": "convaiinnovations/laya",
        "multilingual": "a",
        "typed-decisions": "convaiinnovations/laya-typed-decisions",
        "mine": "b",
    }


MAP = {"choice:2": 0.7, "choice:11+": 0.9, "noul:2": 1, "default": 0.5}


@pytest.mark.parametrize(
    "words",
    [
        "{choice:2: 0.7, choice:11+: 0.9, noul:2: 1, default: 0.5}",
        "{choice:2:0.7,choice:11+:0.9,noul:2:1,default:0.5}",
        r"{choice\:2: 0.7, choice\:11+: 0.9, noul\:2: 1, default: 0.5}",
        '{"choice:2": 0.7, "choice:11+": 0.9, "noul:2": 1, default: 0.5}',
        "{'choice:2': 0.7, 'choice:11+': 0.9, 'noul:2': 1, default: 0.5}",
    ],
)
def test_a_map_of_thresholds_is_written_with_the_runtimes_bucket_names(words):
    [alone] = compose_jobs([f"min_confidence={words}"], multirun=False)
    assert alone.config["min_confidence"] == [MAP]
    [listed] = compose_jobs([f"min_confidence=[0.3,null,{words}]"], multirun=False)
    assert listed.config["min_confidence"] == [0.3, None, MAP]
    swept = compose_jobs([f"min_confidence={words},0.3", "dataset.per_lang=1,2"], multirun=True)
    assert [job.config["min_confidence"] for job in swept] == [[MAP], [MAP], 0.3, 0.3]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("min_confidence={choice:2: 0.7, choice:2: 0.8}", "each bucket once"),
        ("min_confidence.default=0.5", "min_confidence.default"),
        ("min_confidence={choice:2: 0.7", "min_confidence"),
    ],
)
def test_a_map_that_cannot_be_read_is_a_fault_not_a_traceback(words, said):
    assert said in str(problem_of(words))
