from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import IntegrityError, OperationalError

from privacy.management.commands.export_school import named_school
from privacy.whole_school import erase_school
from schools import deletion


class Command(BaseCommand):
    help = (
        "Erases a school with everything that it has, and writes a certificate. Without --name it only says how much "
        "that is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("school", metavar="SLUG")
        parser.add_argument("--name", help="the name of the school, which confirms that it is meant")
        parser.add_argument("--certificate", type=Path, help="the file to write; default: erased-SLUG.json here")

    def handle(self, *args: object, **options: Any) -> None:
        school = named_school(options["school"])
        if options["name"] is None:
            for name, count in deletion.measure_extent([school]).rows.items():
                self.stdout.write(f"{count:>9} {name}")
            self.stdout.write(f"Nothing was erased. To erase all of it: --name '{school.name}'")
            return
        if options["name"] != school.name:
            raise CommandError(f"The school “{options['school']}” has another name: {school.name}. Nothing was erased.")
        path = options["certificate"] or Path(f"erased-{school.slug}.json")
        try:
            erase_school(school, path)
        except FileExistsError:
            raise CommandError(f"{path} exists already. Nothing was erased.") from None
        except OSError as error:
            raise CommandError(f"{path} could not be written: {error.strerror}. Nothing was erased.") from None
        except (IntegrityError, OperationalError):
            raise CommandError("Somebody was writing in this school. Nothing was erased; please try again.") from None
        self.stdout.write(f"Erased. The certificate is {path}.")
