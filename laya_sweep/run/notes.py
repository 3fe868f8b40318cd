"""Lines for a person: what a sweep will do, its places as they are complete, its results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from laya_sweep.calibration.overlap import map_notes
from laya_sweep.checkpoints.routed import RoutedCheckpoint
from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.result_key import result_title
from laya_sweep.domain.settings import Settings
from laya_sweep.domain.thresholds import shown
from laya_sweep.reports.checks import check_lines
from laya_sweep.reports.line import slice_lines, whole_lines
from laya_sweep.reports.robustness import robustness_line
from laya_sweep.results.rows import PlaceRows
from laya_sweep.results.truncation import truncation_note
from laya_sweep.run.language_facts import short_data
from laya_sweep.run.plan import Plan
from laya_sweep.run.planning import Planned
from laya_sweep.transforms.registry import NotApplicable, not_applicable


def dry_run_text(settings: Settings, plan: Plan) -> str:
    """The plan for a person: cells, forwards, what is cached, and what the grid would cost without shared logits."""
    grid = len(settings.regimes) * len(settings.min_confidence)
    lines = [
        f"plan: {len(plan.results)} checkpoint(s) x {len(plan.languages)} language(s) x "
        f"{len(settings.transforms)} transform(s) = {len(plan.cells)} cells",
        f"derived from them: {len(settings.regimes)} regime(s) x {len(settings.min_confidence)} threshold(s) "
        f"= {grid} grid points",
        f"min_confidence: {', '.join(map(shown, settings.min_confidence))}",
    ]
    lines += [_result_line(plan, name) for name in plan.results]
    lines += [f"  {note}" for note in not_applicable_notes(settings, plan)]
    lines += [f"  language {code or '-'} fails: {error}" for code, error in plan.failed_languages.items()]
    lines += [f"  {damage_line(damage)}" for damage in plan.damaged]
    lines.append(
        f"forwards: {plan.rows - plan.pending_rows} cached, {plan.pending_rows} to run; "
        f"one pass per grid point would be {plan.rows * grid}"
    )
    return "\n".join(lines)


def routes_line(router: RoutedCheckpoint) -> str:
    """`auto: english 3 cases, multilingual 9, of which 2 rows name it themselves`."""
    counts = Counter(route.model for route in router.routes.values())
    asked = sum(route.asked is not None for route in router.routes.values())
    shown = ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "no case"
    return f"{router.name} goes to: {shown}" + (f"; {asked} rows name it themselves" if asked else "")


def _result_line(plan: Plan, name: str) -> str:
    """What a result costs; of rows that two results need, the second's are shared."""
    own = [cell for cell in plan.cells if cell.checkpoint == name]
    rows, shared = sum(len(cell.row_ids) for cell in own), sum(len(cell.shared) for cell in own)
    pending = sum(cell.pending_rows for cell in own)
    line = f"  {name}: {len(own)} cells, {rows} forwards: {rows - shared - pending} cached, {pending} to run"
    router = plan.router(name)
    line += f", {shared} shared with another checkpoint of this plan" if shared else ""
    return line if router is None else f"{line}; {routes_line(router)}"


def not_applicable_of(transform: str, plan: Plan) -> list[NotApplicable]:
    """Questions of the whole dataset that a transform leaves out."""
    return not_applicable(transform, (case for language in plan.languages for case in language.cases))


def not_applicable_notes(settings: Settings, plan: Plan) -> list[str]:
    """One line for each question that a transform leaves out."""
    return [
        f"{transform.name} does not apply to question {question} of {cases} case(s): {reason}"
        for transform in settings.transforms
        for question, reason, cases in not_applicable_of(transform.name, plan)
    ]


def damage_line(damage: str) -> str:
    """What follows from a damaged file of the store: facts are computed again, rows stand without the rest."""
    if damage.startswith("part-"):
        return f"a damaged part is computed again: {damage}"
    return f"a damaged file; its rows stand, what it told of their calls is lost: {damage}"


def dataset_notes(planned: Planned) -> list[str]:
    """What a person should know of the dataset, and of the questions that a transform leaves out."""
    off_scale = [one.note() for one in planned.off_scale]
    short = short_data(planned.settings.dataset, planned.plan.languages)
    return [*planned.suite.notes(), *short, *off_scale, *not_applicable_notes(planned.settings, planned.plan)]


def plan_notes(planned: Planned) -> Iterator[str]:
    """The lines before inference."""
    plan = planned.plan
    yield from dataset_notes(planned)
    for code, error in plan.failed_languages.items():
        yield f"language {code} failed: {error}"
    yield from map(damage_line, plan.damaged)
    yield from map_notes(planned.settings.regimes, plan.checkpoints)
    for checkpoint, count in plan.refusals.items():
        yield f"{checkpoint}: {count} rows ask for another checkpoint, which is an error of each of them"
    yield (
        f"{len(plan.cells)} cells, {plan.rows} rows: {plan.rows - plan.pending_rows} cached, {plan.pending_rows} to run"
    )
    yield from map(routes_line, plan.routers)


def place_notes(
    rows: PlaceRows, parts: list[PlaceRows], failure: str | None, budgets: Mapping[str, int]
) -> Iterator[str]:
    """What went wrong in a place, and what of its states was not read.

    Args:
        rows: the place.
        parts: who answered it.
        failure: why it publishes no metrics.
        budgets: checkpoint -> its max_len.
    """
    name = result_title(rows.expected.checkpoint, rows.expected.language, rows.expected.transform)
    if failure is not None:
        yield f"{name} failed: {failure}"
        return
    yield from (f"{name} skipped {error}" for error in rows.errors)
    for part in parts:
        if note := truncation_note(part, budgets[part.expected.asked_of]):
            yield note


def result_lines(report: ResultReport) -> list[str]:
    """What the terminal says of a result as a whole."""
    if report.checks is not None:
        return check_lines(report)
    slices = [f"{report.title} {line}" for line in slice_lines(report)]
    compared = robustness_line(report)
    return [*whole_lines(report), *slices, *([] if compared is None else [compared])]
