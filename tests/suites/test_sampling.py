"""How options are drawn: the published walk, and the draw that depends on the row alone."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laya_sweep.suites.sampling import SAMPLINGS, LabelledText, by_row, published

LABELS = sorted(f"label_{i:02}" for i in range(60))
ROWS = [LabelledText(f"id-{i}", f"text {i}", LABELS[(7 * i) % 60]) for i in range(40)]


def test_the_published_walk_is_one_generator_over_the_rows():
    """Written out from the description of the published tables."""
    generator, expected = random.Random(13), []
    for row in ROWS:
        options = [row.label, *generator.sample([label for label in LABELS if label != row.label], 19)]
        generator.shuffle(options)
        expected.append(options)
    assert published(ROWS, LABELS, 20, 13) == expected


def test_more_rows_leave_the_first_ones_as_they_are():
    assert published(ROWS, LABELS, 20, 13)[:10] == published(ROWS[:10], LABELS, 20, 13)


def test_nothing_is_seeded_globally():
    random.seed(1)
    first = [sampling(ROWS, LABELS, 5, 13) for sampling in SAMPLINGS.values()]
    random.seed(2)
    before = random.getstate()
    assert [sampling(ROWS, LABELS, 5, 13) for sampling in SAMPLINGS.values()] == first
    assert random.getstate() == before


@pytest.mark.parametrize("name", sorted(SAMPLINGS))
@pytest.mark.parametrize(("n_opts", "expected"), [(2, 2), (3, 3), (20, 20), (59, 59), (60, 60), (61, 60), (10_000, 60)])
def test_options_are_distinct_labels_with_the_gold_among_them(name, n_opts, expected):
    for row, options in zip(ROWS, SAMPLINGS[name](ROWS, LABELS, n_opts, 13), strict=True):
        assert len(options) == len(set(options)) == expected
        assert row.label in options
        assert set(options) <= set(LABELS)


@pytest.mark.parametrize("name", sorted(SAMPLINGS))
def test_another_seed_draws_otherwise(name):
    assert SAMPLINGS[name](ROWS, LABELS, 5, 13) != SAMPLINGS[name](ROWS, LABELS, 5, 14)


@pytest.mark.parametrize("name", sorted(SAMPLINGS))
def test_the_gold_label_stands_in_every_place(name):
    many = [LabelledText(f"id-{i}", "text", LABELS[i % 60]) for i in range(2000)]
    drawn = SAMPLINGS[name](many, LABELS, 4, 13)
    places = [options.index(row.label) for row, options in zip(many, drawn, strict=True)]
    for place in range(4):  # 500 expected, standard deviation 19
        assert 400 < places.count(place) < 600


@settings(deadline=None, max_examples=30)
@given(st.permutations(ROWS), st.integers(0, len(ROWS)), st.integers(2, 70), st.integers(0, 2**40))
def test_by_row_does_not_feel_filtering_or_reordering(rows, kept, n_opts, seed):
    whole = dict(zip(ROWS, by_row(ROWS, LABELS, n_opts, seed), strict=True))
    part = rows[:kept]
    assert by_row(part, LABELS, n_opts, seed) == [whole[row] for row in part]


@settings(deadline=None, max_examples=30)
@given(st.permutations(LABELS))
def test_by_row_does_not_feel_the_order_of_the_label_set(labels):
    assert by_row(ROWS[:5], labels, 6, 13) == by_row(ROWS[:5], LABELS, 6, 13)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 59), st.integers(2, 30))
def test_a_label_less_moves_at_most_one_option_of_a_row(gone, n_opts):
    fewer = [label for i, label in enumerate(LABELS) if i != gone]
    rows = [row for row in ROWS if row.label != LABELS[gone]]
    for before, after in zip(by_row(rows, LABELS, n_opts, 13), by_row(rows, fewer, n_opts, 13), strict=True):
        assert len(set(before) - set(after)) <= 1
        stayed = set(before) & set(after)
        assert [label for label in before if label in stayed] == [label for label in after if label in stayed]


def test_by_row_depends_on_the_row_id_not_on_the_text():
    row = ROWS[0]
    assert by_row([row._replace(text="other")], LABELS, 9, 13) == by_row([row], LABELS, 9, 13)
    assert by_row([row._replace(row_id="other")], LABELS, 9, 13) != by_row([row], LABELS, 9, 13)
