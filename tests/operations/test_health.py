import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker, Settings

from operations import embedded
from tests.running import environment, manage

SECRET = "swordfish"
ASK = """
import django
django.setup()
from django.test import Client
answer = Client(headers={"host": "localhost"}).get("/readyz")
print(answer.status_code, answer.content.decode())
"""


@pytest.fixture
def empty_database(django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The address of a database that was never prepared, of a role that owns it and may no more."""
    name = f"plain_{uuid4().hex[:8]}"
    with django_db_blocker.unblock():
        given = connection.get_connection_params()
    with psycopg.connect(**{**given, "dbname": "postgres"}, autocommit=True) as superuser:
        superuser.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{SECRET}'")
        superuser.execute(f"CREATE DATABASE {name} OWNER {name}")
        yield f"postgres://{name}:{SECRET}@{quote(given['host'], safe='')}:{given.get('port', 5432)}/{name}"
        superuser.execute(f"DROP DATABASE {name}")
        superuser.execute(f"DROP ROLE {name}")


def test_a_database_is_prepared_by_its_owner_once_a_superuser_has_made_the_extension(
    empty_database: str, tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    """Until then the command says in a sentence what to do, and /readyz is 503. A superuser restores a dump of it."""
    url = {"DATABASE_URL": empty_database, "REDIS_URL": settings.REDIS_URL}
    refused = manage(tmp_path, "prepare", seconds=60, **url)
    assert refused.returncode == 1 and "Traceback" not in refused.stderr
    name = empty_database.rpartition("/")[2]
    assert f"as its superuser: psql -d {name} -c 'CREATE EXTENSION vector'" in refused.stderr
    assert ask_readiness(url) == '503 {"status": "unavailable", "missing": ["migrations"]}'
    with django_db_blocker.unblock():
        given = connection.get_connection_params()
    with psycopg.connect(**{**given, "dbname": name}, autocommit=True) as superuser:
        superuser.execute("CREATE EXTENSION vector")
    prepared = manage(tmp_path, "prepare", seconds=300, **url)
    assert prepared.returncode == 0, prepared.stderr
    dump, programs = tmp_path / "lectern.dump", embedded.postgres_programs()
    subprocess.run([programs / "pg_dump", "-Fc", "-f", dump, empty_database], check=True)
    with psycopg.connect(**{**given, "dbname": "postgres"}, autocommit=True) as superuser:
        superuser.execute(f"DROP DATABASE {name}")
        superuser.execute(f"CREATE DATABASE {name} OWNER {name}")
    restore = [programs / "pg_restore", "--exit-on-error", "-h", given["host"], "-U", given["user"], "-d", name, dump]
    subprocess.run(restore, check=True)
    with psycopg.connect(empty_database) as owner:
        assert owner.execute("SELECT FROM django_migrations LIMIT 1").rowcount == 1


def test_readiness_names_what_is_missing_and_no_secrets() -> None:
    addresses = {
        "DATABASE_URL": f"postgres://lectern:{SECRET}@127.0.0.1:1/lectern",
        "REDIS_URL": f"redis://:{SECRET}@127.0.0.1:1/0",
    }
    assert ask_readiness(addresses) == '503 {"status": "unavailable", "missing": ["database", "broker"]}'


def ask_readiness(addresses: dict[str, str]) -> str:
    """Status and body, without the secret anywhere."""
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=settings.BASE_DIR,
        env=environment(settings.DATA_DIR, **addresses),
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    assert SECRET not in done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(("https", "told"), [("1", "max-age=31536000"), ("0", "None")])
def test_browsers_are_told_to_stay_with_https_where_it_is_used(https: str, told: str) -> None:
    ask = ASK.replace('"localhost"', '"localhost", "x-forwarded-proto": "https"').replace("/readyz", "/healthz")
    done = subprocess.run(
        [sys.executable, "-c", ask + "print(answer.get('Strict-Transport-Security'))"],
        cwd=settings.BASE_DIR,
        env=environment(settings.DATA_DIR, LECTERN_HTTPS=https),
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == told


def test_security_txt_names_whom_to_tell(client: Client, settings: Settings) -> None:
    path = "/.well-known/security.txt"
    assert client.get(path).status_code == 404
    settings.LECTERN_SECURITY_CONTACT = "mailto:it@school.example"
    answer = client.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain; charset=utf-8")
    contact, expires = answer.content.decode().splitlines()
    assert contact == "Contact: mailto:it@school.example"
    ends = datetime.fromisoformat(expires.removeprefix("Expires: "))
    assert timedelta(days=60) < ends - timezone.now() < timedelta(days=365)
    assert client.post(path).status_code == 405


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/.well-known/security.txt"])
@pytest.mark.parametrize("method", ["QUERY", "POST"])
def test_another_method_is_not_allowed(path: str, method: str) -> None:
    assert Client(enforce_csrf_checks=True).generic(method, path).status_code == 405


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_checks_need_no_sign_in_and_only_answer_get(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "no-store" in answer["Cache-Control"]
    assert client.post(path).status_code == 405
