from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from operations import pooler


class Command(BaseCommand):
    """Migrates the database and collects the static files."""

    help = "Brings the database up to date and collects the static files. Safe to run again."

    def handle(self, *args: Any, **options: Any) -> None:
        if pooler.shares_sessions():
            raise CommandError(pooler.ADVICE)
        call_command("migrate", interactive=False, verbosity=options["verbosity"])
        call_command("collectstatic", interactive=False, verbosity=options["verbosity"])
