"""Personal data of this app: the documents of teachers, with the files that they uploaded."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge.models import PersonalDocument, PersonalReadingReport, PersonalVersion
from privacy.registry import File, PersonalData, Rows, declare


def _list_files(documents: Rows) -> Iterator[File]:
    """Yield the newest file of each document."""
    for number, document in enumerate(documents.order_by("created_at", "pk"), start=1):
        version = document.newest
        name = "".join(sign if sign.isalnum() or sign in "._- " else "_" for sign in version.filename)[-120:]
        yield f"documents/{number:04}-{name.strip() or 'file'}", version.file


declare(
    PersonalData(PersonalDocument, user="owner", files=_list_files),
    PersonalData(PersonalVersion, user="document__owner"),
    PersonalData(PersonalReadingReport, user="reported_by"),
)
