"""Takes in a folder of Markdown files as a textbook, or what has changed in it since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.management.base import BaseCommand, CommandError, CommandParser

import knowledge.services
import school_library.services
from corpus.ingestion import uploads
from corpus.ingestion.readers.structure import BOOK
from corpus.ingestion.storage import UnchangedFile, UploadRefused
from corpus.ingestion.textbook_bundle import bundle_textbook, markdown_files_in
from corpus.models import Document
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.models import Membership
from schools.named import find_named_member


class Command(BaseCommand):
    help = "Takes in a folder of Markdown files as one textbook. One of the same title gets a new version."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="its README, SUMMARY.md or names say the order of the files")
        parser.add_argument("email", help="the person who uploads it")
        parser.add_argument("--school", metavar="SLUG", help="needed for a person of several schools")
        parser.add_argument("--library", action="store_true", help="into the school's library, for admins")
        parser.add_argument("--title", help="default: the name of the folder")

    def handle(self, *args: object, **options: Any) -> None:
        folder: Path = options["folder"].resolve()
        member = find_named_member(options["email"], options["school"])
        if options["library"] and not member.is_admin:
            raise CommandError(f"{member.user.email} is no admin there: only admins keep the library.")
        if not folder.is_dir():
            raise CommandError(f"{folder} is no folder.")
        files, title = (
            markdown_files_in(folder),
            (options["title"] or folder.name).strip()[:120] or "Textbook",
        )
        if not files:
            raise CommandError(f"There are no Markdown files in {folder}.")
        try:
            said = _take(member, bundle_textbook(files, title), title, in_library=options["library"])
        except UnchangedFile:
            said = "has not changed"
        except UploadRefused as reason:
            raise CommandError(str(reason)) from None
        self.stdout.write(f"“{title}” ({len(files)} file{'' if len(files) == 1 else 's'}) {said}.")


def _take(member: Membership, file: File[bytes], title: str, *, in_library: bool) -> str:
    """What has become of it: a textbook of this title in the same place gets a new version."""
    documents: Any = (
        SchoolDocument.objects.for_school(member.school) if in_library else PersonalDocument.objects.for_member(member)
    )
    namesakes: list[Document] = list(documents.filter(title=title).order_by("created_at", "pk"))
    known = next(filter(_is_textbook, namesakes), None)
    if namesakes and not known:
        raise CommandError(
            f"“{title}” is there already and is no textbook in Markdown. "
            "It was left as it is; give this one another title with --title."
        )
    if known:
        uploads.replace(known, file, by=member.user)
        return "was added as a new version and is being read"
    upload: Any = school_library.services.upload if in_library else knowledge.services.upload
    document, is_new = upload(member=member, file=file, title=title)
    return "was uploaded and is being read" if is_new else f"is there already, as “{document.title}”"


def _is_textbook(document: Document) -> bool:
    """Whether it is an archive of Markdown, as its content says; its name, as long as it was not read."""
    newest = document.newest
    return newest.media_type == BOOK if newest.media_type else newest.filename.lower().endswith(".zip")
