"""Fitting calibration maps and thresholds on stored logits, and keeping fitted rows out of what is evaluated."""

from laya_sweep.calibration.advice import CERTAINTY, Advice, Kept, advise, kept_by, map_of_advice
from laya_sweep.calibration.before_after import Comparison, compare_regimes
from laya_sweep.calibration.fit import (
    FittedMap,
    Floors,
    LabelledRow,
    TemperatureFit,
    fit_map,
    fit_temperature,
    mean_nll,
)
from laya_sweep.calibration.halves import Halves, halves_of
from laya_sweep.calibration.map_file import checkpoint_config, languages_document, map_document, own_document
from laya_sweep.calibration.overlap import (
    DatasetRow,
    data_of,
    map_notes,
    refuse_fitted_rows,
    rows_document,
    shared_rows,
    some_of,
)
from laya_sweep.calibration.served import type_temperatures
from laya_sweep.calibration.stored import StoredLogits, every_row, held_out, languages_of, other_rows

__all__ = [
    "CERTAINTY",
    "Advice",
    "Comparison",
    "DatasetRow",
    "FittedMap",
    "Floors",
    "Halves",
    "Kept",
    "LabelledRow",
    "StoredLogits",
    "TemperatureFit",
    "advise",
    "checkpoint_config",
    "compare_regimes",
    "data_of",
    "every_row",
    "fit_map",
    "fit_temperature",
    "halves_of",
    "held_out",
    "kept_by",
    "languages_document",
    "languages_of",
    "map_document",
    "map_notes",
    "map_of_advice",
    "mean_nll",
    "other_rows",
    "own_document",
    "refuse_fitted_rows",
    "rows_document",
    "shared_rows",
    "some_of",
    "type_temperatures",
]
