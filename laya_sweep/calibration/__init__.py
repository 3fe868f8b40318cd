"""Fitting calibration maps and thresholds on stored logits, and keeping fitted rows out of what is evaluated."""
