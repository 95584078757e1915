"""Examples of requests for curl, made from the OpenAPI description."""

from __future__ import annotations

import json
import re
from typing import Any

Schema = dict[str, Any]

_BY_FORMAT = {
    "uuid": "018f2c7e-5a0b-7c3d-9e1f-2a3b4c5d6e7f",
    "date": "2026-01-31",
    "date-time": "2026-01-31T08:00:00Z",
    "uri": "https://school.example/page",
    "email": "teacher@school.example",
}
_BY_TYPE: dict[str, Any] = {"string": "text", "integer": 1, "number": 0.5, "boolean": True, "object": {}}


def curl(path: str, method: str, operation: dict[str, Any], schemas: dict[str, Schema]) -> str:
    """A command for a shell in which LECTERN_URL and LECTERN_TOKEN are set. A name in the address is a variable."""
    lines = ["curl" if method == "get" else f"curl -X {method.upper()}"]
    if any("event-stream" in str(one) for one in operation["responses"].values()):
        lines[0] += " --no-buffer"
    if operation["security"]:
        lines.append('-H "Authorization: Bearer $LECTERN_TOKEN"')
    content = operation.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        form = make_example(content["multipart/form-data"]["schema"], schemas)
        lines += [
            f"-F {name}=@file.pdf" if name in ("file", "files") else f"-F {name}={_text(form[name])}" for name in form
        ]
    elif "application/json" in content:
        body = json.dumps(make_example(content["application/json"]["schema"], schemas), ensure_ascii=False)
        lines += ['-H "Content-Type: application/json"', "-d '" + body.replace("'", "'\\''") + "'"]
    address = re.sub(r"\{(\w+)\}", lambda found: f"${found[1].upper()}", path)
    wanted = [one for one in operation.get("parameters", []) if one["in"] == "query" and one.get("required")]
    query = "&".join(f"{one['name']}={_text(make_example(one['schema'], schemas))}" for one in wanted)
    return " \\\n  ".join([*lines, f'"$LECTERN_URL{address}{"?" if query else ""}{query}"'])


def make_example(schema: Schema, schemas: dict[str, Schema]) -> Any:
    """A value that the schema allows: of an object what is required, or else its first property."""
    if "$ref" in schema:
        return make_example(schemas[schema["$ref"].rsplit("/", 1)[1]], schemas)
    if choices := schema.get("oneOf") or schema.get("allOf"):
        return make_example(choices[0], schemas)
    if schema.get("default"):
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "array":
        return [make_example(schema.get("items", {}), schemas)] * schema.get("minItems", 1)
    if properties := schema.get("properties"):
        names = [name for name in properties if name in schema.get("required", [])] or list(properties)[:1]
        return {name: make_example(properties[name], schemas) for name in names}
    value = _BY_FORMAT.get(schema.get("format", ""), _BY_TYPE.get(schema.get("type", ""), "text"))
    return max(value, schema.get("minimum", value)) if isinstance(value, int) else value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
