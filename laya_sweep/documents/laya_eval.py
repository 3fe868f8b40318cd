"""Export of one result as the published 51-language document: config, report, cases, summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from laya_sweep.documents.imported_document import imported_document
from laya_sweep.documents.language_table import MACROS, PARTIAL, Figure, LanguageTable, language_table
from laya_sweep.documents.measured import measured
from laya_sweep.documents.published_case import input_digests, published_cases
from laya_sweep.documents.published_figures import METRICS, PublishedFigures, published_figures
from laya_sweep.documents.recorded_regime import recorded_regime
from laya_sweep.documents.revisions import model_revisions, source_revision
from laya_sweep.documents.shape import LAYA_EVAL
from laya_sweep.documents.shown import as_shown, shown_answers
from laya_sweep.domain.settings import BASELINE
from laya_sweep.results.timing import model_seconds
from laya_sweep.store.stored_run import StoredResult

#: Decimals of the published figures.
FIGURE_DECIMALS = 4

#: What a report.json says of the input and of how it was asked, under the same names here.
_SAME_NAME = ("dataset_sha256", "questions_sha256", "narrowing", "min_confidence")


def laya_eval_document(result: StoredResult) -> dict[str, Any]:
    """The published document of a result; of an imported one the document it came from, with re-derived figures.

    Options stand in the order shown, and under the names shown; of a narrowed question those that were kept.

    Raises:
        UsageError: the result has questions that this shape cannot hold, or was imported from another shape.
    """
    published = imported_document(result, LAYA_EVAL)
    if published is not None and not result.run.has("decisions"):
        return published
    shown = shown_answers(result)
    cases = published_cases(result, shown)
    figures = published_figures(as_shown(result.decisions, shown), result.asked)
    if published is not None:
        return _imported(published, figures, cases)
    document = {
        "config": laya_eval_config(result),
        "report": _report(figures, input_digests(cases)),
        "cases": cases,
        "summary": _summary(result, figures),
    }
    document |= measured(result) | ({"failed": result.failed} if result.failed else {})
    return document | ({"errored": errored} if (errored := result.document.get("errored")) else {})


def result_table(result: StoredResult) -> LanguageTable:
    """A result's figures by language, for verification against a published document: unrounded where there are
    decisions, else those of the document that the run was imported from.

    Raises:
        UsageError: as `laya_eval_document`.
    """
    run = result.run
    if not run.has("decisions"):
        own = run.config["imported"]
        return language_table(own["document"], run.folder, "candidate", own.get("model"), own.get("branch"))
    shown = shown_answers(result)
    figures = published_figures(as_shown(result.decisions, shown), result.asked)
    digests = input_digests(published_cases(result, shown))
    languages: dict[str, dict[str, Figure]] = {
        code: {**own, "input_sha256": digests.get(code)} for code, own in figures.languages.items()
    }
    means = _means(result, figures)
    return LanguageTable(str(result.key), languages, result.failed, summary=means, narrowing=run.narrowing)


def _report(figures: PublishedFigures, digests: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    return {
        code: {**_rounded(own), "input_sha256": digests[code], "temperature": own["temperature"]}
        for code, own in figures.languages.items()
    }


def _rounded(own: Mapping[str, float | int | None]) -> dict[str, Any]:
    rounded = {name: _round(own[name]) for name in METRICS}
    return {"n": own["n"], **rounded}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, FIGURE_DECIMALS)


def _summary(result: StoredResult, figures: PublishedFigures) -> dict[str, Any]:
    return {
        "languages": len(figures.languages),
        "asked": len(result.asked),
        "complete": not result.failed,
        **{name: _round(value) for name, value in _means(result, figures).items()},
        "seconds": round(model_seconds(result.timings), 1),
    }


def _means(result: StoredResult, figures: PublishedFigures) -> dict[str, float | None]:
    """Macro means; over fewer languages than asked for they are no macro, and say so in their names."""
    means, suffix = (figures.partial, PARTIAL) if result.failed else (figures.macro, "")
    return {name + suffix: means.get(metric) for name, metric in MACROS.items()}


def laya_eval_config(result: StoredResult) -> dict[str, Any]:
    """Names as published; keys that a run of ours knows and the published one does not stand last.

    What a labelled file has no word for (how it was sampled) is None.
    """
    config, checkpoint = result.run.config, result.run.config["checkpoints"][result.checkpoint]
    dataset, versions = config["dataset"], config["library_versions"]
    return {
        "model": checkpoint["source"],
        **model_revisions(checkpoint),
        "dataset_revision": _dataset_revision(config),
        **_provenance(result),
        "subfolder": checkpoint["subfolder"],
        "device": config["device"],
        "max_len": checkpoint["max_len"],
        "head_max_len": checkpoint["head_max_len"],
        "dataset": dataset["path"] or dataset.get("repo") or dataset["name"],
        "split": dataset.get("split"),
        "per_lang": dataset.get("per_lang"),
        "n_opts": dataset.get("n_opts"),
        "seed": dataset.get("seed"),
        "instructions": dataset.get("instructions"),
        "temperatures": _temperatures(result),
        "laya_version": versions["laya"],
        "laya_sweep_version": versions["laya-sweep"],
        "checkpoint": result.checkpoint,
        **_routes(result),
        "regime": result.regime,
        "transform": result.transform,
        "sampling": dataset.get("sampling"),
        **({"rounding": "runtime"} if result.run.rounding == "runtime" else {}),
        **_transforms(result),
        **recorded_marks(result),
        **{name: config[name] for name in _SAME_NAME if name in config},
    }


def recorded_marks(result: StoredResult) -> dict[str, Any]:
    """Whether the runtime serves the regime, and which abstention marks were shown to be its own, where known."""
    names = ("min_confidence", "min_confidence_sent", "reason")
    marks = [
        {name: entry[name] for name in names if name in entry}
        for entry in result.run.marks
        if all(entry.get(name) == value for name, value in result.key._asdict().items())
    ]
    served = result.document.get("served")
    return ({} if served is None else {"served": served}) | ({"marks": marks} if marks else {})


def _transforms(result: StoredResult) -> dict[str, Any]:
    """How the transform of the result was set; the baseline has nothing to set."""
    known = result.run.config.get("transforms", {})
    own = {name: known[name] for name in (result.transform,) if name in known and name != BASELINE}
    return {"transforms": own} if own else {}


def _routes(result: StoredResult) -> dict[str, Any]:
    """Of a routed checkpoint what each that answered was loaded from."""
    names = ("source", "subfolder", "commit", "max_len", "head_max_len")
    routes = result.routes
    if routes is None:
        return {}
    return {"routes": {model: {name: own[name] for name in names} for model, own in routes.items()}}


def _temperatures(result: StoredResult) -> dict[str, Any]:
    """Temperatures in force by bucket: those that the checkpoint ships of its own, as published; else every bucket.

    Of a routed checkpoint such a map for each that answered.
    """
    rows = [row for row in result.run.table("checkpoints").to_pylist() if row["checkpoint"] == result.checkpoint]
    if result.routes is None:
        return _in_force(result, rows)
    return {model: _in_force(result, [row for row in rows if row["model"] == model]) for model in result.routes}


def _in_force(result: StoredResult, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    regime = recorded_regime(result)
    if regime["kind"] in ("unit", "fixed"):
        value = 1.0 if regime["kind"] == "unit" else regime["temperature"]
        return {row["bucket"]: value for row in rows}
    if regime["kind"] == "map":
        return dict(sorted(_applied(result, {row["model"] for row in rows})))
    column = "temperature_raw" if regime["kind"] == "raw" else "temperature_served"
    return {row["bucket"]: row[column] for row in rows if row["temperature_source"] == row["bucket"]}


def _applied(result: StoredResult, models: set[str]) -> set[tuple[str, float]]:
    """Temperatures of a map by where they came from, as they stand on the decisions of some who answered."""
    columns = (result.decisions[name].to_pylist() for name in ("model", "temperature_source", "temperature"))
    return {(source, value) for model, source, value in zip(*columns, strict=True) if model in models}


def _dataset_revision(config: Mapping[str, Any]) -> str | None:
    """The one commit that the rows of all languages came from; None for a folder."""
    commits = {(language.get("source") or {}).get("commit") for language in config["languages"].values()}
    return commits.pop() if len(commits) == 1 else None


def _provenance(result: StoredResult) -> dict[str, Any]:
    """When and where, for a run that still has its provenance."""
    provenance = result.run.provenance
    if not provenance:
        return {}
    source = source_revision(result)
    return {**source, "run_at_utc": provenance.get("finished_at"), "environment": provenance.get("environment")}


def _imported(published: dict[str, Any], figures: PublishedFigures, cases: list[dict[str, Any]]) -> dict[str, Any]:
    """The published document again: its config as it stood, its figures re-derived from the tables."""
    digests = input_digests(cases)
    known = {code: {**own, "input_sha256": digests[code]} for code, own in _report(figures, digests).items()}
    report = {
        code: entry | {name: known[code][name] for name in entry if name in known.get(code, {})}
        for code, entry in published["report"].items()
    }
    own = {"report": report, "cases": cases}
    document: dict[str, Any] = {}
    for name, value in published.items():  # cases behind the report, as every such document has them
        document |= own if name == "report" else {name: value}
    if "summary" in published:
        means: dict[str, float | None] = {"languages": len(figures.languages)}
        means |= {name: _round(figures.macro[metric]) for name, metric in MACROS.items() if metric in figures.macro}
        summary = published["summary"]
        document["summary"] = summary | {name: value for name, value in means.items() if name in summary}
    return document
