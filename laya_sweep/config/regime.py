"""The entries of `regime`: which temperature divides the logits, and the files of a calibration map."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from laya_sweep.config.fields import Fields
from laya_sweep.domain.calibration_map import MAP, OVERRIDES
from laya_sweep.domain.checked import Divisor
from laya_sweep.domain.identity import digest_file
from laya_sweep.domain.regime import REGIME_KINDS
from laya_sweep.domain.settings import RegimeSettings
from laya_sweep.errors import UsageError
from laya_sweep.files.json_file import read_json


def read_regime(name: str, fields: Fields) -> RegimeSettings:
    kind = fields.value("kind", Literal[REGIME_KINDS])
    if kind == "map":
        return _map_regime(name, fields)
    temperature = fields.value("temperature", Divisor) if kind == "fixed" else None
    fields.close()
    return RegimeSettings(name=name, kind=kind or "", temperature=temperature)


def _map_regime(name: str, fields: Fields) -> RegimeSettings:
    """The map as its files hold it now: what is derived later is of these bytes, whatever becomes of the files."""
    options = fields.options(RegimeSettings, ("path", "fitted_rows"))
    path = options["path"]
    given: Any = fields.get("lang_temperatures")
    if path is None and given is None:
        fields.complain("path", "a calibration map, or lang_temperatures", None, f"set regime.{name}.path=FILE")
    lang_path = Path(given).expanduser() if isinstance(given, str) and given else None
    document, sha256 = _calibration_file(fields, "path", path, MAP)
    languages, lang_sha256 = _calibration_file(fields, "lang_temperatures", lang_path, OVERRIDES)
    if lang_path is None and given is not None and fields.value("lang_temperatures", OVERRIDES) is not None:
        languages = given
    fields.close()
    return RegimeSettings(
        name, "map", None, path, sha256, document, languages, lang_path, lang_sha256, options["fitted_rows"]
    )


def _calibration_file(
    fields: Fields, key: str, path: Path | None, hint: object
) -> tuple[Mapping[str, Any] | None, str | None]:
    """The checked document of a file and its digest; None where there is none, or with a complaint."""
    if path is None:
        return None, None
    try:
        document = read_json(path, key)
        return None if fields.held(key, hint, document) is None else document, digest_file(path)
    except UsageError as error:
        fields.complain(key, "a calibration file of the runtime", str(path), str(error))
        return None, None
