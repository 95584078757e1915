"""Lighthouse on pages of a signed-in person, where its program is installed (it needs Node.js)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.page_audit.visiting import BROWSERS

CATEGORIES = ("performance", "accessibility", "best-practices", "seo")


def program(named: str | None) -> str | None:
    """The program to run: the one named, else the one on the path, else None."""
    return named or shutil.which("lighthouse")


def scores(lighthouse: str, url: str, cookies: str, *, desktop: bool) -> dict[str, Any]:
    """The four categories, 0 to 100, and under "lost" the audits that cost points.

    `cookies` is the value of the header. Raises subprocess.CalledProcessError if Lighthouse fails twice: now and then
    it loses its browser.
    """
    try:
        return _scores(lighthouse, url, cookies, desktop=desktop)
    except subprocess.CalledProcessError:
        return _scores(lighthouse, url, cookies, desktop=desktop)


def _scores(lighthouse: str, url: str, cookies: str, *, desktop: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as directory:
        headers, result = Path(directory) / "headers.json", Path(directory) / "result.json"
        headers.write_text(json.dumps({"Cookie": cookies} if cookies else {}))
        command = [lighthouse, url, "--output=json", f"--output-path={result}", "--quiet"]
        command += [f"--extra-headers={headers}", "--chrome-flags=--headless=new --no-sandbox --disable-gpu"]
        command += [f"--only-categories={','.join(CATEGORIES)}", *(["--preset=desktop"] if desktop else [])]
        subprocess.run(command, check=True, capture_output=True, timeout=180, env=_environment())
        report = json.loads(result.read_text())
    points = {name: round(100 * (report["categories"][name]["score"] or 0)) for name in CATEGORIES}
    weighed = (
        (name, one["id"], report["audits"][one["id"]]["score"])
        for name in CATEGORIES
        for one in report["categories"][name]["auditRefs"]
        if one["weight"]
    )
    return {**points, "lost": sorted({audit for name, audit, score in weighed if score is not None and score < 0.9})}


def _environment() -> dict[str, str]:
    """With the browser under the name that Lighthouse looks for; the headless shell is not enough for it."""
    browser = next(filter(None, map(shutil.which, BROWSERS[1:])), None)
    return {**os.environ, **({"CHROME_PATH": browser} if browser else {})}
