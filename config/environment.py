"""Read the environment variables and check them. A wrong value stops the start with one sentence."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured
from environ import Env

from operations import embedded
from operations.embedded import EmbeddedError

_YES, _NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}
_MOST = 2**31 - 1  # what PostgreSQL and operating systems take
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


def whole_number(name: str, default: int, *, least: int = 0, most: int = _MOST) -> int:
    """A number within these bounds."""
    value = text(name, str(default))
    if re.fullmatch(r"[0-9]{1,12}", value) and least <= int(value) <= most:
        return int(value)
    bounds = f"of at least {least}" if most == _MOST else f"from {least} to {most}"
    raise WrongSetting(f"{name} must be a whole number {bounds}, not {value!r}.")


def flag(name: str, *, default: bool) -> bool:
    """1 or 0; also true, yes, on, and false, no, off."""
    value = text(name, str(default)).lower()
    if value not in _YES | _NO:
        raise WrongSetting(f"{name} must be 1 or 0, not {value!r}.")
    return value in _YES


def choice(name: str, default: str, choices: Collection[str]) -> str:
    """One of these words."""
    value = text(name, default)
    if value not in choices:
        *others, last = choices
        raise WrongSetting(f"{name} must be {', '.join(others)} or {last}, not {value!r}.")
    return value


def folder(name: str, default: Path) -> Path:
    """The absolute path of a folder, which need not exist yet."""
    try:
        path = Path(text(name, str(default))).expanduser().resolve()
    except (RuntimeError, OSError) as error:
        raise WrongSetting(f"{name} is no folder: {error}.") from None
    if path.exists() and not path.is_dir():
        raise WrongSetting(f"{name} must be a folder, and {path} is a file.")
    return path


def rate(name: str, default: str) -> tuple[int, int] | None:
    """Requests and seconds; None for no limit."""
    value = text(name, default)
    if value == "0":
        return None
    number, _, unit = value.partition("/")
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", number) or unit not in _SECONDS:
        raise WrongSetting(
            f"{name} must be such as 100/min (or /s, /h, /day), or 0 for no limit, not {value!r}."
        )
    return int(number), _SECONDS[unit]


def hosts(name: str, default: str) -> list[str]:
    """Host names as in Django's ALLOWED_HOSTS."""
    values = names(name, default)
    for value in values:
        if not _HOST.fullmatch(value):
            raise WrongSetting(
                f"{name} must be names such as lectern.school.example, without https:// or a port, "
                f"separated by commas, not {value!r}."
            )
    return values


def origins(name: str, *, or_all: bool = False) -> list[str]:
    """Addresses of sites, without a path; with `or_all` also `*`."""
    values = [value.rstrip("/") for value in names(name)]
    for value in values:
        if not (or_all and value == "*") and not _is_web_address(value, path=False):
            others = ", or *" if or_all else ""
            raise WrongSetting(
                f"{name} must be addresses such as https://school.example, separated by commas{others}, not {value!r}."
            )
    return values


def web_address(name: str) -> str:
    """An address that begins with http:// or https://; empty where none is given."""
    value = text(name)
    if value and not _is_web_address(value):
        raise WrongSetting(f"{name} must be an address such as http://localhost:11434/v1, not {value!r}.")
    return value


def contact(name: str) -> str:
    """A link for RFC 9116's Contact; empty where none is given."""
    value = text(name)
    link = f"mailto:{value}" if re.fullmatch(r"[^@\s:/]+@[^@\s:/]+", value) else value
    if value and not re.fullmatch(r"(mailto:[^@\s]+@\S+|https://\S+|tel:\S+)", link):
        raise WrongSetting(f"{name} must be an e-mail address or a link with https://, not {value!r}.")
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
    if "@" not in parseaddr(value)[1] or not value.isprintable():
        raise WrongSetting(f"{name} must be such as Lectern <lectern@school.example>, not {value!r}.")
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
        key = text(name) or embedded.secret_key(data)
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
        found = Env.db_url_config(value, engine="django.db.backends.postgresql")
        scheme, port = value.partition("://")[0], int(found["PORT"] or 5432)
        if scheme in ("postgres", "postgresql", "psql", "pgsql") and found["NAME"] and 0 < port < 65536:
            # A socket's directory is written with %2F.
            return {**found, "HOST": unquote(found["HOST"])}
    except (ValueError, KeyError):
        pass
    raise WrongSetting(f"{name} must be such as postgres://lectern:secret@db:5432/lectern.")


def redis_address(name: str, data: Path) -> str:
    """The address of Redis: the one given, else of the embedded one; empty where there is none."""
    value = text(name)
    if not value:
        with _sentences():
            return embedded.redis_url(data)
    try:
        parts = urlsplit(value)
        is_right = bool(parts.path) if parts.scheme == "unix" else bool(parts.hostname)
        number = parts.path.strip("/") if parts.scheme != "unix" else ""
        if parts.scheme in ("redis", "rediss", "unix") and is_right and (parts.port or 1) > 0:
            int(number or "0")
            return value
    except ValueError:
        pass
    raise WrongSetting(f"{name} must be such as redis://redis:6379/0.")


def broker_options(data: Path, redis_url: str) -> dict[str, Any]:
    """Celery's options for this broker; without Redis its folders are made."""
    with _sentences():
        return embedded.celery_transport_options(data, redis_url)


def _is_web_address(value: str, *, path: bool = True) -> bool:
    try:
        parts = urlsplit(value)
        is_bare = value == f"{parts.scheme}://{parts.netloc}"
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and (path or is_bare)
        )
    except ValueError:
        return False


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except (EmbeddedError, OSError) as error:
        raise WrongSetting(str(error)) from None
