import sys
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from corpus.progress import describe_time_left
from references.offline.adding import add_archive
from references.offline.title_index import NoTitleIndex
from references.offline.zim import ZimError, ZimUnavailable


class Command(BaseCommand):
    help = (
        "Adds a ZIM file (Wikipedia, Wikibooks, Vikidia, Wiktionary) to the installation: checks it and builds its "
        "title index. A newer file of the same name takes the place of the older one. A run that was interrupted goes "
        "on when it is started again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--limit", type=int, help="index only the first so many titles, for a try")
        parser.add_argument("--skip-checksum", action="store_true", help="do not read the whole file first")

    def handle(self, *args: object, **options: Any) -> None:
        if options["limit"] is not None and options["limit"] < 1:
            raise CommandError("--limit must be at least 1.")
        try:
            archive = add_archive(
                options["path"],
                progress=_Progress(self),
                limit=options["limit"],
                checksum=not options["skip_checksum"],
            )
        except (ZimUnavailable, ZimError, NoTitleIndex) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"{archive} is ready: {archive.articles:,} articles, language {archive.language or 'unknown'}."
        )


class _Progress:
    """A line on standard error: how much is done, how fast, and how long the rest will take."""

    def __init__(self, command: BaseCommand) -> None:
        self.stream = command.stderr
        self.is_terminal = sys.stderr.isatty()
        self.what, self.first, self.began, self.last = "", 0, 0.0, 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if what != self.what:
            self.what, self.first, self.began = what, done, now
        elif done < total and now - self.last < 0.5 * (1 if self.is_terminal else 10):
            return
        self.last = now
        rate = (done - self.first) / (now - self.began) if now > self.began else 0.0
        line = f"{done:,} of {total:,} {what}"
        if rate:
            line += f", {rate:,.0f} a second, {describe_time_left((total - done) / rate)}"
        ending = "\n" if done >= total or not self.is_terminal else ""
        self.stream.write(("\r\x1b[K" if self.is_terminal else "") + line, ending=ending)
        self.stream.flush()
