"""System calls that a process which parses a file must not use, by their numbers."""

from __future__ import annotations

from collections.abc import Collection

# Name: numbers on x86-64 (syscall_64.tbl) and on ARM (asm-generic/unistd.h); None if there is no such call.
_CALLS: dict[str, tuple[int | None, int | None]] = {
    # Sockets, processes and programs
    "socket": (41, 198),
    "socketpair": (53, 199),
    "io_uring_setup": (425, 425),
    "clone": (56, 220),
    "clone3": (435, 435),
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    # Other processes, and limits
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "setrlimit": (160, 164),
    "prlimit64": (302, 261),
    # Changes of files without opening them for writing
    "truncate": (76, 45),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "file_setattr": (469, 469),
}
_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # linux/audit.h; column of the table


def refused_calls(machine: str, *, but: Collection[str] = ()) -> tuple[int, tuple[int, ...]] | None:
    """The audit architecture of this machine and its refused call numbers. None for an unknown machine."""
    if machine not in _MACHINES:
        return None
    architecture, column = _MACHINES[machine]
    numbers = (numbers[column] for name, numbers in _CALLS.items() if name not in but)
    return architecture, tuple(number for number in numbers if number is not None)
