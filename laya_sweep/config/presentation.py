"""How cases are shown: the entries of `transform`, and `narrowing`."""

from __future__ import annotations

from laya_sweep.config.fields import Fields, named_entries
from laya_sweep.domain.settings import BASELINE, CHECKPOINT_EMBEDDER, NO_NARROWING, NarrowingSettings, TransformSettings
from laya_sweep.errors import Problem
from laya_sweep.transforms.option_order import SAMPLERS
from laya_sweep.transforms.registry import TRANSFORMS


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


def read_transforms(fields: Fields, problems: list[Problem]) -> tuple[TransformSettings, ...]:
    transforms = named_entries(fields, "transform", problems, _transform)
    names = [transform.name for transform in transforms]
    if names and BASELINE not in names:
        # Nothing is added in silence: the baseline costs a forward a case like any other transform.
        expected = f"{BASELINE} among the transforms, which the others are compared with"
        fields.complain("transform", expected, names, f"'transform=[{','.join([BASELINE, *names])}]'")
    return transforms


def read_narrowing(fields: Fields) -> NarrowingSettings:
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
