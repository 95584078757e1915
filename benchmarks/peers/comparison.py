"""The pure parts: articles dealt out to tenants, and measurements side by side."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.ground import percentiles
from benchmarks.peers.measuring import PLACES, Measured

UNTITLED = 25  # passages taken for one article where the corpus has no titles


def deal(passages: Sequence[dict[str, Any]], tenants: int, rng: random.Random) -> list[dict[str, Any]]:
    """The passages with an "article" and a "tenant" each: articles are shuffled and dealt out one by one.

    An article is what shares a title; of passages without one, each run of UNTITLED. There are at most half as many
    tenants as articles, so that each has several.
    """
    titled, untitled = [], 0
    for passage in passages:
        article = passage["title"]
        if not article:
            article = f"untitled {untitled // UNTITLED}"
            untitled += 1
        titled.append({**passage, "article": article})
    articles = list(dict.fromkeys(passage["article"] for passage in titled))
    rng.shuffle(articles)
    hands = max(1, min(tenants, len(articles) // 2))
    owner = {article: f"tenant-{number % hands}" for number, article in enumerate(articles)}
    return [{**passage, "tenant": owner[passage["article"]]} for passage in titled]


def quieter_half(measured: Sequence[Measured]) -> list[int]:
    """The numbers of the rounds in which all searches together took least: other work on the machine disturbed less."""
    numbers = range(len(measured[0].rounds))
    together = {number: sum(sum(one.rounds[number]) for one in measured) for number in numbers}
    return sorted(sorted(numbers, key=together.__getitem__)[: (len(numbers) + 1) // 2])


def compare(measured: Sequence[Measured], failures: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """A row for each, in brackets the ratio to the first one, and a row with the reason for each failure."""
    rows: dict[str, dict[str, str]] = {}
    counted = quieter_half(measured)
    base = _figures(measured[0], counted)
    for one in measured:
        rows[one.way.name] = {
            name: f"{value:.{_DECIMALS[name]}f}" + ("" if one is measured[0] else f" (×{_ratio(value, base[name])})")
            for name, value in _figures(one, counted).items()
        }
    for name, reason in failures.items():
        rows[name] = {"p50 ms": f"failed: {reason}"}
    return rows


_DECIMALS = {"p50 ms": 2, "p95 ms": 2, f"R@{PLACES}": 3, "R@1": 3, "build s": 1, "disk MB": 1}


def _figures(one: Measured, counted: Sequence[int]) -> dict[str, float]:
    times = percentiles([took for number in counted for took in one.rounds[number]])
    return {
        "p50 ms": times["p50"],
        "p95 ms": times["p95"],
        f"R@{PLACES}": sum(rank is not None for rank in one.ranks) / len(one.ranks),
        "R@1": sum(rank == 0 for rank in one.ranks) / len(one.ranks),
        "build s": one.way.build_seconds,
        "disk MB": one.way.disk_bytes / 1e6,
    }


def _ratio(value: float, base: float) -> str:
    if not base:
        return "–"
    ratio = value / base
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 2 else f"{ratio:.2f}"
