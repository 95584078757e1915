"""The page that describes the API has every route, field and answer of the schema, and stays light."""

import html
import re

import jsonschema  # type: ignore[import-untyped]
import pytest
from django.test import Client

from rest.documentation import documentation, render_description
from rest.examples import make_example
from rest.schema import build_schema
from tests.factories import Cast, signed_in

pytestmark = pytest.mark.django_db
DOCS = "/api/v1/docs/"


@pytest.fixture
def page(people: Cast) -> str:
    return signed_in(people.alice).get(DOCS).content.decode()


def test_every_route_is_on_it_once(page: str) -> None:
    routes = [route for group in documentation().groups for route in group.routes]
    described = {(m.upper(), path) for path, methods in build_schema()["paths"].items() for m in methods}
    assert {(route.method, route.path) for route in routes} == described
    assert len(routes) == len(described)
    for route in routes:
        assert f'<h3 id="{route.anchor}">' in page
        assert f"<code>{route.path}</code>" in page


def test_no_answer_is_left_out() -> None:
    found = documentation()
    common = {one.code for one in found.common}
    assert {"400", "401", "403", "429", "503"} <= common
    paths = build_schema()["paths"]
    for route in (route for group in found.groups for route in group.routes):
        told = {one.code for one in route.responses}
        assert set(paths[route.path][route.method.lower()]["responses"]) <= told | common
        assert told, route.path


def test_every_link_on_it_leads_somewhere(page: str) -> None:
    anchors = re.findall(r'\bid="([^"]+)"', page)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', page)) - set(anchors) == set()


def test_it_needs_no_script_and_weighs_little(page: str) -> None:
    assert len(page.encode()) < 450_000
    assert re.findall(r"<script(?![^>]* src=)", page) == []
    assert "swagger" not in page.lower()


def test_it_shows_parameters_bodies_and_an_example(page: str) -> None:
    begin = page.index('<h3 id="upload_document">')
    part = html.unescape(page[begin : page.index("</article>", begin)])
    for words in ("multipart/form-data", "Idempotency-Key", "<b>required</b>", "-F file=@file.pdf", "$LECTERN_TOKEN"):
        assert words in part, words
    assert "1 to 200, 50 by default" in page


def test_the_bodies_of_the_examples_are_what_the_schema_allows() -> None:
    whole = build_schema()
    schemas = whole["components"]["schemas"]
    bodies = [
        content["schema"]
        for methods in whole["paths"].values()
        for one in methods.values()
        for content in one.get("requestBody", {}).get("content", {}).values()
    ]
    assert len(bodies) > 10, "also without plug-ins"
    for schema in bodies:
        example = make_example(schema, schemas)
        jsonschema.validate(example, schema | {"components": whole["components"]})


def test_markup_in_a_description_is_text() -> None:
    assert render_description("<script>x</script> `y`") == "<p>&lt;script&gt;x&lt;/script&gt; <code>y</code></p>\n"


def test_the_anonymous_sign_in_first() -> None:
    assert Client().get(DOCS).headers["Location"].startswith("/accounts/login/")
