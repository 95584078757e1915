from typing import Any

from django.core.management.base import BaseCommand

from references.models import Archive


class Command(BaseCommand):
    help = "Lists the ZIM files of the installation with their state."

    def handle(self, *args: Any, **options: Any) -> None:
        for archive in Archive.objects.all():
            facts = [archive.title, archive.language, f"{archive.articles:,} articles", str(archive.date or "")]
            state = archive.get_state_display() + (f": {archive.reason}" if archive.reason else "")
            self.stdout.write(f"{archive.name}  {', '.join(filter(None, facts))}  {archive.path}  {state}")
