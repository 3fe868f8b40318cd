"""Gates: whether a result may pass, and why not. numpy and the standard library only.

`judge` asks everything of one result: absent data, comparability with a baseline, thresholds, tolerances, a
policy. It takes a `Scorecard`, the values of a report, or the path of one, and nothing is remembered between calls: a
gate that is added later meets results that were made before. `compare` and `assert_no_regression`, which take runs
too, stand on it in `verdicts`.
"""

from laya_sweep.gates.comparability import (
    EVALS_SCHEMA,
    SHORTLIST_SCHEMA,
    TOURNAMENT_KEY,
    TOURNAMENT_SCHEMA,
    narrowing_identity,
)
from laya_sweep.gates.drift import SLACK, Mode, within
from laya_sweep.gates.evidence import accepted_answers, counts_of_cases
from laya_sweep.gates.figures import accepted_counts, scorecard_of_rows
from laya_sweep.gates.judgement import judge
from laya_sweep.gates.limits import limits, limits_from_words, read_limits
from laya_sweep.gates.metric_kinds import direction
from laya_sweep.gates.policy import POLICY_VERSION, Policy, Rule, parse_policy, read_policy
from laya_sweep.gates.reading import read_scorecard, scorecard_of
from laya_sweep.gates.scorecard import (
    DIMENSIONS,
    IDENTITY_KEYS,
    OVERALL,
    UNKNOWN,
    Count,
    FigureKey,
    Place,
    Scorecard,
)
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.gates.verdict import VERDICT_SCHEMA, Check, Side, Verdict

__all__ = [
    "DIMENSIONS",
    "EVALS_SCHEMA",
    "IDENTITY_KEYS",
    "OVERALL",
    "POLICY_VERSION",
    "SHORTLIST_SCHEMA",
    "SLACK",
    "TOURNAMENT_KEY",
    "TOURNAMENT_SCHEMA",
    "UNKNOWN",
    "VERDICT_SCHEMA",
    "Check",
    "Count",
    "FigureKey",
    "Mode",
    "Place",
    "Policy",
    "Rule",
    "Scorecard",
    "Side",
    "Thresholds",
    "Verdict",
    "accepted_answers",
    "accepted_counts",
    "counts_of_cases",
    "direction",
    "judge",
    "limits",
    "limits_from_words",
    "narrowing_identity",
    "parse_policy",
    "read_limits",
    "read_policy",
    "read_scorecard",
    "scorecard_of",
    "scorecard_of_rows",
    "within",
]
