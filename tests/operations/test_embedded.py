import os
import shutil
from pathlib import Path

import pytest

from operations import embedded, postgres
from operations.embedded import EmbeddedError
from tests.running import wait_for


def test_a_long_data_directory_gets_a_short_socket_path(tmp_path: Path) -> None:
    data = tmp_path / ("a long name with spaces " * 8)
    socket = embedded.postgres_sockets(data) / ".s.PGSQL.5432.lock"
    assert len(os.fsencode(socket)) <= 103
    assert embedded.socket_directory(data) == embedded.socket_directory(data / "x" / "..")


def test_a_socket_directory_that_is_a_link_is_refused(tmp_path: Path) -> None:
    directory = embedded.socket_directory(tmp_path)
    directory.symlink_to(tmp_path)
    try:
        with pytest.raises(EmbeddedError, match="another LECTERN_DATA"):
            embedded.make_socket_directory(tmp_path)
    finally:
        directory.unlink()


def test_redis_addresses_for_celery() -> None:
    assert (
        embedded.celery_broker_url("unix:///tmp/x/redis.sock?db=3") == "redis+socket:///tmp/x/redis.sock?virtual_host=3"
    )
    assert embedded.celery_broker_url("redis://redis:6379/0") == "redis://redis:6379/0"
    assert embedded.celery_broker_url("") == "filesystem://localhost//"


def test_the_secret_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    data = tmp_path / "new"
    key = embedded.load_secret_key(data)
    assert len(key) >= 50
    assert embedded.load_secret_key(data) == key
    assert (data / "secret-key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in data.iterdir()] == ["secret-key"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root lends PostgreSQL to another user")
def test_root_finds_a_place_that_the_user_of_postgresql_can_reach(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    embedded.make_socket_directory(tmp_path)
    cluster = postgres.find_cluster(tmp_path)
    server = postgres.make_postgres(cluster, tmp_path / "postgres.log", safe=False)
    try:
        postgres.initialise(cluster, tmp_path / "postgres.log", sync=False)
        server.start()
        wait_for(lambda: postgres.accepts_connections(cluster))
        postgres.create_database(cluster)
        assert (tmp_path / "postgres").resolve() == cluster.directory
        assert postgres.find_cluster(tmp_path) == cluster
    finally:
        server.stop()
        shutil.rmtree(cluster.directory.parent)
        shutil.rmtree(embedded.socket_directory(tmp_path))
