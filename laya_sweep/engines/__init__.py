"""Checkpoint -> raw logits. Importing this package imports no torch; `load_engine` does."""
