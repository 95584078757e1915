"""What a page costs to load: bytes over the wire, and what the browser's performance observers say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page

from benchmarks.page_audit.visiting import settle

_OBSERVE = """
window.seen = {shift: 0, largest: 0, blocked: 0};
const watch = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note))
  .observe({type, buffered: true});
watch("layout-shift", (one) => { if (!one.hadRecentInput) seen.shift += one.value });
watch("largest-contentful-paint", (one) => { seen.largest = one.startTime });
watch("longtask", (one) => { seen.blocked += Math.max(0, one.duration - 50) });
"""


@dataclass(frozen=True)
class Load:
    """One page at one width. Kilobytes are 1,000 bytes as transferred, headers included; times are milliseconds."""

    path: str
    width: int
    first_kb: float
    later_kb: float
    requests: int
    shift: float
    largest_ms: float
    blocked_ms: float


def load(browser: Browser, address: str, state: Any, path: str, width: int) -> Load:
    """Load the page in a profile that has seen nothing, and again in one that has.

    `state`: the cookies of a signed-in person, as Playwright's storage_state gives them.
    """
    context = browser.new_context(base_url=address, storage_state=state, viewport={"width": width, "height": 844})
    first, *_ = _visit(context.new_page(), path)
    later, requests, seen = _visit(context.new_page(), path)
    context.close()
    shift, largest, blocked = (seen[key] for key in ("shift", "largest", "blocked"))
    return Load(path, width, first, later, requests, round(shift, 4), round(largest), round(blocked))


def _visit(page: Page, path: str) -> tuple[float, int, dict[str, float]]:
    """Kilobytes, answers that came over the wire, and what the observers saw."""
    received: list[float] = []
    wire = page.context.new_cdp_session(page)
    wire.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    wire.send("Network.enable")
    page.add_init_script(_OBSERVE)
    page.goto(path, wait_until="load")
    settle(page)
    page.wait_for_timeout(300)  # late shifts
    seen = page.evaluate("seen")
    page.close()
    return round(sum(received) / 1000, 1), sum(size > 0 for size in received), seen
