"""The JSON parser, and how large a body may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

MAX_BYTES = 64 * 1024
"""The most bytes of a body without a file."""

MAX_BYTES_OF_TEXT = 256 * 1024
"""The most bytes of a body with a long text."""


class JSONBody(JSONParser):
    """Accepts a JSON object in UTF-8. Too deep nesting is a parse error like any other."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, object]:
        try:
            body = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError("This JSON is nested too deeply.") from None
        except (ParseError, UnicodeError) as error:
            raise ParseError(f"This is not JSON in UTF-8: {getattr(error, 'detail', error)}") from None
        if not isinstance(body, dict):
            raise ParseError("The body must be a JSON object, such as {“name”: “…”}.")
        return body
