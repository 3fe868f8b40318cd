"""Which rows share a call: all that may, wherever they stand in the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from laya_sweep.domain.identity import ordered_json
from laya_sweep.evaluation.runner import Request, RunnerAdapter


def chunks(requests: Sequence[Request], runner: RunnerAdapter, size: int) -> Iterator[list[Request]]:
    """Every row once, in calls of at most `size` rows.

    Rows of equal questions and checkpoint come together. A runner that takes requests may get several such groups in
    one call, since each request has its own questions.
    """
    groups: dict[tuple[str | None, str], list[Request]] = {}
    for request in requests:
        # Equal questions: their order does not matter, that of their options does.
        schema = ordered_json(dict(sorted(request.questions.items())))
        groups.setdefault((request.model, schema), []).append(request)
    together = [one for group in groups.values() for one in group]
    pools = [together] if runner.form == "requests" else groups.values()
    for pool in pools:
        step = size if runner.batches(pool[0].model) else 1
        for start in range(0, len(pool), step):
            yield pool[start : start + step]
