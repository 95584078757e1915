from django.core.management.base import BaseCommand

from references.models import Archive, ArchiveState
from references.offline.opened import find_problem


class Command(BaseCommand):
    help = "Lists the ZIM files of the installation with their state, and whether this server can read them."

    def handle(self, *args: object, **options: object) -> None:
        for archive in Archive.objects.all():
            facts = [archive.title, archive.language, f"{archive.articles:,} articles", str(archive.date or "")]
            reason = archive.reason
            if archive.state == ArchiveState.READY and (reason := find_problem(archive)):
                reason = f"this server cannot read it: {reason}"
            state = archive.get_state_display() + (f": {reason}" if reason else "")
            self.stdout.write(f"{archive.name}  {', '.join(filter(None, facts))}  {archive.path}  {state}")
