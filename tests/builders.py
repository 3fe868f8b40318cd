"""Small stand-ins that several test files share: settings, folders on disk, a Hub double, rows of facts."""

import dataclasses
import gzip
import json
from pathlib import Path

import pyarrow as pa

from laya_sweep.domain.case import Draft, freeze
from laya_sweep.domain.settings import (
    CheckpointSettings,
    DatasetSettings,
    ExecutorSettings,
    GateSettings,
    RegimeSettings,
    Settings,
    StoreSettings,
    TransformSettings,
)
from laya_sweep.store.schemas import CALLS, FACTS, TIMINGS
from laya_sweep.suites.check_design import parse_design

CHECKPOINT_CONFIG = {
    "encoder": "mini",
    "max_len": 512,
    "head_max_len": 192,
    "temperature": [1.0, 1.0, 1.0],
    "temperature_by_options": {"choice:11+": 0.1006},
}
TOKENIZER_CONFIG = {"tokenizer_class": "PreTrainedTokenizerFast", "mask_token": "[MASK]"}

_CHECKPOINT = CheckpointSettings("mine", "somewhere/laya", None, None, None, None)
_DATASET = DatasetSettings("massive", None, "org/massive", None, "test", 100, 20, 13, "published")
_EXECUTOR = ExecutorSettings("inline", None, 1, 1, 0.0, 300.0, 3600.0, 3)


def checkpoint_settings(source, name="mine", **changes):
    return dataclasses.replace(_CHECKPOINT, source=str(source), name=name, **changes)


def dataset_settings(path=None, **changes):
    return dataclasses.replace(_DATASET, path=path, **changes)


def executor_settings(**changes):
    return dataclasses.replace(_EXECUTOR, **changes)


def make_settings(**changes):
    settings = Settings(
        checkpoints=(_CHECKPOINT,),
        languages=("en",),
        regimes=(RegimeSettings("served", "served", None),),
        transforms=(TransformSettings("baseline"),),
        min_confidence=(0.0,),
        dataset=_DATASET,
        executor=_EXECUTOR,
        store=StoreSettings(Path("store")),
        gate=GateSettings(),
        baseline=None,
        on_error="fail",
        out_dir=None,
        batch_tokens=4096,
        batch_size=None,
        shard_cases=64,
        dry_run=False,
    )
    return dataclasses.replace(settings, **changes)


def write_checkpoint(folder, config=None, tokenizer_config=None, weights=b"weights"):
    """A folder in the shape of a checkpoint; nothing in it can be loaded."""
    (folder / "tokenizer").mkdir(parents=True, exist_ok=True)
    (folder / "encoder").mkdir(exist_ok=True)
    (folder / "rl_agent_config.json").write_text(json.dumps(CHECKPOINT_CONFIG if config is None else config))
    (folder / "model.safetensors").write_bytes(weights)
    (folder / "encoder" / "config.json").write_text('{"hidden_size": 8}')
    (folder / "tokenizer" / "tokenizer.json").write_text('{"version": "1.0"}')
    shown = TOKENIZER_CONFIG if tokenizer_config is None else tokenizer_config
    (folder / "tokenizer" / "tokenizer_config.json").write_text(json.dumps(shown))
    return folder


def language_rows(count, labels=("alarm_set", "music_play", "weather.query")):
    return [
        {"id": str(100 + i), "text": f"text {i}", "label": i, "label_text": labels[i % len(labels)]}
        for i in range(count)
    ]


def write_language(root, code, rows, split="test"):
    """A language's file in the layout of the dataset; returns its path."""
    path = root / "data" / code / f"{split}.jsonl.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    return path


class HubDouble:
    """A Hub that counts its calls and serves one folder and one list of rows."""

    def __init__(self, folder=None, rows=()):
        self.folder = folder
        self.served = list(rows)
        self.resolved = []
        self.downloaded = []
        self.asked = []

    def resolve(self, repo, revision, kind):
        self.resolved.append((repo, revision, kind))
        return f"commit-of-{repo}-{revision}"

    def download(self, repo, commit, patterns):
        self.downloaded.append((repo, commit, tuple(patterns)))
        return self.folder

    def rows(self, repo, commit, config, split):
        self.asked.append((repo, commit, config, split))
        return self.served


class NoHub:
    """A Hub that must not be asked."""

    def resolve(self, repo, revision, kind):
        raise AssertionError(f"the Hub was asked for {kind} {repo}")


def make_cases(count, language="en", options=("alarm_set", "music_play", "weather.query")):
    """Frozen cases with one choice question `intent` each; the gold label goes round."""
    question = {"type": "choice", "instructions": "Which?", "criteria": {label: label for label in options}}
    return freeze(
        Draft(
            source_id=str(i),
            row_index=i,
            language=language,
            state={"utterance": f"text {i}"},
            questions={"intent": question},
            expected={"intent": options[i % len(options)]},
        )
        for i in range(count)
    )


NOUL = {"q": {"type": "noul", "instructions": "Is it?"}}


def state_cases(states, questions=None, language="en", model=None):
    """Frozen cases of any states, all asked the same; `model` is what each row asks for."""
    return freeze(
        Draft(f"s{i}", i, language, state, questions or NOUL, {}, model=model[i] if model else None)
        for i, state in enumerate(states)
    )


def fact_row(case_id, logits=(1.0, 0.0, -1.0), **changes):
    row = {
        "cell_key": "k" * 64,
        "language": "en",
        "transform": "baseline",
        "case_id": case_id,
        "variant": "baseline",
        "question": "intent",
        "question_type": "choice",
        "n_options": len(logits),
        "logits": [*logits],
        "presented_order": [*range(len(logits))],
        "act_probability": 0.5,
        "input_tokens": 20,
        "state_tokens": 8,
        "state_tokens_dropped": 0,
        "options_distinct": len(logits),
        "tokens_per_option": None,
        "status": "ok",
        "error_type": None,
        "error_message": None,
    }
    return {**row, **changes}


def error_row(case_id, **changes):
    """A row that failed: every number is null."""
    nothing = dict.fromkeys(
        (
            "logits",
            "presented_order",
            "act_probability",
            "input_tokens",
            "state_tokens",
            "state_tokens_dropped",
            "options_distinct",
            "tokens_per_option",
        )
    )
    failed = {"status": "error", "error_type": "EncodingError", "error_message": "does not fit"}
    return {**fact_row(case_id), **nothing, **failed, **changes}


def timing_row(case_id, call_ms=8.0, **changes):
    row = {name: fact_row(case_id)[name] for name in TIMINGS.names[:6]}
    own = {
        "call_ms": call_ms,
        "forward_ms": call_ms / 2,
        "batch_rows": 4,
        "padded_len": 32,
        "device": "cpu",
        "threads": 1,
        "node": "n1",
        "attempts": 1,
    }
    return {**row, **own, **changes}


def call_row(case_id, call="w-1", call_rows=4, call_ms=8.0, **changes):
    """One question in one call; `call_ms` None is a call that raised."""
    row = {name: fact_row(case_id)[name] for name in CALLS.names[:6]}
    own = {
        "call": call,
        "call_rows": call_rows,
        "call_ms": call_ms,
        "batch_size": None,
        "batch_tokens": 4096,
        "batch_form": "requests",
        "sort_by_length": False,
        "sort_by_length_sent": False,
    }
    return {**row, **own, **changes}


def facts_table(rows):
    return pa.Table.from_pylist(list(rows), schema=FACTS)


def calls_table(rows):
    return pa.Table.from_pylist(list(rows), schema=CALLS)


def timings_table(rows):
    return pa.Table.from_pylist(list(rows), schema=TIMINGS)


SLOT0 = {"instructions": "How urgent?", "texts": ["moderate", "a request"], "levels": [3, 4, 5]}
PERMUTED = {"instructions": "How urgent?", "levels": ["Not urgent", "Soon", "Work is blocked"]}


def design_document(checks=None, states=("all is well", "it burns"), languages=("en",), gates=None):
    """A document of presentation checks, small enough to compute by hand."""
    checks = {"score_slot0_identical": SLOT0, "score_first_slot_permuted": PERMUTED} if checks is None else checks
    own = {code: {"states": [*states], "checks": checks} for code in languages}
    return {"version": 1, "languages": own, "gates": gates or {}}


def design_of(checks=None, **changes):
    return parse_design(design_document(checks, **changes), "a document")


def presented_facts(language, logits_of):
    """Rows of facts for a `LanguageDesign`, and the states of their cases; `logits_of(question)` are the logits."""
    rows = [
        fact_row(f"{check} {state}", logits_of(question), question=qid, question_type=question["type"])
        for check, probes in language.probes.items()
        for probe in probes
        for qid, question in zip(probe.question_ids(check), probe.questions, strict=True)
        for state in range(len(language.states))
    ]
    return rows, {row["case_id"]: int(row["case_id"].split()[1]) for row in rows}
