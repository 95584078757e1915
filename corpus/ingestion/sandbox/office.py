"""Old Office files (.doc, .xls, .ppt) as new ones, by LibreOffice as a library in a confined process (ADR 58)."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpus.ingestion.readers.sniffing import sniff
from corpus.ingestion.sandbox.limits import missing_protections

OFFICE_PREFIX = "lectern-office-"
"""Names of temporary folders begin with it. `delete_orphan_files` deletes those of killed workers."""

_NEW = {"application/msword": b"docx", "application/vnd.ms-excel": b"xlsx", "application/vnd.ms-powerpoint": b"pptx"}
_LIBRARIES = ("libmergedlo.so", "libsofficeapp.so")
# Calc as a library opens nothing without this part of its window, which packages without windows leave out.
_OF_CALC = "share/config/soffice.cfg/modules/scalc/ui/inputbar.ui"
# LibreOfficeKit.h: places in the tables of functions, behind the size of the table and `destroy`.
_LOAD, _SAVE = 2, 2


def find_office(media_type: str) -> Path | None:
    """The library of LibreOffice that converts files of this type. None if it is not installed or the type is another
    one, or if this system could not keep LibreOffice in its folder."""
    program = shutil.which("soffice") if media_type in _NEW else None
    if program is None or missing_protections():
        return None
    folder = Path(program).resolve().parent
    if _NEW[media_type] == b"xlsx" and not (folder.parent / _OF_CALC).exists():
        return None
    return next((folder / name for name in _LIBRARIES if (folder / name).exists()), None)


def convert_office(data: bytes, library: str, folder: str) -> bytes:
    """The file in the new format of its kind. Empty if LibreOffice cannot open it."""
    os.environ |= {"HOME": folder, "TMPDIR": folder, "SAL_USE_VCLPLUGIN": "svp"}
    old, new = Path(folder, "old"), Path(folder, "new")
    old.write_bytes(data)
    begin = ctypes.CDLL(library).libreofficekit_hook_2
    begin.argtypes, begin.restype = [ctypes.c_char_p] * 2, ctypes.c_void_p
    office = begin(str(Path(library).parent).encode(), (Path(folder) / "profile").as_uri().encode())
    document = office and _find_function(office, _LOAD, ctypes.c_void_p, 1)(office, old.as_uri().encode())
    if document:
        _find_function(document, _SAVE, ctypes.c_int, 3)(document, new.as_uri().encode(), _NEW[sniff(data)], None)
    return new.read_bytes() if new.exists() else b""


def _find_function(of: int, place: int, result: type, texts: int) -> Callable[..., Any]:
    """A function of an object of LibreOfficeKit, which begins with a pointer to the table of its functions."""
    table = ctypes.cast(of, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p))).contents
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p, *[ctypes.c_char_p] * texts)(table[place] or 0)
