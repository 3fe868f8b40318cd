"""Whole corpora and single cases through a scorer."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

from laya_sweep.metamorphic.case import MetamorphicCase, MetamorphicVariant, permute_options, rename_labels, untouched
from laya_sweep.metamorphic.comparison import VariantResults, comparison_document, report_of
from laya_sweep.metamorphic.model import model_scorer
from laya_sweep.metamorphic.prediction import Prediction, Scorer, predict

#: Inputs of one call of the scorer, unless told otherwise.
BATCH_SIZE = 16


def evaluate(
    cases: Iterable[MetamorphicCase | tuple[Any, dict[str, Any]]],
    scorer: Scorer,
    gold_indices: Sequence[int | None] | None = None,
    seed: int = 13,
    batch_size: int = BATCH_SIZE,
) -> dict[str, Any]:
    """Every case as it stands, with its options shuffled once, and with its labels renamed.

    Args:
        cases: `MetamorphicCase`s, or pairs (state, questions) in the runtime's form.
        scorer: see `Scorer`; `model_scorer(agent)` makes one.
        gold_indices: for pairs, the canonical index of each right option or None; None knows none of them.
        seed: of one generator that hands each case 64 bits, as the published harness does within a language.
        batch_size: inputs of one call; it never changes what is shown.

    Returns:
        JSON values: `config`, `report` (see `report_of`) and `cases`, with every probability as it was given.

    Raises:
        ValueError: a case that is none (see `MetamorphicCase`), by its place; or as `predict`.
    """
    walk = random.Random(seed)
    taken = _taken(list(cases), gold_indices)
    shown = [
        (case, [untouched(case), permute_options(case, walk.getrandbits(64)), rename_labels(case)]) for case in taken
    ]
    results = _results(shown, scorer, batch_size)
    return {
        "config": {"seed": seed, "n_cases": len(taken)},
        "report": report_of(results),
        "cases": [_case_document(case, one) for case, one in zip(taken, results, strict=True)],
    }


def evaluate_variants(
    agent: Any,  # noqa: ANN401 - the runtime's Agent
    case: MetamorphicCase,
    variants: Sequence[MetamorphicVariant],
    *,
    score: Scorer | None = None,
    batch_size: int = BATCH_SIZE,
) -> VariantResults:
    """One case as it stands and in the variants given.

    Args:
        agent: a loaded checkpoint, or None with `score`.
        case: the case.
        variants: made from it.
        score: any scorer, in place of an agent.
        batch_size: inputs of one call of the scorer.

    Raises:
        ValueError: both or neither of agent and score; or as `predict`.
    """
    if (agent is None) == (score is None):
        raise ValueError("Expected either an agent or `score`, but got " + ("neither" if agent is None else "both"))
    scorer = model_scorer(agent) if score is None else score
    [results] = _results([(case, [untouched(case), *variants])], scorer, batch_size)
    return results


def _results(
    shown: Sequence[tuple[MetamorphicCase, Sequence[MetamorphicVariant]]], scorer: Scorer, batch_size: int
) -> list[VariantResults]:
    flat = predict([(case, variant) for case, variants in shown for variant in variants], scorer, batch_size)
    answers = iter(flat)
    grouped: list[list[Prediction]] = [[next(answers) for _ in variants] for _, variants in shown]
    return [VariantResults(first, tuple(rest)) for first, *rest in grouped]


def _taken(
    cases: Sequence[MetamorphicCase | tuple[Any, dict[str, Any]]], gold_indices: Sequence[int | None] | None
) -> list[MetamorphicCase]:
    if gold_indices is not None and len(gold_indices) != len(cases):
        raise ValueError(f"Expected {len(cases)} gold indices, but got {len(gold_indices)}")
    gold = [None] * len(cases) if gold_indices is None else gold_indices
    return [_case(place, case, index) for place, (case, index) in enumerate(zip(cases, gold, strict=True))]


def _case(place: int, given: MetamorphicCase | tuple[Any, dict[str, Any]], gold: int | None) -> MetamorphicCase:
    if isinstance(given, MetamorphicCase):
        if gold is not None and gold != given.gold_index:
            raise ValueError(f"Expected case {place} to have one gold index, but got {given.gold_index} and {gold}")
        return given
    try:
        return MetamorphicCase(*given, gold_index=gold)
    except (ValueError, TypeError) as error:
        raise ValueError(f"case {place}: {error}") from error


def _case_document(case: MetamorphicCase, results: VariantResults) -> dict[str, Any]:
    return {
        "state": deepcopy(case.state),
        "questions": deepcopy(case.questions),
        "options": list(case.canonical_keys),
        "gold_index": case.gold_index,
        "variants": [
            results.baseline.document(),
            *(
                variant.document() | {"comparison": comparison_document(results.baseline, variant)}
                for variant in results.variants
            ),
        ],
    }
