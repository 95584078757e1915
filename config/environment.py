"""Read the environment variables and check them. A wrong value stops the start with one sentence."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from email.utils import parseaddr
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured
from environ import Env

from operations import embedded
from operations.embedded import EmbeddedError

_YES, _NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}
_MAX_NUMBER = 2**31 - 1  # what PostgreSQL and operating systems take
_SECONDS = {"s": 1, "min": 60, "h": 3600, "day": 86400}
_HOST = re.compile(r"\*|\.?[\w-]+(\.[\w-]+)*|\[[0-9A-Fa-f:.]+\]")


class WrongSetting(SystemExit):
    """A setting cannot be right. As a SystemExit it ends any program with its sentence, without a traceback."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Lectern's settings are not right: {reason}")


def text(name: str, default: str = "") -> str:
    """The value of a variable; the default also where the variable is empty."""
    return os.environ.get(name, "").strip() or default


def names(name: str, default: str = "") -> list[str]:
    """Values separated by commas."""
    return [value.strip() for value in text(name, default).split(",") if value.strip()]


def whole_number(name: str, default: int, *, least: int = 0, most: int = _MAX_NUMBER) -> int:
    """A number within these bounds."""
    value = text(name, str(default))
    bounds = f"of at least {least}" if most == _MAX_NUMBER else f"from {least} to {most}"
    is_right = re.fullmatch(r"[0-9]{1,12}", value) and least <= int(value) <= most
    _must_be(f"a whole number {bounds}", is_right, name, value)
    return int(value)


def share(name: str, default: float) -> float:
    """A number from 0 to 1."""
    value = text(name, str(default))
    is_right = re.fullmatch(r"[01]|[01]?\.[0-9]{1,6}", value) and float(value) <= 1
    _must_be("a number from 0 to 1, such as 0.28", is_right, name, value)
    return float(value)


def flag(name: str, *, default: bool) -> bool:
    """1 or 0; also true, yes, on, and false, no, off."""
    value = text(name, str(default)).lower()
    _must_be("1 or 0", value in _YES | _NO, name, value)
    return value in _YES


def choice(name: str, default: str, choices: Collection[str]) -> str:
    """One of these words."""
    value = text(name, default)
    *others, last = choices
    _must_be(f"{', '.join(others)} or {last}", value in choices, name, value)
    return value


def choices(name: str, *, among: Collection[str]) -> list[str]:
    """Some of these words, separated by commas, or none."""
    values = names(name)
    *others, last = among
    _must_be(f"{', '.join(others)} or {last}, separated by commas", set(values) <= set(among), name, ",".join(values))
    return values


def folder(name: str, default: Path) -> Path:
    """The absolute path of a folder, which need not exist yet."""
    try:
        path = Path(text(name, str(default))).expanduser().resolve()
    except (RuntimeError, OSError) as error:
        raise WrongSetting(f"{name} is no folder: {error}.") from None
    if path.exists() and not path.is_dir():
        raise WrongSetting(f"{name} must be a folder, and {path} is a file.")
    return path


def reader(name: str) -> str:
    """The absolute path of a folder, or the word none; empty where nothing is given."""
    value = text(name)
    return value.lower() if value.lower() in ("", "none") else str(folder(name, Path(value)))


def rate(name: str, default: str) -> tuple[int, int] | None:
    """Requests and seconds; None for no limit."""
    value = text(name, default)
    if value == "0":
        return None
    number, _, unit = value.partition("/")
    is_right = re.fullmatch(r"0*[1-9][0-9]{0,8}", number) and unit in _SECONDS
    _must_be("such as 100/min (or /s, /h, /day), or 0 for no limit", is_right, name, value)
    return int(number), _SECONDS[unit]


def hosts(name: str, default: str) -> list[str]:
    """Host names as in Django's ALLOWED_HOSTS."""
    words = "names such as lectern.school.example, without https:// or a port, separated by commas"
    values = names(name, default)
    for value in values:
        _must_be(words, _HOST.fullmatch(value), name, value)
    return values


def is_loopback(host: str) -> bool:
    """Whether only this machine itself is reached under this name or address."""
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def origins(name: str, *, or_all: bool = False) -> list[str]:
    """Addresses of sites, without a path; with `or_all` also `*`."""
    words = "addresses such as https://school.example, separated by commas" + (", or *" if or_all else "")
    values = [value.rstrip("/") for value in names(name)]
    for value in values:
        is_right = (or_all and value == "*") or _is_web_address(value, path=False)
        _must_be(words, is_right, name, value)
    return values


def web_address(name: str) -> str:
    """An address that begins with http:// or https://; empty where none is given."""
    value = text(name)
    _must_be("an address such as http://localhost:11434/v1", not value or _is_web_address(value), name, value)
    return value


def wiki(name: str, default: str) -> str:
    """The address of a MediaWiki or of its REST API; {language} stands for the language of a chatbot."""
    value = text(name, default)
    example = value.replace("{language}", "en")
    is_right = _is_web_address(example) and not re.search(r"[{}?#@\s\\]", example)
    _must_be(
        "an address such as https://{language}.wikipedia.org/w/rest.php or https://wiki.school.example",
        is_right,
        name,
        value,
    )
    return value


def contact(name: str) -> str:
    """A link, as RFC 9116's Contact has it; empty where none is given."""
    value = text(name)
    link = f"mailto:{value}" if re.fullmatch(r"[^@\s:/]+@[^@\s:/]+", value) else value
    is_right = re.fullmatch(r"(mailto:[^@\s]+@\S+|https://\S+|tel:\S+)?", link)
    _must_be("an e-mail address or a link with https://", is_right, name, value)
    return link


def time_zone(name: str, default: str) -> str:
    """A time zone that this machine knows."""
    value = text(name, default)
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        raise WrongSetting(f"{name} must be a time zone such as Europe/Berlin, not {value!r}.") from None
    return value


def sender(name: str, default: str) -> str:
    """An address that mails may come from, with or without a name."""
    value = text(name, default)
    is_right = "@" in parseaddr(value)[1] and value.isprintable()
    _must_be("such as Lectern <lectern@school.example>", is_right, name, value)
    return value


def email(name: str, folder: Path) -> dict[str, Any]:
    """Django's settings for sending mail: into files of the folder where no server is given."""
    value = text(name)
    if not value:
        backend = "django.core.mail.backends.filebased.EmailBackend"
        return {"EMAIL_BACKEND": backend, "EMAIL_FILE_PATH": str(folder)}
    try:
        found: dict[str, Any] = Env.email_url_config(value)
        if not urlsplit(value).scheme.startswith("smtp") or found["EMAIL_HOST"]:
            return found
    except (ImproperlyConfigured, ValueError):
        pass
    raise WrongSetting(f"{name} must be such as smtp+tls://user:password@mail.school.example:587.")


def secret_key(name: str, data: Path) -> str:
    """The key that signs sessions: the one given, else the installation's own."""
    with _sentences():
        key = text(name) or embedded.load_secret_key(data)
    if len(key) < 32 or len(set(key)) < 5:
        raise WrongSetting(f"{name} must have at least 32 random characters. Without it Lectern makes one.")
    return key


def database(name: str, data: Path) -> dict[str, Any]:
    """Django's entry for the PostgreSQL of this address, else for the embedded one."""
    value = text(name)
    if not value:
        with _sentences():
            return dict(embedded.database_settings(data))
    try:
        found = Env.db_url_config(value, engine="config.postgresql")
        scheme, port = value.partition("://")[0], int(found["PORT"] or 5432)
        if scheme in ("postgres", "postgresql", "psql", "pgsql") and found["NAME"] and 0 < port < 65536:
            # A socket's directory is written with %2F.
            return {**found, "HOST": unquote(found["HOST"])}
    except (ValueError, KeyError):
        pass
    raise WrongSetting(f"{name} must be such as postgres://lectern:secret@db:5432/lectern.")


def redis_address(name: str, data: Path) -> str:
    """The address of Redis: the one given, else of the embedded one; empty where there is none.

    Celery checks no certificate unless the address says so.
    """
    value = text(name)
    if not value:
        with _sentences():
            return embedded.redis_url(data)
    try:
        parts = urlsplit(value)
        if parts.scheme == "unix" and parts.path:
            return value
        if parts.scheme in ("redis", "rediss") and parts.hostname and parts.port != 0:
            int(parts.path.strip("/") or "0")
            if parts.scheme == "rediss" and "ssl_cert_reqs" not in parse_qs(parts.query):
                value += f"{'&' if parts.query else '?'}ssl_cert_reqs=required"
            return value
    except ValueError:
        pass
    raise WrongSetting(f"{name} must be such as redis://redis:6379/0.")


def broker_options(data: Path, redis_url: str) -> dict[str, object]:
    """Celery's options for this broker; without Redis its folders are made."""
    with _sentences():
        return embedded.celery_transport_options(data, redis_url)


def _must_be(words: str, is_right: object, name: str, value: str) -> None:
    if not is_right:
        raise WrongSetting(f"{name} must be {words}, not {value!r}.")


def _is_web_address(value: str, *, path: bool = True) -> bool:
    try:
        parts = urlsplit(value)
        is_whole = path or value == f"{parts.scheme}://{parts.netloc}"
        return is_whole and parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except (EmbeddedError, OSError) as error:
        raise WrongSetting(str(error)) from None
