"""laya_sweep: sweep Laya checkpoints over languages, regimes and thresholds, and judge what comes out.

The rooms, in the direction data flows:

    config -> run: plan -> execution (actors around engines) -> store     facts: raw logits, Parquet
       reports <- judging <- gates <- results (metrics, scoring) <-       derived: recomputed any time

Importing this package imports none of them: the names that it offers stand in `__init__.pyi`, and each is looked up
in its room when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
