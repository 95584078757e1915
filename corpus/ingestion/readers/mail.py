"""E-mails (.eml): who wrote to whom and when, and the text. Attachments are named, not read."""

from __future__ import annotations

import email
import email.policy
from dataclasses import replace
from email.message import EmailMessage, MIMEPart

from corpus.ingestion.readers.decoding import decode, web_codec
from corpus.ingestion.readers.html.reader import read_text
from corpus.ingestion.readers.plain_text import read as read_plain
from corpus.ingestion.readers.structure import MAIL, Parsed, Section, clean, one_line

_NAMED = ("From", "To", "Cc", "Date", "Subject")


def read(data: bytes) -> Parsed:
    message = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    head = [f"{name}: {one_line(str(message[name]))}" for name in _NAMED if message[name]]
    body = message.get_body(("html", "plain"))
    content = _decode(body) if body is not None else ""
    is_page = body is not None and body.get_content_subtype() == "html"
    parsed = read_text(content) if is_page else read_plain(content.encode("utf-8", "replace"))
    names = [one_line(part.get_filename() or part.get_content_type()) for part in message.iter_attachments()]
    note = f"{len(names)} attachment{'s were' if len(names) > 1 else ' was'} not read: {', '.join(names)}."
    sections = (Section((), "\n".join(head)), *parsed.sections)
    return Parsed(
        MAIL,
        one_line(str(message["Subject"] or "")) or None,
        tuple(replace(section, lines=None, line_numbers=()) for section in sections if section.text),
        None,
        (*parsed.notes, *([note] if names else [])),
    )


def _decode(body: MIMEPart) -> str:
    data = body.get_payload(decode=True)
    assert isinstance(data, bytes)
    codec = web_codec(body.get_content_charset() or "")
    return clean(data.decode(codec, "replace") if codec else decode(data)[0])
