import socket

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.db import connection

from tests.factories import cast, make_chatbot, make_message, personal_document
from tests.flushing import delete_what_was_written
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


@pytest.mark.django_db(transaction=True)
def test_after_a_test_that_commits_nothing_is_left_of_it() -> None:
    people = cast()
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice)])
    make_message(people.alice, chatbot)
    delete_what_was_written()
    full = {model for model in apps.get_models(include_auto_created=True) if model._default_manager.exists()}
    assert full == {ContentType, Permission}


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::", "example.org"])
def test_a_test_cannot_leave_this_machine(address: str) -> None:
    with pytest.raises(NetworkRefused, match="stay on this machine"):
        socket.create_connection((address, 80), timeout=1)
