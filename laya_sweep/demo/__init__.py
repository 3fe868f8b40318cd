"""The embedded default: a small parallel corpus in 51 languages and two tiny checkpoints trained on it.

Illustrative, and no claim of quality: see README.md beside this file.
"""

from pathlib import Path

from laya_sweep.demo.corpus import CORPUS_FILE, CorpusError, CorpusRow, read_corpus

#: The folder of the bundled checkpoints, by name.
CHECKPOINTS_FOLDER = Path(__file__).parent / "checkpoints"

__all__ = ["CHECKPOINTS_FOLDER", "CORPUS_FILE", "CorpusError", "CorpusRow", "read_corpus"]
