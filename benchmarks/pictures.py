"""Pictures of the product for its documents: small, and the same page at every run.

    python -m benchmarks.pictures [--address http://127.0.0.1:8000]

Start Lectern with its demo first (`make run`). Asks three questions in the demo, unless they were asked before.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from benchmarks.ground import ROOT

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
EXACT, NEAR = 160, 64
"""Colours of a picture: the most frequent as they are, so that flat ones stay, and a choice for the rest."""
VISITORS = {
    "teacher": "teacher@riverside.example",
    "admin": "admin@riverside.example",
    "operator": "operator@lectern.example",
}
QUESTIONS = {
    "pdf": ("Physics tutor", "What is the spring constant of the green springs of S3?"),
    "refusal": ("Chemistry 9 helper", "Who won the football world cup in 1954?"),
    "note": (
        "Chemistry 9 helper",
        "Do pupils need goggles when they only dilute acids, and how strong may the acid be?",
    ),
}
"""A chatbot of the demo and a question: one answered from a PDF, one that no document answers, one with two kinds."""


@dataclass(frozen=True)
class Picture:
    """What to show. `path` may name a conversation of QUESTIONS in braces; `clicks` are followed first."""

    name: str
    visitor: str
    path: str
    width: int = 1280
    scheme: Literal["light", "dark"] = "light"
    height: int = 800
    clicks: tuple[str, ...] = ()
    to: str = ""  # scrolled into view


PICTURES = (
    Picture("start", "teacher", "/chatbots/"),
    Picture("chat-light", "teacher", "{note}"),
    Picture("chat-dark", "teacher", "{note}", 390, "dark", 844),
    Picture("chat-narrow", "teacher", "{note}", 390, height=844),
    Picture("refusal", "teacher", "{refusal}"),
    Picture(
        "pdf-page",
        "teacher",
        "{pdf}",
        clicks=(".note.kind-personal h3 a", ".block.found a[href*=passage]"),
        to=".drawn-mark",
    ),
    Picture("form", "teacher", "/chatbots/new/"),
    Picture("form-folded", "teacher", "/chatbots/new/", to=".more-settings"),
    Picture("documents", "teacher", "/documents/"),
    Picture("tables", "teacher", "/library/", clicks=(".row h2 a:has-text('Chemistry data sheet')",), to="table"),
    Picture("library", "admin", "/library/"),
    Picture("members", "admin", "/schools/members/"),
    Picture("figures", "admin", "/schools/usage/"),
    Picture("plan", "teacher", "/plans/", clicks=(".row h2 a:has-text('Physics')",)),
    Picture("installation", "operator", "/installation/"),
    Picture("api", "teacher", "/api/v1/docs/"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", default="http://127.0.0.1:8000")
    parser.add_argument("--images", type=Path, default=ROOT / "docs" / "images", help="where pictures go")
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        people = {name: sign_in(browser, options.address, email) for name, email in VISITORS.items()}
        page = people["teacher"].new_page()
        paths = {name: find_conversation(page, chatbot, asked) for name, (chatbot, asked) in QUESTIONS.items()}
        for picture in PICTURES:
            take(people[picture.visitor], picture, paths, options.images)
        browser.close()


def sign_in(browser: Browser, address: str, email: str) -> BrowserContext:
    """Sign in to a new browser profile. Raises TimeoutError if the demo does not know the address."""
    context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto("/accounts/login/")
    page.fill("[name=login]", email)
    page.fill("[name=password]", os.environ.get("LECTERN_DEMO_PASSWORD", "lectern-demo"))
    page.click("main button")
    page.wait_for_url(lambda url: "/login/" not in url)
    page.close()
    return context


def find_conversation(page: Page, chatbot: str, question: str) -> str:
    """Return the path of a conversation of the chatbot in which this was asked and answered, perhaps now."""
    page.goto("/chatbots/")
    page.locator(".row h2 a", has_text=chatbot).first.click()
    page.wait_for_url("**/chatbots/*/")
    asked = page.locator(".chats a", has_text=question[:30])
    if asked.count():
        asked.first.click()
        page.wait_for_url("**/chats/*/")
    else:
        page.fill("textarea[name=question]:visible", question)
        page.click(".composer button")
        page.wait_for_url("**/chats/*/")
        page.locator(".turn .tools:visible").last.wait_for()
        page.locator(".writing").wait_for(state="detached")
    return page.evaluate("location.pathname")  # type: ignore[no-any-return]


def take(context: BrowserContext, picture: Picture, paths: dict[str, str], folder: Path) -> None:
    """Write the picture to the folder, with a palette of its own."""
    page = context.new_page()
    page.emulate_media(color_scheme=picture.scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": picture.width, "height": picture.height})
    page.goto(picture.path.format(**paths))
    for link in picture.clicks:
        with page.expect_navigation():
            page.locator(link).first.click()
    expect(page.locator(".htmx-request")).to_have_count(0)
    page.evaluate("document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => done())))")
    if picture.to:
        page.locator(picture.to).first.evaluate("node => node.scrollIntoView({block: 'center'})")
    page.wait_for_timeout(200)
    shot = page.screenshot(animations="disabled", caret="hide")
    image = Image.open(io.BytesIO(shot)).convert("RGB")
    reduce_colours(image).save(folder / f"{picture.name}.png", optimize=True)
    page.close()


def reduce_colours(image: Image.Image) -> Image.Image:
    """Return an RGB picture with EXACT + NEAR colours at most."""
    counted = cast("list[tuple[int, tuple[int, int, int]]]", image.getcolors(image.width * image.height))
    frequent = [part for _, colour in sorted(counted, reverse=True)[:EXACT] for part in colour]
    others = image.quantize(NEAR, method=Image.Quantize.MEDIANCUT).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*frequent, *others[: 3 * NEAR]])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main()
