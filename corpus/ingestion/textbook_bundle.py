"""Bundling of Markdown files into the ZIP archive of a textbook."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from django.core.files.uploadedfile import SimpleUploadedFile

from corpus.ingestion.readers.sniffing import is_hidden_path, is_markdown
from corpus.ingestion.readers.textbook.reader import ORDER_FILES


def bundle_textbook(files: Mapping[str, bytes], title: str) -> SimpleUploadedFile:
    """A ZIP archive of these files by path. The same files make the same bytes, so duplicates are recognised."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
    return SimpleUploadedFile(archive_name(title), buffer.getvalue())


def archive_name(title: str) -> str:
    return f"{' '.join(title.replace('/', '-').replace(chr(92), '-').split())}.zip"


def markdown_files_in(folder: Path) -> dict[str, bytes]:
    """The Markdown files and order files in a folder by relative path. Symbolic links are not followed."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if is_hidden_path(name) or not (is_markdown(name) or path.name in ORDER_FILES):
            continue
        if path.is_file() and not any(part.is_symlink() for part in (path, *path.parents) if part != folder):
            found[name] = path.read_bytes()
    return found
