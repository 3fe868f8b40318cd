"""Trains the two bundled checkpoints from the train rows of the bundled corpus.

    python -m training.train OUT [--only NAME] [--steps N] [--temperature-items N]

Deterministic: one thread and seeds of its own, so the same machine and versions give the same bytes.

Temperatures are fitted with the runtime's own `fit_temperature_map`, on the rows the model was trained on. It
knows those by heart, so the fit sharpens further than the runtime serves: the mistake that the runtime's clamp is
there for, made here in earnest, so that raw and served differ. Where every row is right, the likelihood has no
best temperature but zero, and the value is where the runtime's optimiser stops.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from laya.calibrate import MIN_BUCKET_N, fit_temperature_map
from laya.common import QTYPES, DecisionModel, collate_items
from laya.train import calibration_records, soft_ce_loss
from safetensors.torch import save_file
from transformers import AutoModel, AutoTokenizer, ModernBertConfig

from laya_sweep.demo.corpus import read_corpus
from laya_sweep.engines.memo_tokenizer import MemoTokenizer
from training.examples import HEAD_MAX_LEN, MAX_LEN, Example, Examples, tokenizer_texts
from training.hints import SMOOTHING, Hints
from training.tokenizer import CLS_ID, PAD_ID, SEP_ID, save_tokenizer, train_tokenizer

_LOG = logging.getLogger(__name__)
_CPU = torch.device("cpu")
_HIDDEN, _LAYERS, _HEADS = 64, 2, 2

#: Wider than ModernBERT's 0.02, which at this width leaves attention flat for hundreds of steps.
_INITIALIZER_RANGE = 0.1


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that shapes a checkpoint, the corpus apart.

    `temperature_items` is the least number of items that each temperature is fitted to; below the default, the
    runtime's own floor, it fits one a question type and none an option-count bucket.
    """

    name: str
    english_only: bool
    vocabulary: int
    steps: int
    batch: int
    seed: int
    learning_rate: float = 2e-3
    temperature_items: int = MIN_BUCKET_N


RECIPES = (
    Recipe("demo_english", english_only=True, vocabulary=1000, steps=600, batch=32, seed=1),
    Recipe("demo_multilingual", english_only=False, vocabulary=6000, steps=1500, batch=48, seed=2),
)


def train(recipe: Recipe, out: Path) -> dict[str, Any]:
    """Train one checkpoint into the folder `out`/`recipe.name`; returns its config as written."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(recipe.seed)
    rows = [row for row in read_corpus() if row.split == "train"]
    rows = [row for row in rows if row.language == "en" or not recipe.english_only]
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".training-", dir=out) as temporary:
        folder = Path(temporary)
        save_tokenizer(train_tokenizer(tokenizer_texts(rows), recipe.vocabulary), folder / "tokenizer")
        bare = AutoTokenizer.from_pretrained(folder / "tokenizer")
        tokenizer = MemoTokenizer(bare)
        model = _new_model(len(bare))
        examples = Examples(tokenizer, rows, recipe.seed)
        _fit(model, examples, recipe)
        _round_to_half(model)
        config = _config(recipe, _temperatures(model, tokenizer, examples, recipe))
        _save(model, config, folder)
        _publish(folder, out / recipe.name)
    return config


def _new_model(vocabulary: int) -> DecisionModel:
    encoder = ModernBertConfig(
        vocab_size=vocabulary,
        hidden_size=_HIDDEN,
        intermediate_size=2 * _HIDDEN,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        max_position_embeddings=MAX_LEN,
        layer_types=["full_attention"] * _LAYERS,
        initializer_range=_INITIALIZER_RANGE,
        pad_token_id=PAD_ID,
        bos_token_id=CLS_ID,
        cls_token_id=CLS_ID,
        eos_token_id=SEP_ID,
        sep_token_id=SEP_ID,
    )
    blank = AutoModel.from_config(encoder, attn_implementation="sdpa")  # type: ignore[no-untyped-call]
    model = DecisionModel(blank, head_layers=1, dropout=0.0)
    # Nothing here teaches when to act: an act probability of one half says so.
    torch.nn.init.zeros_(model.act_head[-1].weight)
    torch.nn.init.zeros_(model.act_head[-1].bias)
    return model


def _fit(model: DecisionModel, examples: Examples, recipe: Recipe) -> None:
    hints = Hints(model)
    parameters = [*model.parameters(), *hints.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=recipe.learning_rate, betas=(0.9, 0.99), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _pace(step, recipe.steps))
    batches = examples.batches(recipe.batch)
    model.train()
    for _ in range(recipe.steps):
        drawn = next(batches)
        loss = _loss(model, hints, drawn)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
    hints.remove()
    model.eval()


def _pace(step: int, steps: int) -> float:
    """A short warm-up, then half a cosine down to zero."""
    return min(1.0, (step + 1) / max(1, steps // 20)) * 0.5 * (1 + math.cos(math.pi * step / steps))


def _loss(model: DecisionModel, hints: Hints, drawn: Sequence[Example]) -> torch.Tensor:
    batch = collate_items([[example.encoded for example in drawn]], PAD_ID)
    inputs = ("input_ids", "attention_mask", "marker_pos", "marker_mask", "qtype")
    logits, _act = model(*(batch[name] for name in inputs))
    mask = batch["marker_mask"]
    even = mask / mask.sum(-1, keepdim=True)
    answered: torch.Tensor = soft_ce_loss(logits, (1 - SMOOTHING) * batch["target"] + SMOOTHING * even, mask)
    return answered + hints.loss(batch, drawn)


def _round_to_half(model: DecisionModel) -> None:
    """The weights as they will be stored: temperatures are fitted to the model that ships."""
    with torch.no_grad():
        for value in model.state_dict().values():
            value.copy_(value.half())


def _temperatures(model: DecisionModel, tokenizer: MemoTokenizer, examples: Examples, recipe: Recipe) -> dict[str, Any]:
    items = examples.for_temperatures(recipe.temperature_items)
    records = calibration_records(model, tokenizer, items, _CPU, MAX_LEN, HEAD_MAX_LEN, batch_size=64)
    fitted = fit_temperature_map(records)
    # The map itself holds clamped values; what the fit arrived at stands beside it.
    unclamped = {key: entry["fitted"] for key, entry in fitted["temperature_clamped"].items()}
    by_type = dict(zip(QTYPES, fitted["temperature"], strict=True)) | fitted["temperature_by_options"] | unclamped
    rounded = {key: float(f"{value:.4g}") for key, value in sorted(by_type.items())}
    return {
        "temperature": [rounded.pop(name) for name in QTYPES],
        "temperature_by_options": rounded,
    }


def _config(recipe: Recipe, temperatures: dict[str, Any]) -> dict[str, Any]:
    return {
        "encoder": recipe.name,
        "head_layers": 1,
        "act_costs": {"escalate": 1.0},
        "max_len": MAX_LEN,
        "head_max_len": HEAD_MAX_LEN,
        "amp_dtype": "bf16",
        **temperatures,
    }


def _save(model: DecisionModel, config: dict[str, Any], folder: Path) -> None:
    weights = {name: value.detach().half().contiguous() for name, value in model.state_dict().items()}
    save_file(weights, folder / "model.safetensors")
    model.encoder.config.save_pretrained(folder / "encoder")
    text = json.dumps(config, indent=2) + "\n"
    (folder / "rl_agent_config.json").write_text(text, encoding="utf-8", newline="\n")


def _publish(finished: Path, target: Path) -> None:
    """Move file by file, so that a reader never sees half a file."""
    for file in sorted(path for path in finished.rglob("*") if path.is_file()):
        place = target / file.relative_to(finished)
        place.parent.mkdir(parents=True, exist_ok=True)
        file.chmod(0o644)
        file.replace(place)


def _shortened(recipe: Recipe, steps: int | None, temperature_items: int | None) -> Recipe:
    return replace(recipe, steps=steps or recipe.steps, temperature_items=temperature_items or recipe.temperature_items)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the checkpoints into a folder; a line each on stdout."""
    parser = argparse.ArgumentParser(prog="python -m training.train", description="Train the two bundled checkpoints.")
    parser.add_argument("out", type=Path, help="folder that gets a folder a checkpoint")
    parser.add_argument("--only", choices=[recipe.name for recipe in RECIPES], help="train this one only")
    parser.add_argument("--steps", type=int, help="for a trial: so many steps in place of the recipe's")
    parser.add_argument("--temperature-items", type=int, help="for a trial: fit temperatures to fewer items")
    given = parser.parse_args(arguments)
    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stdout)
    for recipe in RECIPES:
        if given.only in (None, recipe.name):
            started = time.monotonic()
            config = train(_shortened(recipe, given.steps, given.temperature_items), given.out)
            seconds = time.monotonic() - started
            _LOG.info("%s: %.0f s, temperatures %s", recipe.name, seconds, config["temperature_by_options"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
