"""What is kept for ordinary tests is gone before a process of the tests waits for its rows."""

from __future__ import annotations

import pytest

from tests import kept
from tests.factories import Cast


@pytest.fixture(scope="module")
def worker() -> int:
    """How much is kept when the fixture of this name begins, in the browser tests a Celery worker."""
    return len(kept._made)


def test_the_cast_is_kept(people: Cast) -> None:
    assert kept._made


@pytest.mark.django_db(transaction=True)
def test_nothing_is_kept_while_a_worker_starts(worker: int) -> None:
    assert not worker
