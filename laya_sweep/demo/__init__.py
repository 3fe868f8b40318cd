"""The embedded default: a small parallel corpus in 51 languages and two tiny checkpoints trained on it.

Illustrative, and no claim of quality: see README.md beside this file.
"""
