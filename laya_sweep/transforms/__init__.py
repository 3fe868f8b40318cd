"""Presentations of a case: one named transform makes one or more variants, each with its way back."""

from laya_sweep.transforms.variant import TRANSFORMS, Transform, Variant, transform_identity, variants_of

__all__ = ["TRANSFORMS", "Transform", "Variant", "transform_identity", "variants_of"]
