"""The audit of pages knows which pages are of one kind, and each picture that it takes is shown."""

from pathlib import Path

import pytest
from django.conf import settings

from benchmarks.page_audit.pictures import PICTURES
from benchmarks.page_audit.visiting import NO_PAGE, VISITORS, pattern

IMAGES = Path(settings.BASE_DIR) / "docs" / "images"
KEY = "01a207e9-48a4-761f-849c-610e932acfb9"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"/chats/{KEY}/print/", "/chats/*/print/"),
        (f"/references/read/{KEY}/Canal_lock", "/references/read/*/*"),
        ("/library/", "/library/"),
    ],
)
def test_pages_of_one_view_have_one_pattern(path: str, expected: str) -> None:
    assert pattern(path) == expected


@pytest.mark.parametrize(
    "path", [f"/documents/{KEY}/file/", f"/chats/{KEY}/export/", "/admin/schools/school/", "/api/v1/schema/"]
)
def test_downloads_and_the_inside_of_django_admin_are_no_pages_to_look_at(path: str) -> None:
    assert NO_PAGE.search(path)


def test_every_picture_is_there_and_described_and_is_of_somebody_who_visits() -> None:
    described = (IMAGES / "README.md").read_text()
    for picture in PICTURES:
        assert f"({picture.name}.png)" in described
        assert (IMAGES / f"{picture.name}.png").exists()
        assert picture.visitor in {visitor.name for visitor in VISITORS}
    assert {path.stem for path in IMAGES.glob("*.png")} == {picture.name for picture in PICTURES}


def test_pictures_stay_small() -> None:
    assert sum(path.stat().st_size for path in IMAGES.glob("*.png")) < 3_000_000
