"""Hydra's plain dictionary -> `Settings`; every fault is collected, then all are shown at once."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import unquote, urlsplit

from laya.confidence import check_min_confidence

from laya_sweep.calibration_map import map_of, overrides_of
from laya_sweep.dataset_config import READERS
from laya_sweep.errors import AUTO, ConfigError, Problem, UsageError, name_list
from laya_sweep.identity import digest_file
from laya_sweep.jsonfile import read_json
from laya_sweep.min_confidence import MinConfidence, from_document
from laya_sweep.pins import pin
from laya_sweep.routing import route_table, router_of
from laya_sweep.settings import (
    BASELINE,
    CHECKPOINT_EMBEDDER,
    NO_NARROWING,
    PRESENTATION,
    CheckpointSettings,
    DatasetSettings,
    ExecutorSettings,
    GateSettings,
    MetricSettings,
    NarrowingSettings,
    RegimeSettings,
    RouterSettings,
    RouteSettings,
    Settings,
    StoreSettings,
    TransformSettings,
)
from laya_sweep.suites import SAMPLINGS
from laya_sweep.suites.languages import LANGUAGES
from laya_sweep.transforms import SAMPLERS, TRANSFORMS

REGIME_KINDS = ("served", "raw", "unit", "fixed", "map")

T = TypeVar("T")

#: Characters of a document that a complaint shows whole.
_LONG = 120


class Fields:
    """Reads one mapping of the configuration; complaints go to a list shared by all readers."""

    def __init__(self, raw: object, where: str, problems: list[Problem]) -> None:
        self._where = where
        self._problems = problems
        self._seen: set[str] = set()
        self._raw: Mapping[Any, Any] = raw if isinstance(raw, Mapping) else {}
        if not isinstance(raw, Mapping):
            self.complain("", "a mapping", raw, "write it as key: value pairs")

    def complain(self, key: str, expected: str, got: object, next_step: str) -> None:
        """Note one fault of `key`."""
        what = ".".join(part for part in (self._where, key) if part) or "the configuration"
        self._problems.append(Problem(what, expected, f"{got!r}", next_step))

    def inner(self, key: str, raw: object) -> Fields:
        """A reader of a mapping inside this one."""
        return Fields(raw, f"{self._where}.{key}", self._problems)

    def get(self, key: str) -> object:
        """The raw value, None where it is missing."""
        self._seen.add(key)
        return self._raw.get(key)

    def text(self, key: str) -> str:
        """A string that is not empty."""
        value = self.get(key)
        if isinstance(value, str) and value:
            return value
        self.complain(key, "a text", value, _quote_hint(value))
        return ""

    def optional_text(self, key: str) -> str | None:
        """A string that is not empty, or null."""
        return None if self.get(key) is None else self.text(key)

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        """One of the allowed names."""
        value = self.get(key)
        if isinstance(value, str) and value in allowed:
            return value
        self.complain(key, "one of " + name_list(allowed, str(value)), value, f"set {key} to one of them")
        return ""

    def integer(self, key: str, least: int) -> int:
        """A whole number of at least `least`; a bool is no number."""
        value = self.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self.complain(key, f"a whole number of at least {least}", value, "correct the value")
        return least

    def optional_integer(self, key: str, least: int) -> int | None:
        """A whole number of at least `least`, or null."""
        return None if self.get(key) is None else self.integer(key, least)

    def number(self, key: str, least: float, *, above: bool = False) -> float:
        """A finite number of at least (or above) `least`."""
        value = self.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and _reaches(value, least, above):
            return float(value)
        word = "above" if above else "of at least"
        self.complain(key, f"a finite number {word} {least:g}", value, "correct the value")
        return least

    def flag(self, key: str) -> bool:
        """true or false."""
        value = self.get(key)
        if isinstance(value, bool):
            return value
        self.complain(key, "true or false", value, "correct the value")
        return False

    def optional_path(self, key: str, kind: str = "a folder") -> Path | None:
        """A file or folder, or null."""
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, str) and value:
            return Path(value).expanduser()
        # A number is not the folder that was written: Hydra reads 2026_11_30 as 20261130.
        self.complain(key, kind, value, f"write {kind} that looks like a number with a path: ./NAME")
        return None

    def close(self) -> None:
        """Complain about every key that nobody read."""
        for key in self._raw:
            if key not in self._seen:
                known = name_list(sorted(self._seen), str(key))
                self.complain(str(key), f"one of the known keys ({known})", self._raw[key], "remove or correct the key")


def build_settings(raw: Mapping[str, Any]) -> Settings:
    """Settings from the composed configuration.

    Raises:
        ConfigError: with every fault found, when there is at least one.
    """
    problems: list[Problem] = []
    fields = Fields(raw, "", problems)
    dataset = _dataset(Fields(fields.get("dataset"), "dataset", problems))
    asked = pin(_named(fields, "checkpoints", problems, _checkpoint), fields.get("revision"), fields.complain)
    settings = Settings(
        checkpoints=tuple(entry for entry in asked if isinstance(entry, CheckpointSettings)),
        languages=_languages(fields, dataset.name),
        regimes=_named(fields, "regime", problems, _regime),
        transforms=_transforms(fields, problems),
        min_confidence=_min_confidence(fields),
        dataset=dataset,
        executor=_executor(Fields(fields.get("executor"), "executor", problems)),
        store=_store(Fields(fields.get("store"), "store", problems)),
        gate=_gate(Fields(fields.get("gate"), "gate", problems)),
        baseline=fields.optional_path("baseline"),
        on_error=fields.choice("on_error", ["fail", "skip"]),
        out_dir=fields.optional_path("out_dir"),
        batch_tokens=fields.integer("batch_tokens", 1),
        batch_size=fields.optional_integer("batch_size", 1),
        shard_cases=fields.integer("shard_cases", 1),
        dry_run=fields.flag("dry_run"),
        metrics=_metrics(Fields(fields.get("metrics"), "metrics", problems)),
        drift=fields.optional_text("drift"),
        sort_by_length=fields.flag("sort_by_length"),
        narrowing=_narrowing(Fields(fields.get("narrowing"), "narrowing", problems)),
        routers=tuple(entry for entry in asked if isinstance(entry, RouterSettings)),
    )
    _refuse_window(fields)
    _refuse_narrowed_transforms(fields, settings)
    fields.close()
    _check_presentation(fields, settings)
    _check_together(fields, settings)
    if problems:
        raise ConfigError(*problems)
    return settings


def _refuse_narrowed_transforms(fields: Fields, settings: Settings) -> None:
    """What is kept of a question is of the case as it stands: other presentations would each keep something else."""
    names = [transform.name for transform in settings.transforms]
    if settings.narrowing.name != "none" and names not in ([], [BASELINE]):
        step = "'transform=[baseline]', or narrowing=none"
        fields.complain("transform", f"baseline alone with narrowing={settings.narrowing.name}", names, step)
    if settings.narrowing.name != "none" and settings.dataset.name == PRESENTATION:
        fields.complain("narrowing", "none with dataset=presentation", settings.narrowing.name, "leave narrowing out")


def _check_presentation(fields: Fields, settings: Settings) -> None:
    """The checks present every order themselves, and their gates gate nothing else."""
    checks = settings.dataset.name == PRESENTATION
    if checks and [transform.name for transform in settings.transforms] != ["baseline"]:
        fields.complain("transform", "[baseline] with dataset=presentation", "another", "leave transform out")
    if settings.gate.checks and not checks:
        fields.complain("gate.checks", "dataset=presentation", settings.dataset.name, "remove gate.checks")


def _check_together(fields: Fields, settings: Settings) -> None:
    """Faults between keys that are right by themselves."""
    onnx = [checkpoint.name for checkpoint in settings.checkpoints if checkpoint.engine == "onnx"]
    if onnx and settings.executor.device != "cpu":
        expected = f"0 with an ONNX checkpoint ({', '.join(onnx)}), which runs on the CPU"
        fields.complain("executor.num_gpus", expected, settings.executor.num_gpus, "sweep it in a run of its own")
    names = [checkpoint.name for checkpoint in settings.checkpoints] + [router.name for router in settings.routers]
    if settings.drift is not None and settings.drift not in names:
        expected = f"null, or one of the checkpoints of this run ({name_list(names, settings.drift)})"
        fields.complain("drift", expected, settings.drift, "name one of them")


def _named(fields: Fields, key: str, problems: list[Problem], build: Callable[[str, Fields], T]) -> tuple[T, ...]:
    """The entries of a `name: {...}` mapping, in the order of the names: order is never identity."""
    raw = fields.get(key)
    if not isinstance(raw, Mapping) or not raw:
        fields.complain(key, "at least one entry", raw, f"choose one, for example {_EXAMPLES[key]}")
        return ()
    return tuple(build(str(name), Fields(raw[name], f"{key}.{name}", problems)) for name in sorted(raw, key=str))


_EXAMPLES = {
    "checkpoints": "'checkpoint=[english]' or +checkpoints.mine.source=FOLDER",
    "regime": "'regime=[served,raw]'",
    "transform": "'transform=[baseline]'",
}


def _checkpoint(name: str, fields: Fields) -> CheckpointSettings | RouterSettings:
    if fields.get("source") == AUTO:
        return _router(name, fields)
    settings = CheckpointSettings(
        name=name,
        source=fields.text("source"),
        subfolder=fields.optional_text("subfolder"),
        revision=fields.optional_text("revision"),
        max_len=fields.optional_integer("max_len", 8),
        head_max_len=fields.optional_integer("head_max_len", 8),
        engine=_engine(fields),
        onnx=fields.optional_path("onnx", "a file"),
        expected_sha256=_expected_digests(fields),
    )
    fields.close()
    if settings.engine == "onnx" and fields.get("onnx") is None:
        fields.complain("onnx", "a file with engine=onnx", None, f"set +checkpoints.{name}.onnx=FILE")
    if settings.engine == "torch" and settings.onnx is not None:
        fields.complain("onnx", "null with engine=torch", str(settings.onnx), f"set +checkpoints.{name}.engine=onnx")
    return settings


def _engine(fields: Fields) -> Literal["torch", "onnx"]:
    """Torch unless the checkpoint says otherwise."""
    if fields.get("engine") is None:
        return "torch"
    return "onnx" if fields.choice("engine", ["torch", "onnx"]) == "onnx" else "torch"


def _expected_digests(fields: Fields) -> dict[str, str]:
    """Files of the checkpoint, or `onnx`, and the SHA-256 that each must have."""
    raw = fields.get("expected_sha256")
    found = dict(raw) if isinstance(raw, Mapping) else {}
    if raw is not None and not isinstance(raw, Mapping):
        fields.complain("expected_sha256", "a map of file to SHA-256", raw, "write it as {model.safetensors: DIGEST}")
    for name, value in found.items():
        if not isinstance(value, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", value.strip()):
            step = "write it as '+checkpoints.NAME.expected_sha256={model.safetensors: DIGEST}'"
            fields.complain(f"expected_sha256.{name}", "64 hex digits", value, step)
    return {str(name): str(value).strip().lower() for name, value in found.items()}


def _router(name: str, fields: Fields) -> RouterSettings:
    settings = RouterSettings(
        name=name,
        routes=_routes(fields),
        default=fields.optional_text("default"),
        auto_task_detection=fields.get("auto_task_detection") is not None and fields.flag("auto_task_detection"),
        max_len=fields.optional_integer("max_len", 8),
        head_max_len=fields.optional_integer("head_max_len", 8),
    )
    fields.close()
    try:
        router_of(settings)
    except ValueError:
        known = name_list([route.name for route in settings.routes], str(settings.default))
        fields.complain("default", f"one of its routes ({known})", settings.default, "name one of them")
    return settings


def _routes(fields: Fields) -> tuple[RouteSettings, ...]:
    """The whole table of a router: the runtime's own routes, with those that are written."""
    raw = fields.get("routes")
    if raw is not None and not isinstance(raw, Mapping):
        fields.complain("routes", "a map of name to checkpoint", raw, "for example routes.multilingual=FOLDER")
    own = [_route(fields, str(name), value) for name, value in raw.items()] if isinstance(raw, Mapping) else []
    try:
        return route_table(own)
    except ValueError as error:
        fields.complain("routes", "names that a router takes", " ".join(str(error).split()), "correct the name")
    return route_table(())


def _route(fields: Fields, name: str, raw: object) -> RouteSettings:
    """A route written as its source, or as a mapping of a checkpoint's parts."""
    inner = fields.inner(f"routes.{name}", {"source": raw} if isinstance(raw, str) else raw)
    route = RouteSettings(
        name=name,
        source=inner.text("source"),
        subfolder=inner.optional_text("subfolder"),
        revision=inner.optional_text("revision"),
    )
    inner.close()
    if route.source == AUTO:
        inner.complain("source", "a folder or a Hub repository", AUTO, "a route is one checkpoint")
    return route


def _regime(name: str, fields: Fields) -> RegimeSettings:
    kind = fields.choice("kind", REGIME_KINDS)
    if kind == "map":
        return _map_regime(name, fields)
    temperature = fields.number("temperature", 0.0, above=True) if kind == "fixed" else None
    fields.close()
    return RegimeSettings(name=name, kind=kind, temperature=temperature)


def _map_regime(name: str, fields: Fields) -> RegimeSettings:
    """The map as its files hold it now: what is derived later is of these bytes, whatever becomes of the files."""
    path, given = fields.optional_path("path"), fields.get("lang_temperatures")
    if path is None and given is None:
        fields.complain("path", "a calibration map, or lang_temperatures", None, f"set regime.{name}.path=FILE")
    lang_path = Path(given).expanduser() if isinstance(given, str) and given else None
    document, sha256 = _calibration_file(fields, "path", path, map_of)
    languages, lang_sha256 = _calibration_file(fields, "lang_temperatures", lang_path, overrides_of)
    if lang_path is None and given is not None:
        languages = _checked_calibration(fields, "lang_temperatures", given, overrides_of)
    fitted_rows = "refuse" if fields.get("fitted_rows") is None else fields.choice("fitted_rows", ["refuse", "allow"])
    fields.close()
    return RegimeSettings(
        name, "map", None, path, sha256, document, languages, lang_path, lang_sha256, fitted_rows=fitted_rows
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


def _transform(name: str, fields: Fields) -> TransformSettings:
    """A transform by its own name; what it draws with, where it draws."""
    kind = fields.choice("name", [*TRANSFORMS])
    if kind and kind != name:
        fields.complain("name", f"{name}, the name of its entry", kind, f"write transform.{kind}.name={kind}")
    settings = TransformSettings(name=name)
    if kind and TRANSFORMS[kind].draws:
        settings = TransformSettings(
            name=name,
            variants=fields.integer("variants", 1),
            seed=fields.integer("seed", 0),
            sampler=fields.choice("sampler", [*SAMPLERS]),
        )
    fields.close()
    return settings


def _transforms(fields: Fields, problems: list[Problem]) -> tuple[TransformSettings, ...]:
    transforms = _named(fields, "transform", problems, _transform)
    names = [transform.name for transform in transforms]
    if names and BASELINE not in names:
        # Nothing is added in silence: the baseline costs a forward a case like any other transform.
        expected = f"{BASELINE} among the transforms, which the others are compared with"
        fields.complain("transform", expected, names, f"'transform=[{','.join([BASELINE, *names])}]'")
    return transforms


def _narrowing(fields: Fields) -> NarrowingSettings:
    kind = fields.choice("name", ["none", "shortlist", "knockout"])
    settings = NO_NARROWING
    if kind == "shortlist":
        settings = NarrowingSettings(
            name="shortlist",
            k=fields.integer("k", 1),
            embedder=_embedder(fields),
            embedder_id=fields.optional_text("embedder_id"),
        )
        if settings.embedder != CHECKPOINT_EMBEDDER and settings.embedder_id is None:
            expected = "a name that changes whenever the vectors do, such as a revision"
            fields.complain("embedder_id", expected, None, "set narrowing.embedder_id")
    elif kind == "knockout":
        settings = NarrowingSettings(name="knockout", group_size=fields.integer("group_size", 2))
    fields.close()
    return settings


def _embedder(fields: Fields) -> str:
    text = fields.text("embedder")
    module, _, function = text.partition(":")
    names = [*module.split("."), function]
    if text and text != CHECKPOINT_EMBEDDER and not all(name.isidentifier() for name in names):
        expected = f"{CHECKPOINT_EMBEDDER}, or package.module:function"
        fields.complain("embedder", expected, text, "for example narrowing.embedder=my_package.vectors:embed")
    return text


def _dataset(fields: Fields) -> DatasetSettings:
    if fields.get("name") == "jsonl":
        return _labelled_dataset(fields)
    if fields.get("name") in READERS:
        return READERS[str(fields.get("name"))](fields)
    if fields.get("name") == PRESENTATION:
        return _presentation_dataset(fields)
    settings = DatasetSettings(
        name=fields.choice("name", ["demo", "massive", "massive_scenario", "jsonl", PRESENTATION, *READERS]),
        path=fields.optional_path("path"),
        repo=fields.optional_text("repo"),
        revision=fields.optional_text("revision"),
        split=fields.text("split"),
        per_lang=fields.optional_integer("per_lang", 1),
        n_opts=fields.integer("n_opts", 2),
        seed=fields.integer("seed", 0),
        sampling=fields.choice("sampling", [*SAMPLINGS]),
    )
    fields.close()
    if settings.name.startswith("massive") and settings.path is None and settings.repo is None:
        fields.complain("path", "a folder, or a Hub repository in dataset.repo", None, "set one of the two")
    if settings.name == "demo" and settings.path is not None:
        fields.complain(
            "path", "null for the bundled corpus", str(settings.path), "use dataset=massive for your own folder"
        )
    return settings


def _labelled_dataset(fields: Fields) -> DatasetSettings:
    """A labelled file: what an intent suite draws by is no key of it."""
    path, per_lang = fields.optional_path("path"), fields.optional_integer("per_lang", 1)
    settings = _unsampled("jsonl", path, per_lang)
    if fields.get("path") is None:
        fields.complain("path", "a JSONL file", None, "set dataset.path=FILE")
    fields.close()
    return settings


def _refuse_window(fields: Fields) -> None:
    """Reading a long state in windows would have to be the runtime's `predict_long`, which this house does not do."""
    value = fields.get("window")
    if value is not None:
        step = "raise +checkpoints.NAME.max_len, or split long texts into rows of one id; docs/suites.md says why"
        fields.complain("window", "null, since states are read in one piece and windows are not supported", value, step)


def _presentation_dataset(fields: Fields) -> DatasetSettings:
    """The document of the checks: the bundled one where no path is named."""
    settings = _unsampled(PRESENTATION, fields.optional_path("path"), None)
    fields.close()
    return settings


def _unsampled(name: str, path: Path | None, per_lang: int | None) -> DatasetSettings:
    return DatasetSettings(
        name=name,
        path=path,
        repo=None,
        revision=None,
        split="",
        per_lang=per_lang,
        n_opts=0,
        seed=0,
        sampling="",
    )


def _metrics(fields: Fields) -> MetricSettings:
    raw = fields.get("score_within")
    wanted = raw if isinstance(raw, list | tuple) else [raw]
    named: dict[str, float] = {}
    for value in wanted:
        tolerance = _tolerance(fields, value)
        if tolerance is not None and named.setdefault(f"{tolerance:g}", tolerance) != tolerance:
            fields.complain("score_within", f"one tolerance of the name {tolerance:g}", value, "keep one of them")
    rounding = fields.choice("rounding", ["exact", "runtime"])
    fields.close()
    return MetricSettings(tuple(named.values()), "runtime" if rounding == "runtime" else "exact")


def _tolerance(fields: Fields, value: object) -> float | None:
    """A tolerance in levels; None with a complaint where it is none."""
    if isinstance(value, int | float) and not isinstance(value, bool) and _reaches(value, 0.0, False):
        return float(value)
    fields.complain("score_within", "finite numbers of at least 0", value, "for example 0.25, or [] for none")
    return None


def _executor(fields: Fields) -> ExecutorSettings:
    settings = ExecutorSettings(
        name=fields.choice("name", ["ray", "inline"]),
        address=fields.optional_text("address"),
        num_actors=fields.optional_integer("num_actors", 1),
        num_cpus=fields.integer("num_cpus", 1),
        num_gpus=fields.number("num_gpus", 0.0),
        handshake_timeout_s=fields.number("handshake_timeout_s", 0.0, above=True),
        shard_timeout_s=fields.number("shard_timeout_s", 0.0, above=True),
        max_failures=fields.integer("max_failures", 1),
    )
    fields.close()
    if settings.name == "inline":
        _refuse_for_inline(fields, settings)
    if settings.num_gpus > 1 and settings.num_gpus != int(settings.num_gpus):
        fields.complain("num_gpus", "a whole number, or a fraction below 1", settings.num_gpus, "correct the value")
    return settings


def _refuse_for_inline(fields: Fields, settings: ExecutorSettings) -> None:
    if settings.address is not None:
        fields.complain("address", "null with executor=inline", settings.address, "use executor=ray to join a cluster")
    if settings.num_actors not in (None, 1):
        fields.complain("num_actors", "1 with executor=inline", settings.num_actors, "use executor=ray for more")


def _store(fields: Fields) -> StoreSettings:
    uri = fields.text("uri")
    fields.close()
    parts = urlsplit(uri)
    if parts.scheme == "file":
        return StoreSettings(uri=Path(unquote(parts.path)))
    if "://" in uri:
        fields.complain("uri", "a folder, or file:///FOLDER", uri, "name a folder that every actor's node can reach")
    return StoreSettings(uri=Path(uri))


def _gate(fields: Fields) -> GateSettings:
    mode = fields.get("mode")
    settings = GateSettings(
        mode=None if mode is None else _mode(fields.choice("mode", ["strict", "compatible"])),
        min_accuracy=_optional_number(fields, "min_accuracy"),
        max_ece=_optional_number(fields, "max_ece"),
        min=_limits(fields, "min"),
        max=_limits(fields, "max"),
        tolerance=_limits(fields, "tolerance"),
        tolerances=fields.optional_path("tolerances"),
        policy=fields.optional_path("policy"),
        two_sided=fields.flag("two_sided"),
        max_errored_share=fields.number("max_errored_share", 0.0),
        checks=_check_gates(fields),
        model=fields.optional_text("model"),
        branch=fields.optional_text("branch"),
        languages=_compared_languages(fields),
    )
    fields.close()
    return settings


def _check_gates(fields: Fields) -> dict[str, Any]:
    """Language -> check -> {min, max}, as written: the checks know which of them can mean anything."""
    raw = fields.get("checks")
    if raw is None or isinstance(raw, Mapping):
        return dict(raw or {})
    fields.complain("checks", "a map", raw, "for example 'gate.checks={de: {score_slot0_identical: {min: -0.2}}}'")
    return {}


def _compared_languages(fields: Fields) -> tuple[str, ...] | None:
    """Languages of a baseline, as it names them."""
    raw = fields.get("languages")
    wanted = [raw] if isinstance(raw, str) else raw
    if raw is None:
        return None
    if isinstance(wanted, Sequence) and wanted and all(isinstance(code, str) for code in wanted):
        return tuple(dict.fromkeys(wanted))
    fields.complain("languages", "codes as texts, or null for all of the baseline", raw, "for example [en,de]")
    return ()


def _mode(name: str) -> Literal["strict", "compatible"]:
    return "compatible" if name == "compatible" else "strict"


def _optional_number(fields: Fields, key: str) -> float | None:
    return None if fields.get(key) is None else fields.number(key, 0.0)


def _limits(fields: Fields, key: str) -> dict[str, Any]:
    """A map of metric to limit. A nested map is a metric's name that the command line took apart at its dots."""
    raw = fields.get(key)
    found = dict(raw) if isinstance(raw, Mapping) else {}
    if raw is not None and not isinstance(raw, Mapping):
        fields.complain(key, "a map of metric to number", raw, f"for example gate.{key}.choice_accuracy=0.8")
    for name, value in found.items():
        if isinstance(value, Mapping):
            whole = f"'gate.{key}={{{_joined_name(name, value)}}}'"
            fields.complain(f"{key}.{name}", "a number", value, f"write a name with dots or @ as {whole}")
    return found


def _joined_name(name: object, value: Mapping[Any, Any]) -> str:
    inner, limit = next(iter(value.items()), ("", 0))
    return _joined_name(f"{name}.{inner}", limit) if isinstance(limit, Mapping) else f"{name}.{inner}: {limit}"


#: Datasets whose languages stand in their files.
_OWN_LANGUAGES = ("jsonl", PRESENTATION, *READERS)


def _languages(fields: Fields, dataset: str) -> tuple[str, ...] | None:
    """Codes, or None for all that a file turns out to have."""
    raw = fields.get("languages")
    if raw == "all":
        return None if dataset in _OWN_LANGUAGES else tuple(LANGUAGES)
    wanted = [raw] if isinstance(raw, str) else raw
    if not isinstance(wanted, Sequence) or not wanted:
        fields.complain("languages", "all, a code, or a list of codes", raw, "for example languages=[en,de]")
        return ()
    return tuple(dict.fromkeys(code for code in wanted if _known_language(fields, code, dataset)))


def _known_language(fields: Fields, code: object, dataset: str) -> bool:
    if isinstance(code, str) and (dataset in _OWN_LANGUAGES or code in LANGUAGES):
        return True
    if dataset in _OWN_LANGUAGES:
        fields.complain("languages", "languages of the file, as texts", code, _quote_hint(code))
        return False
    expected = "one of the 51 MASSIVE languages (" + name_list([*LANGUAGES], str(code)) + ")"
    fields.complain("languages", expected, code, "correct the code" if isinstance(code, str) else _quote_hint(code))
    return False


_THRESHOLD = "a finite number in [0, 1], not a bool, or a map of such numbers by bucket"


def _min_confidence(fields: Fields) -> tuple[MinConfidence, ...]:
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


def _reaches(value: float, least: float, above: bool) -> bool:
    return math.isfinite(value) and (value > least or (value == least and not above))


def _quote_hint(value: object) -> str:
    if isinstance(value, bool):
        return "in a YAML file quote words such as 'no' and 'on'"
    return "give it as a text"
