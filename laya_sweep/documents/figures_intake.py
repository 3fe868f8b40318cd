"""A document without cases -> a run that holds its figures: comparable and gateable, and not to be derived again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from laya_sweep.documents.intake import Imported, Names, result_key
from laya_sweep.documents.language_table import has_languages
from laya_sweep.documents.result_report import ResultReport, is_report
from laya_sweep.documents.scorecards import scorecard_of
from laya_sweep.documents.shape import LANGUAGE_TABLE, LAYA_EVAL, LAYA_EVALS
from laya_sweep.domain.identity import library_versions
from laya_sweep.domain.slices import OVERALL, SlicePlace
from laya_sweep.domain.tolerance import finite_number
from laya_sweep.errors import Problem, UsageError
from laya_sweep.gates.scorecard import Count, FigureKey, Scorecard
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.metrics.selective import COVERAGE_METRIC_DEFINITION
from laya_sweep.results.figures import metrics_table
from laya_sweep.store.stored_run import REPORT_SCHEMA, StoredResult

#: How an absent language is named on a scorecard.
_ABSENT = "language "


def imported_figures(
    document: Mapping[str, Any], name: str, sha256: str, names: Names, chosen: Mapping[str, str | None]
) -> Imported:
    """Metrics and report of a document that tells figures by language, or of an upstream report.

    Args:
        document: the value of the file.
        name: of the file, in complaints.
        sha256: of the file.
        names: what its result is called.
        chosen: `model` and `branch`, in the shapes that hold several.

    Raises:
        UsageError: it is of no shape that is imported, or `scorecard_of` refuses it.
    """
    shape = _shape(document, name)
    card = scorecard_of(document, name, **chosen)
    config = document.get("config")
    key = result_key(_named(config if isinstance(config, Mapping) else {}, chosen), names)
    rows = [*_rows(card)]
    languages = [*card.slices.get("language", {})]
    failed = {what.removeprefix(_ABSENT): why for what, why in card.absent.items() if what.startswith(_ABSENT)}
    result = ResultReport(
        **key._asdict(),
        asked=(*languages, *failed),
        failed=failed,
        temperatures={code: {} for code in languages},
        rows=tuple(rows),
    )
    own = {"format": shape, "sha256": sha256, "document": document, **chosen}
    known = {key: value for key, value in card.identity.items() if key in ("dataset_sha256", "questions_sha256")}
    report = {
        "schema": REPORT_SCHEMA,
        "config": {
            "library_versions": library_versions(("laya-sweep",)),
            **known,
            "languages": {code: {} for code in result.asked},
            "imported": own,
        },
        "results": [result.document()],
    }
    return Imported({"metrics": metrics_table((key, row) for row in rows)}, report, [result])


def document_scorecard(result: StoredResult) -> Scorecard:
    """The scorecard of a run without decisions: that of the document which it was imported from."""
    own = result.run.config["imported"]
    name = f"run {result.run.folder}"
    return scorecard_of(own["document"], name, name=name, model=own.get("model"), branch=own.get("branch"))


def _shape(document: Mapping[str, Any], name: str) -> str:
    if has_languages(document):
        return LAYA_EVAL if "report" in document else LANGUAGE_TABLE
    if "overall" in document and not is_report(document):
        return LAYA_EVALS
    expected = "a document that laya-eval, laya-evals or `export` wrote"
    got = "the report.json of a run" if is_report(document) else "another document"
    step = "name the run's folder where it is wanted" if is_report(document) else "name another file"
    raise UsageError(Problem(f"published document {name}", expected, got, step))


def _named(config: Mapping[str, Any], chosen: Mapping[str, str | None]) -> dict[str, Any]:
    """The names of a document; one of several models or branches is named by what chose it."""
    found = {"checkpoint": chosen["model"], "regime": chosen["branch"]}
    return dict(config) | {name: value for name, value in found.items() if value is not None}


def _rows(card: Scorecard) -> Iterator[MetricRow]:
    """Every figure of a card; `n` is 0 where the document does not say over how many answers it is."""
    yield from (_row(card, OVERALL, metric, value) for metric, value in card.overall.items())
    for dimension, groups in card.slices.items():
        for value, figures in groups.items():
            place = SlicePlace(dimension, value)
            yield from (_row(card, place, metric, figure) for metric, figure in figures.items())


def _row(card: Scorecard, place: SlicePlace, metric: str, value: float) -> MetricRow:
    number = finite_number(value)
    return MetricRow(
        slice_dimension=place.dimension,
        slice_value=place.value,
        min_confidence=None,
        metric=metric,
        definition=COVERAGE_METRIC_DEFINITION,
        value=number,
        n=card.counts.get(FigureKey(*place, metric), Count(0)).scored,
        n_clusters=0,
        low=None,
        high=None,
        reason=None if number is not None else f"the document has {value}",
    )
