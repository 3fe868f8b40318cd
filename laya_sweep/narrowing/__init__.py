"""Fewer options than a choice has, picked before it is answered: a shortlist by an embedder, or a knockout in groups.

What is kept depends on the case, the checkpoint and the embedder alone, so that it is a fact like the logits. Importing
this package imports no torch; `make_narrower` does.
"""
