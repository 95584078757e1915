from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import NotSupportedError, ProgrammingError, connection

from operations import pooler


class Command(BaseCommand):
    """Migrates the database and collects the static files."""

    help = "Brings the database up to date and collects the static files. Safe to run again."

    def handle(self, *args: object, **options: Any) -> None:
        if pooler.shares_sessions():
            raise CommandError(pooler.ADVICE)
        create_vector_extension()
        call_command("migrate", interactive=False, verbosity=options["verbosity"])
        if settings.STATIC_ROOT.is_relative_to(settings.DATA_DIR):  # else the image has them
            call_command("collectstatic", interactive=False, verbosity=options["verbosity"])


def create_vector_extension() -> None:
    """Create pgvector's extension unless it exists. Raises CommandError where that is impossible."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (NotSupportedError, ProgrammingError) as error:
        name, user = connection.settings_dict["NAME"], connection.settings_dict["USER"]
        raise CommandError(
            f"The database {name} has no extension “vector” (pgvector), and the role {user} cannot create it. Install "
            f"pgvector on the database server, then run once as its superuser: "
            f"psql -d {name} -c 'CREATE EXTENSION vector'"
        ) from error
