"""ZIM files for tests, written with libzim's own writer."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

libzim = pytest.importorskip("libzim.writer", reason="libzim is not installed: pip install 'lectern[zim]'")

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)
"""A red dot as PNG."""

SUNSET = """<h1>Sunset</h1>
<table class="infobox"><tr><th>Infobox</th><td>Numbers nobody asks for</td></tr></table>
<p><b>Sunset</b> is the disappearance of the Sun below the horizon. It happens <a href="Day">every day</a>.</p>
<figure><img src="I/dot.png" width="20" height="20" alt="A red dot"><figcaption>The sun.</figcaption></figure>
<h2 id="Colours">Colours</h2>
<p>As a ray of light travels through the atmosphere, shorter wavelengths, blue and green, are scattered by molecules
of air. This is called <a href="Rayleigh_scattering#Cause">Rayleigh scattering</a>. So the sky is orange and red at
sunset, because the path of the light is longer.</p>
<h3 id="Planets">Other planets</h3>
<p>Sunsets on Mars are blue, because fine dust in the thin air of that planet scatters red light backwards.</p>
<h2 id="See_also">See also</h2><ul><li><a href="https://example.org/sun">Outside</a></li></ul>
<div class="navbox"><a href="Day">A box for navigation</a></div>
"""
SCATTERING = """<h1>Rayleigh scattering</h1>
<p>Rayleigh scattering, named after Lord Rayleigh, is the scattering of light by particles much smaller than its
wavelength.</p><h2 id="Cause">Cause</h2><p>The electric field of the wave moves the charges within a particle, so that
they move at the same frequency. The strength goes with the fourth power of the frequency.</p>
"""
DAY = "<h1>Day</h1><p>A day is the time in which the Earth turns once around its axis, which is 24 hours.</p>"
IMMUNE = """<h1>Immune system</h1><p>The immune system protects an organism from diseases.</p>
<h2 id="Layers">Layers</h2><p>If pathogens breach the physical barriers, the innate immune system answers at once, but
without memory. Vaccination uses the memory of the adaptive immune system, which lymphocytes carry.</p>"""

PAGES = {"Sunset": SUNSET, "Rayleigh_scattering": SCATTERING, "Day": DAY, "Immune_system": IMMUNE}


@dataclass(frozen=True)
class Entry:
    """What is written at one path."""

    content: str | bytes
    title: str = ""
    media_type: str = "text/html"
    is_article: bool = True


@dataclass(frozen=True)
class Contents:
    """What a ZIM file holds. Redirects are (path, title, path of the target)."""

    entries: Mapping[str, Entry]
    redirects: Sequence[tuple[str, str, str]] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    indexed: bool = True


def of_pages(pages: Mapping[str, str] = PAGES, **metadata: Any) -> Contents:
    """Articles by their path, a picture, and redirects to the sunset."""
    entries = {path: Entry(html, path.replace("_", " ")) for path, html in pages.items()}
    pictures = {
        "I/dot.png": Entry(PICTURE, "", "image/png", is_article=False),
        "style.css": Entry("p { color: red }", "", "text/css", is_article=False),
        "I/script.js": Entry("alert(1)", "", "text/javascript", is_article=False),
    }
    redirects = [("Dusk", "Dusk", "Sunset"), ("Abendrot", "Abendrot", "Dusk")] if "Sunset" in pages else []
    return Contents({**entries, **pictures}, redirects, metadata)


def write(path: Path, contents: Contents) -> Path:
    """Write the file and return its path."""
    path.unlink(missing_ok=True)
    about = {
        "Name": "test_en_all",
        "Title": "Test Encyclopedia",
        "Language": "eng",
        "Date": datetime.date(2026, 11, 1),
        "Creator": "Tests",
        "Publisher": "Tests",
        "Description": "For tests",
        **contents.metadata,
    }
    with libzim.Creator(path).config_indexing(contents.indexed, about["Language"]).config_nbworkers(1) as creator:
        articles = [name for name, entry in contents.entries.items() if entry.is_article]
        if articles:
            creator.set_mainpath(articles[0])
        for name, value in about.items():
            creator.add_metadata(name, value)
        for name, entry in contents.entries.items():
            creator.add_item(_item(name, entry))
        for source, title, target in contents.redirects:
            creator.add_redirection(source, title, target, {libzim.Hint.FRONT_ARTICLE: True})
    return path


def damage(path: Path, entry: str) -> None:
    """Give an article of a file a media type that the file does not have. It can still be opened."""
    content = path.read_bytes()
    start = re.search(rb"..\0C\0{4}.{8}" + entry.encode() + rb"\0", content, re.DOTALL).start()  # type: ignore[union-attr]
    path.write_bytes(content[:start] + b"\xfe\x00" + content[start + 2 :])


def _item(path: str, entry: Entry) -> Any:
    class Written(libzim.Item):  # type: ignore[misc, name-defined]
        def get_path(self) -> str:
            return path

        def get_title(self) -> str:
            return entry.title

        def get_mimetype(self) -> str:
            return entry.media_type

        def get_contentprovider(self) -> Any:
            return libzim.StringProvider(entry.content)

        def get_hints(self) -> dict[Any, Any]:
            return {libzim.Hint.FRONT_ARTICLE: entry.is_article}

    return Written()
