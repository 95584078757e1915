from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from references.approved.queue import list_pages, schools_to_warm
from references.approved.reading import read_pages
from references.models import ApprovedPage
from schools.models import School


class Command(BaseCommand):
    help = (
        "Reads the approved pages of all schools that use them, or of one, into the cache, and says how each is. "
        "The same happens every night."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--school", metavar="SLUG", help="only this school, also if it does not use them yet")

    def handle(self, *args: object, **options: Any) -> None:
        states: Counter[str] = Counter()
        for school in self.schools(options["school"]):
            pages = list(list_pages(school))
            self.stdout.write(f"{school}: {len(pages)} pages")
            numbers = iter(range(1, len(pages) + 1))

            def tell(page: ApprovedPage, numbers: Any = numbers, total: int = len(pages)) -> None:
                words = f": {page.reason}" if page.reason else ""
                self.stdout.write(f"  {next(numbers)} of {total}  {page.address}  {page.get_state_display()}{words}")
                states[page.get_state_display()] += 1

            read_pages(pages, progress=tell)
        told = ", ".join(f"{number} {state.lower()}" for state, number in sorted(states.items()))
        self.stdout.write(told or "No pages were read: none are listed, or calls to the outside are switched off.")

    def schools(self, slug: str | None) -> list[School]:
        if not slug:
            return schools_to_warm()
        school = School.objects.filter(slug=slug).first()
        if school is None:
            raise CommandError(f"There is no school “{slug}”.")
        return [school]
