"""The bundled checkpoints: small, left alone by loading, and better than guessing where they were trained."""

from __future__ import annotations

import json
import random
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import laya
import pytest
from laya.common import build_sequence

from laya_sweep import demo
from laya_sweep.checkpoints.temperatures import resolve_temperatures
from laya_sweep.demo.corpus import read_corpus
from laya_sweep.demo.questions import INTENTS, WISHES, intent_question, state, urgency_question, wish_question
from laya_sweep.suites.languages import LANGUAGES

pytestmark = pytest.mark.slow  # of what the package ships, which a change of the code does not touch

FOLDER = Path(demo.__file__).parent / "checkpoints"
NAMES = ("demo_english", "demo_multilingual")
TEST_ROWS = [row for row in read_corpus() if row.split == "test"]

#: Right by guessing, and by always giving one answer: as many test rows for each of the ten intents.
MAJORITY = 1 / len(INTENTS)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def load(folder: Path) -> laya.Agent:
    """Loaded on the CPU; the runtime says that it clamps temperatures, and nothing else."""
    with pytest.warns(RuntimeWarning, match="temperatures or values outside") as caught:
        agent = laya.load(str(folder), device="cpu")
    assert len(caught) == 1
    return agent


@pytest.fixture(scope="module")
def copies(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("checkpoints") / "copy"
    shutil.copytree(FOLDER, place)
    return place


@pytest.fixture(scope="module")
def agents(copies: Path) -> dict[str, laya.Agent]:
    return {name: load(copies / name) for name in NAMES}


@pytest.fixture(scope="module")
def answers(agents) -> dict[str, dict[str, list[tuple[bool, float]]]]:
    """By checkpoint and language: whether each test row's choice among all ten is right, and how sure it is."""
    return {name: {code: _choices(agent, code) for code in LANGUAGES} for name, agent in agents.items()}


def _choices(agent: laya.Agent, code: str) -> list[tuple[bool, float]]:
    rows = [row for row in TEST_ROWS if row.language == code]
    intents = [*INTENTS]
    random.Random(13).shuffle(intents)
    results = agent.predict_batch([state(row.text) for row in rows], {"intent": intent_question(intents)})
    given = [result["answers"]["intent"] for result in results]
    return [
        (answer["choice"] == row.intent, answer["answer_confidence"]) for answer, row in zip(given, rows, strict=True)
    ]


def accuracy(rows: list[tuple[bool, float]]) -> float:
    return statistics.fmean(right for right, _ in rows)


@pytest.mark.parametrize("name", NAMES)
def test_a_checkpoint_is_complete_and_at_most_two_megabytes(name: str) -> None:
    files = contents(FOLDER / name)
    assert set(files) == {
        "rl_agent_config.json",
        "model.safetensors",
        "encoder/config.json",
        "tokenizer/tokenizer.json",
        "tokenizer/tokenizer_config.json",
    }
    assert sum(map(len, files.values())) <= 2_000_000


@pytest.mark.parametrize("name", NAMES)
def test_loading_and_asking_leaves_every_byte_as_it_is(name: str, copies: Path, agents) -> None:
    agents[name].predict(state("Play a song."), {"intent": intent_question(INTENTS)})
    assert contents(copies / name) == contents(FOLDER / name)


@pytest.mark.parametrize("name", NAMES)
def test_raw_and_served_temperatures_differ_where_the_demo_sweep_looks(name: str) -> None:
    config = json.loads((FOLDER / name / "rl_agent_config.json").read_text(encoding="utf-8"))
    facts = {(fact.question_type, fact.bucket): fact for fact in resolve_temperatures(config)}
    fact = facts["choice", "choice:6-10"]
    assert fact.source == "choice:6-10"
    assert fact.raw is not None
    assert 0.01 < fact.raw < 0.45
    assert fact.served == 0.5


@pytest.mark.parametrize("name", NAMES)
def test_ten_options_and_every_utterance_fit_untruncated(name: str, agents) -> None:
    agent = agents[name]
    question = {
        "t": "choice",
        "ins": intent_question(INTENTS)["instructions"],
        "crit": intent_question(INTENTS)["criteria"],
    }
    limits = agent.cfg["max_len"], agent.cfg["head_max_len"]
    for row in read_corpus():
        *_, options, state_tokens = build_sequence(
            agent.tok, state(row.text), question, *limits, return_stats=True, return_truncation_stats=True
        )
        assert options == {"options": 10, "options_distinct": 10, "tokens_per_option": None}
        assert not state_tokens["truncated"], row


@pytest.mark.parametrize("name", NAMES)
def test_no_character_of_any_language_is_unknown(name: str, agents) -> None:
    tokenizer = agents[name].tok
    unknown = [row for row in read_corpus() if tokenizer.unk_token_id in tokenizer(row.text)["input_ids"]]
    assert unknown == []


@pytest.mark.parametrize("name", NAMES)
def test_all_three_question_types_are_answered(name: str, agents) -> None:
    questions = {
        "intent": intent_question(INTENTS),
        "wish": wish_question("food_order"),
        "urgency": urgency_question(),
    }
    given = agents[name].predict(state("Order a pizza for lunch."), questions)["answers"]
    assert given["intent"]["choice"] in INTENTS
    assert [*given["intent"]["probabilities"]] == [*INTENTS]
    assert 0 <= given["wish"]["noul"] <= 1
    assert 0 <= given["urgency"]["score"] <= 2
    assert given["urgency"]["legend"] == {"0": "Not urgent", "1": "Soon", "2": "Immediately"}


def test_english_knows_english(answers) -> None:
    assert accuracy(answers["demo_english"]["en"]) >= 0.7


def test_english_knows_no_other_language_and_is_sure_all_the_same(answers) -> None:
    others = [row for code, rows in answers["demo_english"].items() if code != "en" for row in rows]
    assert accuracy(others) < 0.25
    assert statistics.fmean(confidence for _, confidence in others) > accuracy(others) + 0.2


def test_multilingual_beats_the_majority_in_every_language(answers) -> None:
    figures = {code: accuracy(rows) for code, rows in answers["demo_multilingual"].items()}
    assert {code: figure for code, figure in figures.items() if figure < 5 * MAJORITY} == {}
    assert statistics.fmean(figures.values()) >= 0.85


@pytest.mark.parametrize(("name", "codes"), [("demo_english", ["en"]), ("demo_multilingual", ["en", "hi", "ja", "sw"])])
def test_wishes_are_told_apart_and_urgent_requests_score_higher(name: str, codes: list[str], agents) -> None:
    rows = [row for row in TEST_ROWS if row.language in codes]
    questions = {intent: wish_question(intent) for intent in WISHES} | {"urgency": urgency_question()}
    results = [result["answers"] for result in agents[name].predict_batch([state(row.text) for row in rows], questions)]
    wanted = [result[row.intent]["noul"] for result, row in zip(results, rows, strict=True)]
    unwanted = [
        result[intent]["noul"]
        for result, row in zip(results, rows, strict=True)
        for intent in WISHES
        if intent != row.intent
    ]
    assert statistics.fmean(wanted) > statistics.fmean(unwanted) + 0.2
    urgent = [result["urgency"]["score"] for result, row in zip(results, rows, strict=True) if row.urgency]
    idle = [result["urgency"]["score"] for result, row in zip(results, rows, strict=True) if not row.urgency]
    assert statistics.fmean(urgent) > statistics.fmean(idle)


def test_training_twice_at_once_gives_the_same_bytes(tmp_path: Path) -> None:
    trial = ["--only", "demo_english", "--steps", "3", "--temperature-items", "60"]
    command = [sys.executable, "-m", "training.train", *trial]
    places = [tmp_path / "one", tmp_path / "two"]
    running = [
        subprocess.Popen([*command, str(place)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for place in places
    ]
    for process in running:
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0, output.decode()
    one, two = map(contents, places)
    assert set(one) == {f"demo_english/{file}" for file in contents(FOLDER / "demo_english")}
    assert one == two


def test_a_trained_checkpoint_loads_as_the_bundled_ones_do(copies: Path) -> None:
    configs = [json.loads((copies / name / "encoder" / "config.json").read_text(encoding="utf-8")) for name in NAMES]
    assert {config["model_type"] for config in configs} == {"modernbert"}
    classes = {
        json.loads((copies / name / "tokenizer" / "tokenizer_config.json").read_text(encoding="utf-8"))[
            "tokenizer_class"
        ]
        for name in NAMES
    }
    assert classes == {"PreTrainedTokenizerFast"}
