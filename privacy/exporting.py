"""All that a school stores of one of its people, as a ZIP of readable files."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import IO
from uuid import UUID

from django.contrib.postgres.search import SearchVectorField
from django.core.files.storage import default_storage
from django.db import models
from django.db.models.fields.files import FieldFile
from django.http import FileResponse
from django.utils import timezone
from pgvector.django import HalfVectorField, VectorField

from accounts import factors
from privacy.registry import PersonalData, Rows, list_declared
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership

README = """Everything that {school} stores of you in Lectern, made on {day}.

person.json      your account and your membership
conversations/   what you asked and what was answered, one file for each conversation; deleted ones too
documents/       the files that you uploaded as your own
records/         all other rows, one file for each table: chatbots, tokens (without their secrets), classes,
                 study plans, practice, where you are signed in …

Not in it: what colleagues and pupils asked your chatbots, and your notes to them, which is theirs; the school’s
library; the question log, which has no names; and what is made from your documents and questions for searching and
for a language model.
"""
SECRETS = {"digest", "password", "code_digest", "key", "session_key", "data", "secret", "sealed_subject"}
"""Columns that are left out: with them somebody could act as the person, or they say nothing."""


def export_person(member: Membership, file: IO[bytes]) -> None:
    """Write the ZIP file of a member."""
    day = timezone.localdate().isoformat()
    records: dict[str, list[dict[str, object]]] = defaultdict(list)
    stored: list[tuple[str, str]] = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README.format(school=member.school, day=day))
        archive.writestr("person.json", to_json(_about(member)))
        for data, rows in _list_exported(member):
            if data.is_recorded:
                names = [field.attname for field in data.model._meta.concrete_fields if is_exported(field)]
                records[data.model._meta.db_table] += rows.order_by("pk").values(*names)
            for name, content in data.files(rows) if data.files else ():
                if isinstance(content, FieldFile):
                    stored.append((name, str(content.name)))
                else:
                    archive.writestr(name, content)
        write_files(archive, stored)
        for table, values in records.items():
            if values:
                archive.writestr(f"records/{table}.json", to_json(values))


def list_guest_files(participant: object) -> Iterator[tuple[str, str]]:
    """Yield the files of a person without an account, as far as tables declare them."""
    for data in list_declared():
        if data.guest_file:
            name, columns = data.guest_file
            rows = data.find_guest_rows(participant).values_list(*columns.values())
            yield name, to_json([dict(zip(columns, row, strict=True)) for row in rows])


def describe_guest(participant: object) -> list[str]:
    """Say in sentences what tables declare of a person without an account."""
    words = (data.guest_words(data.find_guest_rows(participant)) for data in list_declared() if data.guest_words)
    return [sentences for sentences in words if sentences]


def write_files(
    archive: zipfile.ZipFile, files: Iterable[tuple[str, str]], counts: dict[str, int] | None = None
) -> None:
    """Write stored files, given by name in the archive and path; those that cannot be reached are listed in it."""
    missing = []
    for name, path in files:
        if not default_storage.exists(path):
            missing.append(name)
            continue
        with default_storage.open(path, "rb") as stored, archive.open(name, "w") as target:
            while piece := stored.read(1 << 20):
                target.write(piece)
        if counts is not None:
            counts["stored files"] = counts.get("stored files", 0) + 1
    if missing:
        archive.writestr("NOT-REACHED.txt", "This server could not reach these files:\n" + "\n".join(missing) + "\n")


def count_personal_rows(member: Membership) -> dict[str, int]:
    """How much the file of a member holds, by the names of the tables."""
    counts: Counter[str] = Counter()
    for data, rows in _list_exported(member):
        counts[str(data.model._meta.verbose_name_plural)] += rows.count()
    return {name: count for name, count in counts.items() if count}


def make_zip(member: Membership) -> FileResponse:
    """The ZIP file of a member as a download. It is made on the disk, since documents may be large."""
    record(Action.PERSON_EXPORTED, school=member.school, subject=member.user)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    export_person(member, file)
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename="my-data.zip", content_type="application/zip")


def _about(member: Membership) -> dict[str, object]:
    user = member.user
    return {
        "name": user.name,
        "known_as": member.known_as,
        "email": user.email,
        "role": member.role,
        "school": member.school.name,
        "member_since": member.created_at,
        "account_since": user.date_joined,
        "last_signed_in": user.last_login,
        "mails_about_new_devices": user.alerts_on_sign_in,
        "second_factors": factors.list_factor_names(user),
    }


def _list_exported(member: Membership) -> Iterator[tuple[PersonalData, Rows]]:
    for data in list_declared():
        if data.path and not data.blanks and (data.is_recorded or data.files):
            yield data, data.find_rows(member.user, member.school)


def is_exported(field: models.Field[object, object]) -> bool:
    """Whether a column is exported: not if it is a secret, or made from others for searching."""
    made = isinstance(field, models.GeneratedField | SearchVectorField | VectorField | HalfVectorField)
    return not made and field.name not in SECRETS


def to_json(value: object, *, indent: int | None = 1) -> str:
    """JSON to read: dates in ISO 8601, letters as they are."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)


def _plain(value: object) -> object:
    return str(value) if isinstance(value, UUID) else value.isoformat() if hasattr(value, "isoformat") else str(value)
