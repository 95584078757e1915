"""What benchmarks have measured over time: one line of JSON a run in history.jsonl, and a chart of them.

    python -m benchmarks.history

draws docs/benchmarks.svg. A line has the benchmark, the date, the commit, the processor and the figures.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HISTORY, CHART = Path(__file__).with_name("history.jsonl"), ROOT / "docs" / "benchmarks.svg"
PANELS = {"question": "A question, ÷ floor", "streams": "100 questions at once, p95 ms"}
COLOURS = ("#1f6feb", "#bf5b04", "#2e7d32", "#8e44ad", "#5f6b76")
WIDTH, HEIGHT, LEFT, TOP = 380, 190, 40, 30


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add --history."""
    parser.add_argument(
        "--history",
        type=Path,
        nargs="?",
        const=HISTORY,
        help="add the result to history.jsonl, or to this file",
    )


def note(benchmark: str, figures: Mapping[str, float], path: Path | None) -> None:
    """Add a line for a run, where a history is wanted. The commit is empty where Git knows none."""
    if path is None:
        return
    try:
        asked = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        commit = asked.stdout.strip()
    except OSError:  # there is no Git
        commit = ""
    date = datetime.now(UTC).isoformat(timespec="seconds")
    line = {"benchmark": benchmark, "date": date, "commit": commit, "machine": find_processor(), "figures": figures}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def find_processor() -> str:
    """Return the name of the processor, and nothing else of the machine."""
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1].strip() if found else ""


def draw(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return the chart: a panel for each benchmark that has run, a line for each figure, one step a run."""
    panels = "".join(
        f'<g transform="translate({number * (WIDTH + 20)} 0)">'
        + "".join(_draw_panel(PANELS[name], [run["figures"] for run in runs if run["benchmark"] == name]))
        + "</g>"
        for number, name in enumerate(name for name in PANELS if any(run["benchmark"] == name for run in runs))
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH + 20} {HEIGHT + 110}"'
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    return f'{head} font-family="sans-serif" font-size="11">{paper}{panels}</svg>\n'


def _draw_panel(title: str, figures: Sequence[Mapping[str, float]]) -> Iterator[str]:
    names = list(dict.fromkeys(name for row in figures for name in row))
    top = max((value for row in figures for value in row.values()), default=1)
    yield f'<text x="{LEFT}" y="16" font-size="13">{escape(title)}</text>'
    yield f'<path d="M{LEFT} {TOP}V{HEIGHT}H{WIDTH}" fill="none" stroke="#888"/>'
    yield f'<text x="{LEFT - 4}" y="{TOP + 8}" text-anchor="end">{top:,.0f}</text>'
    yield f'<text x="{LEFT - 4}" y="{HEIGHT}" text-anchor="end">0</text>'
    step = (WIDTH - LEFT - 12) / max(len(figures) - 1, 1)
    for number, name in enumerate(names):
        places = [
            (LEFT + 6 + step * run, HEIGHT - (HEIGHT - TOP) * row[name] / top)
            for run, row in enumerate(figures)
            if name in row
        ]
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        yield "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in places)
        last = [row[name] for row in figures if name in row][-1]
        where = f'x="{LEFT}" y="{HEIGHT + 20 + 16 * number}"'
        yield f'<text {where} fill="{colour}">{escape(name)}: {last:,.1f}</text>'


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    lines = HISTORY.read_text(encoding="utf-8").splitlines() if HISTORY.exists() else []
    CHART.write_text(draw([json.loads(line) for line in lines]), encoding="utf-8")
    print(f"{len(lines)} runs in {CHART.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
