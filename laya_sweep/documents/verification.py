"""Cell by cell: do two tables of per-language figures hold the same numbers?"""

from __future__ import annotations

from dataclasses import dataclass

from laya_sweep.documents.language_table import Figure, LanguageTable
from laya_sweep.documents.summary_check import SLACK, other_faults, own_faults
from laya_sweep.domain.identity import canonical_json

#: Half a unit of the fourth decimal, which is what the published tables were rounded to.
TOLERANCE = 5e-5

#: What was asked, and how: no figure of an answer. That they agree verifies none, and a table may lack them.
_ASKED = ("n", "temperature", "input_sha256")

_ORDER = ("n", "accuracy", "macro_f1", "ece", "mean_confidence", "acc_at_50_coverage", "temperature", "input_sha256")


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """One metric over the languages that both tables have.

    Attributes:
        metric: its published name.
        languages, agreeing: how many languages, and in how many of them both figures are the same.
        worst, worst_language: the largest difference and where, the first of equals; None without a number.
        one_sided: languages in which only one table has a figure; they do not agree.
    """

    metric: str
    languages: int
    agreeing: int
    worst: float | None
    worst_language: str | None
    one_sided: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether every language agrees."""
        return self.agreeing == self.languages

    def line(self) -> str:
        """`accuracy: exact 51/51, worst diff 0.0000 (af)`."""
        text = f"{self.metric}: exact {self.agreeing}/{self.languages}"
        if self.worst is not None:
            text += f", worst diff {self.worst:.4f} ({self.worst_language})"
        elif self.worst_language is not None:
            text += f", differs ({self.worst_language})"
        return text + (f", on one side only in {', '.join(self.one_sided)}" if self.one_sided else "")


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome: per metric, what only one side tells, and where a summary is wrong."""

    left: LanguageTable
    right: LanguageTable
    metrics: tuple[MetricAgreement, ...]
    one_sided: tuple[str, ...]
    summary_faults: tuple[str, ...]
    narrowing_faults: tuple[str, ...] = ()

    @property
    def shared(self) -> list[str]:
        """Languages of both tables, in the order of the left one."""
        return [code for code in self.left.languages if code in self.right.languages]

    @property
    def compared(self) -> bool:
        """Whether both sides tell at least one figure of the answers."""
        return any(metric.metric not in _ASKED for metric in self.metrics)

    @property
    def differing(self) -> list[str]:
        """What both sides tell and does not agree: metrics, and summaries that are wrong."""
        wrong = [metric.metric for metric in self.metrics if not metric.agrees]
        wrong += ["summary"] if self.summary_faults else []
        return wrong + (["narrowing"] if self.narrowing_faults else [])

    @property
    def agrees(self) -> bool:
        """Whether there are figures to compare, all agree, no side has one alone, and no language failed on either."""
        return self.compared and not self._mismatches()

    def lines(self) -> list[str]:
        """The outcome in words, the verdict last."""
        wrong = self._mismatches()
        size = f"{len(self.metrics)} metric(s) over {len(self.shared)} language(s), tolerance {TOLERANCE:g}"
        if not self.compared:
            verdict = "MISMATCH: no language and figure on both sides, so nothing was verified"
        else:
            verdict = f"MISMATCH: {', '.join(wrong)} ({size})" if wrong else f"all agree: {size}"
        return [*self.findings(), verdict]

    def findings(self) -> list[str]:
        """What was compared and what could not be, a line each."""
        lines = [metric.line() for metric in self.metrics]
        lines += [f"not compared, on one side only: {name}" for name in self.one_sided]
        lines += (*self.summary_faults, *self.narrowing_faults)
        for table, other in ((self.left, self.right), (self.right, self.left)):
            alone = [code for code in table.languages if code not in other.languages]
            lines += [f"languages only in {table.name}: {', '.join(alone)}"] if alone else []
            lines += [f"failed in {table.name}: {code}: {reason}" for code, reason in table.failed.items()]
        return lines

    def _mismatches(self) -> list[str]:
        alone = [f"{name} on one side only" for name in self.one_sided if name not in _ASKED]
        failed = ["failed languages"] if self.left.failed or self.right.failed else []
        return [*self.differing, *alone, *failed]


def verify_tables(left: LanguageTable, right: LanguageTable) -> Verification:
    """Compare every metric that a table has, in every language that both have, and what the summaries say."""
    shared = [code for code in left.languages if code in right.languages]
    own, other = (_metrics(table, shared) for table in (left, right))
    names = sorted(own & other, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name))
    return Verification(
        left,
        right,
        tuple(_agreement(name, left, right, shared) for name in names),
        tuple(sorted(own ^ other)),
        (*own_faults(left), *own_faults(right), *other_faults(left, right, TOLERANCE)),
        () if left.narrowing == right.narrowing else (_narrowings(left, right),),
    )


def _narrowings(left: LanguageTable, right: LanguageTable) -> str:
    told = (f"{canonical_json(own.narrowing) if own.narrowing else 'none'} in {own.name}" for own in (left, right))
    return f"narrowing: {', '.join(told)}"


def _metrics(table: LanguageTable, languages: list[str]) -> set[str]:
    return {name for code in languages for name, value in table.languages[code].items() if value is not None}


def _agreement(name: str, left: LanguageTable, right: LanguageTable, shared: list[str]) -> MetricAgreement:
    pairs = {code: (left.languages[code].get(name), right.languages[code].get(name)) for code in shared}
    pairs = {code: pair for code, pair in pairs.items() if pair != (None, None)}
    numbers = {code: _difference(*pair) for code, pair in pairs.items()}
    known = {code: value for code, value in numbers.items() if value is not None}
    worst = max(known, key=lambda code: known[code]) if known else None
    different = next((code for code, pair in pairs.items() if not _same(*pair)), None)
    return MetricAgreement(
        metric=name,
        languages=len(pairs),
        agreeing=sum(_same(*pair) for pair in pairs.values()),
        worst=None if worst is None else known[worst],
        worst_language=different if worst is None else worst,
        one_sided=tuple(code for code, pair in pairs.items() if None in pair),
    )


def _difference(left: Figure, right: Figure) -> float | None:
    if isinstance(left, int | float) and isinstance(right, int | float):
        return abs(float(left) - float(right))
    return None


def _same(left: Figure, right: Figure) -> bool:
    difference = _difference(left, right)
    return left == right if difference is None else difference <= TOLERANCE + SLACK
