"""Detects the format of a file by its content."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import PurePath, PurePosixPath

from corpus.ingestion.readers import structure as formats
from corpus.ingestion.readers.decoding import decode, is_text

EMPTY, OCTETS = "application/x-empty", "application/octet-stream"
_ZIP, _ENCRYPTED, _OLD_OFFICE = "application/zip", "application/x-encrypted-office", "application/x-ole-storage"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"

_SUPPORTED = (
    "Lectern can read PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx), OpenDocument (.odt, .odp, .ods), RTF, CSV, "
    "web pages (HTML), e-books (EPUB), Markdown, ZIP files of Markdown, plain text, subtitles (.vtt, .srt), "
    "e-mails (.eml), notebooks (.ipynb), and pictures of text (PNG, JPEG, TIFF, WebP)."
)
_SAVE_AS = "Open it in the program it was made with and save it as"
_RENAMED = (
    "It is named like {promised}, but it is not one: it may be damaged, or another kind of file that was renamed. "
    "Open it in the program it was made with, save it again, and upload that."
)
_UNKNOWN = ("not a document that can be read", "")
_AS_PICTURE = "Open it in a program for pictures and save it as PNG or JPEG."
_UNPACK = "Unpack it and upload the documents inside one by one."

# Media type: (name for the teacher, advice)
_KINDS = {
    "application/msword": ("a Word file in the old .doc format", f"{_SAVE_AS} .docx or PDF."),
    _OLD_OFFICE: ("an old Microsoft Office file", f"{_SAVE_AS} .docx or PDF."),
    "application/vnd.ms-excel": ("an Excel spreadsheet in the old .xls format", f"{_SAVE_AS} .xlsx."),
    "application/vnd.ms-powerpoint": ("a PowerPoint presentation in the old .ppt format", f"{_SAVE_AS} .pptx."),
    _ENCRYPTED: ("an Office file protected by a password", "Remove the password and upload it again."),
    _OPEN_DOCUMENT: ("an OpenDocument file of a kind that cannot be read", f"{_SAVE_AS} .docx or PDF."),
    "application/xml": ("an XML file", ""),
    "application/postscript": ("a PostScript file", "Export it as PDF and upload that."),
    _ZIP: ("a ZIP archive without Markdown files", _UNPACK),
    "application/x-archive": ("a compressed archive", _UNPACK),
    "image": ("a picture in a format that cannot be read", _AS_PICTURE),
    **{"audio": ("an audio file", ""), "video": ("a video", ""), "application/x-executable": ("a program", "")},
}

# Folders of an Office file; also in a damaged one they can be seen.
_FOLDERS = {"word": formats.DOCX, "ppt": formats.PPTX, "xl": formats.XLSX}

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PROMISED = {
    **{"a PDF": ".pdf", "a Word document": ".docx", "a PowerPoint presentation": ".pptx", "an Excel workbook": ".xlsx"},
    **{"an OpenDocument file": ".odt .ods .odp", "a rich text file": ".rtf", "an e-book": ".epub"},
    **{"a ZIP archive": ".zip", "a picture": ".png .jpg .jpeg .tif .tiff .webp"},
    "a text file": ".vtt .srt .eml .ipynb .txt .md .markdown .mdx .csv .tsv .html .htm",
}
_MAGIC = {
    **{b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"BM": "image/bmp"},
    **dict.fromkeys((b"II*\x00", b"MM\x00*"), "image/tiff"),
    **{b"ID3": "audio/mpeg", b"OggS": "audio/ogg", b"fLaC": "audio/flac", b"\x1aE\xdf\xa3": "video/x-matroska"},
    **{b"{\\rtf": formats.RTF, b"%!PS": "application/postscript"},
    **dict.fromkeys((b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"Rar!", b"BZh", b"\xfd7zXZ"), "application/x-archive"),
    **dict.fromkeys((b"MZ", b"\x7fELF"), "application/x-executable"),
}
_STREAMS = {
    "EncryptedPackage": _ENCRYPTED,
    "WordDocument": "application/msword",
    "Workbook": "application/vnd.ms-excel",
    "PowerPoint Document": "application/vnd.ms-powerpoint",
}


def sniff(data: bytes, filename: str = "") -> str:
    """The media type by content. The name only tells CSV, HTML fragments and Markdown from plain text."""
    if not data.strip(b"\x00"):
        return EMPTY
    head = data[:1024]  # the mark may follow other bytes, but not in a text that only mentions it
    if b"%PDF-" in head and (head.lstrip().startswith(b"%PDF-") or not is_text(head)):
        return formats.PDF
    if data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        return _sniff_zip(data)
    if data.startswith(OLE):
        return _sniff_ole(data)
    return _sniff_media(data) or (_sniff_text(data, filename) if is_text(data) else OCTETS)


def sniff_head(head: bytes, filename: str) -> str | None:
    """The media type of a file by its first bytes, None if more is needed. Opens no archive."""
    if not head.strip(b"\x00") or head.startswith(b"PK"):
        return None
    found = sniff(head, filename)
    return None if found == _OLD_OFFICE else found


def explain_refusal(media_type: str, filename: str = "") -> str:
    """Why such a file cannot be read, for the teacher: also by its name if nothing else is known of it."""
    suffix = PurePath(filename.lower()).suffix
    promised = next((name for name, suffixes in _PROMISED.items() if suffix in suffixes.split()), "")
    if media_type == OCTETS and promised:
        return _RENAMED.format(promised=promised)
    if media_type == EMPTY:
        return "This file is empty."
    what, advice = _KINDS.get(media_type) or _KINDS.get(media_type.partition("/")[0]) or _UNKNOWN
    return " ".join(filter(None, (f"This is {what}.", _SUPPORTED, advice)))


def _sniff_zip(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            declared = archive.open("mimetype").read(80) if "mimetype" in names else b""
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, ValueError, OSError, EOFError):
        found = re.search(rb"PK\x03\x04.{26}(word|ppt|xl)/", data, re.DOTALL)
        return _FOLDERS[found[1].decode()] if found else _ZIP
    if declared.startswith(b"application/epub+zip"):
        return formats.EPUB
    if declared.startswith(_OPEN_DOCUMENT.encode()):
        stated = declared.decode("ascii", "replace").strip().removesuffix("-template")
        return stated if stated in formats.OPEN_DOCUMENT else _OPEN_DOCUMENT
    folders = {name.partition("/")[0] for name in names if "[Content_Types].xml" in names}
    other = formats.BOOK if any(is_markdown(name) and not is_hidden_path(name) for name in names) else _ZIP
    return next((kind for folder, kind in _FOLDERS.items() if folder in folders), other)


def is_markdown(path: str) -> bool:
    return PurePosixPath(path.lower()).suffix in _MARKDOWN_NAMES


def is_hidden_path(path: str) -> bool:
    """Whether a path in an archive is hidden or belongs to the operating system."""
    parts = (part for part in path.split("/") if part not in (".", ".."))
    return any(part.startswith(".") or part in _OF_SYSTEMS for part in parts)


def _sniff_ole(data: bytes) -> str:
    """The kind by the first stream in the directory that tells it: an embedded object has its streams behind those.

    An entry of the directory begins with the name of the stream, the bytes of that with the zero behind it, and 2.
    """
    entries = {name.encode("utf-16-le").ljust(64, b"\0") + bytes([2 * len(name) + 2, 0, 2]): name for name in _STREAMS}
    known = [(place, _STREAMS[name]) for entry, name in entries.items() if (place := data.find(entry)) >= 0]
    return min(known)[1] if known else _OLD_OFFICE


def _sniff_media(data: bytes) -> str | None:
    """Formats with magic bytes. Printable ones count only before binary data."""
    if data[4:8] == b"ftyp":
        return "image/heic" if data[8:11] in (b"hei", b"mif", b"avi") else "video/mp4"
    if data.startswith(b"RIFF"):
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12], "video/x-msvideo")
    for mark, kind in _MAGIC.items():
        if data.startswith(mark) and (not mark.isalnum() or not is_text(data)):
            return kind
    return None


_TABLE_NAMES = (".csv", ".tsv")
_MARKDOWN_NAMES = (".md", ".markdown", ".mkd", ".mdown", ".mdx")
_OF_SYSTEMS = ("__MACOSX", "node_modules", "Thumbs.db", "desktop.ini")
_WEB_NAMES = (".html", ".htm", ".xhtml", ".xht")
_HTML = re.compile(
    r"\s*(?:<\?xml\b[^>]*>\s*)?(?:<!--.*?-->\s*)*+<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_ELEMENT = re.compile(r"\s*(?:<!--.*?-->\s*)*+<(?!\?)[a-z][a-z0-9]*\b[^<>]*>", re.IGNORECASE | re.DOTALL)
_XML = re.compile(r"\s*<\?xml\b")
_CUES = re.compile(r"\s*(?:WEBVTT\b|(?:\d+\s*\n)?\d{1,2}:\d{2}:\d{2},\d{3} --> )")
_MAIL = re.compile(r"(?:(?!\n)[!-9;-~]+:[^\n]*(?:\n[ \t][^\n]*)*\n){3}")
_MAIL_NAMES = re.compile(r"^(?:from|date|mime-version|received|message-id|return-path):", re.IGNORECASE | re.MULTILINE)
_HEADING = re.compile(r"(?:\A|\n[ \t]*\n)#{1,6}[ \t]+\S[^\n]*(?=\n[ \t]*\n|\n?\Z)")


def _sniff_text(data: bytes, filename: str) -> str:
    text = decode(data[:262_144])[0].removeprefix("\ufeff").replace("\r\n", "\n")
    suffix = PurePath(filename.lower()).suffix
    if suffix in _TABLE_NAMES:
        return formats.CSV
    if _HTML.match(text) or (suffix in _WEB_NAMES and _ELEMENT.match(text)):
        return formats.HTML
    if _CUES.match(text):
        return formats.SUBTITLES
    if _MAIL.match(text) and (suffix == ".eml" or len(_MAIL_NAMES.findall(text[:4000].split("\n\n")[0])) > 1):
        return formats.MAIL
    if text.lstrip().startswith("{") and '"cell_type"' in text:
        return formats.NOTEBOOK
    if _XML.match(text):
        return "application/xml"
    if suffix in _MARKDOWN_NAMES or len(_HEADING.findall(text)) >= 2:
        return formats.MARKDOWN
    return formats.PLAIN
