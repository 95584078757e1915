"""All that is stored of a school: written to a ZIP of readable files, or erased with a certificate."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from privacy.exporting import is_exported, to_json, write_files
from privacy.models import BACKUPS
from schools import deletion
from schools.audit.actions import Action
from schools.audit.models import AuditEntry
from schools.audit.recording import record
from schools.models import Membership, School, SchoolOwned

README = """Everything that Lectern stores of {school}, made on {day}.

school.json     the school
people.json     its people: name, e-mail address, role
records/        one file for each table, one row in each line, as JSON
files/          the stored files, by the paths that the records name

Not in it: passwords and the secrets of tokens and codes, and the data that is made from documents for searching.
Conversations of teachers and pupils are in records/chatbots_message.jsonl: keep this file as safe as the database.
"""


def export_school(school: School, file: IO[bytes]) -> dict[str, int]:
    """Write the ZIP file of a school; returns how many rows each table has, and how many files there are."""
    counts: dict[str, int] = {}
    paths: set[str] = set()
    with transaction.atomic(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README.format(school=school, day=timezone.localdate().isoformat()))
        archive.writestr("school.json", to_json({"name": school.name, "slug": school.slug, "since": school.created_at}))
        archive.writestr("people.json", to_json(list(_people(school))))
        for model, rows in list_tables(school):
            named = [field.attname for field in model._meta.concrete_fields if is_exported(field)]
            of_files = [field.attname for field in model._meta.concrete_fields if isinstance(field, models.FileField)]
            table = model._meta.db_table
            with archive.open(f"records/{table}.jsonl", "w", force_zip64=True) as target:
                for row in rows.order_by("pk").values(*named).iterator(chunk_size=500):
                    target.write(to_json(row, indent=None).encode() + b"\n")
                    paths.update(str(row[name]) for name in of_files if row[name])
                    counts[table] = counts.get(table, 0) + 1
        write_files(archive, [(f"files/{path}", path) for path in sorted(paths)], counts)
        record(Action.SCHOOL_EXPORTED, school=school, subject=school, label=school.name)
    return counts


@transaction.atomic
def erase_school(school: School, certificate: Path) -> dict[str, object]:
    """Erase a school with all that it has, and write the certificate to a file that does not exist yet.

    Accounts of people who then belong to no school go as well, unless they are an operator's. Raises FileExistsError.
    """
    extent = deletion.measure_extent([school])
    people = [one.user for one in Membership.objects.filter(school=school).select_related("user")]
    told: dict[str, Any] = {
        "erased": school.name,
        "erased_at": timezone.now(),
        "counts": dict(extent.rows),
        "files": len(extent.files),
        "bytes_of_files": extent.size,
        "kept": [
            "Accounts of people who belong to another school or are operators.",
            f"In the audit log of operators, that the school was erased, for {settings.LECTERN_AUDIT_DAYS} days.",
        ],
        "backups": BACKUPS,
    }
    deletion.delete_with_everything([school])
    alone = [one for one in people if not (one.is_staff or one.is_superuser or one.memberships.exists())]
    deletion.delete_with_everything(alone)
    told["counts"]["accounts"] = len(alone)
    with certificate.open("x", encoding="utf-8") as target:
        target.write(to_json(told) + "\n")
    return told


def list_tables(school: School) -> Iterator[tuple[type[models.Model], models.QuerySet[Any]]]:
    """Each table whose rows belong to schools, with those of this one."""
    for model in apps.get_models():
        if issubclass(model, SchoolOwned | AuditEntry):
            yield model, model._base_manager.filter(school=school)


def _people(school: School) -> Iterator[dict[str, object]]:
    for one in Membership.objects.filter(school=school).select_related("user").order_by("pk"):
        yield {
            "id": str(one.user_id),
            "name": one.name,
            "email": one.user.email,
            "role": one.role,
            "since": one.created_at,
        }
