"""What is removed from the list is gone from the cache too, however it was removed."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from references.approved import cache


def forget_removed(instance: Any, **_: object) -> None:
    """After a page was deleted, by itself, with its topic or with its school.

    Whoever is reading the page at this moment has locked its row, and caches it before the row can go.
    """
    key = instance.pk
    transaction.on_commit(lambda: cache.forget([key]))
