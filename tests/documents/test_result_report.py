"""A result as a document and as Markdown: the macro only when complete, every cell in its column."""

import json

from laya_sweep.documents.result_report import ResultReport, report_scorecards
from laya_sweep.domain.thresholds import BucketThresholds
from laya_sweep.metrics import MetricRow
from laya_sweep.reports.line import slice_lines
from laya_sweep.reports.markdown import ReportNotes, markdown
from laya_sweep.results.alike import alike_row

KIND_MACRO, KIND_OVERALL = "macro (every language counts alike)", "overall (all answers pooled)"
KEPT = ("coverage", "abstention_rate", "selective_precision")


def row(dimension, value, metric, figure, threshold=None, low=None, high=None, reason=None):
    return MetricRow(dimension, value, threshold, metric, 1, figure, 10, 5, low, high, reason)


def report(failed=(), **changes):
    rows = [
        row("overall", "", "choice_accuracy", 0.65),
        row("language", "en", "choice_accuracy", 0.8, low=0.71, high=0.87),
        row("language", "en", "ece", None, reason="not finite"),
        row("language", "en", "coverage", 0.5, threshold=0.9),
        row("language", "en", "coverage", 1.0, threshold=0.0),
        row("language", "de", "choice_accuracy", 0.4),
        row("language", "en", "mean_confidence", 0.9),
        row("macro:language", "", "choice_accuracy", None if failed else 0.6, reason="incomplete" if failed else None),
    ]
    if failed:
        rows.append(row("macro:language", "", "choice_accuracy_partial", 0.8))
    values = {
        "checkpoint": "mine",
        "transform": "baseline",
        "regime": "served",
        "asked": ("en", "de"),
        "failed": dict(failed),
        "temperatures": {"en": {"served:choice:11+": 0.5}, "de": {"served:choice:11+": 0.5, "served:noul:2": 1.4}},
        "rows": tuple(rows),
    }
    return ResultReport(**(values | changes))


def test_a_complete_result():
    result = report()
    assert (result.complete, result.ran) == (True, ["en", "de"])
    assert (result.macro("choice_accuracy"), result.partial_macro("choice_accuracy")) == (0.6, None)
    document = json.loads(json.dumps(result.document(), allow_nan=False))
    assert (document["complete"], document["languages_asked"], document["languages_ran"]) == (True, 2, 2)
    assert [*document["languages"]] == ["en", "de"]
    english = document["languages"]["en"]
    assert english["metrics"]["choice_accuracy"] == {"value": 0.8, "n": 10, "n_clusters": 5, "low": 0.71, "high": 0.87}
    assert english["metrics"]["ece"] == {"value": None, "n": 10, "n_clusters": 5, "reason": "not finite"}
    assert [(entry["min_confidence"], entry["coverage"]["value"]) for entry in english["min_confidence"]] == [
        (0.0, 1.0),
        (0.9, 0.5),
    ]


def test_one_temperature_is_said_as_one_and_several_as_none_of_them():
    languages = report().document()["languages"]
    assert languages["en"]["temperature"] == 0.5
    assert languages["de"]["temperature"] is None
    assert languages["de"]["temperatures"] == {"served:choice:11+": 0.5, "served:noul:2": 1.4}


def test_an_incomplete_result_has_no_macro_and_a_partial_one_by_its_name():
    result = report(failed={"de": "broken"}.items())
    assert (result.complete, result.ran) == (False, ["en"])
    assert (result.macro("choice_accuracy"), result.partial_macro("choice_accuracy")) == (None, 0.8)
    document = result.document()
    assert document["macro"]["metrics"]["choice_accuracy"]["value"] is None
    assert document["macro"]["metrics"]["choice_accuracy_partial"]["value"] == 0.8
    assert document["failed"] == {"de": "broken"}
    assert [*document["languages"]] == ["en"]


def tables_of(text):
    """Every Markdown table as rows of cells, split where Markdown would split."""
    tables, lines = [], text.splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("| "):
            if not before.startswith("| "):
                tables.append([])
            cells = line.replace("\\|", "\0").strip("|").split("|")
            tables[-1].append([cell.strip().replace("\0", "|") for cell in cells])
    return tables


def test_markdown_has_a_macro_row_a_result_and_a_row_a_language():
    whole, languages, _ = tables_of(markdown([report()]))
    assert len({len(line) for line in whole}) == len({len(line) for line in languages}) == 1
    assert [line[:7] for line in whole[2:]] == [
        ["mine", "baseline", "served", "2 of 2", KIND_MACRO, "0", "0.6000"],
        ["mine", "baseline", "served", "2 of 2", KIND_OVERALL, "0", "0.6500"],
    ]
    named = [dict(zip(languages[0], line, strict=True)) for line in languages[2:]]
    assert [line["language"] for line in named] == ["en", "de", KIND_MACRO, KIND_OVERALL]
    assert [line["choice_accuracy"] for line in named[2:]] == ["0.6000", "0.6500"]
    assert (named[0]["choice_accuracy"], named[0]["ece"]) == ("0.8000 [0.710, 0.870]", "none")
    assert (named[0]["n"], named[0]["temperature"], named[1]["temperature"]) == ("10", "0.5", "0.5, 1.4")


def test_markdown_of_an_incomplete_result_shows_no_partial_macro_as_the_macro():
    text = markdown([report(failed={"de": "broken"}.items())])
    whole, languages, figures = tables_of(text)
    assert [whole[2][3], whole[2][6]] == ["1 of 2", "none"]
    assert [line[0] for line in languages[2:]] == ["en", KIND_MACRO, KIND_OVERALL]
    assert ["choice_accuracy_partial", "", "0.8000"] in [line[:3] for line in figures]
    assert "- **de failed**: broken\n" in text


def test_markdown_keeps_hostile_names_and_messages_in_their_place():
    message = "row 3: expected `a | b`,\ngot\n\n# a heading | and more"
    text = markdown([report(failed={"de": message}.items(), checkpoint="a|b", regime="x|y")])
    macro, *_ = tables_of(text)
    assert len({len(line) for line in macro}) == 1
    assert macro[2][:3] == ["a|b", "baseline", "x|y"]
    [line] = [line for line in text.splitlines() if "de failed" in line]
    assert line.endswith("# a heading \\| and more")
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == ["# Sweep report", "## a|b, x|y, baseline"]


def mixed(tags=("new", "old")):
    """A result with score and noul figures, two questions and some tags."""
    rows = [row("overall", "", "noul_accuracy", 0.7), row("overall", "", "score_within_0.5", 0.25)]
    for dimension, values in (("qid", ("intent", "urgency")), ("tag", tags)):
        for value in values:
            rows += [
                row(dimension, value, "mean_confidence", 0.9),
                row(dimension, value, "noul_accuracy", 0.7, low=0.5, high=0.8),
                row(dimension, value, "coverage", 0.5, threshold=0.9),
                row(dimension, value, "choice_accuracy", None, reason="no labelled choice answers"),
                row(dimension, value, "score_within_0.5", 0.25),
            ]
    rows += [row("model", "mine", "noul_accuracy", 0.7)]
    return report(rows=(*report().rows, *rows))


def test_the_document_has_figures_by_model_question_and_tag():
    slices = json.loads(json.dumps(mixed().document(), allow_nan=False))["slices"]
    assert {dimension: [*values] for dimension, values in slices.items()} == {
        "model": ["mine"],
        "qid": ["intent", "urgency"],
        "tag": ["new", "old"],
    }
    assert slices["tag"]["old"]["metrics"]["noul_accuracy"]["value"] == 0.7
    assert slices["tag"]["old"]["min_confidence"][0]["coverage"]["value"] == 0.5
    assert report().document()["slices"] == {"model": {}, "qid": {}, "tag": {}}


def test_markdown_shows_the_types_that_were_asked_and_a_table_a_dimension():
    macro, languages, questions, tags, _ = tables_of(markdown([mixed()]))
    for table in (macro, languages, questions, tags):
        assert len({len(line) for line in table}) == 1
    assert languages[0][-5:-1] == ["majority_baseline", "first_option_baseline", "noul_accuracy", "score_within_0.5"]
    assert [line[0] for line in questions] == ["qid", "---", "intent", "urgency"]
    named = dict(zip(tags[0], tags[2], strict=True))
    assert (named["tag"], named["n"], named["choice_accuracy"]) == ("new", "10", "none")
    assert (named["noul_accuracy"], named["score_within_0.5"]) == ("0.7000 [0.500, 0.800]", "0.2500")


def test_slice_lines_show_what_has_a_value():
    assert slice_lines(mixed())[-1] == "tag=old n=10 noul_acc=0.7000 conf=0.9000 score_within_0.5=0.2500"
    assert [line.split()[0] for line in slice_lines(mixed())] == ["qid=intent", "qid=urgency", "tag=new", "tag=old"]


def test_slices_that_say_nothing_or_bury_the_rest_have_no_lines():
    assert slice_lines(report()) == []
    assert [line.split()[0] for line in slice_lines(mixed(tags=("only",)))] == ["qid=intent", "qid=urgency"]
    many = mixed(tags=tuple(f"tag {i}" for i in range(13)))
    assert [line.split()[0] for line in slice_lines(many)] == ["qid=intent", "qid=urgency"]


def test_maps_of_thresholds_follow_the_numbers_as_documents_and_as_words():
    by_bucket = BucketThresholds.of({"noul:2": 0.4, "choice:2": 0.75})
    rows = [row("overall", "", name, 0.5, threshold=by_bucket, low=0.4, high=0.6) for name in KEPT]
    rows += [row("overall", "", name, 0.25, threshold=0.9) for name in KEPT]
    result = report(rows=(*report().rows, *rows), served=False)
    document = json.loads(json.dumps(result.document(), allow_nan=False))
    assert document["served"] is False
    entries = document["overall"]["min_confidence"]
    assert [entry["min_confidence"] for entry in entries] == [0.9, {"choice:2": 0.75, "noul:2": 0.4}]
    assert entries[1]["coverage"]["value"] == 0.5
    text = markdown([result])
    *_, kept = tables_of(text)
    assert kept[0] == ["min_confidence", *KEPT]
    assert kept[2:] == [["0.9", *["0.2500"] * 3], ["{choice:2: 0.75, noul:2: 0.4}", *["0.5000 [0.400, 0.600]"] * 3]]
    assert "these are not its abstention marks" in text
    assert "these are not its abstention marks" not in markdown([report(rows=result.rows, served=True)])


def test_thresholds_that_nobody_asked_for_have_no_table():
    assert "| min_confidence |" not in markdown([report()])


def test_markdown_has_every_figure_over_all_languages_and_why_one_has_no_value():
    rows = [row("overall", "", "ece", None, reason="4 of 8 confidences are not finite"), row("overall", "", "nll", 1.5)]
    *_, figures = tables_of(markdown([report(rows=(*report().rows, *rows))]))
    assert figures[2:] == [
        ["choice_accuracy", "0.6500", "0.6000", "10", ""],
        ["ece", "none", "", "10", "4 of 8 confidences are not finite"],
        ["nll", "1.5000", "", "10", ""],
    ]


def test_markdown_shows_the_baseline_on_the_questions_of_a_transform_and_it_is_read_back():
    beside = [row("overall", "", "ece", 0.25), row("language", "en", "ece", 0.125), row("tag", "new", "ece", 0.5)]
    result = report(transform="label_rename", rows=(*report().rows, *map(alike_row, beside)))
    whole, _, same, *_ = tables_of(markdown([result]))
    assert [line[4] for line in whole[2:]][2:] == [
        f"baseline on the same questions, {kind}" for kind in (KIND_MACRO, KIND_OVERALL)
    ]
    named = [dict(zip(same[0], line, strict=True)) for line in same[2:]]
    assert [line["ece"] for line in named] == ["0.1250", "none", "none", "0.2500"]
    document = {"schema": "laya-sweep-report/1", "config": {}, "results": [result.document()]}
    [card] = report_scorecards(json.loads(json.dumps(document)), "mine").values()
    assert card.slices["baseline:tag"]["new"] == {"ece": 0.5}
    assert "ece" not in card.overall


def test_markdown_says_what_a_run_notes_of_its_data():
    notes = ReportNotes(["1 of 2 languages has fewer rows than per_lang=9: de 4"], {"en": "latin"}, {"en": "english"})
    text = markdown([report()], notes)
    _, languages, _ = tables_of(text)
    assert "- 1 of 2 languages has fewer rows than per_lang=9: de 4\n" in text
    assert languages[0][:4] == ["language", "n", "script", "router"]
    assert [line[2:4] for line in languages[2:4]] == [["latin", "english"], ["none", "none"]]
