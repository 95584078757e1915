"""Pictures of the product for its documents: small, and the same page at every run."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from PIL import Image
from playwright.sync_api import BrowserContext, Page

from benchmarks.page_audit.checks import LOOKS
from benchmarks.page_audit.visiting import pattern, settle

EXACT, NEAR = 160, 64
"""Colours of a picture: the most frequent as they are, so that flat ones stay, and a choice for the rest."""
TALLEST = 8_000
"""Pixels; of a longer page only the top is taken."""


@dataclass(frozen=True)
class Picture:
    """What to show. `path` may name a conversation of `asking.QUESTIONS` in braces; `clicks` are followed first."""

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


def take(context: BrowserContext, picture: Picture, paths: dict[str, str], folder: Path) -> int:
    """Write the picture to the folder. Returns its bytes."""
    page = context.new_page()
    page.emulate_media(color_scheme=picture.scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": picture.width, "height": picture.height})
    page.goto(picture.path.format(**paths))
    for link in picture.clicks:
        with page.expect_navigation():
            page.locator(link).first.click()
    settle(page)
    if picture.to:
        page.locator(picture.to).first.evaluate("node => node.scrollIntoView({block: 'center'})")
    page.wait_for_timeout(200)
    size = write(page, folder / f"{picture.name}.png", full_page=False)
    page.close()
    return size


def take_every(context: BrowserContext, name: str, found: list[str], folder: Path) -> None:
    """The whole length of every page in every look, for people to look through."""
    page = context.new_page()
    for number, path in enumerate(found):
        page.goto(path)
        settle(page)
        for scheme, width in LOOKS:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 844})
            title = pattern(path).strip("/").replace("/", "_").replace("*", "x") or "home"
            whole = page.evaluate("document.documentElement.scrollHeight") < TALLEST
            write(page, folder / f"{name}-{number:02}-{title}-{width}-{scheme}.png", full_page=whole)
    page.close()


def write(page: Page, file: Path, *, full_page: bool) -> int:
    """A screenshot with a palette of its own. Returns its bytes."""
    shot = page.screenshot(full_page=full_page, animations="disabled", caret="hide")
    image = Image.open(io.BytesIO(shot)).convert("RGB")
    reduced(image).save(file, optimize=True)
    return file.stat().st_size


def reduced(image: Image.Image) -> Image.Image:
    """An RGB picture with EXACT + NEAR colours at most."""
    counted = cast("list[tuple[int, tuple[int, int, int]]]", image.getcolors(image.width * image.height))
    frequent = [part for _, colour in sorted(counted, reverse=True)[:EXACT] for part in colour]
    others = image.quantize(NEAR, method=Image.Quantize.MEDIANCUT).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*frequent, *others[: 3 * NEAR]])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)
