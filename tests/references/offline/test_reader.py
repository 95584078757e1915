"""The built-in reader: safe, with links and pictures of the file, and nothing remote."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import Settings

from references.models import Archive, ArchiveState, ReferenceSettings
from references.offline.opened import index_path
from references.offline.reading import render_article, resolve
from schools.models import Membership, User
from tests.factories import cast
from tests.references.offline import zim_files
from tests.references.offline.archives import add

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> Membership:
    found = cast().alice
    ReferenceSettings.objects.create(school=found.school, allows_wikipedia_offline=True)
    return found


@pytest.fixture
def browser(alice: Membership) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(alice.user)
    return client


def rendered(html: str, section: str | None = None) -> str:
    article = render_article(
        html,
        "Here",
        page=lambda target: f"/page/{target}",
        picture=lambda target: f"/picture/{target}",
        section=section,
    )
    return str(article.html)


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<p onclick=alert(1)>x</p>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' jAvAsCrIpT:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<iframe src='https://evil.example'></iframe>",
    "<svg><script>alert(1)</script></svg>",
    "<svg onload=alert(1)>",
    "<math><mtext><script>alert(1)</script></mtext></math>",
    "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
    "<style>@import 'https://evil.example/x.css'</style>",
    "<p style='background:url(https://evil.example/x.png)'>x</p>",
    "<form action='https://evil.example'><input name=q></form>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<base href='https://evil.example/'>",
    "<object data='https://evil.example'></object><embed src='https://evil.example'>",
    "<video src='https://evil.example/x.mp4' autoplay></video><audio src='https://evil.example/x.mp3'></audio>",
    "<img src='https://evil.example/x.png'><img src='//evil.example/x.png'>",
    "<img srcset='https://evil.example/x.png 2x'>",
    "<p><noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript></p>",
    "<table background='https://evil.example/x.png'><tr><td background='https://evil.example/x.png'>x</td></tr></table>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_of_an_article_is_run_or_loaded_from_elsewhere(attack: str) -> None:
    html = rendered(f"<h2>Head</h2><p>Before.</p>{attack}<p>After.</p>")
    assert "Before." in html
    assert "After." in html
    assert not re.search(r"<(script|iframe|svg|style|form|meta|base|object|embed|video|audio|link|input)\b", html)
    assert not re.search(r"\s(on\w+|style|srcset|background|xlink:href|action)\s*=", html)
    assert not re.search(r"(src|href)=[\"']?\s*(javascript|data):", html, re.IGNORECASE)
    assert not re.search(r"src=[\"']?(https?:)?//", html)


def test_no_id_of_an_article_is_one_of_ours() -> None:
    html = rendered("<h2 id='main'>Head</h2><p id='dialog'>Text <a href='#main'>up</a></p>")
    assert 'id="part-main"' in html
    assert 'href="#part-main"' in html
    assert 'id="dialog"' not in html


def test_links_lead_to_the_reader_or_open_a_new_tab() -> None:
    links = ["Other#End", "https://example.org/x", "//example.org", "mailto:a@b.example"]
    html = rendered("<p>" + "".join(f"<a href='{link}'>in</a> " for link in links) + "</p>")
    assert '<a href="/page/Other#part-End">in</a>' in html
    outside = re.findall(r'<a [^>]*href="https://example.org[^>]*>', html)
    assert len(outside) == 2
    assert all('target="_blank"' in link and 'rel="noopener noreferrer"' in link for link in outside)
    assert "mailto" not in html


def test_a_link_to_what_the_file_lacks_is_text() -> None:
    found = render_article("<p><a href='None'>words</a></p>", "Here", page=lambda path: None, picture=lambda path: None)
    assert found.html == "<section><p><a>words</a></p></section>"


@pytest.mark.parametrize(
    ("reference", "path", "target"),
    [
        ("Other", "Here", "Other"),
        ("./Other", "Here", "Other"),
        ("../I/m/x.png", "A/Here", "I/m/x.png"),
        ("../Other", "AC/DC", "Other"),
        ("../../../../etc/passwd", "A/Here", "etc/passwd"),
        ("Caf%C3%A9?x=1#y", "Here", "Café"),
        ("/Other", "A/Here", "Other"),
        ("https://example.org", "Here", None),
        ("//example.org/x", "Here", None),
        ("javascript:alert(1)", "Here", None),
        ("http://[broken", "Here", None),
        ("a%0Ab.png", "Here", None),
        ("a\u2028b", "Here", None),
        ("#only", "Here", None),
        ("", "Here", None),
    ],
)
def test_references_are_paths_in_the_file(reference: str, path: str, target: str | None) -> None:
    assert resolve(reference, path) == target


@pytest.mark.parametrize("section", ["Planets", "Other planets"])
def test_the_cited_section_is_set_off(section: str) -> None:
    html = rendered(zim_files.SUNSET, section)
    assert html.count('id="passage"') == 1
    assert "Sunsets on Mars" in html.split('id="passage"')[1].split("</section>")[0]


def test_the_text_before_the_first_heading_can_be_cited() -> None:
    assert "disappearance" in rendered(zim_files.SUNSET, "").split('id="passage"')[1].split("</section>")[0]
    assert 'id="passage"' not in rendered(zim_files.SUNSET)
    assert 'id="passage"' not in rendered(zim_files.SUNSET, "No such heading")


def test_boxes_are_left_out_and_tables_can_be_scrolled() -> None:
    assert "A box for navigation" not in rendered(zim_files.SUNSET)
    html = rendered("<table><caption>Years</caption><tr><th>1</th></tr></table>")
    assert '<div class="table-box" role="region" aria-label="Table 1: Years" tabindex="0"><table>' in html


def test_a_page_without_text_is_empty() -> None:
    assert rendered("") == ""


def test_an_article_is_read_with_its_pictures(archive: Archive, browser: Client) -> None:
    response = browser.get(f"/references/read/{archive.pk}/Sunset?section=Planets")
    html = response.content.decode()
    assert "<h1>Sunset</h1>" in html
    assert "edition of 1 Nov 2026" in html
    assert f'href="/references/read/{archive.pk}/Rayleigh_scattering#part-Cause"' in html
    source = re.search(r'<img[^>]* src="(/references/picture/[^"]+)"', html)
    assert source
    assert 'alt="A red dot"' in html
    picture = browser.get(source[1])
    assert (picture.content, picture["Content-Type"]) == (zim_files.PICTURE, "image/png")
    assert picture["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in picture["Content-Security-Policy"]


def test_a_citation_of_another_edition_is_told(archive: Archive, browser: Client) -> None:
    address = f"/references/read/{archive.pk}/Sunset?section=Planets&edition="
    for edition, told, other in (
        (archive.uuid, "This section contains the passage", "another edition"),
        (uuid4(), "The passage was used from another edition", "This section contains the passage"),
    ):
        shown = browser.get(f"{address}{edition}").content.decode()
        assert 'id="passage"' in shown
        assert told in shown and other not in shown


def test_a_redirect_and_the_first_page_lead_to_articles(archive: Archive, browser: Client) -> None:
    assert "<h1>Sunset</h1>" in browser.get(f"/references/read/{archive.pk}/Abendrot").content.decode()
    response = browser.get(f"/references/archives/{archive.pk}/")
    assert response["Location"] == f"/references/read/{archive.pk}/Sunset"


def test_control_characters_in_references_break_no_page(indexes: Path, tmp_path: Path, browser: Client) -> None:
    body = "<p>The sky is red.</p><img src='a%0Ab.png' alt='A dot'><a href='c%0Dd'>link</a>"
    added = add(zim_files.write(tmp_path / "odd.zim", zim_files.of_pages({"Odd": body}, Name="odd")))
    shown = browser.get(f"/references/read/{added.pk}/Odd").content.decode()
    assert "[Picture: A dot]" in shown
    assert "The sky is red." in shown


@pytest.mark.parametrize(
    "path", ["picture/{}/style.css", "picture/{}/I/script.js", "picture/{}/Sunset", "picture/{}/I/no.png"]
)
def test_only_pictures_are_served_as_they_are(archive: Archive, browser: Client, path: str) -> None:
    assert browser.get("/references/" + path.format(archive.pk)).status_code == 404


def test_what_cannot_be_read_is_not_found(archive: Archive, browser: Client, alice: Membership) -> None:
    address = f"/references/read/{archive.pk}/"
    assert browser.get(f"{address}None").status_code == 404
    assert browser.get(f"{address}I/dot.png").status_code == 404
    assert browser.get(f"/references/read/{uuid4()}/Sunset").status_code == 404
    ReferenceSettings.objects.update(allows_wikipedia_offline=False)
    assert browser.get(f"{address}Sunset").status_code == 404
    ReferenceSettings.objects.update(allows_wikipedia_offline=True)


def test_what_this_server_cannot_read_is_said_in_words(archive: Archive, browser: Client) -> None:
    index_path(archive.uuid).unlink()  # type: ignore[arg-type]
    for address in (f"read/{archive.pk}/Sunset", f"archives/{archive.pk}/", f"picture/{archive.pk}/I/dot.png"):
        response = browser.get(f"/references/{address}")
        assert response.status_code == 503
        assert "This server cannot read “Test Encyclopedia” just now." in response.content.decode()
    assert "This server cannot read it just now" in browser.get("/references/archives/").content.decode()
    assert Archive.objects.get().state == ArchiveState.READY


def test_a_damaged_file_is_said_in_words(indexes: Path, tmp_path: Path, browser: Client) -> None:
    path = zim_files.write(tmp_path / "damaged.zim", zim_files.of_pages(Name="damaged"))
    added = add(path)
    zim_files.damage(path, "Sunset")
    for address in (f"/references/archives/{added.pk}/", f"/references/read/{added.pk}/Sunset"):
        assert browser.get(address).status_code == 503


def test_members_see_the_archives_and_how_one_is_added(archive: Archive, browser: Client) -> None:
    html = browser.get("/references/archives/").content.decode()
    assert "Test Encyclopedia" in html
    assert "4 articles" in html
    assert "edition of 1 Nov 2026" in html
    assert "manage.py add_zim" in html
    Archive.objects.update(state=ArchiveState.FAILED, reason="There is no file.")
    html = browser.get("/references/archives/").content.decode()
    assert "Cannot be read" in html
    assert "There is no file." not in html, "paths of the server are for its operator"
    User.objects.update(is_staff=True)
    assert "There is no file." in browser.get("/references/archives/").content.decode()


def test_the_list_says_what_to_install_and_what_is_not_allowed(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("references.views.reader.is_installed", lambda: False)
    ReferenceSettings.objects.update(allows_wikipedia_offline=False)
    html = browser.get("/references/archives/").content.decode()
    assert "pip install &#x27;lectern[zim]&#x27;" in html
    assert "does not allow offline Wikipedia" in html
    assert "There are no archives yet" in html


def test_the_api_lists_archives(archive: Archive, browser: Client) -> None:
    body: dict[str, Any] = browser.get("/api/v1/archives").json()
    assert body["results"] == [
        {
            "id": str(archive.pk),
            "name": "test_en_all",
            "title": "Test Encyclopedia",
            "language": "en",
            "articles": 4,
            "date": "2026-11-01",
            "state": "ready",
        }
    ]


def test_with_a_kiwix_server_the_reader_leads_there(archive: Archive, browser: Client, settings: Settings) -> None:
    settings.LECTERN_KIWIX_URL = "http://kiwix.example:8080/"
    address, book = f"/references/read/{archive.pk}/Rayleigh scattering", Path(archive.path).stem
    assert browser.get(address)["Location"] == f"http://kiwix.example:8080/{book}/Rayleigh%20scattering"
    assert browser.get(f"{address}?section=Cause")["Location"].endswith("/Rayleigh%20scattering#Cause")


@pytest.mark.skipif(not shutil.which("kiwix-serve"), reason="kiwix-serve is not installed: apt install kiwix-tools")
def test_kiwix_serve_has_the_article_where_the_reader_leads(
    archive: Archive, browser: Client, settings: Settings
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings.LECTERN_KIWIX_URL = f"http://127.0.0.1:{port}"
    command = ["kiwix-serve", "--address", "127.0.0.1", "--port", str(port), archive.path]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = browser.get(f"/references/read/{archive.pk}/Sunset")["Location"]
        for _ in range(100):
            try:
                with urllib.request.urlopen(address, timeout=5) as page:
                    assert b"disappearance of the Sun" in page.read()
                break
            except ConnectionError:
                time.sleep(0.1)
            except OSError as error:
                assert "refused" in str(error), error
                time.sleep(0.1)
        else:
            pytest.fail("kiwix-serve did not start")
    finally:
        server.terminate()
        server.wait()
