"""Reading ZIM files, whole and broken ones, and doing without libzim."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from references.offline.zim import ZimError, ZimFile, ZimUnavailable, check_file
from tests.guards.test_import_arrows import ARROWS, imports, modules
from tests.references.offline import zim_files


def ignore(done: int, size: int) -> None:
    pass


@pytest.fixture(scope="module")
def opened(zim_file: Path) -> ZimFile:
    return ZimFile(zim_file)


def broken(zim_file: Path, tmp_path: Path, how: str) -> Path:
    data, path = bytearray(zim_file.read_bytes()), tmp_path / f"{how}.zim"
    if how == "truncated":
        data = data[: len(data) // 2]
    elif how == "header only":
        data = data[:40]
    elif how == "empty":
        data = bytearray()
    elif how == "foreign":
        data = bytearray(b"%PDF-1.7 and so on" * 100)
    elif how == "half copied":  # as large as the whole, like what some programs copy into
        middle = len(data) // 2
        data[middle:-16] = bytes(len(data) - 16 - middle)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("truncated", "is not complete"),
        ("header only", "is not complete"),
        ("empty", "is not a ZIM file"),
        ("foreign", "is not a ZIM file"),
        ("half copied", "does not match its checksum"),
    ],
)
def test_a_broken_file_is_refused_with_the_reason(zim_file: Path, tmp_path: Path, how: str, words: str) -> None:
    with pytest.raises(ZimError, match=words):
        check_file(broken(zim_file, tmp_path, how), read=ignore)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ZimError, match="There is no file"):
        check_file(tmp_path / "none.zim")
    with pytest.raises(ZimError, match="cannot be read: Is a directory"):
        check_file(tmp_path)
    (tmp_path / "part.zimaa").write_bytes(b"ZIM")
    with pytest.raises(ZimError, match="Join the parts first"):
        check_file(tmp_path / "part.zimaa")


def test_a_whole_file_is_read_to_its_end(zim_file: Path) -> None:
    steps: list[tuple[int, int]] = []
    check_file(zim_file, read=lambda done, size: steps.append((done, size)))
    assert steps[-1] == (zim_file.stat().st_size - 16,) * 2


def test_articles_are_found_by_path_and_title_through_redirects(opened: ZimFile) -> None:
    assert opened.find_path("Sunset") == opened.find_path("Dusk") == opened.find_path("Abendrot") == "Sunset"
    assert opened.find_title("Rayleigh scattering") == "Rayleigh_scattering"
    assert opened.find_title("Abendrot") == "Sunset"
    assert opened.find_path("None") is opened.find_title("None") is None
    assert opened.main_page() == "Sunset"
    page = opened.page("Dusk")
    assert page
    assert (page.path, page.title) == ("Sunset", "Sunset")
    assert "disappearance of the Sun" in page.html


def test_what_is_no_article_is_none(opened: ZimFile) -> None:
    assert opened.page("I/dot.png") is None
    assert opened.find_path("I/dot.png") is None
    assert opened.media("I/dot.png", 10_000) == ("image/png", zim_files.PICTURE)
    assert opened.media("I/dot.png", 10) is opened.media("I/none.png", 10_000) is None


def test_titles_are_those_of_articles_and_redirects(opened: ZimFile) -> None:
    titles = {entry[1] for entry in opened.titles(0) if entry}
    assert titles == {"Sunset", "Rayleigh scattering", "Day", "Immune system", "Dusk", "Abendrot"}
    assert len(list(opened.titles(2))) == opened.entries - 2


def test_metadata_and_searches(opened: ZimFile) -> None:
    assert opened.metadata("Title") == "Test Encyclopedia"
    assert opened.metadata("Nothing") == ""
    assert opened.search("lymphocytes memory", 5) == (1, ["Immune_system"])
    assert opened.search("lymphocytes Mars", 5) == (0, [])
    assert opened.search("  ", 5) == (0, [])
    assert "Sunset" in opened.suggest("Suns", 5)
    assert opened.suggest("", 5) == []


def test_a_file_without_indexes_has_no_search(tmp_path: Path) -> None:
    contents = zim_files.Contents({"A": zim_files.Entry("<p>words</p>", "A")}, indexed=False)
    file = ZimFile(zim_files.write(tmp_path / "plain.zim", contents))
    assert not file.has_full_text
    assert file.search("words", 5) == (0, [])


def test_one_module_reads_with_libzim() -> None:
    """It is GPL: everything else works without it."""
    found = {
        str(path.relative_to(settings.BASE_DIR))
        for app in ARROWS
        for path in modules(app)
        if any(name.partition(".")[0] == "libzim" for name in imports(path))
    }
    assert found == {"references/offline/zim.py", "demo/zim_file.py"}  # the second writes the demo's


def test_without_libzim_the_product_says_what_to_install(zim_file: Path) -> None:
    """In a process of its own in which the module cannot be found."""
    code = f"""
import sys
sys.modules["libzim"] = None
import django; django.setup()
import config.urls
from pathlib import Path
from references.offline.zim import ZimFile, ZimUnavailable, check_file, is_installed
assert not is_installed()
check_file(Path({str(zim_file)!r}))
try:
    ZimFile(Path({str(zim_file)!r}))
except ZimUnavailable as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )
    assert "pip install 'lectern[zim]'" in done.stdout
    assert issubclass(ZimUnavailable, Exception)
