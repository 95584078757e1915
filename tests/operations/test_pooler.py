"""Behind PgBouncer: in session mode everything works, transaction mode is refused with advice."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from corpus.search.pool import close_search_connections, run_with_search_connection
from operations import pooler
from tests.running import free_port, wait_for

pytestmark = pytest.mark.django_db(transaction=True)
PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@contextmanager
def behind_pgbouncer(mode: str) -> Iterator[None]:
    """The connections that are opened inside this block go through PgBouncer."""
    real: dict[str, Any] = connection.get_connection_params()
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="pgbouncer") as path:
        folder = Path(path)
        folder.chmod(0o755)
        (folder / "users").write_text(f'"{real["user"]}" "{real.get("password") or ""}"\n')
        (folder / "ini").write_text(
            f"[databases]\n{real['dbname']} = host='{real['host']}' port={real.get('port') or 5432}\n"
            f"[pgbouncer]\npool_mode = {mode}\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            f"auth_type = trust\nauth_file = {folder / 'users'}\n"
        )
        is_path = str(real["host"]).startswith("/")  # which its user must reach; it does not run as root
        owner = pwd.getpwuid(Path(real["host"]).stat().st_uid).pw_name if is_path else "nobody"
        other_user = ["-u", owner] if os.geteuid() == 0 else []
        process = subprocess.Popen([str(PGBOUNCER), "-q", *other_user, str(folder / "ini")])
        changed = {**real, "host": "127.0.0.1", "port": port}
        try:
            wait_for(lambda: answers(changed), 20)
            close_search_connections()
            with patch.object(connection, "get_connection_params", lambda: dict(changed)):
                yield
        finally:
            close_search_connections()
            process.terminate()
            process.wait(120)


def answers(parameters: dict[str, Any]) -> bool:
    wanted = {key: parameters[key] for key in ("dbname", "user", "host", "port")}
    try:
        psycopg.connect(**wanted, password=parameters.get("password"), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


needs_pgbouncer = pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed")


@needs_pgbouncer
def test_transaction_mode_is_refused_before_anything_is_done() -> None:
    with behind_pgbouncer("transaction"), pytest.raises(CommandError, match="pool_mode = session"):
        call_command("prepare")


@needs_pgbouncer
def test_in_session_mode_searches_have_their_settings() -> None:
    settings: Callable[[Any], list[Any]] = lambda lent: [  # noqa: E731
        lent.execute(f"SHOW {name}", prepare=True).fetchone()[0]
        for name in ("default_transaction_read_only", "plan_cache_mode", "jit", "statement_timeout")
        for _ in range(2)
    ]
    with behind_pgbouncer("session"):
        assert not pooler.shares_sessions()
        found = run_with_search_connection(settings)
    assert found[:6] == ["on", "on", "force_generic_plan", "force_generic_plan", "off", "off"]
    assert found[6] != "0"


def test_postgresql_itself_is_no_pooler() -> None:
    assert not pooler.shares_sessions()
