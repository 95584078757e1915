"""A real worker that is given hostile files: the same process is there afterwards, no fatter, and goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from django.conf import settings as django_settings
from pytest_django import Settings

from corpus.models import Status
from corpus.tasks import queue_unfinished
from knowledge.models import PersonalDocument
from tests import hostile
from tests.factories import Cast, cast, personal_document
from tests.running import wait_for
from tests.workers import Worker

pytestmark = pytest.mark.django_db(transaction=True)
GROWTH = 150_000_000  # bytes: room for the embedder to work in
FILES: dict[str, Callable[[], bytes]] = {
    "bomb.docx": lambda: hostile.zip_bomb("docx"),
    "table.docx": hostile.wide_and_long_table,
    "laughs.pptx": lambda: hostile.billion_laughs("pptx"),
    "spaces.pdf": hostile.PDFS["spaces"],
    "pages.pdf": hostile.PDFS["20,000 pages"],
    "brackets.md": lambda: b"# " + b"[" * 2_000_000,
    "zeros.txt": lambda: bytes(1_000_000),
}


@pytest.fixture
def people(settings: Settings) -> Cast:
    settings.MEDIA_ROOT = Path(django_settings.DATA_DIR) / "files"  # where the worker looks for them
    return cast()


@pytest.fixture
def worker(people: Cast) -> Iterator[Worker]:
    worker = Worker(
        more={
            "LECTERN_PARSE_SECONDS": "3",
            "LECTERN_PARSE_MEMORY_MB": "512",
            "LECTERN_MAX_CHARACTERS": "1000000",
        }
    )
    worker.start()
    yield worker
    worker.stop()


def test_hostile_files_leave_a_worker_as_it_was(people: Cast, worker: Worker) -> None:
    def ended() -> bool:
        return not PersonalDocument.objects.unfinished().exists()

    personal_document(people.alice, "# First\n\nA good one.", "first.md", indexed=False)
    queue_unfinished()
    wait_for(ended, 180)
    assert worker.process is not None
    process = psutil.Process(worker.process.pid)
    before = process.memory_info().rss

    for name, build in FILES.items():
        personal_document(people.alice, build(), name, indexed=False)
    personal_document(people.bob, "# Last\n\nAnother good one.", "last.md", indexed=False)
    queue_unfinished()
    wait_for(ended, 300)
    outcomes = dict(PersonalDocument.objects.values_list("title", "status"))
    assert {title for title, status in outcomes.items() if status == Status.READY} == {"first", "last"}
    failed = PersonalDocument.objects.filter(status=Status.FAILED)
    assert len(failed) == len(FILES)
    assert all(document.failure_reason and document.attempts == 1 for document in failed)
    assert process.is_running()
    assert process.children() == []
    assert process.memory_info().rss - before < GROWTH
