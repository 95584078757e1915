"""Starts, shows or cancels the move to another embedding model. The worker does the work."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from datetime import timedelta

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from corpus.embedding import migrate_model
from corpus.embedding.active_model import configured_model, installation
from corpus.embedding.migrate_model import CannotMove
from corpus.models import Installation
from corpus.progress import time_left
from corpus.wake_worker import wake_reembedding
from engines.errors import EmbeddingUnavailable


class Command(BaseCommand):
    help = (
        "Moves all documents to the embedding model of the settings, in the background. The old model answers until "
        "every passage has a vector of the new one. Safe to run again: it shows the progress."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--status", action="store_true", help="only show the progress")
        what.add_argument("--cancel", action="store_true", help="cancel the move; the old model stays active")
        what.add_argument("--no-wait", action="store_true", help="start the move without showing the progress")

    def handle(self, *args: object, status: bool, cancel: bool, no_wait: bool, **options: object) -> None:
        if cancel:
            cancelled = migrate_model.cancel_move()
            self.stdout.write("The move is cancelled." if cancelled else "No move is under way.")
        try:
            if cancel or status:
                self.stdout.write(describe_installation(installation()))
            elif self.started() and not no_wait:
                self.watch()
        except (EmbeddingUnavailable, CannotMove) as error:
            raise CommandError(str(error)) from error

    def started(self) -> bool:
        """Start or continue the move to the model of the settings. False if there is nothing to do."""
        try:
            self.stdout.write("Loading the embedding model of the settings (the first time some ten seconds) …")
            target, embedder = configured_model()
        except KeyboardInterrupt:
            raise CommandError("Stopped before the model was loaded: nothing has been changed.") from None
        said = migrate_model.move_to(target, embedder)
        wake_reembedding()
        self.stdout.write(said)
        if migrate_model.next_step() is None:
            return False
        self.stdout.write("Ctrl-C ends this display, not the work.")
        return True

    def watch(self) -> None:
        """Show the progress until the move is done, cancelled, or Ctrl-C is pressed."""
        first = row = installation()
        since, began, shown = timezone.now(), time.monotonic(), 0.0
        try:
            while row.started_at == first.started_at:
                passed = time.monotonic() - began
                if self.stdout.isatty() or not shown or passed - shown >= 10:
                    left = time_left(row.progress_done, row.progress_total, since=since, first=first.progress_done)
                    self.show(", ".join(filter(None, (describe_installation(row), left))))
                    shown = passed or 0.001
                time.sleep(1)
                row = installation()
        except KeyboardInterrupt:
            self.stdout.write(
                "\nThe work continues. `manage.py reembed` shows it again, `manage.py reembed --cancel` cancels it."
            )
            return
        self.show("")
        self.stdout.write(
            "Done. " + describe_installation(row) if row.name == first.target_name else describe_installation(row)
        )

    def show(self, line: str) -> None:
        """Print a line; a terminal overwrites the line before."""
        if self.stdout.isatty():
            self.stdout.write(f"\r\x1b[K{line}", ending="")
            sys.stdout.flush()
        elif line:
            self.stdout.write(line)
            self.stdout.flush()


def describe_installation(row: Installation) -> str:
    """The state of the installation in one line."""
    if not row.target_name:
        since = f" since {timezone.localtime(row.switched_at):%d %B %Y, %H:%M}" if row.switched_at else ""
        return f"{row.name} answers{since}; no move is under way."
    share = 100 * row.progress_done // max(row.progress_total, 1)
    line = f"{row.progress_done:,} of {row.progress_total:,} passages ({min(share, 100)}%) to {row.target_name}"
    if row.problem:
        return f"{line}. It makes no progress: {row.problem}"
    still = timezone.now() - max(filter(None, (row.worked_at, row.started_at)))
    if still > timedelta(minutes=1):
        return f"{line}. Nothing has moved for {still // timedelta(minutes=1)} minutes: is the worker running?"
    return line
