"""What figures are held against: `laya.common` alone, one row a forward, no padding, no code of the house."""

from __future__ import annotations

import atexit
import functools
import gzip
import json
import random
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

INSTRUCTIONS = "What is the user asking for in `utterance`?"


class Row(NamedTuple):
    """A row of the reference dataset with its published options: label -> text, in the order shown."""

    text: str
    gold: str
    criteria: dict[str, str]


def published_rows(shared, language, count):
    """The first rows of a language with the options of the published sampling."""
    path = shared / "data" / "amazon_massive_intent" / "data" / language / "test.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    labels = sorted({row["label_text"] for row in rows})
    rng = random.Random(13)
    found = []
    for row in rows[:count]:
        options = [row["label_text"], *rng.sample([label for label in labels if label != row["label_text"]], 19)]
        rng.shuffle(options)
        criteria = {label: label.replace("_", " ").replace(".", ": ") for label in options}
        found.append(Row(row["text"], row["label_text"], criteria))
    return found


@functools.cache
def load_agent(folder):
    """A checkpoint as the runtime loads it, from a copy: it rewrites a folder that it loads in place."""
    import laya
    import torch

    torch.set_num_threads(1)
    twin = Path(tempfile.mkdtemp()) / folder.name
    shutil.copytree(folder, twin, copy_function=shutil.copyfile)
    atexit.register(shutil.rmtree, twin.parent)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the english one ships a temperature below 0.5
        return laya.load(str(twin), device="cpu")


def choice_logits(agent, text, criteria):
    """float64[k]; raw logits in the order of the criteria."""
    import torch
    from laya.common import build_sequence, collate_items

    question = {"t": "choice", "ins": INSTRUCTIONS, "crit": criteria}
    ids, markers = build_sequence(
        agent.tok, {"utterance": text}, question, agent.cfg["max_len"], agent.cfg["head_max_len"]
    )
    batch = collate_items([[{"ids": ids, "markers": markers, "qtype": 0}]], agent.tok.pad_token_id)
    with torch.inference_mode():
        logits, _ = agent.model(
            batch["input_ids"], batch["attention_mask"], batch["marker_pos"], batch["marker_mask"], batch["qtype"]
        )
    return logits[0].double().numpy()


def choice_temperatures(agent, count):
    """Regime -> temperature of a choice of so many options."""
    from laya.common import temp_bucket

    bucket = temp_bucket(0, count)
    return {
        "served": agent.temperature_by_options.get(bucket, agent.temperature[0]),
        "raw": agent.temperature_by_options_raw.get(bucket, agent.temperature_raw[0]),
    }


def softmax(z):
    """Probabilities of logits."""
    weights = np.exp(z - z.max())
    return weights / weights.sum()


def plain_ece(confidence, correct):
    """15 equal-width bins, the first closed at 0."""
    edges = np.linspace(0, 1, 16)
    total = 0.0
    for i in range(15):
        inside = (confidence >= edges[i] if i == 0 else confidence > edges[i]) & (confidence <= edges[i + 1])
        if inside.any():
            total += inside.mean() * abs(confidence[inside].mean() - correct[inside].mean())
    return total
