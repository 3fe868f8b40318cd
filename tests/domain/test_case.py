"""Case ids: what the model reads, in its order, plus an occurrence number."""

import dataclasses

from builders import make_cases

from laya_sweep.domain.case import Draft, freeze
from laya_sweep.domain.identity import digest_text

DRAFT = Draft(
    source_id="7",
    row_index=0,
    language="en",
    state={"utterance": "wake me up"},
    questions={"intent": {"type": "choice", "instructions": "Which?", "criteria": {"a": "A", "b": "B"}}},
    expected={"intent": "a"},
)


def one_id(**changes):
    [case] = freeze([dataclasses.replace(DRAFT, **changes)])
    return case.case_id


def test_an_id_is_the_digest_of_the_input_and_an_occurrence_number():
    [case] = freeze([DRAFT])
    text = (
        '{"state":{"utterance":"wake me up"},'
        '"questions":{"intent":{"type":"choice","instructions":"Which?","criteria":{"a":"A","b":"B"}}}}'
    )
    assert case.input_sha256 == digest_text(text)
    assert case.case_id == f"{case.input_sha256[:32]}-0"


def test_the_order_of_options_is_part_of_the_input():
    swapped = {"intent": {**DRAFT.questions["intent"], "criteria": {"b": "B", "a": "A"}}}
    assert swapped == DRAFT.questions  # equal as dictionaries, not as questions
    assert one_id(questions=swapped) != one_id()


def test_what_the_model_does_not_read_is_not_in_the_id():
    assert one_id(source_id="8", row_index=5, language="de", expected={"intent": "b"}) == one_id()


def test_what_the_model_reads_is_in_the_id():
    other = {"intent": {**DRAFT.questions["intent"], "instructions": "Who?"}}
    assert len({one_id(), one_id(state={"utterance": "wake me"}), one_id(questions=other)}) == 3


def test_identical_rows_stay_apart_by_their_occurrence():
    other = dataclasses.replace(DRAFT, state={"utterance": "quiet"})
    cases = freeze([DRAFT, other, dataclasses.replace(DRAFT, source_id="9", row_index=2), DRAFT])
    assert [case.case_id.rpartition("-")[2] for case in cases] == ["0", "0", "1", "2"]
    assert len({case.case_id for case in cases}) == 4
    assert len({case.input_sha256 for case in cases}) == 2
    assert [case.source_id for case in cases] == ["7", "7", "9", "7"]


def test_more_rows_leave_the_ids_of_the_first_ones():
    assert make_cases(20)[:8] == make_cases(8)
