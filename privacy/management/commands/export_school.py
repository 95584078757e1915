from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from privacy.whole_school import export_school
from schools.models import School


class Command(BaseCommand):
    help = "Writes everything that is stored of a school to a ZIP file of readable files."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("school", metavar="SLUG")
        parser.add_argument("file", type=Path, help="the ZIP file to write; it must not exist")

    def handle(self, *args: object, **options: Any) -> None:
        school, path = named_school(options["school"]), options["file"]
        try:
            with path.open("xb") as file:
                path.chmod(0o600)
                counts = export_school(school, file)
        except FileExistsError:
            raise CommandError(f"{path} exists already. Nothing was written.") from None
        except OSError as error:
            raise CommandError(f"{path} could not be written: {error.strerror}.") from None
        rows = sum(count for name, count in counts.items() if name != "stored files")
        self.stdout.write(f"{path}: {rows} rows and {counts.get('stored files', 0)} files of {school}.")


def named_school(slug: str) -> School:
    """The school of this slug. Raises CommandError."""
    school = School.objects.filter(slug=slug).first()
    if school is None:
        known = ", ".join(School.objects.order_by("slug").values_list("slug", flat=True)[:20])
        raise CommandError(f"There is no school “{slug}”. There are: {known or 'none'}.")
    return school
