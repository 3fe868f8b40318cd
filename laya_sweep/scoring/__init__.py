"""Logits + a regime -> decisions. Derived, so recomputed any time: no torch, no Ray."""
