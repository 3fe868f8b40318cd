"""A metamorphic document of ours -> the tables of a run: the baseline, every transform, and the pairs between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from laya_sweep.documents.intake import (
    PUBLISHED,
    Imported,
    Names,
    applied_temperatures,
    recorded,
    recorded_thresholds,
    result_key,
    told_marks,
)
from laya_sweep.documents.measured import measured_rows
from laya_sweep.documents.metamorphic import COMPARISON, CarriedOver
from laya_sweep.documents.result_report import ResultReport
from laya_sweep.documents.shape import METAMORPHIC
from laya_sweep.domain.case import Case
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.thresholds import to_document
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.results.figures import metrics_table, summarise_result
from laya_sweep.store.case_table import cases_table
from laya_sweep.store.schemas import DECISIONS, PAIRS, VARIANTS
from laya_sweep.store.stored_run import REPORT_SCHEMA

#: What reading a document that is none ends in.
_NONE: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, pa.ArrowException)


def imported_metamorphic(document: Mapping[str, Any], name: str, sha256: str, names: Names) -> Imported:
    """The tables and the report of a document that `export --format laya-metamorphic` wrote.

    Raises:
        UsageError: it is none of ours.
    """
    try:
        return _Reading(document, sha256, names).run()
    except _NONE as error:
        expected, step = "a whole laya-metamorphic document of `export`", "export it again"
        got = f"{type(error).__name__}: {one_line(error)}"
        raise UsageError(Problem(f"published document {name}", expected, got, step)) from error


class _Reading:
    """One document, read."""

    def __init__(self, document: Mapping[str, Any], sha256: str, names: Names) -> None:
        self._document, self._sha256 = document, sha256
        self._key = result_key(document["config"], names)

    def run(self) -> Imported:
        """The run that it tells."""
        cases, answers = self._cases(), [*self._answers()]
        decisions = [decision for decision, _, _ in answers]
        tables = {
            "cases": cases_table(cases.values()),
            "decisions": pa.Table.from_pylist(decisions, schema=DECISIONS),
            "variants": pa.Table.from_pylist([shown for _, shown, _ in answers], schema=VARIANTS),
            "pairs": pa.Table.from_pylist([pair for *_, pair in answers if pair is not None], schema=PAIRS),
        }
        asked, figures, reports, marks = [*self._document["config"]["langs"]], [], [], list[dict[str, Any]]()
        thresholds = recorded_thresholds(self._document["config"], tables["decisions"])
        for told in self._document["results"]:
            key = self._key._replace(transform=told["transform"])
            own = [row for row in decisions if row["transform"] == key.transform]
            own.sort(key=lambda row: str(row["language"]))
            table = pa.Table.from_pylist(own, schema=DECISIONS)
            rows = [*summarise_result(table, asked, thresholds), *measured_rows(told)]
            marks += told_marks(told, key)
            figures += [(key, row) for row in rows]
            reports.append(_report(key, asked, told, table, rows))
        rest = {name: value for name, value in self._document.items() if name != "cases"}
        config = {
            **recorded(self._document["config"], [*cases.values()]),
            "languages": {code: {} for code in asked},
            "min_confidence": [to_document(value) for value in thresholds],
            "imported": {"format": METAMORPHIC, "sha256": self._sha256, "document": rest},
        }
        report = {"schema": REPORT_SCHEMA, "config": config, "results": [own.document() for own in reports]}
        return Imported(tables | {"metrics": metrics_table(figures)}, report, reports, tuple(marks))

    def _cases(self) -> dict[tuple[str, str], Case]:
        """The rows of the input; those of their questions that no transform applies to are not told."""
        found: dict[tuple[str, str], Case] = {}
        for told in self._document["cases"]:
            own = found.setdefault((told["lang"], told["case_id"]), _case(told))
            own.questions.update(told["questions"])
            own.expected.update(_expected(told))
        return found

    def _answers(self) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]]:
        """Decision, how it was shown, and its pair, of every variant."""
        for told in self._document["cases"]:
            [(qid, question)] = told["questions"].items()
            place = {
                "language": told["lang"],
                "case_id": told["case_id"],
                "question": qid,
                "question_type": question["type"],
            }
            before: dict[str, Any] | None = None
            for variant in told["variants"]:
                own = place | {"transform": variant["kind"], "variant": variant["variant"]}
                decision = self._decision(told, variant, own)
                before = decision if before is None else before
                pair = None if "comparison" not in variant else _pair(before, decision, variant)
                yield decision, _shown(told, variant, own), pair

    def _decision(self, told: Mapping[str, Any], variant: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
        gold, p = told["gold_index"], variant["probabilities"]
        return {
            **dict.fromkeys(DECISIONS.names),
            **self._key._asdict(),
            **own,
            "model": variant.get("model", self._key.checkpoint),
            "cell_key": f"{PUBLISHED}:{self._sha256}",
            "source_id": told["source_id"],
            "row_index": told["index"],
            "tags": told["tags"],
            "n_options": len(told["options"]),
            "options": told["options"],
            "probabilities": p,
            "p_pred": p[variant["pred_index"]],
            "p_gold": None if gold is None else p[gold],
            "gold_index": gold,
            "gold_label": None if gold is None else told["options"][gold],
            "pred_index": variant["pred_index"],
            "pred_label": variant["pred_label"],
            "answer_confidence": variant["confidence"],
            "correct": variant["correct"],
            **{name: variant[name] for name in CarriedOver.DECISION},
        }


def _case(told: Mapping[str, Any]) -> Case:
    return Case(
        case_id=told["case_id"],
        source_id=told["source_id"],
        row_index=told["index"],
        language=told["lang"],
        state=told["state"],
        questions=dict(told["questions"]),
        expected=_expected(told),
        input_sha256=told["input_sha256"],
        tags=tuple(told["tags"]),
        model=told.get("asked_model"),
    )


def _expected(told: Mapping[str, Any]) -> dict[str, Any]:
    return dict.fromkeys(told["questions"], told["expected"]) if told["expected"] is not None else {}


def _shown(told: Mapping[str, Any], variant: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    keys = variant["presented_options"]
    return {
        **{name: value for name, value in own.items() if name in VARIANTS.names},
        "presented_keys": keys,
        "canonical_to_transformed": [variant["canonical_to_transformed"][label] for label in told["options"]],
        "transformed_to_canonical": [variant["transformed_to_canonical"][key] for key in keys],
        "canonical_indices": variant["canonical_indices"],
    }


def _pair(before: Mapping[str, Any], after: Mapping[str, Any], variant: Mapping[str, Any]) -> dict[str, Any]:
    answers = ("pred_index", "pred_label", "correct")
    return {
        **{name: value for name, value in after.items() if name in PAIRS.names},
        "baseline_cell_key": before["cell_key"],
        **{f"baseline_{name}": before[name] for name in answers},
        **{f"variant_{name}": after[name] for name in answers},
        **{column: variant["comparison"][name] for name, column in COMPARISON.items()},
        "absolute_confidence_drift": abs(variant["comparison"]["confidence_drift"]),
        **{name: variant[name] for name in CarriedOver.PAIR},
    }


def _report(
    key: ResultKey, asked: list[str], told: Mapping[str, Any], decisions: pa.Table, rows: list[Any]
) -> ResultReport:
    ran = [*dict.fromkeys(decisions["language"].to_pylist())]
    failed = {code: "the document has no cases of it" for code in asked if code not in ran} | told["failed"]
    return ResultReport(
        **key._asdict(),
        asked=tuple(asked),
        failed=failed,
        errored=tuple(told["errored"]),
        not_applicable=tuple(told["not_applicable"]),
        temperatures={code: applied_temperatures(decisions, code) for code in ran},
        rows=tuple(rows),
        served=told["served"],
    )
