#!/bin/sh
# What can be checked of labelled sets and gates without a checkpoint: needs numpy and pyarrow, neither torch nor ray.
#
#     sh jobs/weight_free.sh [PREVIOUS_BASELINE]
#
# Every *.jsonl of the gate's folder (LAYA_SWEEP_GATE, jobs/gate if unset) is a valid labelled set, and baseline.json
# passes policy.json within tolerances.json against PREVIOUS_BASELINE: the one before a change of it. Without one it
# is judged against itself, so that rules and tolerances that meet nothing in it are found.
# Exit code: 0, 1 a check failed, 2 a file that cannot mean anything.
set -eu
gate=${LAYA_SWEEP_GATE:-$(dirname "$0")/gate}
python=${PYTHON:-python3}

for labelled in "$gate"/*.jsonl; do
    "$python" -m laya_sweep validate "$labelled"
done
"$python" -m laya_sweep compare "$gate/baseline.json" --baseline "${1:-$gate/baseline.json}" \
    --policy "$gate/policy.json" --tolerances "$gate/tolerances.json"
