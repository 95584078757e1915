"""Whatever is killed, and whenever: a document ends indexed, failed with a reason, or gone, and every search sees all
of one version (D5, D6)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.db import connection
from pytest_django import Settings

from corpus.ingestion import uploads
from corpus.models import Status
from corpus.retry_backoff import MAX_ATTEMPTS
from corpus.sources import Query
from corpus.tasks import queue_unfinished
from engines.embedding import get_embedder
from knowledge.models import PersonalChunk, PersonalDocument, PersonalVersion
from knowledge.sources import PersonalSource
from operations import embedded, redis_server
from operations.processes import Child
from schools.models import School
from tests.depth import DEEP
from tests.factories import Cast, cast, make_file, personal_document
from tests.running import wait_for
from tests.workers import Worker, environment

pytestmark = pytest.mark.django_db(transaction=True)

SECTIONS = 192  # six batches of the embedder

DEATHS = (0.3, 0.5, 0.8) if DEEP else (0.5,)
"""At which shares of an update its worker is killed."""


def text(edition: int) -> str:
    parts = (f"## Part {n}\n\nEdition {edition} of part {n} tells of burettes." for n in range(SECTIONS))
    return "# Handbook\n\n" + "\n\n".join(parts)


@pytest.fixture
def people(settings: Settings) -> Cast:
    settings.MEDIA_ROOT = Path(django_settings.DATA_DIR) / "files"  # where the worker looks for them
    return cast()


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker(app="tests.operations.mortal_worker")
    yield worker
    worker.stop()


class Searcher(threading.Thread):
    """Searches all the time, and remembers which versions each search saw, and how many passages of them."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[set[int], set[str], int]] = []
        self.enough = threading.Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            school = School.objects.get(slug="riverside")
            source = PersonalSource(school, PersonalDocument.objects.all())
            query = Query.of("Which edition tells of burettes?", get_embedder())
            while not self.enough.is_set():
                passages = source.search(query, 2 * SECTIONS)
                words = {passage.excerpt.split(" of part")[0] for passage in passages}
                self.seen.append(({passage.version or 0 for passage in passages}, words, len(passages)))
                time.sleep(0.1)  # so that the worker gets on
        except BaseException as error:
            self.error = error
        finally:
            connection.close()


def ready(number: int) -> Callable[[], bool]:
    return PersonalDocument.objects.filter(status=Status.READY, answering_version=number).exists


def files() -> set[str]:
    root = Path(django_settings.DATA_DIR) / "files"
    school = str(School.objects.get(slug="riverside").pk)
    return {str(path.relative_to(root)) for path in (root / school).rglob("*") if path.is_file()}


def nothing_is_left_over() -> None:
    """No chunks of another version, no file without a row, no row without a file, no lock that is still held."""
    for document in PersonalDocument.objects.all():
        assert document.chunks.count() == document.chunk_count
    assert not PersonalChunk.objects.exclude(document__in=PersonalDocument.objects.all()).exists()
    assert files() == set(PersonalVersion.objects.values_list("file", flat=True))
    wait_for(no_lock_is_held)  # a worker lets go a moment after the end is committed


def no_lock_is_held() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database"
            " WHERE locktype = 'advisory' AND datname = current_database()"
        )
        (locks,) = cursor.fetchone() or (0,)
    return bool(locks == 0)


def test_killed_at_any_moment_of_an_update_every_search_sees_one_whole_version(people: Cast, worker: Worker) -> None:
    document = personal_document(people.alice, text(1), "handbook.md")
    assert document.chunk_count == SECTIONS
    searcher = Searcher()
    searcher.start()
    try:
        for number, share in enumerate(DEATHS, 2):
            worker.more["DIES_AT"] = str(share)
            worker.start()
            uploads.replace(document, make_file(text(number), "handbook.md"), by=people.alice.user)
            worker.wait_for_death()
            document.refresh_from_db()
            assert (document.status, document.answering_version) == (Status.INDEXING, number - 1)
            assert document.progress_done >= share * SECTIONS
            del worker.more["DIES_AT"]
            worker.start()
            queue_unfinished()  # as the schedule does every 15 seconds
            wait_for(ready(number), 180)
            worker.stop()
            document.refresh_from_db()
            assert (document.chunk_count, document.attempts) == (SECTIONS, 0)
        until = len(searcher.seen) + 2
        wait_for(lambda: len(searcher.seen) >= until or searcher.error is not None)
    finally:
        searcher.enough.set()
        searcher.join(120)
    assert searcher.error is None
    for versions, words, count in searcher.seen:
        assert (len(versions), count) == (1, SECTIONS)
        assert words == {f"Edition {versions.copy().pop()}"}
    assert {number for versions, _, _ in searcher.seen for number in versions} == set(range(1, len(DEATHS) + 2))
    nothing_is_left_over()


def test_a_file_that_kills_its_worker_is_given_up_and_the_others_are_read(people: Cast, worker: Worker) -> None:
    poison = personal_document(people.alice, text(1), "poison.md", indexed=False)
    other = personal_document(people.alice, name="acids.md", indexed=False)
    worker.more |= {"DIES_AT": "0", "DIES_OF": str(poison.pk)}
    first = 1 if DEEP else MAX_ATTEMPTS
    PersonalDocument.objects.filter(pk=poison.pk).update(attempts=first - 1)
    for attempt in range(first, MAX_ATTEMPTS + 1):
        worker.start()
        queue_unfinished()
        worker.wait_for_death()
        assert PersonalDocument.objects.filter(pk=poison.pk, attempts=attempt, status=Status.INDEXING).exists()
    worker.more.clear()
    worker.start()
    queue_unfinished()
    wait_for(lambda: not PersonalDocument.objects.unfinished().exists(), 180)
    poison.refresh_from_db()
    other.refresh_from_db()
    assert (poison.status, poison.chunks.count()) == (Status.FAILED, 0)
    assert "on our side" in poison.failure_reason
    assert other.status == Status.READY
    nothing_is_left_over()


@dataclass
class Broker:
    """A Redis of the test's own, which can be away."""

    data: Path
    child: Child

    @property
    def url(self) -> str:
        return embedded.redis_url(self.data)

    def start(self) -> None:
        self.child.start()
        wait_for(lambda: redis_server.is_ready(self.data))

    def run(self, code: str, *, seconds: float = 180) -> str:
        """Runs this in a process that has this broker; what it says on its error output."""
        command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", code]
        done = subprocess.run(
            command,
            cwd=django_settings.BASE_DIR,
            env=environment(REDIS_URL=self.url),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stderr


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    embedded.make_socket_directory(tmp_path)
    broker = Broker(tmp_path, redis_server.server(tmp_path, tmp_path / "redis.log"))
    yield broker
    broker.child.stop()
    shutil.rmtree(embedded.socket_directory(tmp_path), ignore_errors=True)


UPLOAD = """
from django.core.files.base import ContentFile
from knowledge.services import upload
from schools.models import Membership
member = Membership.objects.get(user__email="alice@riverside.example")
upload(member=member, file=ContentFile(b"# Acids\\n\\nHydrochloric acid has 0.5 mol/l.", name="acids.md"))
"""
RING = "from corpus.tasks import queue_unfinished; queue_unfinished.delay()"


UPLOADS = f"""{UPLOAD}
for n in range(3):
    upload(member=member, file=ContentFile(b"# Number %d" % n, name=f"{{n}}.md"))
"""


def test_a_redis_that_hangs_holds_no_upload_up(people: Cast, broker: Broker) -> None:
    """It takes connections and never answers. Half a minute for each of four uploads, the broker’s limit, is too long
    for the process that uploads."""
    broker.start()
    assert broker.child.process is not None
    os.kill(broker.child.process.pid, signal.SIGSTOP)
    try:
        said = broker.run(UPLOADS, seconds=110)
    finally:
        os.kill(broker.child.process.pid, signal.SIGCONT)
    assert said.count("The broker is away") == 1
    assert PersonalDocument.objects.filter(status=Status.QUEUED).count() == 4


def test_without_redis_uploads_are_taken_in_and_wait_until_it_is_back(people: Cast, broker: Broker) -> None:
    worker = Worker({"REDIS_URL": broker.url})
    broker.start()
    try:
        worker.start()
        broker.child.stop()
        assert "The broker is away" in broker.run(UPLOAD)
        assert PersonalDocument.objects.get().status == Status.QUEUED
        broker.start()
        broker.run(RING)  # as the schedule does every 15 seconds
        wait_for(ready(1), 180)
    finally:
        worker.stop()
    nothing_is_left_over()
