import pytest

from tests import factories
from tests.factories import Cast
from tests.rest.routes import Things, Uploads


@pytest.fixture
def people(db: None) -> Cast:
    return factories.cast()


@pytest.fixture(autouse=True)
def nothing_made() -> None:
    Things.made.clear()
    Things.gate.clear()
    Things.begun.clear()
    Uploads.made = 0
