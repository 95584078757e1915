from collections.abc import Iterator

import pytest

from tests import remembered


@pytest.fixture
def embedding_anew() -> Iterator[None]:
    """For tests of the embedder itself, of its threads above all: it works each time."""
    with remembered.embedding_anew():
        yield
