"""No test says how long something may take: on a busy machine it would fail, and on a quick one it would hold nothing.

What is meant is said by what happens first, how often, or how much work it is (`time.thread_time` or lines of Python).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns"}

ALLOWED = {"running.py wait_for": "ends a hang"}


def reads_clock(node: ast.AST) -> bool:
    return any(
        isinstance(one, ast.Call)
        and (isinstance(one.func, ast.Attribute) and ast.unparse(one.func.value) == "time" and one.func.attr in CLOCKS)
        for one in ast.walk(node)
    )


def spans(function: ast.AST) -> set[str]:
    """The names of differences between two times in a function."""
    return {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Sub) for one in ast.walk(node.value))
        if reads_clock(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def asserts_on_clocks(source: str) -> Iterator[str]:
    """The names of functions that assert something of the clock on the wall."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            names = spans(function)
            for node in ast.walk(function):
                used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
                if isinstance(node, ast.Assert) and (reads_clock(node.test) or names & used):
                    yield function.name


def test_no_test_looks_at_the_clock() -> None:
    found = {
        f"{path.relative_to(TESTS)} {name}"
        for path in TESTS.rglob("*.py")
        if any(f"time.{clock}" in (source := path.read_text()) for clock in CLOCKS)
        for name in asserts_on_clocks(source)
    }
    assert found - set(ALLOWED) == set(), "say what happens first, how often, or how much work it is"
    assert set(ALLOWED) - found == set(), "stale"


def test_the_guard_sees_both_ways_of_writing_it() -> None:
    direct = "def a():\n    begun = time.monotonic()\n    assert time.monotonic() - begun < 2\n"
    named = "def b():\n    took = time.perf_counter() - begun\n    assert took < 2\n"
    work = "def c():\n    begun = time.thread_time()\n    assert time.thread_time() - begun < 2\n"
    assert list(asserts_on_clocks(direct + named + work)) == ["a", "b"]
