import pytest

from tests.rest.routes import Things, Uploads


@pytest.fixture(autouse=True)
def nothing_made() -> None:
    Things.made.clear()
    Things.gate.clear()
    Things.begun.clear()
    Uploads.made = 0
