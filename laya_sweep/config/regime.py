"""The entries of `regime`: which temperature divides the logits, and the files of a calibration map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from laya_sweep.config.fields import Fields
from laya_sweep.domain.calibration_map import map_of, overrides_of
from laya_sweep.domain.checked import Divisor
from laya_sweep.domain.identity import digest_file
from laya_sweep.domain.regime import REGIME_KINDS
from laya_sweep.domain.settings import RegimeSettings
from laya_sweep.errors import UsageError
from laya_sweep.files.json_file import read_json

#: Characters of a document that a complaint shows whole.
_LONG = 120


def read_regime(name: str, fields: Fields) -> RegimeSettings:
    kind = fields.value("kind", Literal[REGIME_KINDS])
    if kind == "map":
        return _map_regime(name, fields)
    temperature = fields.value("temperature", Divisor) if kind == "fixed" else None
    fields.close()
    return RegimeSettings(name=name, kind=kind or "", temperature=temperature)


def _map_regime(name: str, fields: Fields) -> RegimeSettings:
    """The map as its files hold it now: what is derived later is of these bytes, whatever becomes of the files."""
    options, given = fields.options(RegimeSettings, ("path", "fitted_rows")), fields.get("lang_temperatures")
    path = options["path"]
    if path is None and given is None:
        fields.complain("path", "a calibration map, or lang_temperatures", None, f"set regime.{name}.path=FILE")
    lang_path = Path(given).expanduser() if isinstance(given, str) and given else None
    document, sha256 = _calibration_file(fields, "path", path, map_of)
    languages, lang_sha256 = _calibration_file(fields, "lang_temperatures", lang_path, overrides_of)
    if lang_path is None and given is not None:
        languages = _checked_calibration(fields, "lang_temperatures", given, overrides_of)
    fields.close()
    return RegimeSettings(
        name, "map", None, path, sha256, document, languages, lang_path, lang_sha256, options["fitted_rows"]
    )


def _calibration_file(
    fields: Fields, key: str, path: Path | None, read: Callable[[object], object]
) -> tuple[Mapping[str, Any] | None, str | None]:
    """The checked document of a file and its digest; None where there is none, or with a complaint."""
    if path is None:
        return None, None
    try:
        return _checked_calibration(fields, key, read_json(path, key), read), digest_file(path)
    except UsageError as error:
        fields.complain(key, "a calibration file of the runtime", str(path), str(error))
        return None, None


def _checked_calibration(
    fields: Fields, key: str, document: object, read: Callable[[object], object]
) -> Mapping[str, Any] | None:
    try:
        read(document)
    except ValueError as error:
        shown = document if len(repr(document)) < _LONG else f"a {type(document).__name__}"
        fields.complain(key, "what the runtime can apply", shown, f"correct it: {error}")
        return None
    return document if isinstance(document, Mapping) else None
