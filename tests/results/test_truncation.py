"""Cut states: counted by case whatever its questions and variants, errors and other cells left out."""

import types

from builders import error_row, fact_row, facts_table, make_cases

from laya_sweep.results.truncation import truncated, truncation_note, truncation_rows


def cell_rows(language, facts):
    """A cell of four cases with the given facts."""
    cases = make_cases(4, language)
    named = [row | {"case_id": cases[i].case_id} for i, row in facts]
    expected = types.SimpleNamespace(language=language, checkpoint="mine", answered_by="mine", cases=tuple(cases))
    return types.SimpleNamespace(expected=expected, facts=facts_table(named))


ENGLISH = cell_rows(
    "en",
    [
        (0, fact_row("", state_tokens_dropped=7)),
        (0, fact_row("", question="other", state_tokens_dropped=9)),
        (1, fact_row("", state_tokens_dropped=0)),
        (1, fact_row("", variant="turned", state_tokens_dropped=1)),
        (2, fact_row("")),
        (3, error_row("")),
    ],
)
GERMAN = cell_rows("de", [(i, fact_row("")) for i in range(4)])


def test_a_case_counts_once_and_an_error_row_not_at_all():
    counts = truncated(ENGLISH)
    assert (len(counts.cases), len(counts.cut), counts.sources) == (3, 2, {"0", "1", "2"})


def test_rows_of_a_result_are_sums_over_its_languages():
    rows = truncation_rows([ENGLISH, GERMAN])
    assert [(row.slice_dimension, row.slice_value, row.value, row.n, row.n_clusters) for row in rows] == [
        ("overall", "", 2 / 7, 7, 4),
        ("language", "de", 0.0, 4, 4),
        ("language", "en", 2 / 3, 3, 3),
    ]
    assert {row.metric for row in rows} == {"truncated_share"}
    assert all((row.low, row.high) == (None, None) and row.reason.startswith("no interval") for row in rows)


def test_nothing_answered_has_no_share():
    nothing = truncation_rows([cell_rows("en", [(i, error_row("")) for i in range(4)])])
    assert [(row.value, row.n, row.reason) for row in nothing] == [(None, 0, "no answered cases")] * 2
    assert [row.value for row in truncation_rows([])] == [None]


def test_the_note_is_for_cells_with_cut_states_alone():
    assert truncation_note(GERMAN, 512) is None
    assert truncation_note(ENGLISH, 512).startswith("mine en: 2 of 3 cases are cut to fit max_len=512")
