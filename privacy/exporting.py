"""All that a school stores of one of its people, as a ZIP of readable files."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import IO, Any
from uuid import UUID

from django.contrib.postgres.search import SearchVectorField
from django.core.files.storage import default_storage
from django.db import models
from django.http import FileResponse
from django.utils import timezone
from pgvector.django import HalfVectorField, VectorField

from accounts import factors
from chatbots.conversations.export import export_chat, export_file_name
from chatbots.models import Chat, Message
from knowledge.models import PersonalDocument
from learning.exports.plan_json import export_json
from learning.models import StudyPlan
from privacy.rows import rows_of, rows_of_account, rows_of_participant
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership

README = """Everything that {school} stores of you in Lectern, made on {day}.

person.json      your account and your membership
conversations/   what you asked and what was answered, one file for each conversation; deleted ones too
documents/       the files that you uploaded as your own
study-plans/     your study plans, which can be imported again
records/         all other rows, one file for each table: chatbots, tokens (without their secrets), classes, practice,
                 where you are signed in …

Not in it: what colleagues and pupils asked your chatbots, and your notes to them, which is theirs; the school’s
library; the question log, which has no names; and the data that is made from your documents for searching.
"""
SECRETS = {"digest", "password", "code_digest", "key", "session_key", "data", "secret", "sealed_subject"}
"""Columns that are left out: with them somebody could act as the person, or they say nothing."""


def export_person(member: Membership, file: IO[bytes]) -> None:
    """Write the ZIP file of a member."""
    day = timezone.localdate().isoformat()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README.format(school=member.school, day=day))
        archive.writestr("person.json", to_json(_about(member)))
        for name, text in _conversations(member):
            archive.writestr(name, text)
        write_files(archive, _files(member))
        for number, plan in enumerate(StudyPlan.objects.filter(school=member.school_id, owner=member.user_id), start=1):
            name = export_file_name(plan.title, extension="json", untitled="plan")
            archive.writestr(f"study-plans/{number:03}-{name}", export_json(plan))
        for name, rows in _records(member):
            archive.writestr(f"records/{name}.json", to_json(rows))


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


def amount_of(member: Membership) -> dict[str, int]:
    """How much the file of a member holds, by the names of the tables."""
    user, school = member.user, member.school
    counts: Counter[str] = Counter()
    for kind in (rows_of(user, school), rows_of_participant(user, school), rows_of_account(user)):
        for model, rows in kind:
            counts[str(model._meta.verbose_name_plural)] += rows.count()
    messages = Message.objects.filter(school=school, chat__participant__user=user)
    return {name: count for name, count in {**counts, "messages": messages.count()}.items() if count}


def zip_of(member: Membership) -> FileResponse:
    """The ZIP file of a member as a download. It is made on the disk, since documents may be large."""
    record(Action.PERSON_EXPORTED, school=member.school, subject=member.user)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    export_person(member, file)
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename="my-data.zip", content_type="application/zip")


def _about(member: Membership) -> dict[str, Any]:
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
        "second_factors": factors.names_of(user),
    }


def _conversations(member: Membership) -> Iterator[tuple[str, str]]:
    chats = Chat.objects.filter(school=member.school_id, participant__user=member.user_id).select_related("chatbot")
    for number, chat in enumerate(chats.order_by("created_at", "pk"), start=1):
        messages = list(Message.objects.filter(chat=chat).prefetch_related("sources").order_by("created_at", "pk"))
        yield f"conversations/{number:04}-{export_file_name(chat.title)}", export_chat(chat, messages)


def _files(member: Membership) -> Iterator[tuple[str, str]]:
    """The newest file of each document: its name in the ZIP, and its path."""
    for number, document in enumerate(
        PersonalDocument.objects.for_member(member).order_by("created_at", "pk"), start=1
    ):
        version = document.newest
        name = "".join(sign if sign.isalnum() or sign in "._- " else "_" for sign in version.filename)[-120:]
        yield f"documents/{number:04}-{name.strip() or 'file'}", str(version.file.name)


def _records(member: Membership) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    user, school = member.user, member.school
    for kind in (rows_of(user, school), rows_of_participant(user, school), rows_of_account(user)):
        for model, rows in kind:
            names = [field.attname for field in model._meta.concrete_fields if is_told(field)]
            values = list(rows.order_by("pk").values(*names))
            if values:
                found.setdefault(model._meta.db_table, []).extend(values)
    yield from sorted(found.items())


def is_told(field: models.Field[Any, Any]) -> bool:
    """Whether a column is exported: not if it is a secret, or made from others for searching."""
    made = isinstance(field, models.GeneratedField | SearchVectorField | VectorField | HalfVectorField)
    return not made and field.name not in SECRETS


def to_json(value: Any, *, indent: int | None = 1) -> str:
    """JSON to read: dates in ISO 8601, letters as they are."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value.isoformat() if hasattr(value, "isoformat") else str(value)
