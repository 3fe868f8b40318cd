"""Where the bundled checkpoints are."""

from __future__ import annotations

from pathlib import Path

#: The folder of the bundled checkpoints, by name.
CHECKPOINTS_FOLDER = Path(__file__).parent / "checkpoints"
