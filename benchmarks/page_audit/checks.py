"""What a page must keep in every look: axe finds nothing, it is no wider than the window, its scripts raise nothing."""

from __future__ import annotations

from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from benchmarks.page_audit.visiting import settle

LOOKS: tuple[tuple[Literal["light", "dark"], int], ...] = (
    ("light", 1280),
    ("dark", 1280),
    ("light", 390),
    ("dark", 390),
)
"""Colour scheme and width in CSS pixels."""

_FADED = """Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition)
  .map((one) => one.finished)).then(() => {}, () => {})"""
"""When the colours of Django admin have changed with the scheme; they fade."""

_AXE = """axe.run({resultTypes: ["violations"], rules: {"target-size": {enabled: true}}}).then(({violations}) =>
  violations.map((one) => `${one.id} (${one.nodes.length}): ${one.nodes[0].html.slice(0, 160)}`))"""
_BASICS = """() => [
  document.querySelector('meta[name=viewport]') ? null : 'no viewport',
  document.querySelector('meta[name=description]') ? null : 'no description',
  document.title ? null : 'no title', document.documentElement.lang ? null : 'no language',
  document.querySelectorAll('h1').length === 1 ? null : `${document.querySelectorAll('h1').length} first headings`,
].filter(Boolean)"""


def faults(page: Page, path: str) -> list[str]:
    """What is wrong with the page in any look, each with the look in front."""
    raised: list[str] = []
    page.on("pageerror", lambda error: raised.append(f"script: {error}"))
    page.goto(path)
    settle(page)
    page.evaluate(Axe().axe_script)
    found = [f"{path}: {fault}" for fault in page.evaluate(_BASICS)]
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 844})
        page.evaluate(_FADED)
        wide = page.evaluate("document.documentElement.scrollWidth")
        here = page.evaluate(_AXE) + ([f"{wide} pixels wide"] if wide > width else [])
        found += [f"{path}, {scheme}, {width}: {fault}" for fault in here]
    return found + [f"{path}: {error}" for error in raised]
