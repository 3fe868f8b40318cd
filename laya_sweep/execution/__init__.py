"""Who computes: the worker, its Ray actor and its inline twin, and the pool that keeps them busy.

Importing this package imports neither Ray nor torch; `make_backend` does where it must.
"""
