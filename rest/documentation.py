"""The OpenAPI description as people read it: plain values for the page of the API, without any request."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

from rest.examples import curl
from rest.schema import build_schema

_markdown = MarkdownIt("commonmark", {"html": False})

Schema = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """A parameter or a property. `shape` is the name of the schema to link to; empty if there is none."""

    name: str
    kind: str
    shape: str
    is_required: bool
    text: SafeString


@dataclass(frozen=True)
class Response:
    code: str
    media_types: str
    kind: str
    shape: str
    text: SafeString


@dataclass(frozen=True)
class Route:
    """One method of one address. `body` is empty where nothing is sent; `media_types` are those of the body."""

    method: str
    path: str
    anchor: str
    summary: str
    text: SafeString
    needs_token: bool
    parameters: list[Field]
    media_types: str
    body: list[Field]
    responses: list[Response]
    example: str


@dataclass(frozen=True)
class Group:
    name: str
    text: SafeString
    routes: list[Route]


@dataclass(frozen=True)
class Shape:
    """A schema with a name: its properties, or in words what it may be."""

    name: str
    text: SafeString
    kind: str
    fields: list[Field]


@dataclass(frozen=True)
class Documentation:
    """The page. `common` are the responses that every route can give; routes list only the others."""

    groups: list[Group]
    common: list[Response]
    shapes: list[Shape]


@cache
def documentation() -> Documentation:
    """The whole API. Each process builds it once."""
    whole = build_schema()
    schemas: dict[str, Schema] = whole["components"]["schemas"]
    operations = [(path, method, one) for path, methods in whole["paths"].items() for method, one in methods.items()]
    common = _common([one for _, _, one in operations])
    groups = []
    for tag in whole["tags"]:
        chosen = [one for one in operations if one[2]["tags"][0] == tag["name"]]
        routes = [_route(path, method, one, schemas, common) for path, method, one in chosen]
        groups.append(Group(tag["name"], render_description(tag.get("description", "")), routes))
    shapes = [_shape(name, schemas[name]) for name in sorted(schemas)]
    return Documentation(groups, sorted(common, key=lambda one: one.code), shapes)


def _common(operations: list[dict[str, Any]]) -> list[Response]:
    """The problems that every route with a token can answer with, each in its most usual words."""
    usual = [one["responses"] for one in operations if one["security"] and one["tags"] != ["openai"]]
    codes = set.intersection(*(set(responses) for responses in usual))
    found = []
    for code in codes:
        ((words, _),) = Counter(_response(code, responses[code]) for responses in usual).most_common(1)
        found.append(words)
    return found


def _route(
    path: str, method: str, operation: dict[str, Any], schemas: dict[str, Schema], common: list[Response]
) -> Route:
    content = operation.get("requestBody", {}).get("content", {})
    body: Schema = next((one["schema"] for one in content.values()), {})
    responses = [_response(code, one) for code, one in operation["responses"].items()]
    return Route(
        method=method.upper(),
        path=path,
        anchor=operation["operationId"],
        summary=operation["summary"],
        text=render_description(operation.get("description", "")),
        needs_token=bool(operation["security"]),
        parameters=[
            _field(one["name"], one["schema"] | _get_description(one), one.get("required", False), _place(one["in"]))
            for one in operation.get("parameters", [])
        ],
        media_types=" or ".join(content),
        body=list(_properties(_resolved(body, schemas))),
        responses=[one for one in responses if one not in common],
        example=curl(path, method, operation, schemas),
    )


def _get_description(parameter: dict[str, object]) -> Schema:
    return {"description": parameter["description"]} if "description" in parameter else {}


def _place(where: str) -> str:
    return {"path": "in the address", "query": "after the ?", "header": "header"}[where]


def _response(code: str, described: dict[str, Any]) -> Response:
    content = described.get("content", {})
    kind, shape = _kind(next((one.get("schema", {}) for one in content.values()), {}))
    return Response(
        code, " or ".join(content), kind if content else "", shape, render_description(described.get("description", ""))
    )


def _shape(name: str, schema: Schema) -> Shape:
    kind, _ = _kind(schema) if "properties" not in schema else ("", "")
    return Shape(name, render_description(schema.get("description", "")), kind, list(_properties(schema)))


def _properties(schema: Schema) -> Iterator[Field]:
    required = schema.get("required", [])
    for name, described in schema.get("properties", {}).items():
        yield _field(name, described, name in required)


def _field(name: str, schema: Schema, is_required: bool, place: str = "") -> Field:
    kind, shape = _kind(schema)
    words = ", ".join(filter(None, (place, kind, *_limits(schema))))
    return Field(name, words, shape, is_required, render_description(schema.get("description", "")))


def _resolved(schema: Schema, schemas: dict[str, Schema]) -> Schema:
    return schemas[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema


def _kind(schema: Schema) -> tuple[str, str]:
    """What a schema wants in words, and the name of the schema that says more."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return name, name
    if choices := schema.get("oneOf") or schema.get("allOf"):
        kinds = [_kind(one) for one in choices]
        words, shape = " or ".join(kind for kind, _ in kinds), next((shape for _, shape in kinds if shape), "")
    elif schema.get("type") == "array":
        inner, shape = _kind(schema.get("items", {}))
        words = f"list of {inner}"
    elif "enum" in schema:
        words, shape = " or ".join(json.dumps(value) for value in schema["enum"]), ""
    elif schema.get("additionalProperties"):
        inner, shape = _kind(schema["additionalProperties"])
        words = f"object: a name, and {inner}"
    else:
        words, shape = schema.get("format") or schema.get("type", "anything"), ""
    return words + (" or null" if schema.get("nullable") else ""), shape


def _limits(schema: Schema) -> Iterator[str]:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        yield f"{least} to {most}"
    elif least is not None:
        yield f"at least {least}"
    if "maxLength" in schema:
        yield f"at most {schema['maxLength']} characters"
    if schema.get("default") not in (None, "", [], {}):
        yield f"{json.dumps(schema['default'], ensure_ascii=False)} by default"


def render_description(text: str) -> SafeString:
    """Markdown of a description as HTML. What is HTML in it already is shown as text."""
    return SafeString(_markdown.render(text)) if text else SafeString("")
