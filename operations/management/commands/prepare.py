import os
from typing import Any

from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    """Everything that has to be done once before this version of Lectern can serve."""

    help = (
        "Brings the database up to date, collects the static files and, in an installation without schools, "
        "loads the demo school (unless LECTERN_DEMO=0). Safe to run again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=options["verbosity"])
        call_command("collectstatic", interactive=False, verbosity=options["verbosity"])
        if os.environ.get("LECTERN_DEMO", "1") != "0" and "load_demo" in get_commands():
            call_command("load_demo", verbosity=options["verbosity"])
