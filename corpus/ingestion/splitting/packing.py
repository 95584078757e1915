"""Packing: cut a sequence of weighted items into groups of similar, limited weight with the least cost."""

from __future__ import annotations

from collections.abc import Sequence


def pack(
    weights: Sequence[int],
    cut_costs: Sequence[float],
    *,
    limit: int,
    target: float,
) -> list[range]:
    """Groups of consecutive items in order. None is heavier than `limit`, except a single item.

    Minimises the sum over groups of ((weight - target) / target)² + `cut_costs[first]` (not for the first group).
    Exact, by dynamic programming: a group of half the target costs 0.25, an almost empty one 1.0, so a short rest is
    balanced with its neighbour. Among equal costs the longer last group wins. Time: items × items of a group.
    """
    best = [0.0]
    begins = [0]
    for end in range(1, len(weights) + 1):
        best.append(float("inf"))
        begins.append(end - 1)
        weight = 0
        for start in range(end - 1, -1, -1):
            weight += weights[start]
            if weight > limit and start < end - 1:
                break
            cost = best[start] + ((weight - target) / target) ** 2 + (cut_costs[start] if start else 0.0)
            if cost <= best[end]:
                best[end], begins[end] = cost, start
    groups: list[range] = []
    end = len(weights)
    while end:
        groups.append(range(begins[end], end))
        end = begins[end]
    return groups[::-1]
