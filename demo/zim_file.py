"""The demo's small encyclopaedia, written as a ZIM file where libzim is installed (`pip install 'lectern[zim]'`)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

NAME = "lectern-demo_en"


def write(path: Path, articles: list[Path]) -> Path:
    """Write these HTML files as articles, whose file names are their titles. Raises ImportError without libzim."""
    from libzim import writer

    class Article(writer.Item):  # type: ignore[misc]
        def __init__(self, file: Path) -> None:
            super().__init__()
            self.file = file

        def get_path(self) -> str:
            return self.file.stem

        def get_title(self) -> str:
            return self.file.stem.replace("_", " ")

        def get_mimetype(self) -> str:
            return "text/html"

        def get_contentprovider(self) -> object:
            return writer.FileProvider(str(self.file))

        def get_hints(self) -> dict[object, object]:
            return {writer.Hint.FRONT_ARTICLE: True}

    about = {
        "Name": NAME,
        "Title": "Rivers and canals",
        "Language": "eng",
        "Date": datetime.now(UTC).date(),
        "Creator": "Lectern",
        "Publisher": "Lectern",
        "Description": "Eight articles of the demo",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with writer.Creator(path).config_indexing(True, "eng").config_nbworkers(1) as creator:
        creator.set_mainpath(articles[0].stem)
        for name, value in about.items():
            creator.add_metadata(name, value)
        for file in articles:
            creator.add_item(Article(file))
    return path
