"""Sections of articles, as MediaWiki, Parsoid and the makers of ZIM files write them."""

from __future__ import annotations

import pytest

from references.sections import ArticleSection, parse_sections

PARSOID = """<!DOCTYPE html><html><head><title>Photosynthesis</title><style>p {}</style></head>
<body class="mw-content-ltr mw-body-content mw-parser-output">
<section data-mw-section-id="0">
  <div class="shortdescription noexcerpt" style="display:none">Biological process</div>
  <div role="note" class="hatnote navigation-not-searchable">Not to be confused with chemosynthesis.</div>
  <table class="infobox"><tbody><tr><th>Found in</th><td>Plants</td></tr></tbody></table>
  <figure typeof="mw:File/Thumb"><img src="//upload.example/leaf.jpg"/><figcaption>A leaf</figcaption></figure>
  <p><b>Photosynthesis</b> turns light<sup class="mw-ref reference"><a href="#cite_note-1">[1]</a></sup> into
  <a href="./Sugar">sugar</a>.</p><p>It needs water.</p>
</section>
<section data-mw-section-id="1"><h2 id="Light_reactions">Light reactions</h2>
  <p>Light is absorbed: <span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;">
  <math alttext="{\\displaystyle E=h\\nu }"><semantics><mi>E</mi></semantics></math></span>
  <img class="mwe-math-fallback-image-inline" alt="{\\displaystyle E=h\\nu }"/></span> is its energy.</p>
  <section data-mw-section-id="2"><h3 id="Water">Water</h3><ul><li>is split</li><li>gives oxygen</li></ul>
    <h4 id="Detail">Detail</h4><p>Four steps.</p></section></section>
<section data-mw-section-id="3"><h2 id="Yield">Yield</h2>
  <table class="wikitable"><tbody><tr><th>Plant</th><th>Share</th></tr>
  <tr><td>Maize</td><td>2 %</td></tr></tbody></table>
</section>
<section data-mw-section-id="4"><h2 id="See_also">See also</h2><ul><li><a>Plants</a></li></ul></section>
<section data-mw-section-id="5"><h2 id="References">References</h2><h3>Books</h3>
  <ol class="references"><li>A book</li></ol>
  <p>Unlabelled.</p></section>
<section data-mw-section-id="6"><h2 id="After">After</h2><p>Last words.</p></section>
<div class="navbox" role="navigation"><ul><li>Biology</li></ul></div></body></html>"""


def test_an_article_of_parsoid() -> None:
    assert parse_sections(PARSOID) == [
        ArticleSection((), "Photosynthesis turns light into sugar.\n\nIt needs water."),
        ArticleSection(("Light reactions",), r"Light is absorbed: $E=h\nu$ is its energy.", "Light_reactions"),
        ArticleSection(("Light reactions", "Water"), "- is split\n- gives oxygen\n\nDetail\n\nFour steps.", "Water"),
        ArticleSection(("Yield",), "| Plant | Share |\n| --- | --- |\n| Maize | 2 % |", "Yield"),
        ArticleSection(("After",), "Last words.", "After"),
    ]


LEGACY = """<html><body><div id="content"><h1 id="firstHeading" class="firstHeading">Chat</h1><div id="bodyContent">
<div id="mw-content-text"><div class="mw-parser-output"><p>Le chat.</p>
<div id="toc" class="toc"><h2>Sommaire</h2></div>
<h2><span class="mw-headline" id="Vie">Vie</span>
<span class="mw-editsection">[<a>modifier</a>]</span></h2><p>Il dort.</p>
<h2><span class="mw-headline" id="Vie_2">Vie</span></h2><p>Il mange.</p>
<div class="mw-heading mw-heading2"><h2 id="Notes_et_références">Notes et références</h2></div><p>Rien.</p>
</div></div></div><div id="footer"><p>Licence</p></div></body></html>"""


def test_an_article_of_the_older_parser() -> None:
    assert parse_sections(LEGACY) == [
        ArticleSection((), "Le chat."),
        ArticleSection(("Vie",), "Il dort.", "Vie"),
        ArticleSection(("Vie",), "Il mange.", "Vie_2"),
    ]


ZIM = """<html><body><h1 class="article-header">Die Katze</h1><p>Sie schläft
<span><img class="mwe-math-fallback-image-inline" alt="{\\displaystyle x^{2}}"></span> Stunden.</p>
<details data-level="2" open><summary class="section-heading"><h2 id="Arten">Arten</h2></summary><p>Viele.</p></details>
<details data-level="2"><summary class="section-heading">
<h2 id="Einzelnachweise">Einzelnachweise</h2></summary><p>Buch.</p>
</details></body></html>"""


def test_an_article_of_a_zim_file() -> None:
    assert parse_sections(ZIM) == [
        ArticleSection((), "Sie schläft $x^{2}$ Stunden."),
        ArticleSection(("Arten",), "Viele.", "Arten"),
    ]


@pytest.mark.parametrize(
    "name", ["References", "EXTERNAL LINKS", "Further reading", "Weblinks", "Voir aussi", "Enlaces externos", "Notas"]
)
def test_boilerplate_in_four_languages(name: str) -> None:
    html = f"<p>Text.</p><h2>{name}</h2><p>Lost.</p><h3>Below</h3><p>Lost.</p><h2>Next</h2><p>Kept.</p>"
    assert [section.text for section in parse_sections(html)] == ["Text.", "Kept."]


@pytest.mark.parametrize(
    "html", ["", " ", "<html></html>", "<!-- -->", "<table class='navbox'><tr><td>a</td></tr></table>"]
)
def test_a_page_without_text_has_no_sections(html: str) -> None:
    assert parse_sections(html) == []


def test_broken_html_is_read_as_far_as_it_goes() -> None:
    html = "<p>One<h2>Two<p>three</h2><ul><li>four<div class='navbox'>five</div>" + "<div>" * 3000 + "six"
    first, *others = parse_sections(html)
    assert first == ArticleSection((), "One")
    assert "four" in others[0].text and "five" not in others[0].text
