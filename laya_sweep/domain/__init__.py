"""The words of the field, which every room may use: cases, questions, variants, regimes, thresholds, settings."""
