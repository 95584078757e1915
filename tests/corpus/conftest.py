"""Two small models that can be moved to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.models import static_model


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def small(folder: Path) -> Path:
    return static_model(folder / "small", 24)


@pytest.fixture(scope="session")
def large(folder: Path) -> Path:
    return static_model(folder / "large", 512)
