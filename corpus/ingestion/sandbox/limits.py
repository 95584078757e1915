"""Limits that a process applies to itself before it parses a file: memory, time, network, processes, files (ADR 9).

Each protection is irreversible and needs no rights. A system may lack some of them (macOS has neither seccomp nor
Landlock); the others still apply.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import corpus
import text

_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True) if _LINUX else None

# linux/prctl.h, linux/seccomp.h, linux/bpf_common.h
_PDEATHSIG, _SECCOMP, _NO_NEW_PRIVS, _FILTER = 1, 22, 38, 2
_LOAD, _EQUAL, _AT_LEAST, _HAS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_THREAD = 0x10000  # CLONE_THREAD
_X32 = 0x40000000  # the x32 calls of x86-64 begin at this number

# linux/landlock.h; the numbers of these calls are the same everywhere
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_FIRST_RIGHTS = (1 << 13) - 1  # all rights of version 1
_LATER_RIGHTS = {2: 1 << 13, 3: 1 << 14}  # by version: refer (link into another folder), truncate
_ASK_VERSION = 1
_SYSTEM = [*map(Path, ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom"))]
_LINKED = ("/usr/share", "/etc/libreoffice", "/var/lib/libreoffice", "/var/spool/libreoffice", "/etc/fonts")
_MAX_FILE = 256 << 20  # bytes of a file in the folder


def confine(*, memory: int, seconds: int, parent: int, program: Path | None = None, office: Sequence[str] = ()) -> None:
    """Apply all limits: `memory` in bytes of address space, `seconds` of CPU. The process dies with `parent`.

    With `program` the process may still execute that program and read the folders installed with it. The limits stay
    in force for the program. With `office`, a library of LibreOffice and a folder, it may also read what belongs to the
    library, write in the folder, and begin threads.
    """
    for number in (signal.SIGTERM, signal.SIGINT):  # a worker that shuts down finishes its file first
        signal.signal(number, signal.SIG_IGN)
    if _libc is not None:
        _libc.prctl(_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it died before the call above
        os._exit(1)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, _MAX_FILE if office else 0)
    _limit(resource.RLIMIT_NOFILE, 256 if office else 64)
    _limit(resource.RLIMIT_CPU, seconds + 1, warned_before=1)  # SIGXCPU first, because SIGKILL gives no reason
    _limit(resource.RLIMIT_AS, memory)
    if _libc is not None:
        _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
        readable, executable = _visible(program)
        readable += [Path(office[0]).parents[1], *map(Path, _LINKED)] if office else []
        _see_only(_libc, readable, executable, Path(office[1]) if office else None)
    may = {"execve"} if program else {"clone"} if office else set[str]()
    if not (_libc and _filter_calls(_libc, but=may)) and program is None:
        sys.addaudithook(_audit_hook)


def missing_protections() -> list[str]:
    """Which of the kernel's walls this system does not have, in words for the operator."""
    missing = []
    # EFAULT for no filter means that the kernel knows filters.
    knows = _libc and _libc.prctl(_SECCOMP, _FILTER, None, 0, 0) == -1 and ctypes.get_errno() == errno.EFAULT
    if refused_calls(platform.machine()) is None or not knows:
        missing.append("nothing keeps a library in C from the network and other programs (seccomp)")
    version = _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION) if _libc else 0
    if version < 1:
        missing.append("nothing hides other files from a reader (Landlock)")
    elif version < max(_LATER_RIGHTS):
        missing.append("a file that can be read can be emptied (Landlock before Linux 6.2)")
    return missing


def _limit(kind: int, value: int, *, warned_before: int = 0) -> None:
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with suppress(ValueError, OSError):  # macOS knows some of the names only
        resource.setrlimit(kind, (value - warned_before, value))


def _visible(program: Path | None) -> tuple[list[Path], list[Path]]:
    if program is None:  # Python, its packages and our own code: not the folder that also holds people's files
        ours = [Path(package.__path__[0]).resolve() for package in (corpus, text)]
        packages = [Path(path) for path in sys.path if path and Path(path).resolve() != ours[0].parent]
        return [*ours, *packages, *_SYSTEM], []
    root = program.parent.parent
    loaders = [path for folder in ("/lib64", "/lib") for path in Path(folder).glob("ld-*.so.*")]
    return [root / "lib", root / "share", Path("/usr/share"), *_SYSTEM], [program, *loaders]


def _see_only(
    libc: ctypes.CDLL, readable: Iterable[Path], executable: Iterable[Path], folder: Path | None = None
) -> bool:
    """Landlock: allow reading these paths only, and writing in the folder. False if the kernel lacks it."""
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    if version < 1:
        return False
    later = (right for since, right in _LATER_RIGHTS.items() if since <= version)
    handled = _FIRST_RIGHTS | sum(later)
    ruleset = libc.syscall(_CREATE_RULESET, struct.pack("Q", handled), ctypes.c_size_t(8), 0)
    if ruleset < 0:
        return False
    allowed = [(path, _READ_FILE | _READ_FOLDER if path.is_dir() else _READ_FILE) for path in readable if path.exists()]
    allowed += [(path, _READ_FILE | _EXECUTE) for path in executable]
    allowed += [(folder, handled & ~_EXECUTE)] if folder else []
    for path, rights in allowed:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        libc.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, descriptor), 0)
        os.close(descriptor)
    restricted = libc.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return bool(restricted == 0)


def _filter_calls(libc: ctypes.CDLL, *, but: Collection[str] = ()) -> bool:
    """seccomp: refuse the calls of `_CALLS`. False if the kernel cannot.

    But for `clone`, processes are refused and threads are not: clone3 has its flags in memory, where no filter looks.
    A call that is not known makes libraries use the older one.
    """
    known = refused_calls(platform.machine(), but=but)
    if known is None or sys.maxsize < 2**32:
        return False
    architecture, refused = known
    clone = {*(refused_calls(platform.machine()) or known)[1]} - {*refused} if "clone" in but else set[int]()
    threads = [step for call in clone for step in ((_EQUAL, 0, 2, call), (_LOAD, 0, 0, 16), (_HAS, 0, 1, _THREAD))]
    count = len(refused) + len(threads)
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 0, count + 3, architecture)]
    steps += [(_LOAD, 0, 0, 0), (_AT_LEAST, count + 1, 0, _X32)]
    steps += [(_EQUAL, count - index, 0, number) for index, number in enumerate(refused)]
    steps += [*threads, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _UNKNOWN if threads else _REFUSE)]
    instructions = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HP", len(steps), ctypes.addressof(instructions))
    return bool(libc.prctl(_SECCOMP, _FILTER, program, 0, 0) == 0)


def _audit_hook(event: str, _: object) -> None:
    """Without the kernel's help only Python code is held: a library in C that opens a socket is not."""
    if event.startswith(("socket.", "subprocess.", "os.fork", "os.exec", "os.posix_spawn", "os.system", "os.kill")):
        raise PermissionError(f"Reading a file does not need {event}.")


# Sockets, processes and programs; other processes and limits; changes of files without opening them for writing.
# Each with its numbers on x86-64 (syscall_64.tbl) and on ARM (asm-generic/unistd.h); - if there is no such call.
_CALLS = """
socket 41 198, socketpair 53 199, io_uring_setup 425 425, clone 56 220, clone3 435 435, fork 57 -, vfork 58 -,
execve 59 221, execveat 322 281,
kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240,
pidfd_send_signal 424 424, pidfd_open 434 434, pidfd_getfd 438 438, ptrace 101 117, process_vm_readv 310 270,
process_vm_writev 311 271, setrlimit 160 164, prlimit64 302 261,
truncate 76 45, chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -,
fchownat 260 54, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, setxattrat 463 463, removexattr 197 14,
lremovexattr 198 15, fremovexattr 199 16, removexattrat 466 466, utime 132 -, utimes 235 -, futimesat 261 -,
utimensat 280 88, file_setattr 469 469
"""
_MACHINES = {"x86_64": (0xC000003E, 1), "aarch64": (0xC00000B7, 2)}  # linux/audit.h; column of the table


def refused_calls(machine: str, *, but: Collection[str] = ()) -> tuple[int, tuple[int, ...]] | None:
    """The audit architecture of this machine and its refused call numbers. None for an unknown machine."""
    if machine not in _MACHINES:
        return None
    architecture, column = _MACHINES[machine]
    calls = [call.split() for call in _CALLS.split(",")]
    return architecture, tuple(int(call[column]) for call in calls if call[0] not in but and call[column] != "-")
