"""A loaded checkpoint as a scorer, and the documented example, on a bundled checkpoint."""

import contextlib
import io
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from runtime_agents import demo_agent

from laya_sweep.metamorphic import Input, MetamorphicCase, evaluate_variants, model_scorer, permute_options

DOCUMENT = Path(__file__).parents[2] / "docs" / "metamorphic.md"
CRITERIA = {"alarm_set": "alarm: set", "music_play": "music: play", "weather_query": "weather: query"}
QUESTION = {"type": "choice", "instructions": "What is the user asking for in `utterance`?", "criteria": CRITERIA}
TEXTS = ("wake me at seven", "play some jazz", "will it rain tomorrow, and if so should I take the tram to work?")


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    return demo_agent(tmp_path_factory.mktemp("agent"))


def inputs(question=QUESTION):
    return [Input({"utterance": text}, {"intent": question}) for text in TEXTS]


@pytest.mark.parametrize("question", [QUESTION, {**QUESTION, "option_order": [2, 0, 1]}], ids=["plain", "ordered"])
def test_its_probabilities_are_the_public_ones_before_rounding(agent, question):
    found = model_scorer(agent)(inputs(question))
    for one, probabilities in zip(inputs(question), found, strict=True):
        answer = agent.predict(one.state, one.questions)["answers"]["intent"]
        assert probabilities.tolist() == pytest.approx([*answer["probabilities"].values()], abs=1e-4)
        assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)


def test_a_batch_never_changes_a_probability(agent):
    scorer = model_scorer(agent)
    together = scorer(inputs())
    assert all((scorer([one])[0] == row).all() for one, row in zip(inputs(), together, strict=True))


def test_a_temperature_of_ones_own_replaces_the_agents(agent):
    served, flat = model_scorer(agent)(inputs())[0], model_scorer(agent, temperature=100.0)(inputs())[0]
    assert flat.max() < served.max()
    assert flat.argmax() == served.argmax()
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="`temperature`"):
            model_scorer(agent, temperature=wrong)


def test_a_model_in_training_is_refused(agent):
    agent.model.train()
    try:
        with pytest.raises(ValueError, match=r"agent\.model\.eval\(\)"):
            model_scorer(agent)
    finally:
        agent.model.eval()


def test_a_variant_is_asked_as_it_is_shown(agent):
    case = MetamorphicCase(inputs()[0].state, inputs()[0].questions, 0)
    variant = permute_options(case, 3)
    results = evaluate_variants(agent, case, [variant])
    answer = agent.predict(variant.state, variant.questions)["answers"]["intent"]["probabilities"]
    own = dict(zip(case.canonical_keys, results.variants[0].probabilities, strict=True))
    assert own == pytest.approx(answer, abs=1e-4)
    assert results.variants[0].label == max(own, key=own.get)


def test_the_documented_example_runs():
    blocks = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.M | re.S)
    said, names = io.StringIO(), {}
    with contextlib.redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for block in blocks:
            exec(block, names)
    lines = said.getvalue().splitlines()
    assert len(blocks) == 3
    assert all(0.0 <= float(line) <= 1.0 for line in lines[:2])
    assert lines[2].endswith("{'A': 'alarm_set', 'B': 'music_play', 'C': 'weather_query'}")
    assert lines[3].split()[0] in CRITERIA
    first_kept = names["variants"][0].canonical_indices[0] == 0
    assert lines[4] == f"{float(first_kept)} 1.0"
    assert np.isfinite(names["report"]["overall"]["mean_js_divergence"])
