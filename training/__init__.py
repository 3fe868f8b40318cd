"""How the bundled checkpoints were trained: run once, by `make demo-checkpoints`; no part of the package."""
