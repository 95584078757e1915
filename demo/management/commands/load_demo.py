from django.conf import settings
from django.core.management.base import BaseCommand

from demo.loader import OwnSchools, Unfinished, load_demo


class Command(BaseCommand):
    help = (
        "Loads the demo: two schools with people, documents, chatbots and a conversation. Does nothing in an "
        "installation that has schools of its own. Safe to run again; an interrupted run is completed."
    )

    def handle(self, *args: object, **options: object) -> None:
        try:
            loaded = load_demo(password=settings.LECTERN_DEMO_PASSWORD, say=self.stdout.write)
        except OwnSchools:
            self.stdout.write("This installation has schools of its own: the demo is not loaded.")
        except Unfinished as missing:
            self.stdout.write(f"The demo is not complete yet. {missing}")
        else:
            self.stdout.write("The demo is loaded." if loaded else "The demo was loaded before.")
