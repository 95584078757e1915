import subprocess
import sys
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tests.running import environment

SECRET = "swordfish"
ASK = """
import django
django.setup()
from django.test import Client
answer = Client(headers={"host": "localhost"}).get("/readyz")
print(answer.status_code, answer.content.decode())
"""


def test_readiness_names_what_is_missing_and_no_secrets() -> None:
    addresses = {
        "DATABASE_URL": f"postgres://lectern:{SECRET}@127.0.0.1:1/lectern",
        "REDIS_URL": f"redis://:{SECRET}@127.0.0.1:1/0",
    }
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=settings.BASE_DIR,
        env=environment(settings.DATA_DIR, **addresses),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == '503 {"status": "unavailable", "missing": ["database", "broker"]}'
    assert SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize(("https", "told"), [("1", "max-age=31536000"), ("0", "None")])
def test_browsers_are_told_to_stay_with_https_where_it_is_used(https: str, told: str) -> None:
    ask = ASK.replace('"localhost"', '"localhost", "x-forwarded-proto": "https"').replace("/readyz", "/healthz")
    done = subprocess.run(
        [sys.executable, "-c", ask + "print(answer.get('Strict-Transport-Security'))"],
        cwd=settings.BASE_DIR,
        env=environment(settings.DATA_DIR, LECTERN_HTTPS=https),
        capture_output=True,
        text=True,
        timeout=60,
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
