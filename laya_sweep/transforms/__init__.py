"""Presentations of a case: one named transform makes one or more variants, each with its way back."""

from laya_sweep.transforms.option_order import SAMPLERS
from laya_sweep.transforms.permutation import permute, shuffled
from laya_sweep.transforms.presented import Presented
from laya_sweep.transforms.registry import (
    TRANSFORMS,
    NotApplicable,
    not_applicable,
    present,
    transform_document,
    transform_identity,
    variants_of,
)
from laya_sweep.transforms.rename import opaque_names, rename
from laya_sweep.transforms.transform import Transform
from laya_sweep.transforms.variant import Variant

__all__ = [
    "SAMPLERS",
    "TRANSFORMS",
    "NotApplicable",
    "Presented",
    "Transform",
    "Variant",
    "not_applicable",
    "opaque_names",
    "permute",
    "present",
    "rename",
    "shuffled",
    "transform_document",
    "transform_identity",
    "variants_of",
]
