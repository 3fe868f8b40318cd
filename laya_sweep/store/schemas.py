"""The written schema of every table. Explicit types: an all-null first shard fixes nothing.

Facts and timings are what workers write. `FACTS` has no checkpoint name, since a name is the user's alias and
the same weights under two names share their cells; the `logits` table of a run adds it.
"""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = 4

_STRINGS = pa.list_(pa.field("item", pa.string()))
_INDICES = pa.list_(pa.field("item", pa.int32()))
_FLOATS = pa.list_(pa.field("item", pa.float32()))
_DOUBLES = pa.list_(pa.field("item", pa.float64()))

#: A question as a variant of its case shows it; with the cell that computes it, a row.
_SHOWN_KEYS = [
    pa.field("language", pa.string(), nullable=False),
    pa.field("transform", pa.string(), nullable=False),
    pa.field("case_id", pa.string(), nullable=False),
    pa.field("variant", pa.string(), nullable=False),
    pa.field("question", pa.string(), nullable=False),
]
_ROW_KEYS = [pa.field("cell_key", pa.string(), nullable=False), *_SHOWN_KEYS]

_CHECKPOINT = pa.field("checkpoint", pa.string(), nullable=False)
_REGIME = pa.field("regime", pa.string(), nullable=False)
_RESULT_KEYS = [_CHECKPOINT, pa.field("transform", pa.string(), nullable=False), _REGIME]

_SLICE = [pa.field("slice", pa.string(), nullable=False), pa.field("slice_value", pa.string(), nullable=False)]

#: What an answer under a regime is about.
_ANSWERED = [
    _REGIME,
    pa.field("source_id", pa.string(), nullable=False),
    pa.field("row_index", pa.int32(), nullable=False),
    pa.field("tags", _STRINGS, nullable=False),
    pa.field("question_type", pa.string(), nullable=False),
    pa.field("n_options", pa.int32(), nullable=False),
]

#: Of a question whose options were cut down before it was answered (null elsewhere): `shortlist` or `knockout`, the
#: most options answered together (k, or the group size), how many the question has, the canonical indices of those that
#: were kept in the order in which they were asked, the scores by which a shortlist kept them (null where all were), and
#: the elimination rounds of a knockout.
_NARROWING = [
    pa.field("narrowing", pa.string()),
    pa.field("narrowing_cap", pa.int32()),
    pa.field("full_options", pa.int32()),
    pa.field("kept", _INDICES),
    pa.field("kept_scores", _DOUBLES),
    pa.field("rounds", pa.int32()),
]

#: Columns that came later without a new meaning for the others: null in a file that lacks them.
ADDED = frozenset({*(field.name for field in _NARROWING), "narrowing_status"})

#: One row per cell x case x variant x question. `logits` in canonical option order; `presented_order[i]` is the
#: canonical index of the option in marker slot i. Of a narrowed question both are over the `kept` options, in their
#: order: `n_options` of them. Error rows have a type and a message, and no numbers.
FACTS = pa.schema(
    [
        *_ROW_KEYS,
        pa.field("question_type", pa.string(), nullable=False),
        pa.field("n_options", pa.int32(), nullable=False),
        pa.field("logits", _FLOATS),
        pa.field("presented_order", _INDICES),
        pa.field("act_probability", pa.float32()),
        pa.field("input_tokens", pa.int32()),
        pa.field("state_tokens", pa.int32()),
        pa.field("state_tokens_dropped", pa.int32()),
        pa.field("options_distinct", pa.int32()),
        pa.field("tokens_per_option", pa.int32()),
        pa.field("status", pa.string(), nullable=False),
        pa.field("error_type", pa.string()),
        pa.field("error_message", pa.string()),
        *_NARROWING,
    ]
)

#: When and where the rows of a part were computed. `call_ms` is the whole call a row waited for (its batch's
#: encoding and forward), `forward_ms` the forward alone; cost of a decision is call_ms / batch_rows.
TIMINGS = pa.schema(
    [
        *_ROW_KEYS,
        pa.field("call_ms", pa.float64(), nullable=False),
        pa.field("forward_ms", pa.float64(), nullable=False),
        pa.field("batch_rows", pa.int32(), nullable=False),
        pa.field("padded_len", pa.int32(), nullable=False),
        pa.field("device", pa.string(), nullable=False),
        pa.field("threads", pa.int32(), nullable=False),
        pa.field("node", pa.string(), nullable=False),
        pa.field("attempts", pa.int32(), nullable=False),
    ]
)

#: What was issued for the rows of a part: one row per call and question in it, a call that raised too. `call` is an id
#: of the call, null for a question that was in none because it could not be encoded; `call_rows` the questions it held;
#: `call_ms` is null for a call that did not return. Then what was asked of every call (`batch_size` null: as many rows
#: as `batch_tokens` hold) and how the engine took it: `batch_form` is null for one that takes rows one by one.
CALLS = pa.schema(
    [
        *_ROW_KEYS,
        pa.field("call", pa.string()),
        pa.field("call_rows", pa.int32(), nullable=False),
        pa.field("call_ms", pa.float64()),
        pa.field("batch_size", pa.int64()),
        pa.field("batch_tokens", pa.int64(), nullable=False),
        pa.field("batch_form", pa.string()),
        pa.field("sort_by_length", pa.bool_(), nullable=False),
        pa.field("sort_by_length_sent", pa.bool_(), nullable=False),
    ]
)

#: One row per case. `language` is "" where a row has none; `model` is the checkpoint that a row asks for.
CASES = pa.schema(
    [
        pa.field("case_id", pa.string(), nullable=False),
        pa.field("source_id", pa.string(), nullable=False),
        pa.field("row_index", pa.int32(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        pa.field("tags", _STRINGS, nullable=False),
        pa.field("model", pa.string()),
        pa.field("state_json", pa.string(), nullable=False),
        pa.field("questions_json", pa.string(), nullable=False),
        pa.field("expected_json", pa.string(), nullable=False),
        pa.field("input_sha256", pa.string(), nullable=False),
    ]
)

#: One row per checkpoint x question type x option-count bucket: identity, budgets, temperatures. A routed checkpoint
#: has these rows for each `model` that answers some of its cases; of any other that is the checkpoint itself.
#: `onnx_sha256` is of the graph where `engine` is onnx; `weights_sha256` is null where the weights were not there then.
CHECKPOINTS = pa.schema(
    [
        _CHECKPOINT,
        pa.field("model", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("subfolder", pa.string()),
        pa.field("commit", pa.string()),
        pa.field("digest", pa.string(), nullable=False),
        pa.field("weights_sha256", pa.string()),
        pa.field("engine", pa.string(), nullable=False),
        pa.field("onnx_sha256", pa.string()),
        pa.field("max_len", pa.int32(), nullable=False),
        pa.field("head_max_len", pa.int32(), nullable=False),
        pa.field("question_type", pa.string(), nullable=False),
        pa.field("bucket", pa.string(), nullable=False),
        pa.field("temperature_raw", pa.float64()),
        pa.field("temperature_served", pa.float64(), nullable=False),
        pa.field("temperature_source", pa.string(), nullable=False),
    ]
)

#: One row per answered question and regime. `model` is who answered: the checkpoint itself, or of a routed one the
#: route that the case took. Probabilities in canonical option order. `answer_confidence` is max p, or what a binning
#: map puts in its place (`p_pred` stays), `gate_confidence` the same in the runtime's arithmetic and 4 decimals: what
#: its min_confidence compares. `margin` is the gap between the two most probable options. `correct` is null for score
#: questions. What an imported document does not tell (`probabilities`, `gate_confidence`, `entropy_confidence`,
#: `margin`) is null. A narrowed question keeps all its `options`, those that were not kept at probability 0;
#: `n_options` and the confidences are of the kept. `narrowing_status`: correct; retrieval_miss or elimination_miss
#: where the gold answer was not kept; decision_miss or final_choice_miss where it was, and another was given.
DECISIONS = pa.schema(
    [
        _CHECKPOINT,
        *_ROW_KEYS,
        pa.field("model", pa.string(), nullable=False),
        *_ANSWERED,
        pa.field("options", _STRINGS, nullable=False),
        pa.field("temperature", pa.float64(), nullable=False),
        pa.field("temperature_source", pa.string(), nullable=False),
        pa.field("probabilities", _DOUBLES),
        pa.field("pred_index", pa.int32(), nullable=False),
        pa.field("pred_label", pa.string(), nullable=False),
        pa.field("gold_index", pa.int32()),
        pa.field("gold_label", pa.string()),
        pa.field("p_pred", pa.float64(), nullable=False),
        pa.field("p_gold", pa.float64()),
        pa.field("answer_confidence", pa.float64(), nullable=False),
        pa.field("gate_confidence", pa.float64()),
        pa.field("entropy_confidence", pa.float64()),
        pa.field("margin", pa.float64()),
        pa.field("correct", pa.bool_()),
        pa.field("score_value", pa.float64()),
        pa.field("score_error", pa.float64()),
        *_NARROWING,
        pa.field("narrowing_status", pa.string()),
    ]
)

#: Tidy: one row per result, slice and metric; `reason` says why there is no value. A figure at a threshold has that
#: in `min_confidence`, or, where it is a map by bucket, the map as canonical JSON in `min_confidence_map`; a figure
#: with neither depends on no threshold.
METRICS = pa.schema(
    [
        *_RESULT_KEYS,
        pa.field("min_confidence", pa.float64()),
        pa.field("min_confidence_map", pa.string()),
        *_SLICE,
        pa.field("metric", pa.string(), nullable=False),
        pa.field("definition", pa.int32(), nullable=False),
        pa.field("value", pa.float64()),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("n_clusters", pa.int64(), nullable=False),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("reason", pa.string()),
    ]
)

#: Precision over coverage: one row per distinct level of the 4-decimal gate confidence, highest first. A
#: min_confidence of `threshold` accepts `accepted` of `n` labelled answers, `correct` of them right.
CURVES = pa.schema(
    [
        *_RESULT_KEYS,
        *_SLICE,
        pa.field("threshold", pa.float64(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("accepted", pa.int64(), nullable=False),
        pa.field("correct", pa.int64(), nullable=False),
        pa.field("coverage", pa.float64(), nullable=False),
        pa.field("precision", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
    ]
)

#: One row per case of a routed checkpoint: the row's own choice, who answers and the router's reason, and what the
#: runtime detects in the state (script, language where it decides on one, whether that is English). `workflow` is one
#: of the runtime's own that the question ids match.
ROUTES = pa.schema(
    [
        _CHECKPOINT,
        pa.field("language", pa.string(), nullable=False),
        pa.field("case_id", pa.string(), nullable=False),
        pa.field("row_index", pa.int32(), nullable=False),
        pa.field("asked", pa.string()),
        pa.field("model", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("detected_script", pa.string(), nullable=False),
        pa.field("detected_language", pa.string()),
        pa.field("detected_english", pa.bool_(), nullable=False),
        pa.field("workflow", pa.string()),
    ]
)

#: How each variant shows each of its questions. Element s of the lists belongs to slot s, what the model reads first,
#: second, ...: the label shown there (`presented_keys`), its canonical label (`transformed_to_canonical`) and its
#: canonical index; element i of `canonical_to_transformed` is what canonical option i is called.
VARIANTS = pa.schema(
    [
        *_SHOWN_KEYS,
        pa.field("question_type", pa.string(), nullable=False),
        pa.field("presented_keys", _STRINGS, nullable=False),
        pa.field("canonical_to_transformed", _STRINGS, nullable=False),
        pa.field("transformed_to_canonical", _STRINGS, nullable=False),
        pa.field("canonical_indices", _INDICES, nullable=False),
    ]
)

#: One row per variant's answer that has a baseline answer, and regime: what the transform changed. Drifts are
#: variant minus baseline, over the options in canonical order. `model` is who answered both. `*_tied` says that
#: several options share the largest logit, of which the first canonical one is the answer (of a noul: true).
#: `*_options_distinct` is how many options kept a token span of their own.
PAIRS = pa.schema(
    [
        _CHECKPOINT,
        *_ROW_KEYS,
        pa.field("model", pa.string(), nullable=False),
        pa.field("baseline_cell_key", pa.string(), nullable=False),
        *_ANSWERED,
        pa.field("baseline_pred_index", pa.int32(), nullable=False),
        pa.field("variant_pred_index", pa.int32(), nullable=False),
        pa.field("baseline_pred_label", pa.string(), nullable=False),
        pa.field("variant_pred_label", pa.string(), nullable=False),
        pa.field("baseline_correct", pa.bool_()),
        pa.field("variant_correct", pa.bool_()),
        pa.field("agreement", pa.bool_(), nullable=False),
        pa.field("mean_probability_drift", pa.float64(), nullable=False),
        pa.field("max_probability_drift", pa.float64(), nullable=False),
        pa.field("js_divergence", pa.float64(), nullable=False),
        pa.field("confidence_drift", pa.float64(), nullable=False),
        pa.field("absolute_confidence_drift", pa.float64(), nullable=False),
        pa.field("baseline_tied", pa.bool_(), nullable=False),
        pa.field("variant_tied", pa.bool_(), nullable=False),
        pa.field("baseline_options_distinct", pa.int32()),
        pa.field("variant_options_distinct", pa.int32()),
    ]
)

LOGITS = pa.schema([_CHECKPOINT, *FACTS])
RUN_CALLS = pa.schema([_CHECKPOINT, *CALLS])
RUN_TIMINGS = pa.schema([_CHECKPOINT, *TIMINGS])

#: The tables of a run, by file name.
TABLES: dict[str, pa.Schema] = {
    "calls": RUN_CALLS,
    "cases": CASES,
    "checkpoints": CHECKPOINTS,
    "curves": CURVES,
    "decisions": DECISIONS,
    "logits": LOGITS,
    "metrics": METRICS,
    "pairs": PAIRS,
    "routes": ROUTES,
    "timings": RUN_TIMINGS,
    "variants": VARIANTS,
}
