import subprocess
import sys

import pytest
from django.conf import settings
from django.test import Client

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


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_checks_need_no_sign_in_and_only_answer_get(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "no-store" in answer["Cache-Control"]
    assert client.post(path).status_code == 405
