#!/usr/bin/env python3
"""Django's command line. It says in a sentence when settings are wrong or services are not running."""

import os
import sys
from pathlib import Path

WITHOUT_SERVICES = {
    "serve", "help", "version", "check", "collectstatic", "makemigrations", "makemessages", "compilemessages",
    "diffsettings", "findstatic", "startapp", "reader",
}  # fmt: skip


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.conf import settings
    from django.core.management import execute_from_command_line

    data = settings.DATA_DIR
    if _needs_services(sys.argv[1:]) and not _services_are_running(data):
        sys.exit(f"Lectern's services are not running in {data}; start them with `make run`.")
    execute_from_command_line(sys.argv)


def _needs_services(arguments: list[str]) -> bool:
    return bool(arguments) and arguments[0] not in WITHOUT_SERVICES and not {"--help", "-h"} & {*arguments}


def _services_are_running(data: Path) -> bool:
    """Services that were given by address are not ours to judge."""
    from operations import embedded

    database = bool(os.environ.get("DATABASE_URL")) or embedded.database_is_running(data)
    broker = os.environ.get("REDIS_URL") or not embedded.redis_program() or embedded.redis_is_running(data)
    return database and bool(broker)


if __name__ == "__main__":
    main()
