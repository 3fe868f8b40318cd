"""Data that a gate should have seen and did not: it must never pass on the easy survivors."""

from __future__ import annotations

from laya_sweep.domain.tolerance import within
from laya_sweep.errors import one_line
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.gates.verdict import Check, names


def data_checks(candidate: Scorecard, baseline: Scorecard | None, max_errored_share: float = 0.0) -> list[Check]:
    """One check per side and kind of absence; empty where everything that was asked for is there.

    Args:
        max_errored_share: the share of cases without an answer that somebody allowed by name, in [0, 1].
    """
    sides = [("candidate", candidate)] + ([] if baseline is None else [("baseline", baseline)])
    return [check for side, card in sides for check in _of(side, card, max_errored_share)]


def _of(side: str, card: Scorecard, allowed: float) -> list[Check]:
    found = []
    if card.errored or card.skipped:
        found.append(_errors(side, card, allowed))
    if card.absent:
        listed = "; ".join(f"{one_line(what)}: {one_line(why)}" for what, why in sorted(card.absent.items())[:20])
        more = f" and {len(card.absent) - 20} more" if len(card.absent) > 20 else ""
        found.append(Check("data", False, f"{side} lacks data that was asked for: {listed}{more}"))
    return found


def _errors(side: str, card: Scorecard, allowed: float) -> Check:
    lost = card.errored + card.skipped
    of = "" if card.asked is None else f" of {card.asked}"
    said = f"{side} has {lost}{of} cases without an answer ({card.errored} errored, {card.skipped} skipped)"
    passed = bool(allowed and card.asked) and within(lost / (card.asked or 1), allowed)
    room = f", max_errored_share {allowed:g}" if allowed else ""
    figures = "" if passed else f"; metrics over the others: {names(card.overall)}"
    return Check("data", passed, f"{said}{room}{figures}", limit_name="max_errored_share", limit=allowed)
