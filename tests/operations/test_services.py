import socket

import pytest
from django.core.cache import cache
from django.db import connection

from tests.services import NetworkRefused


@pytest.mark.django_db
def test_the_tests_have_a_postgresql_18_with_pgvector() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        assert int(cursor.fetchone()[0]) >= 180000
        cursor.execute("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")
        assert cursor.fetchone()[0] == 1


def test_the_tests_have_a_cache_that_keeps_values() -> None:
    cache.set("colour", "blue", 5)
    assert cache.get("colour") == "blue"


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::", "example.org"])
def test_a_test_cannot_leave_this_machine(address: str) -> None:
    with pytest.raises(NetworkRefused, match="stay on this machine"):
        socket.create_connection((address, 80), timeout=1)
