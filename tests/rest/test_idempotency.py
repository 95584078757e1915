"""A request with an Idempotency-Key that is sent twice is done once."""

import subprocess
import sys
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from chatbots.models import Chatbot
from knowledge.models import PersonalDocument
from privacy.erasing import erase_old
from rest.models import IdempotencyRecord
from schools.models import Membership
from tests import factories
from tests.factories import Cast, make_file, make_program, make_token
from tests.rest.routes import Things, Uploads
from tests.running import wait_for
from tests.workers import environment

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.rest.routes")]
THINGS = "/api/v1/things"


def post(client: Client, name: str = "ink", key: str = "one") -> Any:
    return client.post(THINGS, {"name": name}, "application/json", headers={"Idempotency-Key": key})


@pytest.fixture
def alice(people: Cast) -> Client:
    return make_program(people.alice, raise_request_exception=False)


def test_the_second_gets_the_answer_of_the_first(alice: Client) -> None:
    first, second = post(alice), post(alice, key='"one"')
    assert Things.made == ["ink"]
    assert (second.status_code, second.json()) == (201, {"name": "ink", "number": 1})
    assert (second["Location"], second["Content-Type"]) == (first["Location"], "application/json")
    assert (second.get("Idempotent-Replayed"), first.get("Idempotent-Replayed")) == ("true", None)
    assert post(alice, key="two").json()["number"] == 2
    alice.post(THINGS, {"name": "ink"}, "application/json")
    assert len(Things.made) == 3


def test_one_key_is_for_one_request(alice: Client) -> None:
    post(alice)
    refused = post(alice, "paper")
    assert (refused.status_code, Things.made) == (422, ["ink"])
    assert "another request" in refused.json()["detail"]


def test_a_key_is_its_owners_in_one_school(people: Cast, alice: Client) -> None:
    post(alice)
    elsewhere = Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    for client in (make_program(people.bob), make_program(elsewhere)):
        assert post(client).get("Idempotent-Replayed") is None
    assert len(Things.made) == 3
    assert post(make_program(people.alice))["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(("name", "status"), [("refused", 422), ("breaks", 500), ("much too long", 400)])
def test_what_failed_may_be_sent_again(alice: Client, name: str, status: int) -> None:
    assert [post(alice, name).status_code for _ in range(2)] == [status, status]
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.parametrize("key", ["x" * 256, "ключ", "a\x07b"])
def test_a_key_that_is_none(alice: Client, key: str) -> None:
    refused = post(alice, key=key)
    assert (refused.status_code, set(refused.json()["errors"])) == (400, {"Idempotency-Key"})


def test_forms_are_compared_by_what_they_hold(alice: Client) -> None:
    def send(content: bytes, name: str = "a.md") -> Any:
        data = {"file": SimpleUploadedFile(name, content), "title": "A"}
        return alice.post("/api/v1/uploads", data, headers={"Idempotency-Key": "one"})

    assert send(b"ink").json() == {"size": 3, "number": 1}
    kind = "multipart/form-data; boundary=other"
    body = (
        b'--other\r\nContent-Disposition: form-data; name="title"\r\n\r\nA\r\n'
        b'--other\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nink\r\n--other--\r\n'
    )
    again = alice.generic("POST", "/api/v1/uploads", body, kind, headers={"Idempotency-Key": "one"})
    assert again.json() == {"size": 3, "number": 1}
    assert send(b"pen").status_code == send(b"ink", "b.md").status_code == 422
    assert Uploads.made == 1


@pytest.mark.django_db(transaction=True)
def test_while_the_first_is_at_work_the_second_is_told(transactional_db: None) -> None:
    people = factories.cast()
    client, answers = make_program(people.alice), []

    def first() -> None:
        answers.append(post(client, "waits"))
        connection.close()

    thread = threading.Thread(target=first)
    thread.start()
    assert Things.begun.wait(120)
    busy = post(make_program(people.alice), "waits")
    Things.gate.set()
    thread.join(120)
    assert (busy.status_code, answers[0].status_code) == (409, 201)
    assert post(client, "waits")["Idempotent-Replayed"] == "true"


@pytest.mark.django_db(transaction=True)
def test_a_killed_process_does_not_hold_the_key(transactional_db: None) -> None:
    people = factories.cast()
    program = """
import django, sys
django.setup()
from django.conf import settings
from django.test import Client
settings.ROOT_URLCONF = "tests.rest.routes"
from tests.rest.routes import Things
Things.begun.set = lambda: print("begun", flush=True)
client = Client(headers={"Authorization": f"Bearer {sys.argv[1]}", "Idempotency-Key": "one", "Host": "localhost"})
client.post("/api/v1/things", {"name": "waits"}, "application/json")
"""
    secret = make_token(people.alice, write=True)
    process = subprocess.Popen(
        [sys.executable, "-c", program, secret],
        cwd=settings.BASE_DIR,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    with process, process.stdout as output:
        assert output.readline() == "begun\n"
        assert post(make_program(people.alice), "waits").status_code == 409
        process.kill()
    Things.gate.set()

    def retried() -> bool:
        answer = post(make_program(people.alice), "waits")
        assert answer.status_code in (201, 409)
        return bool(answer.status_code == 201)

    wait_for(retried, 10)
    assert Things.made == ["waits"]


@pytest.mark.parametrize("made", [Chatbot, PersonalDocument])
def test_what_is_done_is_done_together_with_keeping_its_answer(alice: Client, made: type[Model]) -> None:
    """Whoever dies in between has done nothing: here the answer cannot be kept."""
    rows: Any = made._default_manager

    def send() -> int:
        headers = {"Idempotency-Key": "one"}
        if made is Chatbot:
            return alice.post("/api/v1/chatbots", {"name": "Ink"}, "application/json", headers=headers).status_code
        return alice.post("/api/v1/documents", {"file": make_file()}, headers=headers).status_code

    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE rest_idempotencyrecord ADD CONSTRAINT nothing_kept CHECK (status IS NULL)")
        assert (send(), rows.count(), IdempotencyRecord.objects.count()) == (500, 0, 0)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute("ALTER TABLE rest_idempotencyrecord DROP CONSTRAINT nothing_kept")
    assert [send(), send()] == [201, 201]
    assert rows.count() == 1


@pytest.mark.django_db(transaction=True)
def test_what_fails_once_all_is_stored_is_not_done_again(transactional_db: None) -> None:
    """As when the connection is lost while the answer to COMMIT is on its way."""
    client = make_program(factories.cast().alice, raise_request_exception=False)
    assert post(client, "late").status_code == 503
    again = post(client, "late")
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")
    assert Things.made == ["late"]


def test_answers_are_kept_for_a_day(alice: Client) -> None:
    post(alice, key="old")
    IdempotencyRecord.objects.update(created_at=timezone.now() - timedelta(hours=25))
    post(alice, key="new")
    assert post(alice, "paper", key="old").status_code == 201
    IdempotencyRecord.objects.filter(key="old").update(created_at=timezone.now() - timedelta(hours=25))
    assert erase_old()["rest.IdempotencyRecord"] == 1
    assert IdempotencyRecord.objects.get().key == "new"
