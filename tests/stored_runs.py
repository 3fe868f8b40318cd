"""Run folders made in a moment, with all three question types, without a model: for what reads finished runs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.bucket import BUCKETS
from laya_sweep.domain.case import Draft, canonical_rows_digest, freeze
from laya_sweep.domain.fingerprint import questions_fingerprint
from laya_sweep.domain.question import target_of
from laya_sweep.domain.regime import BucketTemperature, Regime
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.files.atomic import write_json
from laya_sweep.results.figures import metrics_table, summarise_result
from laya_sweep.scoring.decision import Place, ScoredCell, decide
from laya_sweep.store.case_table import cases_table
from laya_sweep.store.run_folder import write_tables
from laya_sweep.store.schemas import CHECKPOINTS, DECISIONS, LOGITS, RUN_TIMINGS
from laya_sweep.store.stored_run import REPORT_SCHEMA, StoredRun

REGIMES = (Regime("served", "served"), Regime("raw", "raw"))

#: What a served regime applies, and a raw one: a shipped 0.1 is clamped.
TEMPERATURES = {
    bucket: BucketTemperature(raw, max(0.5, raw), bucket)
    for bucket, raw in zip(BUCKETS, (1.0, 1.3, 0.8, 0.1, 1.7, 0.9, 1.1, 1.0, 1.4, 1.0, 1.0, 1.0), strict=True)
}


def random_question(rng):
    """A question in the runtime's form and a right answer to it."""
    kind = rng.choice(["choice", "score", "noul"])
    question = {"type": str(kind), "instructions": "What is it about ünïcode?"}
    if kind == "noul":
        return question, bool(rng.random() < 0.5)
    count = int(rng.integers(2, 14))
    if kind == "score":
        levels = [f"level text {i}" if i % 2 else {"at least": i} for i in range(count)]
        return {**question, "criteria": levels}, round(float(rng.uniform(0, count - 1)), 2)
    labels = [f"label {i}" for i in range(count)]
    criteria = {label: f"about {label}" for label in labels} if rng.random() < 0.7 else labels
    return {**question, "criteria": criteria}, str(rng.choice(labels))


def option_count(question):
    return 2 if question["type"] == "noul" else len(question["criteria"])


def random_logits(rng, count):
    """Logits of one question: a few are ties, many are confident."""
    logits = rng.normal(0, rng.choice([0.2, 2.0, 8.0]), count).astype(np.float32)
    return np.round(logits, 0) if rng.random() < 0.1 else logits


def drafts(rng, language, count):
    """Cases with one to three questions; some questions have no expected answer."""
    for index in range(count):
        questions, expected = {}, {}
        for qid in [f"q{i}" for i in range(int(rng.integers(1, 4)))]:
            questions[qid], expected[qid] = random_question(rng)
        if len(expected) > 1 and rng.random() < 0.3:
            expected.pop("q0")
        yield Draft(
            source_id=str(index),
            row_index=index,
            language=language,
            state={"text": f"{language} {index}"},
            questions=questions,
            expected=expected,
        )


def choice_drafts(language, count, options=12):
    """Cases with one labelled choice question, as intent suites have them."""
    labels = [f"intent_{i}" for i in range(options)]
    question = {"type": "choice", "instructions": "Which?", "criteria": {label: label[7:] for label in labels}}
    for index in range(count):
        yield Draft(
            source_id=str(index),
            row_index=index,
            language=language,
            state={"utterance": f"{language} {index}"},
            questions={"intent": question},
            expected={"intent": labels[index % options]},
        )


def fact_rows(rng, cases, language):
    for case in cases:
        for qid, question in case.questions.items():
            count = option_count(question)
            yield {
                **dict.fromkeys(LOGITS.names),
                "checkpoint": "mine",
                "cell_key": f"cell of {language}",
                "language": language,
                "transform": "baseline",
                "case_id": case.case_id,
                "variant": "baseline",
                "question": qid,
                "question_type": question["type"],
                "n_options": count,
                "logits": random_logits(rng, count).tolist(),
                "presented_order": rng.permutation(count).tolist(),
                "act_probability": float(np.float32(rng.random())),
                "status": "ok",
            }


def timing_rows(facts):
    keys = RUN_TIMINGS.names[:7]
    for i, fact in enumerate(facts):
        own = {"call_ms": 8.0 + i // 4, "forward_ms": 4.0, "batch_rows": 4, "padded_len": 32}
        own |= {"device": "cpu", "threads": 1, "node": "n1", "attempts": 1}
        yield {name: fact[name] for name in keys} | own


def checkpoint_rows():
    for bucket, entry in TEMPERATURES.items():
        yield {
            "checkpoint": "mine",
            "model": "mine",
            "source": "org/mine",
            "digest": "d" * 64,
            "weights_sha256": "e" * 64,
            "engine": "torch",
            "max_len": 512,
            "head_max_len": 192,
            "question_type": bucket.split(":")[0],
            "bucket": bucket,
            "temperature_raw": entry.raw,
            "temperature_served": entry.served,
            "temperature_source": entry.source,
        }


def score(cases, facts, regime, rounding="exact"):
    cell = ScoredCell(
        checkpoint="mine",
        temperatures=TEMPERATURES,
        places={case.case_id: Place(case.source_id, case.row_index, case.tags) for case in cases},
        targets={
            (case.case_id, qid): target_of(question, case.expected.get(qid))
            for case in cases
            for qid, question in case.questions.items()
        },
    )
    return decide(pa.Table.from_pylist(facts, schema=LOGITS), cell, regime, DECISIONS, rounding)


def config(languages, min_confidence, cases, rounding="exact"):
    return {
        "dataset_sha256": canonical_rows_digest(cases),
        "questions_sha256": questions_fingerprint(cases),
        "library_versions": {"laya-sweep": "0.1.0", "laya": "0.4.15"},
        "dataset": {
            "name": "massive",
            "path": None,
            "repo": "org/massive",
            "split": "test",
            "per_lang": 100,
            "n_opts": 12,
            "seed": 13,
            "sampling": "published",
            "instructions": "Which?",
        },
        "languages": {code: {"source": {"commit": "c" * 40}} for code in languages},
        "checkpoints": {
            "mine": {
                "source": "org/mine",
                "subfolder": None,
                "commit": "f" * 40,
                "digests": {"weights": "e" * 64},
                "max_len": 512,
                "head_max_len": 192,
            }
        },
        "regimes": {regime.name: {"kind": regime.kind, "temperature": None} for regime in REGIMES},
        "min_confidence": list(min_confidence),
        "metrics": {"rounding": rounding, "score_within": []},
        "device": "cpu",
    }


def write_run(folder, per_language, *, seed=0, asked=None, failed=None, min_confidence=(0.0, 0.5), rounding="exact"):
    """A run folder over `per_language`: language -> drafts; `failed` languages have a reason instead."""
    rng = np.random.default_rng(seed)
    cases = {code: freeze(own) for code, own in per_language.items()}
    facts = {code: [*fact_rows(rng, own, code)] for code, own in cases.items()}
    every = [fact for code in cases for fact in facts[code]]
    languages = [*(asked or cases)]
    decisions, rows, results = [], [], []
    for regime in REGIMES:
        own = pa.concat_tables([score(cases[code], facts[code], regime, rounding) for code in sorted(cases)])
        key = ResultKey("mine", "baseline", regime.name)
        figures = summarise_result(own, languages, ())
        temperatures = {code: {"served": 0.5} for code in cases}
        report = ResultReport(
            **key._asdict(), asked=tuple(languages), failed=failed or {}, temperatures=temperatures, rows=tuple(figures)
        )
        decisions.append(own)
        rows += [(key, row) for row in figures]
        results.append(report.document())
    tables = {
        "cases": cases_table(case for code in cases for case in cases[code]),
        "checkpoints": pa.Table.from_pylist([*checkpoint_rows()], schema=CHECKPOINTS),
        "logits": pa.Table.from_pylist(every, schema=LOGITS),
        "timings": pa.Table.from_pylist([*timing_rows(every)], schema=RUN_TIMINGS),
        "decisions": pa.concat_tables(decisions),
        "metrics": metrics_table(rows),
    }
    folder.mkdir(parents=True)
    write_tables(folder, tables)
    every_case = [case for own in cases.values() for case in own]
    document = {
        "schema": REPORT_SCHEMA,
        "config": config(languages, min_confidence, every_case, rounding),
        "results": results,
    }
    write_json(folder / "report.json", document)
    return StoredRun.open(folder)
