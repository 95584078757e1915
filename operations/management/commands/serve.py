import contextlib
from argparse import ArgumentParser

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from psycopg import sql

from operations import health
from operations.embedded import EmbeddedError
from operations.supervisor import StartFailed, Supervisor

ACCOUNTS = {
    "teacher@riverside.example": "a teacher with chatbots and documents",
    "colleague@riverside.example": "a colleague at the same school",
    "admin@riverside.example": "looks after the school's library",
    "teacher@hillcrest.example": "a teacher of another school",
    "admin@hillcrest.example": "its admin",
    "operator@lectern.example": "runs the installation",
}


class Command(BaseCommand):
    help = "Runs all of Lectern: workers, scheduler, web server and, where not given, PostgreSQL and Redis."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=settings.LECTERN_PORT)

    def handle(self, *args: object, port: int, **options: object) -> None:
        if not 0 < port < 65536:
            raise CommandError(f"The port must be a number from 1 to 65535, not {port}.")
        supervisor = Supervisor(settings.DATA_DIR, settings.LECTERN_HOST, port, self.say)
        try:
            supervisor.run(self.welcome)
        except (StartFailed, EmbeddedError) as error:
            raise CommandError(str(error)) from error

    def say(self, name: str, message: str) -> None:
        with contextlib.suppress(OSError):  # the terminal may be gone while we still have to stop things
            self.stdout.write(f"{name:>8} | {message}")
            self.stdout.flush()

    def welcome(self, address: str) -> None:
        lines = ["", f"Lectern is ready: {address}", ""]
        if demo_is_loaded():
            lines.append(f"Sign in to the demo with the password {settings.LECTERN_DEMO_PASSWORD}:")
            lines += [f"  {email:<28} {what}" for email, what in ACCOUNTS.items()]
            lines.append("")
        lines += [f"Logs are in {settings.DATA_DIR / 'logs'}. Ctrl-C stops everything.", ""]
        with contextlib.suppress(OSError):
            self.stdout.write("\n".join(lines))
            self.stdout.flush()


def demo_is_loaded() -> bool:
    """Whether the demo is loaded. Uses no pool, which would start threads: children are forked later."""
    table = sql.Identifier(get_user_model()._meta.db_table)
    query = sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE email = ANY(%s))").format(table)
    with health.connect_outside_pool() as connection:
        found = connection.execute(query, [list(ACCOUNTS)]).fetchone()
    return bool(found and found[0])
