"""The embedded PostgreSQL 18 with pgvector: its cluster, the user it runs as, and its command.

PostgreSQL does not run as root. Started by root, it runs as the user postgres (else nobody). Where that user cannot
reach a directory (as in a checkout under /root), the programs are copied to /var/lib/lectern, and the cluster is made
there; `postgres` in the data directory is then a link.
"""

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil
import psycopg
from psycopg import sql

from operations import embedded
from operations.embedded import DATABASE_NAME, DATABASE_USER, EmbeddedError
from operations.processes import Child, last_lines

SHARED = Path("/var/lib/lectern")
# Under LC_ALL=C umlauts would break; the built-in provider needs no ICU and sorts the same on every machine.
INITDB_OPTIONS = [
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--auth=trust",
]
SETTINGS = ["jit=off", "listen_addresses=", "unix_socket_permissions=0700"]
UNSAFE_BUT_FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]


@dataclass(frozen=True)
class Cluster:
    directory: Path
    programs: Path
    sockets: Path
    account: Mapping[str, Any]  # user, group and extra_groups for subprocess; empty for ourselves


def find_cluster(data: Path) -> Cluster:
    """The cluster of this data directory, and how to run it. Raises EmbeddedError where it cannot be run."""
    programs = embedded.postgres_programs()
    link = data / "postgres"
    if os.getuid() != 0:
        if link.exists() and link.stat().st_uid != os.getuid():
            owner = _user_name(link.stat().st_uid)
            raise EmbeddedError(
                f"{link} belongs to the user {owner}. Run Lectern as that user, or choose another LECTERN_DATA."
            )
        return Cluster(link, programs, embedded.postgres_sockets(data), {})
    account = _find_account(link)
    if not _can_enter(account, programs):
        programs = _copied_programs(programs, account)
    if not link.exists() and not _can_enter(account, data):
        shared = SHARED / embedded.key(data) / "postgres"
        shared.mkdir(parents=True, exist_ok=True)
        link.symlink_to(shared)
    directory = link.resolve()
    if not _can_enter(account, directory.parent):
        raise EmbeddedError(
            f"The user {_user_name(account['user'])}, who runs PostgreSQL, cannot reach {directory}. "
            "Allow it with chmod o+x on the directories above, or choose another LECTERN_DATA."
        )
    return Cluster(directory, programs, embedded.postgres_sockets(data), account)


def initialise(cluster: Cluster, log: Path, *, sync: bool = True) -> None:
    """Makes the cluster unless it exists. After an interruption the next start makes it again."""
    _own_directory(cluster.sockets, cluster.account)
    if (cluster.directory / "PG_VERSION").exists():
        return
    new = cluster.directory.with_name("postgres.new")
    shutil.rmtree(new, ignore_errors=True)
    _own_directory(new, cluster.account)
    options = INITDB_OPTIONS if sync else [*INITDB_OPTIONS, "--no-sync"]
    command: list[str | Path] = [cluster.programs / "initdb", "-D", new, "-U", DATABASE_USER, *options]
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with log.open("ab") as output:
        done = subprocess.run(
            command,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
            **cluster.account,
        )
    if done.returncode:
        raise EmbeddedError(f"PostgreSQL could not create its database files: {last_lines(log, 1)}")
    if cluster.directory.exists():
        cluster.directory.rmdir()
    new.rename(cluster.directory)


def make_postgres(cluster: Cluster, log: Path, *, safe: bool = True) -> Child:
    """PostgreSQL as a child process, not yet started. `safe=False` is for tests: it does not survive a power cut."""
    options = SETTINGS if safe else [*SETTINGS, *UNSAFE_BUT_FAST]
    command: list[str | Path] = [cluster.programs / "postgres", "-D", cluster.directory, "-k", cluster.sockets]
    # SIGINT is PostgreSQL's "fast" shutdown: clients are disconnected, everything is written.
    return Child(
        "postgres",
        [*command, *(f"--{option}" for option in options)],
        log,
        cwd=Path("/"),
        account=cluster.account,
        stop_signal=signal.SIGINT,
        orphan_signal=signal.SIGINT,
        patience=30,
    )


def stop_leftover_postgres(cluster: Cluster) -> bool:
    """Stops a server that a dead supervisor left running, and removes a stale pid file. True if one was running.

    Another process may have the pid of a stale file by now, and then PostgreSQL would refuse to start.
    """
    pid_file = cluster.directory / "postmaster.pid"
    if not pid_file.exists():
        return False
    try:
        process = psutil.Process(int(pid_file.read_text().split("\n", 1)[0]))
        ours = process.name().startswith("postgres") and Path(process.cwd()) == cluster.directory.resolve()
    except (psutil.NoSuchProcess, psutil.AccessDenied, ValueError):
        ours = False
    if not ours:
        pid_file.unlink(missing_ok=True)
        return False
    process.send_signal(signal.SIGINT)
    process.wait(30)
    return True


def accepts_connections(cluster: Cluster) -> bool:
    try:
        _connect(cluster).close()
    except psycopg.OperationalError:
        return False
    return True


def create_database(cluster: Cluster) -> None:
    """Creates the database unless it exists."""
    with _connect(cluster) as connection:
        connection.autocommit = True
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE_NAME]).fetchone()
        if not known:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE_NAME)))


def _connect(cluster: Cluster) -> psycopg.Connection:
    return psycopg.connect(host=str(cluster.sockets), user=DATABASE_USER, dbname="postgres", connect_timeout=5)


def _find_account(link: Path) -> Mapping[str, Any]:
    """The user as whom root runs PostgreSQL: the owner of the cluster, else postgres, else nobody."""
    if link.exists() and link.stat().st_uid != 0:
        owner = link.stat()
        return {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise EmbeddedError("PostgreSQL cannot run as root, and there is no user postgres or nobody to run it.")


def _can_enter(account: Mapping[str, Any], directory: Path) -> bool:
    """Whether that user may search the directory and all above it."""
    return subprocess.run(["test", "-x", directory], cwd="/", check=False, **account).returncode == 0


def _copied_programs(programs: Path, account: Mapping[str, Any]) -> Path:
    """A copy of the programs that the user can reach, made once for each version of the wheel."""
    installation, package = programs.parent, programs.parents[1]
    copy = SHARED / f"pgserver-{version(package.name)}"
    if not copy.exists():
        half = copy.with_name(f"{copy.name}.new")
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(installation, half / package.name / installation.name)
        libraries = package.with_name(f"{package.name}.libs")  # found by its place relative to the programs
        if libraries.exists():
            shutil.copytree(libraries, half / libraries.name)
        half.rename(copy)
    if not _can_enter(account, copy):
        name = _user_name(account["user"])
        raise EmbeddedError(f"The user {name}, who runs PostgreSQL, cannot reach {copy}.")
    return copy / package.name / installation.name / programs.name


def _own_directory(directory: Path, account: Mapping[str, Any]) -> None:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if account:
        os.chown(directory, account["user"], account["group"])


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
