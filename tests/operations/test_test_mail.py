"""`manage.py send_test_mail` says in words what is wrong with the mail server."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from config import environment as env
from tests.running import free_port


@contextmanager
def mail_server(
    settings: Settings, refused: str = "", hello: str = "250-mail\r\n250 AUTH PLAIN"
) -> Iterator[list[str]]:
    """A server that refuses one command. Yields the lines that it gets."""
    got: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            client, _ = listener.accept()
            with client, client.makefile("rwb", buffering=0) as lines:
                lines.write(b"220 mail.school.example\r\n")
                while command := lines.readline().decode().strip():
                    got.append(command)
                    usual = {"EHLO": hello, "AUTH": "235 yes", "DATA": "354 go on", "QUIT": "221 bye"}
                    verb = command[:4].upper()
                    answer = "550 no" if verb == refused else usual.get(verb, "250 ok")
                    lines.write(f"{answer}\r\n".encode())
                    if answer.startswith("354"):
                        got.extend(iter(lambda: lines.readline().decode().strip(), "."))
                        lines.write(b"250 taken\r\n")

        threading.Thread(target=serve, daemon=True).start()
        use(settings, f"smtp://user:pass-word@127.0.0.1:{listener.getsockname()[1]}")
        yield got


def use(settings: Settings, url: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMAIL_URL", url)
        for name, value in env.email("EMAIL_URL", Path("mail")).items():
            setattr(settings, name, value)


def send() -> str:
    output = StringIO()
    call_command("send_test_mail", "it@school.example", stdout=output)
    return output.getvalue()


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        ("AUTH", "refuses the user or the password"),
        ("MAIL", "refuses the sender Lectern <lectern@localhost>"),
        ("RCPT", "refuses this recipient"),
        ("DATA", "could not be sent"),
    ],
)
def test_what_the_server_refuses(refused: str, said: str, settings: Settings) -> None:
    with mail_server(settings, refused), pytest.raises(CommandError, match=said) as stopped:
        send()
    assert "Check EMAIL_URL" in str(stopped.value) and "pass-word" not in str(stopped.value)


def test_a_server_without_passwords(settings: Settings) -> None:
    with mail_server(settings, hello="250 mail"), pytest.raises(CommandError, match="does not offer"):
        send()


def test_a_mail_that_is_taken(settings: Settings) -> None:
    with mail_server(settings) as got:
        assert "took the mail to it@school.example" in send()
    assert "Subject: [Lectern] Test" in got


def test_no_server_at_all(settings: Settings, tmp_path: Path) -> None:
    use(settings, f"smtp://127.0.0.1:{free_port()}")
    with pytest.raises(CommandError, match="No mail server listens there"):
        send()
    use(settings, "")
    settings.DATA_DIR, settings.EMAIL_FILE_PATH = tmp_path, str(tmp_path / "mail")
    assert f"the mail is a file in {tmp_path / 'mail'}" in send()
    (file,) = (tmp_path / "mail").iterdir()
    assert "it@school.example" in file.read_text()
