"""Deletes orphan files, as the worker does once a day."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from corpus.ingestion.storage import delete_orphan_files


class Command(BaseCommand):
    help = "Delete files that no document refers to and that are older than a day."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only list them")

    def handle(self, *args: object, **options: Any) -> None:
        orphans = delete_orphan_files(dry_run=options["dry_run"])
        for name in orphans:
            self.stdout.write(name)
        done = "would be deleted" if options["dry_run"] else "deleted"
        self.stdout.write(f"{len(orphans)} file{'' if len(orphans) == 1 else 's'} {done}.")
