"""A setting that cannot be right stops every program with one sentence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from config import environment as env
from config.environment import WrongSetting
from tests.running import environment

NAME = "LECTERN_SOMETHING"
KEY = "a-key-of-more-than-thirty-two-characters"


def email(name: str) -> dict[str, Any]:
    return env.email(name, Path("mail"))


def number(name: str) -> int:
    return env.whole_number(name, 5, least=1, most=65535)


def flag(name: str) -> bool:
    return env.flag(name, default=False)


def read_level(name: str) -> str:
    return env.choice(name, "INFO", ["DEBUG", "INFO", "ERROR"])


def hosts(name: str) -> list[str]:
    return env.hosts(name, "localhost")


def zone(name: str) -> str:
    return env.time_zone(name, "UTC")


def sender(name: str) -> str:
    return env.sender(name, "Lectern <lectern@localhost>")


def wiki(name: str) -> str:
    return env.wiki(name, "https://wiki.example")


def in_data(read: Callable[[str, Path], Any]) -> Callable[[str], Any]:
    return lambda name: read(name, settings.DATA_DIR)


database, redis_address, secret_key = map(in_data, (env.database, env.redis_address, env.secret_key))


@pytest.mark.parametrize(
    ("read", "value", "meaning"),
    [
        (number, "65535", 65535),
        (number, " ", 5),
        *((flag, value, True) for value in ("1", "true", "Yes", "on")),
        *((flag, value, False) for value in ("0", "False", "no", "off", "")),
        (read_level, "ERROR", "ERROR"),
        (hosts, "a.example, .b.example,*,[::1]", ["a.example", ".b.example", "*", "[::1]"]),
        (env.web_address, "http://localhost:11434/v1", "http://localhost:11434/v1"),
        (wiki, "http://127.0.0.1:9000", "http://127.0.0.1:9000"),
        (wiki, "https://{language}.wikipedia.org/w/rest.php", "https://{language}.wikipedia.org/w/rest.php"),
        (wiki, "", "https://wiki.example"),
        (env.contact, "it@school.example", "mailto:it@school.example"),
        (env.contact, "https://school.example/security", "https://school.example/security"),
        (env.reader, "", ""),
        (env.reader, "None", "none"),
        (env.reader, "/srv/models/../reader", "/srv/reader"),
        (zone, "Europe/Berlin", "Europe/Berlin"),
        (sender, "it@school.example", "it@school.example"),
        (secret_key, KEY, KEY),
        (redis_address, "rediss://:secret@redis:6380/2", "rediss://:secret@redis:6380/2?ssl_cert_reqs=required"),
        (redis_address, "rediss://redis?ssl_ca_certs=/ca", "rediss://redis?ssl_ca_certs=/ca&ssl_cert_reqs=required"),
        (redis_address, "rediss://redis/0?ssl_cert_reqs=none", "rediss://redis/0?ssl_cert_reqs=none"),
        (redis_address, "unix:///run/redis.sock?db=1", "unix:///run/redis.sock?db=1"),
    ],
)
def test_what_is_right_is_taken(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[str], Any], value: str, meaning: Any
) -> None:
    monkeypatch.setenv(NAME, value)
    assert read(NAME) == meaning


@pytest.mark.parametrize(
    ("read", "value"),
    [
        *((number, value) for value in ("99999", "0", "-1", "8000.5", "many", "٣", "9" * 5000)),
        *((flag, value) for value in ("maybe", "2", "tru")),
        (read_level, "LOUD"),
        *((env.origins, value) for value in ("*", "a.example", "https://a.example/page")),
        *((hosts, value) for value in ("https://a.example", "a.example:8000", "a b")),
        *((env.web_address, value) for value in ("localhost:11434", "ftp://a.example", "http://", "http://a:99999")),
        *((wiki, value) for value in ("wiki.example", "ftp://wiki.example", "https://", "https://a.example?b", "https://a@b.example")),
        *((wiki, value) for value in ("https://{lang}.wikipedia.org", "https://a.example/#b", "https://a.example/b c")),
        *((env.contact, value) for value in ("it", "http://school.example", "mailto:it")),
        *((zone, value) for value in ("Mars", "Europe", "/etc/passwd", "../UTC")),
        *((sender, value) for value in ("Lectern", "a@b\nBcc: c@d")),
        *((secret_key, value) for value in ("x", "x" * 50, KEY[:31])),
        *((email, value) for value in ("smtp://", "mail.example", "pigeon://a.example", "smtp://a.example:port")),
        *((database, value) for value in ("nonsense://x", "postgres://db", "sqlite:///x", "postgres://db:99999/x")),
        *((redis_address, value) for value in ("redis:6379", "redis://", "http://redis", "redis://a:b/0", "redis://a/x")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[str], Any], value: str
) -> None:
    monkeypatch.setenv(NAME, value)
    with pytest.raises(WrongSetting) as stopped:
        read(NAME)
    told = str(stopped.value)
    assert told.startswith(f"Lectern's settings are not right: {NAME} must ")
    assert "\n" not in told


def test_an_address_with_a_secret_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    for read in (database, redis_address, email):
        monkeypatch.setenv(NAME, "nonsense://lectern:swordfish@db/x")
        with pytest.raises(WrongSetting) as stopped:
            read(NAME)
        assert "swordfish" not in str(stopped.value)


def test_a_database_behind_a_socket_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "postgres://lectern:se%23cret@%2Frun%2Fpostgres/lectern")
    found = env.database(NAME, Path("data"))
    assert (found["HOST"], found["NAME"], found["PASSWORD"]) == ("/run/postgres", "lectern", "se#cret")
    assert found["ENGINE"] == "config.postgresql"


def test_a_folder_that_is_a_file_or_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv(NAME, str(file))
    with pytest.raises(WrongSetting, match=f"{NAME} must be a folder, and {file} is a file"):
        env.folder(NAME, tmp_path)
    monkeypatch.delenv(NAME)
    with pytest.raises(WrongSetting, match="choose another directory"):
        env.secret_key(NAME, file / "below")


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (["manage.py", "serve"], 1),
        (["-m", "uvicorn", "config.asgi:application", "--port", "0"], 3),
        (["-m", "celery", "-A", "config", "worker"], 1),
        (["-m", "celery", "-A", "config", "beat"], 1),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else None,
)
def test_every_program_stops_with_the_sentence(program: list[str], code: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *program],
        cwd=settings.BASE_DIR,
        env=environment(tmp_path, LECTERN_TIME_ZONE="Mars"),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    sentence = "LECTERN_TIME_ZONE must be a time zone such as Europe/Berlin, not 'Mars'."
    assert done.stderr == f"Lectern's settings are not right: {sentence}\n"
    assert (done.returncode, list(tmp_path.glob("*"))) == (code, [tmp_path / "secret-key"])


@pytest.mark.parametrize(
    ("given", "is_on"),
    [
        ({}, True),
        ({"LECTERN_ALLOWED_HOSTS": "localhost,[::1],127.0.0.2"}, True),
        ({"DATABASE_URL": "postgres://lectern@db/lectern", "LECTERN_DEMO": "1"}, True),
        ({"LECTERN_HOST": "0.0.0.0", "LECTERN_DEMO": "1", "LECTERN_DEMO_PASSWORD": "not-the-usual"}, True),
        ({"DATABASE_URL": "postgres://lectern@db/lectern"}, False),
        ({"LECTERN_HOST": "0.0.0.0"}, False),
        ({"LECTERN_HOST": "::"}, False),
        ({"LECTERN_HTTPS": "1"}, False),
        ({"LECTERN_ALLOWED_HOSTS": "localhost,lectern.school.example"}, False),
    ],
)
def test_the_demo_is_off_wherever_something_says_production(given: dict[str, str], is_on: bool, tmp_path: Path) -> None:
    ask = "from django.conf import settings as s; print(s.LECTERN_DEMO, bool(s.LECTERN_DEMO_PAGES))"
    assert run(["-c", ask], tmp_path, given).stdout == f"{is_on} {is_on}\n"


@pytest.mark.parametrize("public", [{"LECTERN_HOST": "192.0.2.1"}, {"LECTERN_HTTPS": "1"}])
def test_the_usual_password_is_refused_where_others_reach_the_demo(public: dict[str, str], tmp_path: Path) -> None:
    done = run(["manage.py", "serve"], tmp_path, {**public, "LECTERN_DEMO": "1"})
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "LECTERN_DEMO=1 needs a LECTERN_DEMO_PASSWORD of your own" in done.stderr


def run(program: list[str], data: Path, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs Python in an environment that says nothing of the demo but what is given."""
    variables = environment(data, DJANGO_SETTINGS_MODULE="config.settings")
    del variables["LECTERN_DEMO"]
    return subprocess.run(
        [sys.executable, *program],
        cwd=settings.BASE_DIR,
        env={**variables, **given},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_a_port_that_is_none_is_told_on_the_command_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", "--port", "99999"],
        cwd=settings.BASE_DIR,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.stderr == "CommandError: The port must be a number from 1 to 65535, not 99999.\n"
