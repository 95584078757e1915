"""Who visits the demo, and which pages each of them reaches by following links."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ARTICLE = re.compile(r"(?<=/read/\*/).+")
NO_PAGE = re.compile(r"/(file|export|picture|stream|schema|static|demo)/|^/admin/.+|\.(csv|json|md|txt|svg)$")
"""Downloads, pictures, pages outside the product and the inner pages of Django admin, which are Django's own."""

MOST = {"/chats/*/": 5, "/sources/*/": 5, "/documents/*/": 3, "/library/*/": 3, "/plans/*/": 2}
"""How many pages of one address pattern are looked at, where one is not enough."""


@dataclass(frozen=True)
class Visitor:
    """A person of the demo, or nobody, and where the visit begins."""

    name: str
    email: str | None
    starts: tuple[str, ...]


VISITORS = (
    Visitor("teacher", "teacher@riverside.example", ("/chatbots/", "/chatbots/start/", "/api/v1/docs/", "/nowhere/")),
    Visitor("admin", "admin@riverside.example", ("/schools/members/", "/references/", "/library/upload/")),
    Visitor("operator", "operator@lectern.example", ("/installation/", "/admin/", "/api/v1/docs/")),
    Visitor("nobody", None, ("/accounts/login/", "/accounts/signup/", "/accounts/invitation/1/over/")),
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Headless Chromium: the first of BROWSERS that is installed, else Playwright's own."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def sign_in(browser: Browser, address: str, visitor: Visitor) -> BrowserContext:
    """A browser profile in which the visitor is signed in. Raises TimeoutError if the demo does not know them."""
    context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 800})
    if visitor.email:
        page = context.new_page()
        page.goto("/accounts/login/")
        page.fill("[name=login]", visitor.email)
        page.fill("[name=password]", os.environ.get("LECTERN_DEMO_PASSWORD", "lectern-demo"))
        page.click("main button")
        page.wait_for_url(lambda url: "/login/" not in url)
        page.close()
    return context


def pattern(path: str) -> str:
    """A path with `*` for each key, so that two pages of one view have the same pattern."""
    return ARTICLE.sub("*", UUID.sub("*", path))


def crawl(page: Page, starts: tuple[str, ...], most: Mapping[str, int] = MOST) -> list[str]:
    """Paths of all pages that links lead to, `most` of each pattern, else one, in the order found."""
    waiting, known, found = list(starts), set(starts), list[str]()
    counts: dict[str, int] = {}
    while waiting:
        path = waiting.pop(0)
        kind = pattern(path)
        if counts.get(kind, 0) >= most.get(kind, 1):
            continue
        page.goto(path)
        landed = urlsplit(page.url).path
        if landed != path:  # a redirect: its page comes under its own name
            if landed not in known:
                known.add(landed)
                waiting.append(landed)
            continue
        counts[kind] = counts.get(kind, 0) + 1
        found.append(path)
        hrefs = page.eval_on_selector_all(
            "a[href]", "links => links.map(link => new URL(link.getAttribute('href'), location).href)"
        )
        host = urlsplit(page.url).netloc
        for href in map(urlsplit, hrefs):
            if href.netloc == host and href.path not in known and not NO_PAGE.search(href.path):
                known.add(href.path)
                waiting.append(href.path)
    return found


def settle(page: Page) -> None:
    """Wait until what the page loads by itself is there, an event stream apart."""
    expect(page.locator(".htmx-request")).to_have_count(0)
    page.evaluate("document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => done())))")
