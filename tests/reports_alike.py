"""Figures of two reports, compared."""

import pytest

#: Sums taken in another order differ in their last digits.
EXACT = 1e-9


def without_ms(figures):
    """Figures that do not depend on the clock."""
    return {name: value for name, value in figures.items() if not name.endswith("_ms")}


def assert_close(ours, theirs, tolerance=EXACT):
    """The same names at every depth, and figures within the tolerance."""
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        if isinstance(value, dict):
            assert_close(ours[name], value, tolerance)
        else:
            assert ours[name] == pytest.approx(value, abs=tolerance), name
