"""Adds the two health checks, which are outside the API, to its schema."""

from __future__ import annotations

from typing import Any

_STATUS = {"type": "string", "enum": ["ok"]}
_OK = {"type": "object", "properties": {"status": _STATUS}, "required": ["status"]}
_AWAY = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["unavailable"]},
        "missing": {"type": "array", "items": {"type": "string", "enum": ["database", "broker"]}},
    },
    "required": ["status", "missing"],
}


def with_health(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A hook of drf-spectacular: adds both routes, which need no token and are not limited."""
    result["paths"] |= {
        "/healthz": _route(
            "healthz",
            "Whether the process lives",
            "It says nothing of what Lectern depends on: a restart would not mend that.",
            {"200": _answer("It lives.", _OK)},
        ),
        "/readyz": _route(
            "readyz",
            "Whether requests can be served",
            "Whether database and broker answer; else the names, only the names, of what does not.",
            {
                "200": _answer("Requests can be served.", _OK),
                "503": _answer("Something is away.", _AWAY),
            },
        ),
    }
    return result


def _route(name: str, summary: str, description: str, responses: dict[str, Any]) -> dict[str, Any]:
    return {
        "get": {
            "operationId": name,
            "tags": ["about"],
            "summary": summary,
            "description": description,
            "security": [],
            "responses": responses,
        }
    }


def _answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
