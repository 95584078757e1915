"""Every page of a running Lectern in a browser: pictures, accessibility, loading and Lighthouse.

    python -m benchmarks.page_audit --address http://127.0.0.1:8000 [--json result.json]

Start Lectern with its demo first (`make run`). Follows links as teacher, admin, operator and somebody not signed in, at
1280 and 390 pixels, light and dark. --only pictures makes docs/images anew and nothing else; --every DIR writes every
page in every look. Lighthouse runs if it is installed. Asks three questions in the demo, unless they were asked before.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from playwright.sync_api import Browser, BrowserContext

from benchmarks.ground import ROOT, table
from benchmarks.page_audit import lighthouse
from benchmarks.page_audit.asking import conversations
from benchmarks.page_audit.checks import faults
from benchmarks.page_audit.loading import Load, load
from benchmarks.page_audit.pictures import PICTURES, take, take_every
from benchmarks.page_audit.visiting import VISITORS, chromium, crawl, pattern, sign_in

PARTS = ("pictures", "axe", "loading", "lighthouse")
TEN = (
    ("nobody", "/accounts/login/"),
    ("teacher", "/chatbots/"),
    ("teacher", "/chatbots/new/"),
    ("teacher", "{note}"),
    ("teacher", "{refusal}"),
    ("teacher", "/documents/"),
    ("teacher", "/plans/"),
    ("admin", "/library/"),
    ("admin", "/schools/usage/"),
    ("teacher", "/api/v1/docs/"),
)
"""The pages that Lighthouse looks at."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", default="http://127.0.0.1:8000")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part; may be given several times")
    parser.add_argument("--images", type=Path, default=ROOT / "docs" / "images", help="where pictures go")
    parser.add_argument("--every", type=Path, help="write every page in every look to this folder")
    parser.add_argument("--lighthouse", help="Lighthouse's program, unless it is on the path")
    parser.add_argument("--json", type=Path, help="where to write the result")
    chosen = parser.parse_args()
    parts = chosen.only or PARTS
    result: dict[str, Any] = {}
    with chromium() as browser:
        people = {visitor.name: sign_in(browser, chosen.address, visitor) for visitor in VISITORS}
        paths = conversations(people["teacher"].new_page())
        if "pictures" in parts:
            chosen.images.mkdir(parents=True, exist_ok=True)
            sizes = {one.name: take(people[one.visitor], one, paths, chosen.images) for one in PICTURES}
            print(f"{len(sizes)} pictures, {sum(sizes.values()) / 1000:,.0f} kB", flush=True)
            result["pictures"] = sizes
        if chosen.every or {"axe", "loading"} & set(parts):
            result |= walk(browser, people, chosen, parts)
        if "lighthouse" in parts:
            result["lighthouse"] = with_lighthouse(people, chosen, paths)
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2))


def walk(browser: Browser, people: dict[str, BrowserContext], chosen: Any, parts: Any) -> dict[str, Any]:
    """Every page that each person reaches: its faults and what it costs to load."""
    found: dict[str, list[str]] = {}
    wrong: list[str] = []
    loads: list[tuple[str, Load]] = []
    for visitor in VISITORS:
        page = people[visitor.name].new_page()
        found[visitor.name] = crawl(page, visitor.starts)
        print(f"{visitor.name}: {len(found[visitor.name])} pages", flush=True)
        if chosen.every:
            chosen.every.mkdir(parents=True, exist_ok=True)
            take_every(people[visitor.name], visitor.name, found[visitor.name], chosen.every)
        state = people[visitor.name].storage_state()
        for path in found[visitor.name]:
            if "axe" in parts:
                here = people[visitor.name].new_page()
                wrong += [f"{visitor.name} {fault}" for fault in faults(here, path)]
                here.close()
            if "loading" in parts:
                loads += [(visitor.name, load(browser, chosen.address, state, path, width)) for width in (1280, 390)]
        page.close()
    if "axe" in parts:
        print(f"\n{len(wrong)} faults in {sum(map(len, found.values()))} pages, each in four looks", *wrong, sep="\n  ")
    if "loading" in parts:
        print(f"\n{table(of_loads(loads), 'page')}")
    return {"pages": found, "faults": wrong, "loads": [{"visitor": name, **asdict(one)} for name, one in loads]}


def of_loads(loads: list[tuple[str, Load]]) -> dict[str, dict[str, str]]:
    """Rows of the table: the heavier of a page's two widths each time."""
    rows: dict[str, dict[str, str]] = {}
    for name, one in sorted(loads, key=lambda pair: pair[1].later_kb):
        rows[f"{name} {pattern(one.path)}"] = {
            "first kB": f"{one.first_kb:.0f}",
            "later kB": f"{one.later_kb:.0f}",
            "requests": str(one.requests),
            "shift": f"{one.shift:.3f}",
            "largest ms": f"{one.largest_ms:.0f}",
            "blocked ms": f"{one.blocked_ms:.0f}",
        }
    return rows


def with_lighthouse(people: dict[str, BrowserContext], chosen: Any, paths: dict[str, str]) -> dict[str, Any]:
    """Scores of TEN at both sizes; says so where Lighthouse is not installed."""
    program = lighthouse.program(chosen.lighthouse)
    if program is None:
        print("\nLighthouse is not installed here, so it was not run.")
        return {}
    rows: dict[str, dict[str, Any]] = {}
    for name, path in TEN:
        cookies = "; ".join(f"{one['name']}={one['value']}" for one in people[name].cookies())
        for size in ("mobile", "desktop"):
            url = urljoin(chosen.address, path.format(**paths))
            scores = lighthouse.scores(program, url, cookies, desktop=size == "desktop")
            rows[f"{path}, {size}"] = scores
            print(f"{path}, {size}: {scores}", flush=True)
    return rows


if __name__ == "__main__":
    main()
