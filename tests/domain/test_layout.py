"""The shape a row is padded to depends on the row alone, and is never smaller than it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laya_sweep.domain.layout import LEAST_OPTIONS, LENGTH_MULTIPLE, padded_shape

tokens = st.integers(1, 5000)
options = st.integers(1, 300)
budgets = st.integers(8, 4096)


@settings(deadline=None)
@given(tokens, options, budgets)
def test_a_row_fits_its_shape_with_little_to_spare(tokens, options, max_len):
    length, slots = padded_shape(tokens, options, max_len)
    assert tokens <= length < tokens + LENGTH_MULTIPLE
    assert length % LENGTH_MULTIPLE == 0 or length in (max_len, tokens)
    assert length <= max(max_len, tokens)
    assert options <= slots <= max(LEAST_OPTIONS, 2 * options - 1)
    assert slots.bit_count() == 1
    assert slots >= LEAST_OPTIONS


@settings(deadline=None)
@given(tokens, options, budgets)
def test_padding_again_changes_nothing(tokens, options, max_len):
    shape = padded_shape(tokens, options, max_len)
    assert padded_shape(shape.length, shape.options, max_len) == shape


@settings(deadline=None)
@given(tokens, tokens, options, options, budgets)
def test_a_longer_row_has_no_smaller_shape(a, b, few, many, max_len):
    small = padded_shape(min(a, b), min(few, many), max_len)
    large = padded_shape(max(a, b), max(few, many), max_len)
    assert small.length <= large.length
    assert small.options <= large.options


@pytest.mark.parametrize(
    ("tokens", "options", "max_len", "expected"),
    [
        (1, 1, 512, (16, 16)),
        (16, 2, 512, (16, 16)),
        (17, 3, 512, (32, 16)),
        (100, 20, 512, (112, 32)),
        (512, 60, 512, (512, 64)),
        (95, 16, 100, (96, 16)),
        (97, 17, 100, (100, 32)),
        (100, 4, 100, (100, 16)),
    ],
)
def test_shapes_by_example(tokens, options, max_len, expected):
    assert padded_shape(tokens, options, max_len) == expected
