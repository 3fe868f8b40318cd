"""The axes that are lists of values: `languages`, `min_confidence`, and the tolerances of `metrics`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from laya.confidence import check_min_confidence

from laya_sweep.config.fields import Fields
from laya_sweep.domain.checked import QUOTE
from laya_sweep.domain.settings import MetricSettings
from laya_sweep.domain.thresholds import MinConfidence, from_document
from laya_sweep.errors import UsageError, name_list
from laya_sweep.files.json_file import read_json
from laya_sweep.suites.languages import KnownLanguage
from laya_sweep.suites.suite import SUITES


def read_languages(fields: Fields, dataset: str) -> tuple[str, ...] | None:
    """Codes, or None for all that a file turns out to have."""
    raw, known = fields.get("languages"), SUITES[dataset or "massive"].languages
    if raw == "all":
        return None if known is None else tuple(known)
    wanted = [raw] if isinstance(raw, str) else raw
    if not isinstance(wanted, Sequence) or not wanted:
        fields.complain("languages", "all, a code, or a list of codes", raw, "for example languages=[en,de]")
        return ()
    return tuple(dict.fromkeys(code for code in wanted if _known_language(fields, code, known)))


def _known_language(fields: Fields, code: object, known: Mapping[str, KnownLanguage] | None) -> bool:
    if isinstance(code, str) and (known is None or code in known):
        return True
    expected = "languages of the file, as texts"
    if known is not None:
        expected = f"one of the {len(known)} MASSIVE languages ({name_list([*known], str(code))})"
    step = QUOTE if isinstance(code, bool) else "correct the code" if isinstance(code, str) else "give it as a text"
    fields.complain("languages", expected, code, step)
    return False


_THRESHOLD = "a finite number in [0, 1], not a bool, or a map of such numbers by bucket"


def read_min_confidence(fields: Fields) -> tuple[MinConfidence, ...]:
    raw = fields.get("min_confidence")
    wanted = raw if isinstance(raw, list | tuple) else [raw]
    if not wanted:
        fields.complain("min_confidence", f"{_THRESHOLD}, a list of these, or null", raw, "for example 0.7")
    return tuple(dict.fromkeys(_threshold(fields, value) for value in wanted))


def _threshold(fields: Fields, value: object) -> MinConfidence:
    """What the runtime's validator says is legal; a text is the file that holds it."""
    if value is None:
        return None
    try:
        given = read_json(Path(value), "min_confidence") if isinstance(value, str) else value
        return from_document(check_min_confidence(given))
    except UsageError as error:
        fields.complain("min_confidence", f"{_THRESHOLD}, or a JSON file with one", value, str(error))
    except (ValueError, TypeError, OverflowError) as error:
        reason = " ".join(str(error).split())
        said = f"correct it: {reason}" if isinstance(value, Mapping | str) else "correct the threshold"
        fields.complain("min_confidence", _THRESHOLD, value, said)
    return None


def read_metrics(fields: Fields) -> MetricSettings:
    options = fields.options(MetricSettings)
    fields.close()
    named: dict[str, float] = {}
    for tolerance in options["score_within"]:
        if named.setdefault(f"{tolerance:g}", tolerance) != tolerance:
            fields.complain("score_within", f"one tolerance of the name {tolerance:g}", tolerance, "keep one of them")
    return MetricSettings(**options | {"score_within": tuple(named.values())})
