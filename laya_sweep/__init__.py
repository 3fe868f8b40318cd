"""laya_sweep: sweep Laya checkpoints over languages, regimes and thresholds, and judge what comes out.

The rooms, in the direction data flows:

    conf -> plan -> suites -> transforms -> engines in actors -> store      facts: raw logits, Parquet
       reports <- gates <- metrics <- scoring (regimes) <-------------      derived: recomputed any time

Importing this package imports neither torch nor ray.
"""
