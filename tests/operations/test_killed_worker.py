"""A worker killed in the middle of a document loses nothing (D6): it is restarted and the job ends by itself."""

from collections.abc import Iterator

import psutil
import psycopg
import pytest

from operations import embedded
from tests.running import RunningLectern, wait_for

SETUP = """
from django.core.files.base import ContentFile
from knowledge.services import upload
from schools.models import *
school = School.objects.create(name="Killed", slug="killed")
user = User.objects.create_user("alice@killed.example", name="Alice")
member = Membership.objects.create(school=school, user=user)
text = "# Long\\n\\n" + "\\n\\n".join(
    f"## Part {n}\\n\\n" + " ".join(f"Sentence {s} of part {n} speaks of burettes and acids." for s in range(30))
    for n in range(80)
)
upload(member=member, file=ContentFile(text.encode(), name="long.md"))
"""

STATE = """
SELECT status, progress_done, chunk_count, attempts,
    (SELECT count(*) FROM knowledge_personalchunk AS chunk WHERE chunk.document_id = document.id)
FROM knowledge_personaldocument AS document WHERE title = 'long'
"""


def state(lectern: RunningLectern) -> tuple[str, int, int, int, int]:
    """Of the document: status, passages embedded, how many there will be, attempts, and those that stand there."""
    database = embedded.database_settings(lectern.data)
    with psycopg.connect(host=database["HOST"], user=database["USER"], dbname=database["NAME"]) as connection:
        row = connection.execute(STATE).fetchone()
    assert row
    return row


@pytest.fixture
def long_document(running_lectern: RunningLectern) -> Iterator[None]:
    made = running_lectern.manage("shell", "--no-imports", "-c", SETUP)
    assert made.returncode == 0, made.stderr
    yield
    removed = "from schools.models import *; School.objects.all().delete(); User.objects.all().delete()"
    running_lectern.manage("shell", "--no-imports", "-c", removed)


def test_the_job_is_finished_after_kill_9(running_lectern: RunningLectern, long_document: None) -> None:
    def embedding() -> bool:
        status, done, *_ = state(running_lectern)
        assert status != "ready", "too quick to be killed: make the document longer"
        return status == "indexing" and done > 0

    wait_for(embedding, 60)
    worker = running_lectern.child("worker")
    for process in [*worker.children(recursive=True), worker]:
        process.kill()
    wait_for(lambda: not psutil.pid_exists(worker.pid) or worker.status() == psutil.STATUS_ZOMBIE)
    status, *_, chunks = state(running_lectern)
    assert (status, chunks) == ("indexing", 0)
    wait_for(lambda: state(running_lectern)[0] == "ready", 120)
    _, _, counted, attempts, chunks = state(running_lectern)
    assert chunks == counted > 80
    assert attempts == 0
    assert running_lectern.child("worker").pid != worker.pid
