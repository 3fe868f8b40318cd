"""Anything that holds figures is opened here, and judged by the gates: the one way for all."""
