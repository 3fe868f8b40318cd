"""Fitting calibration maps and thresholds on stored logits, and keeping fitted rows out of what is evaluated."""

from laya_sweep.calibration.fit import (
    FittedMap,
    Floors,
    LabelledRow,
    TemperatureFit,
    fit_map,
    fit_temperature,
    mean_nll,
)
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

__all__ = [
    "DatasetRow",
    "FittedMap",
    "Floors",
    "LabelledRow",
    "TemperatureFit",
    "data_of",
    "fit_map",
    "fit_temperature",
    "map_notes",
    "mean_nll",
    "refuse_fitted_rows",
    "rows_document",
    "shared_rows",
    "some_of",
    "type_temperatures",
]
