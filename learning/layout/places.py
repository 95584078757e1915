"""Horizontal places in rows: near the neighbours above and below, without overlaps."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TypeVar

N = TypeVar("N", bound=Hashable)

SWEEPS = 12


def places_in(
    rows: Sequence[Sequence[N]], neighbours: dict[N, list[N]], widths: dict[N, float], *, width: float
) -> dict[N, float]:
    """The centre of each node between 0 and `width`, or a larger width where a row needs it.

    In each sweep a row moves as near to the mean of its neighbours as its order allows; that is a regression with an
    order, and solved exactly by pooling adjacent violators.
    """
    width = max([width, *(sum(widths[node] for node in row) for row in rows)])
    centres: dict[N, float] = {}
    for row in rows:
        step = width / len(row)
        wished = [step * (index + 0.5) for index in range(len(row))]
        centres |= dict(zip(row, _spread(row, wished, widths, width), strict=True))
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wished = [_mean([centres[one] for one in neighbours[node]], centres[node]) for node in row]
            centres |= dict(zip(row, _spread(row, wished, widths, width), strict=True))
    return centres


def _spread(row: Sequence[N], wished: list[float], widths: dict[N, float], width: float) -> list[float]:
    """Centres as near to the wished ones as possible (least squares), in order, apart, and within the width."""
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (widths[left] + widths[right]) / 2)
    least = widths[row[0]] / 2
    most = width - widths[row[-1]] / 2 - offsets[-1]
    pools: list[tuple[float, int]] = []  # mean and number of the nodes that touch each other
    for wish, offset in zip(wished, offsets, strict=True):
        mean, count = wish - offset, 1
        while pools and pools[-1][0] > mean:
            before, number = pools.pop()
            mean, count = (before * number + mean * count) / (number + count), number + count
        pools.append((mean, count))
    starts = [min(max(mean, least), most) for mean, count in pools for _ in range(count)]
    return [start + offset for start, offset in zip(starts, offsets, strict=True)]


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
