"""Gates: whether a result may pass, and why not. numpy and the standard library only.

`judgement.judge` asks everything of one scorecard: absent data, comparability with a baseline, thresholds, tolerances,
a policy. Nothing is remembered between calls: a gate that is added later meets results that were made before. What
becomes a scorecard, and which of them are held against each other, is told in `judging`.
"""
