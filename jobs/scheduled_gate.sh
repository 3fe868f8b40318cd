#!/bin/sh
# A sweep judged against a committed baseline: what a scheduled job runs, and what a person runs to see what it saw.
#
#     sh jobs/scheduled_gate.sh [OVERRIDE ...]
#
# In the gate's folder (LAYA_SWEEP_GATE, jobs/gate if unset): sweep.txt has the overrides of the sweep, one a line;
# baseline.json is the report.json of the reviewed run, policy.json and tolerances.json say what may change. Overrides
# given here come last, so they win. Everything is computed anew, into LAYA_SWEEP_OUT (outputs/scheduled_gate/<time>):
# run/ holds reports, tables and verdict.json whatever the verdict.
# Exit code: that of the sweep (0 passed, 1 a gate failed, 2 cannot be judged, 3 incomplete).
set -u
gate=${LAYA_SWEEP_GATE:-$(dirname "$0")/gate}
out=${LAYA_SWEEP_OUT:-outputs/scheduled_gate/$(date -u +%Y%m%dT%H%M%SZ)}
[ -r "$gate/sweep.txt" ] || {
    echo "error: $gate/sweep.txt: expected the overrides of the sweep, got no such file; set LAYA_SWEEP_GATE" >&2
    exit 2
}

given=$#
while IFS= read -r word || [ -n "$word" ]; do
    case $word in
    '' | '#'*) ;;
    *) set -- "$@" "$word" ;;
    esac
done <"$gate/sweep.txt"
while [ "$given" -gt 0 ]; do
    word=$1
    shift
    set -- "$@" "$word"
    given=$((given - 1))
done

exec "${PYTHON:-python3}" -m laya_sweep \
    "baseline=$gate/baseline.json" "gate.policy=$gate/policy.json" "gate.tolerances=$gate/tolerances.json" \
    "store.uri=$out/store" "out_dir=$out/run" "$@"
