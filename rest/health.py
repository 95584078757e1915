"""Adds the two health checks, which are outside the API, to its schema."""

from __future__ import annotations

from typing import Any

_MISSING = {"type": "array", "items": {"type": "string", "enum": ["database", "broker", "migrations"]}}


def with_health(result: dict[str, Any], **_: object) -> dict[str, object]:
    """A hook of drf-spectacular: adds both routes, which need no token and are not limited."""
    result["paths"]["/healthz"] = _route(
        "healthz",
        "Whether the process lives",
        "It says nothing of what Lectern depends on: a restart would not mend that.",
        {"200": _answer("It lives.", "ok")},
    )
    result["paths"]["/readyz"] = _route(
        "readyz",
        "Whether requests can be served",
        "Whether the database answers and is up to date; else the names, only the names, of what is missing. "
        "Without the broker requests are served, and new documents wait.",
        {
            "200": _answer("Requests can be served.", "ok", "degraded", missing=_MISSING),
            "503": _answer("Something is away.", "unavailable", missing=_MISSING),
        },
    )
    return result


def _route(name: str, summary: str, description: str, responses: dict[str, object]) -> dict[str, Any]:
    about = {"operationId": name, "tags": ["about"], "summary": summary, "description": description}
    return {"get": {**about, "security": [], "responses": responses}}


def _answer(description: str, *statuses: str, **others: object) -> dict[str, Any]:
    fields = {"status": {"type": "string", "enum": [*statuses]}, **others}
    schema = {"type": "object", "properties": fields, "required": ["status"]}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
