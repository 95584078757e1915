"""Calibration: brings the logits of a folder's reader to the scale of the packaged reader's."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.reader.reading import ReaderUnavailable

FILE = "lectern.json"


@dataclass(frozen=True)
class Calibration:
    """A calibrated logit is `scale` times the model's own plus `offset`."""

    scale: float = 1.0
    offset: float = 0.0

    def applied(self, logit: float) -> float:
        return self.scale * logit + self.offset


def load_calibration(folder: Path) -> Calibration | None:
    """Return what `store_calibration` has stored in `folder`, None if nothing. Raises ReaderUnavailable."""
    file = folder / FILE
    if not file.exists():
        return None
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
        found = Calibration(float(about["scale"]), float(about["offset"]))
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        found = Calibration(math.nan)
    if not (math.isfinite(found.scale) and math.isfinite(found.offset) and found.scale > 0):
        raise ReaderUnavailable(
            f"{file} must hold the numbers “scale”, above 0, and “offset”. Delete it, or have it written again by "
            "`manage.py reader --write`."
        )
    return found


def store_calibration(folder: Path, calibration: Calibration) -> Path:
    """Store the calibration in `folder`, and return the file. Raises OSError; the file before is kept then."""
    file = folder / FILE
    scratch = folder / f".{FILE}"
    scratch.write_text(json.dumps(asdict(calibration)) + "\n", encoding="utf-8")
    scratch.replace(file)
    return file


def fit_calibration(answered: Sequence[float], unanswered: Sequence[float]) -> Calibration:
    """Fit a logistic regression of "this passage answers" on logits of passages that do and of passages that do not.

    The targets are Platt's (1999), a little inside 0 and 1: the regression is finite where the logits separate the
    two kinds entirely. Raises ValueError if all logits are the same, or if answers do not have the higher ones.
    """
    logits = np.array([*answered, *unanswered], dtype=np.float64)
    middle, spread = float(logits.mean()), float(logits.std())
    if spread < 1e-9 * max(1.0, abs(middle)):
        raise ValueError("All logits are the same.")
    highest, lowest = (len(answered) + 1) / (len(answered) + 2), 1 / (len(unanswered) + 2)
    targets = np.repeat([highest, lowest], [len(answered), len(unanswered)])
    slope, intercept = _logistic((logits - middle) / spread, targets)
    if slope <= 0:
        raise ValueError("Passages that answer have no higher logits than others.")
    return Calibration(slope / spread, intercept - slope * middle / spread)


def _logistic(values: NDArray[np.float64], targets: NDArray[np.float64]) -> tuple[float, float]:
    """Slope and intercept by Newton's method; a step that does not lower the loss is halved."""
    design = np.column_stack([values, np.ones(len(values))])
    weights = np.zeros(2)

    def loss(at: NDArray[np.float64]) -> float:
        sums = design @ at
        return float((np.logaddexp(0, sums) - targets * sums).sum())

    for _ in range(100):
        shares = 1 / (1 + np.exp(-design @ weights))
        curvature = (design * (shares * (1 - shares))[:, None]).T @ design + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, design.T @ (shares - targets))
        while loss(weights - step) > loss(weights) and np.abs(step).max() > 1e-9:
            step = step / 2
        weights = weights - step
        if np.abs(step).max() <= 1e-9:
            break
    return float(weights[0]), float(weights[1])
