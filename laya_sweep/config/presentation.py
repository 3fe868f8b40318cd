"""How cases are shown: the entries of `transform`, and `narrowing`."""

from __future__ import annotations

from typing import Literal

from laya_sweep.config.fields import Fields, named_entries
from laya_sweep.domain.settings import BASELINE, CHECKPOINT_EMBEDDER, NarrowingSettings, TransformSettings
from laya_sweep.transforms.registry import TRANSFORMS


def _transform(name: str, fields: Fields) -> TransformSettings:
    """A transform by its own name; what it draws with, where it draws."""
    kind = fields.value("name", Literal[(*TRANSFORMS,)])
    if kind and kind != name:
        fields.complain("name", f"{name}, the name of its entry", kind, f"write transform.{kind}.name={kind}")
    drawn = fields.options(TransformSettings) if kind and TRANSFORMS[kind].draws else {}
    fields.close()
    return TransformSettings(name=name, **drawn)


def read_transforms(fields: Fields) -> tuple[TransformSettings, ...]:
    transforms = named_entries(fields, "transform", "'transform=[baseline]'", _transform)
    names = [transform.name for transform in transforms]
    if names and BASELINE not in names:
        # Nothing is added in silence: the baseline costs a forward a case like any other transform.
        expected = f"{BASELINE} among the transforms, which the others are compared with"
        fields.complain("transform", expected, names, f"'transform=[{','.join([BASELINE, *names])}]'")
    return transforms


#: The options of each way to cut options down.
_NARROWINGS = {"none": (), "shortlist": ("k", "embedder", "embedder_id"), "knockout": ("group_size",)}


def read_narrowing(fields: Fields) -> NarrowingSettings:
    kind = fields.options(NarrowingSettings, ("name",))["name"]
    settings = NarrowingSettings(kind, **fields.options(NarrowingSettings, _NARROWINGS[kind]))
    fields.close()
    for key in _NARROWINGS[kind]:
        if key != "embedder_id" and fields.get(key) is None:
            fields.complain(key, f"a value with narrowing={kind}", None, f"set narrowing.{key}")
    if kind == "shortlist":
        _check_embedder(fields, settings)
    return settings


def _check_embedder(fields: Fields, settings: NarrowingSettings) -> None:
    embedder = settings.embedder or CHECKPOINT_EMBEDDER
    module, _, function = embedder.partition(":")
    if embedder == CHECKPOINT_EMBEDDER:
        return
    if not all(name.isidentifier() for name in [*module.split("."), function]):
        expected = f"{CHECKPOINT_EMBEDDER}, or package.module:function"
        fields.complain("embedder", expected, embedder, "for example narrowing.embedder=my_package.vectors:embed")
    if settings.embedder_id is None:
        expected = "a name that changes whenever the vectors do, such as a revision"
        fields.complain("embedder_id", expected, None, "set narrowing.embedder_id")
