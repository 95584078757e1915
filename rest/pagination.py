"""Cursor pagination, which stays right while rows are added and deleted.

A cursor holds the values by which the last row of a page was ordered. It is signed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.request import Request

M = TypeVar("M", bound=Model)

PER_PAGE, MAX_PER_PAGE = 50, 200


class PageQuery(serializers.Serializer[object]):
    """The query parameters of any list. A list with filters has a subclass."""

    limit = serializers.IntegerField(
        required=False, default=PER_PAGE, min_value=1, max_value=MAX_PER_PAGE, help_text="Rows of one page."
    )
    cursor = serializers.CharField(
        required=False,
        max_length=500,
        help_text="Where the page begins: it stands in `next` of the page before.",
    )


def paginate(
    request: Request,
    rows: QuerySet[M],
    query: dict[str, Any],
    present: Callable[[Sequence[M]], object],
    *,
    order: Sequence[str] = ("-pk",),
) -> dict[str, object]:
    """One page of the rows as `{"results": […], "next": address or null}`.

    `query` is a validated `PageQuery`. `order` names fields without nulls; the last of them is unique. `present`
    serializes the rows.
    """
    limit = query["limit"]
    if cursor := query.get("cursor"):
        rows = rows.filter(_after(order, _read(cursor, _salt(rows, order))))
    found = list(rows.order_by(*order)[: limit + 1])
    shown = found[:limit]
    return {
        "results": present(shown),
        "next": _next(request, rows, shown[-1], order) if shown != found else None,
    }


@cache  # two pages of the same must be the same to the schema
def make_page_serializer(serializer: type[serializers.BaseSerializer[object]]) -> serializers.Serializer[object]:
    """The serializer of a page, for the schema."""
    name = serializer.__name__.removesuffix("Serializer")
    fields = {
        "results": serializer(many=True),
        "next": serializers.URLField(allow_null=True, help_text="Address of the next page, null on the last."),
    }
    found: serializers.Serializer[Any] = inline_serializer(f"{name}Page", fields)
    return found


def _next(request: Request, rows: QuerySet[Model], last: Model, order: Sequence[str]) -> str:
    values = [str(getattr(last, field.lstrip("-"))) for field in order]
    query = request.query_params.copy()
    query["cursor"] = signing.Signer(salt=_salt(rows, order)).sign_object(values)
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


def _read(cursor: str, salt: str) -> list[str]:
    try:
        values: list[str] = signing.Signer(salt=salt).unsign_object(cursor)
    except signing.BadSignature:
        words = "This is no cursor of this list: take it from “next”."
        raise serializers.ValidationError({"cursor": [words]}) from None
    return values


def _salt(rows: QuerySet[Model], order: Sequence[str]) -> str:
    return f"cursor of {rows.model._meta.label} by {' '.join(order)}"


def _after(order: Sequence[str], values: Sequence[str]) -> Q:
    """A filter for the rows after this one: (a, b) comes after (x, y) if a > x, or a = x and b > y."""
    behind, same = Q(), Q()
    for field, value in zip(order, values, strict=True):
        name = field.lstrip("-")
        compare = "lt" if field.startswith("-") else "gt"
        behind |= same & Q(**{f"{name}__{compare}": value})
        same &= Q(**{name: value})
    return behind
