"""Growth has a price: what an app may have stands in budget.toml, which may fall (ADR 37)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.guards.budget import Counts, measure, read_budget

TOLERANCE = 0.03
"""How far a count may fall below its budget before the budget has to follow."""
FLOORS = {"test_lines_per_100"}
"""What should not fall, but may rise."""


def find_faults(counts: Counts, budget: Counts) -> Iterator[str]:
    """Yield what is above its budget, far below it, or has none."""
    for name in counts.keys() ^ budget.keys():
        yield f"{name}: write its budget with `python -m tests.guards.budget --write`, or delete it"
    for name in counts.keys() & budget.keys():
        for key, count in counts[name].items():
            given = budget[name][key]
            worse, better = count > given, count < given * (1 - TOLERANCE)
            if key in FLOORS:
                worse, better = count < given, count > given * (1 + TOLERANCE)
            if worse:
                yield f"{name}, {key}: {count} instead of {given}. Take something away, or write a record (ADR 37)"
            elif better:
                yield f"{name}, {key}: {count} instead of {given}. Well done: keep it in budget.toml"


@pytest.fixture(scope="module")
def counts() -> Counts:
    return measure()


def test_nothing_has_grown_and_gains_are_kept(counts: Counts) -> None:
    assert sorted(find_faults(counts, read_budget())) == []


def test_growth_gains_and_new_apps_are_found() -> None:
    budget = {"total": {"test_lines_per_100": 80}, "shop": {"lines": 1000, "models": 3}}
    held = {"total": {"test_lines_per_100": 82}, "shop": {"lines": 970, "models": 3}}
    assert list(find_faults(held, budget)) == []
    for name, key, count in (
        ("shop", "lines", 1001),
        ("shop", "lines", 969),
        ("shop", "models", 4),
        ("shop", "models", 2),
        ("total", "test_lines_per_100", 79),
        ("total", "test_lines_per_100", 83),
    ):
        (fault,) = find_faults(held | {name: held[name] | {key: count}}, budget)
        assert fault.startswith(f"{name}, {key}: {count} instead of")
    assert len(list(find_faults(held | {"cafe": {"lines": 1}}, budget))) == 1


def test_what_is_counted_is_there(counts: Counts) -> None:
    assert counts["chatbots"]["models"] >= 10
    assert counts["schools"]["models"] >= 3
    assert counts["config"]["settings"] >= 30
    assert counts["chatbots"]["urls"] >= 50
