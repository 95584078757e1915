"""Every failure under /api/ has one shape: problem details (RFC 9457)."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from schools.models import User
from tests.factories import Cast, make_program
from tests.rest.routes import Things, Uploads

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.rest.routes")]
THINGS = "/api/v1/things"


@pytest.fixture
def program(people: Cast) -> Client:
    return make_program(people.alice, raise_request_exception=False)


def told(response: Any, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    assert response["Cache-Control"] == "no-store"
    problem: dict[str, Any] = response.json()
    assert problem["status"] == status
    assert {"type", "title", "detail"} < set(problem)
    return problem


def post(client: Client, body: Any, kind: str = "application/json", path: str = THINGS, **more: Any) -> Any:
    return client.generic("POST", path, body if isinstance(body, bytes) else json.dumps(body), kind, **more)


def test_an_address_that_does_not_exist(program: Client) -> None:
    for path in ("/api/v1/nothing", "/api/v1/things/", "/api/", "/api/v2/me"):
        assert told(program.get(path), 404)["detail"] == "There is nothing here."
        told(Client().post(path), 404)
    page = program.get("/nothing-here")
    assert page["Content-Type"].startswith("text/html")


def test_a_method_that_a_route_does_not_have(program: Client) -> None:
    for method in ("DELETE", "OPTIONS", "TRACE", "BREW"):
        response = program.generic(method, THINGS)
        told(response, 405)
        assert {m.strip() for m in response["Allow"].split(",")} == {"GET", "HEAD", "POST"}


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'"ink"',
        b"nul",
        b"\xff\xfe",
        b'{"name": NaN}',
        b"[" * 60_000,
        b'{"name": ' + b"9" * 5000 + b"}",
    ],
    ids=["cut", "list", "text", "word", "bytes", "nan", "deep", "long number"],
)
def test_a_body_that_is_no_json_object(program: Client, body: bytes) -> None:
    problem = told(post(program, body), 400)
    assert "JSON" in problem["detail"]


def test_what_is_wrong_is_said_by_field(program: Client) -> None:
    body = {"name": "much too long", "number": 11, "key": "k", "kinds": ["a", "long", "b"]}
    errors = told(post(program, body), 400)["errors"]
    assert set(errors) == {"name", "number", "key", "kinds.1"}
    assert errors["name"] == ["Ensure this field has no more than 10 characters."]
    assert "name" in told(post(program, {}), 400)["errors"]


def test_an_unknown_field_is_refused_with_its_name(program: Client, people: Cast) -> None:
    sent = {"name": "ink", "nmae": 1, "sorts": [{"of": "ink", "size": 2}, {"fo": "pen"}]}
    errors = told(post(program, sent), 400)["errors"]
    none = ["There is no such field."]
    assert errors == {"nmae": none, "sorts.0.size": none, "sorts.1.fo": none, "sorts.1.of": ["This field is required."]}
    file = {"file": SimpleUploadedFile("a.md", b"ink"), "titel": "Ink"}
    assert told(program.post("/api/v1/uploads", file), 400)["errors"] == {"titel": none}
    assert not Things.made and not Uploads.made


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_characters_that_are_none_are_refused_by_field(program: Client, name: str) -> None:
    assert set(told(post(program, {"name": name}), 400)["errors"]) == {"name"}
    problem = told(post(program, {"name": "ink", "key": name}), 400)
    assert set(problem["errors"]) == {"key"}


@pytest.mark.parametrize("name", ["שלום", "🧪⚗️", "if a<b:", " é", "日本語", "\u200fא\u200e"])
def test_all_else_is_kept_exactly(program: Client, name: str) -> None:
    assert post(program, {"name": name}, path="/api/v1/searches").json()["name"] == name.strip()


def test_another_media_type(program: Client) -> None:
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "what",
    ):
        told(post(program, b"name=ink", kind), 415)
    told(post(program, b"{}", "application/json", "/api/v1/uploads"), 415)
    told(post(program, b"no parts", "multipart/form-data; boundary=x", "/api/v1/uploads"), 400)
    told(post(program, b"no parts", "multipart/form-data", "/api/v1/uploads"), 400)


def test_a_reader_who_takes_no_json(program: Client) -> None:
    told(program.get(THINGS, headers={"Accept": "text/html"}), 406)


def test_a_body_that_is_too_large_but_for_uploads(program: Client) -> None:
    told(post(program, {"name": "x" * 65_536}), 413)
    told(post(program, {"name": "x" * 65_000}), 400)
    file = SimpleUploadedFile("large.md", b"x" * 3_000_000)
    assert program.post("/api/v1/uploads", {"file": file}).json()["size"] == 3_000_000


def test_a_body_whose_length_is_not_said(program: Client) -> None:
    told(post(program, {"name": "ink"}, headers={"Transfer-Encoding": "chunked"}), 411)
    told(post(program, {"name": "ink"}, CONTENT_LENGTH="many"), 400)


def test_a_refusal_of_a_view_and_a_fault_of_ours(program: Client) -> None:
    assert told(post(program, {"name": "refused"}), 422)["detail"] == "Not this one."
    problem = told(post(program, {"name": "breaks"}), 500)
    assert "ZeroDivision" not in json.dumps(problem)
    away = post(program, {"name": "no base"})
    assert "later" in told(away, 503)["detail"]
    assert 1 <= int(away["Retry-After"]) <= 60


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("08006", 503),  # the connection is lost
        ("53100", 503),  # the disk is full
        ("57P01", 503),  # it is shut down
        ("40P01", 409),  # two waited for each other
        ("40001", 409),
        ("23503", 409),  # what it points to is gone
        ("23505", 500),
        ("54000", 500),  # a statement too large
    ],
)
def test_what_the_database_fails_with(
    people: Cast, program: Client, caplog: pytest.LogCaptureFixture, state: str, status: int
) -> None:
    words = {503: "does not answer", 409: "nothing was done", 500: "has been noted"}[status]
    words = "disk of the server is full" if state == "53100" else words
    assert words in told(post(program, {"name": f"sql {state}"}), status)["detail"]
    assert any(record.levelname == "ERROR" and record.exc_info for record in caplog.records)
    caplog.clear()
    page = Client(raise_request_exception=False).get(f"/broken/{state}/")
    assert (page.status_code, page["Content-Type"].split(";")[0]) == (status, "text/html")
    assert any(record.levelname == "ERROR" and record.exc_info for record in caplog.records)


def test_a_host_that_is_not_ours(program: Client) -> None:
    told(program.get("/api/v1/me", headers={"Host": "elsewhere.example"}), 400)


def test_somebody_without_a_school(people: Cast) -> None:
    client = Client()
    client.force_login(User.objects.create_user("zoe@nowhere.example", name="Zoe"))
    assert "do not belong to a school" in told(client.get("/api/v1/me"), 403)["detail"]


def test_answers_are_for_their_reader_alone(program: Client) -> None:
    assert program.get("/api/v1/me")["Cache-Control"] == "private, no-store"
    assert program.get("/api/v1/tagged")["Cache-Control"] == "private, no-cache"


def test_other_sites_may_call_it_where_the_settings_say_so(program: Client, settings: Settings) -> None:
    settings.CORS_ALLOWED_ORIGINS = ["https://school.example"]
    ours = {"Origin": "https://school.example"}
    ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    preflight = Client().options(THINGS, headers=ours | ask)
    assert preflight["Access-Control-Allow-Origin"] == "https://school.example"
    assert "authorization" in preflight["Access-Control-Allow-Headers"]
    answer = program.get("/api/v1/me", headers=ours)
    assert answer["Access-Control-Allow-Origin"] == "https://school.example"
    assert "Access-Control-Allow-Credentials" not in answer
    for path, origin in (
        ("/api/v1/me", "https://elsewhere.example"),
        ("/chatbots/", "https://school.example"),
    ):
        assert "Access-Control-Allow-Origin" not in program.get(path, headers={"Origin": origin})
