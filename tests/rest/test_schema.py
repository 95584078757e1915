"""The API describes itself: validly, completely, and to whoever may call it."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.test import Client

from rest.schema import build_schema
from tests.factories import Cast, make_program

pytestmark = pytest.mark.django_db
SCHEMA = "/api/v1/schema/"
HEALTH = {"/healthz", "/readyz"}


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in build_schema()["paths"].items():
        if path in HEALTH:
            continue
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_it_is_valid_and_nothing_was_guessed(tmp_path: Any) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))


def test_every_route_says_what_it_does_and_how_it_can_end() -> None:
    names = set()
    for name, operation in operations():
        assert operation["summary"], name
        assert operation["description"].endswith("."), name
        assert operation["tags"], name
        assert {"400", "401", "403", "406", "429", "503"} <= set(operation["responses"]), name
        if name.split()[0] in ("PUT", "PATCH", "DELETE") or name.endswith(("/ask", "/ask-selection")):
            assert "409" in operation["responses"], name
        assert any(code < "400" for code in operation["responses"]), name
        for code, response in operation["responses"].items():
            assert response["description"], (name, code)
            if code >= "400":
                shape = "json" if operation["tags"] == ["openai"] else "problem+json"
                assert list(response["content"]) == [f"application/{shape}"], (name, code)
        names.add(operation["operationId"])
    assert len(names) == len(list(operations()))


@pytest.mark.parametrize("path", sorted(HEALTH))
def test_it_says_how_one_sees_whether_lectern_is_well(client: Client, path: str) -> None:
    """Without a token, and what comes is what is described."""
    described = build_schema()["paths"][path]["get"]
    assert described["security"] == []
    answer = client.get(path)
    schema = described["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer.json() == {"status": schema["properties"]["status"]["enum"][0]}


def test_it_comes_as_yaml_and_as_json(people: Cast) -> None:
    client = make_program(people.alice, write=False)
    as_yaml = client.get(SCHEMA)
    as_json = client.get(SCHEMA, headers={"Accept": "application/json"})
    assert yaml.safe_load(as_yaml.content)["paths"].keys() == as_json.json()["paths"].keys()
    assert "/api/v1/me" in as_json.json()["paths"]
    assert Client().get(SCHEMA).status_code == 401


def test_docs_are_for_people_who_signed_in(people: Cast) -> None:
    client = Client()
    assert client.get("/api/v1/docs/")["Location"].startswith("/accounts/login/")
    client.force_login(people.alice.user)
    page = client.get("/api/v1/docs/").content.decode()
    assert f'href="{SCHEMA}"' in page
