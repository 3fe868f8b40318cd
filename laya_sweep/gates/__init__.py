"""Gates: whether a result may pass, and why not. numpy and the standard library only.

`judge` asks everything of one result: absent data, comparability with a baseline, thresholds, tolerances, a
policy. It takes a `Scorecard`, the values of a report, or the path of one, and nothing is remembered between calls: a
gate that is added later meets results that were made before. `compare` and `assert_no_regression`, which take runs
too, stand on it in `verdicts`.
"""
