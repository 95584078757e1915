from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from references.models import Archive
from references.offline.adding import remove_archive


class Command(BaseCommand):
    help = "Removes a ZIM file from the installation, with its title index. The file itself stays where it is."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="as manage.py list_zims shows it")

    def handle(self, *args: object, **options: Any) -> None:
        archive = Archive.objects.filter(name=options["name"]).first()
        if archive is None:
            raise CommandError(f"There is no archive {options['name']}. manage.py list_zims lists them.")
        remove_archive(archive)
        self.stdout.write(f"{archive} is removed. Its file {archive.path} is still there.")
