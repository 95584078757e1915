"""Each picture of the documents is described, is there and is small."""

from pathlib import Path

from django.conf import settings

from benchmarks.pictures import PICTURES, VISITORS

IMAGES = Path(settings.BASE_DIR) / "docs" / "images"


def test_every_picture_is_there_and_described_and_is_of_somebody_who_visits() -> None:
    described = (IMAGES / "README.md").read_text()
    for picture in PICTURES:
        assert f"({picture.name}.png)" in described
        assert (IMAGES / f"{picture.name}.png").exists()
        assert picture.visitor in VISITORS
    assert {path.stem for path in IMAGES.glob("*.png")} == {picture.name for picture in PICTURES}


def test_pictures_stay_small() -> None:
    assert sum(path.stat().st_size for path in IMAGES.glob("*.png")) < 3_000_000
