"""A labelled set scored in a notebook or a test suite: no store, no run folder, no Ray.

`evaluate(data, runner)` asks any object with the runtime's `predict` or `predict_batch`, or an engine of ours,
and gives an `Evaluation`: metrics with intervals, decisions, a scorecard for gates, and a `laya-evals-report/1`.
Importing this package imports no torch; an engine that is loaded from a checkpoint does.
"""
