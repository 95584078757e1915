"""Tries a reader on passages that come with Lectern, and calibrates it."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from engines.reader.calibration import Calibration, fit_calibration, load_calibration, store_calibration
from engines.reader.folder import load_folder
from engines.reader.loading import NONE, load_packaged
from engines.reader.reading import Reader, ReaderUnavailable
from engines.reader.trial import MAX_MS, MIN_AUC, Trial, samples, try_reader

_LANGUAGE = "en"  # of the samples


class Command(BaseCommand):
    help = (
        "Tries a reader: lets it read passages that come with Lectern, and says how well and how fast it tells whether "
        "they answer. With --write it is calibrated, which a folder's reader needs once."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, help="default: the reader of LECTERN_READER")
        parser.add_argument("--write", action="store_true", help="fit scale and offset, and store them in the folder")

    def handle(self, *args: object, folder: Path | None, write: bool, **options: object) -> None:
        folder = folder.expanduser().resolve() if folder else _folder_of_settings()
        if write and folder is None:
            raise CommandError("The packaged reader needs no calibration. Name a folder to calibrate the reader in it.")
        try:
            reader = self.loaded(folder, write)
            stored = folder is not None and not write and load_calibration(folder) is not None
        except ReaderUnavailable as error:
            raise CommandError(str(error)) from error
        trial = try_reader(reader, samples())
        self.stdout.write(describe_trial(reader, trial))
        if folder and write:
            self.calibrate(folder, trial)
        self.stdout.write(advice(reader, trial, folder, calibrated=folder is None or write or stored))

    def loaded(self, folder: Path | None, write: bool) -> Reader:
        """Return the reader; without its calibration where a new one is to be fitted. Raises ReaderUnavailable."""
        threads = settings.LECTERN_EMBEDDING_THREADS
        if folder is None:
            return load_packaged(threads)
        return load_folder(folder, threads, Calibration() if write else None)

    def calibrate(self, folder: Path, trial: Trial) -> None:
        """Fit the calibration and store it. Raises CommandError, and the one before stays."""
        try:
            found = fit_calibration(trial.answered, trial.unanswered)
            file = store_calibration(folder, found)
        except ValueError as error:
            raise CommandError(f"Nothing is written: {error} Lectern cannot use this model.") from error
        except OSError as error:
            raise CommandError(f"The calibration cannot be written: {error}") from error
        self.stdout.write(f"Calibration  {found.scale:.3g} × logit {found.offset:+.3g}, written to {file}")


def _folder_of_settings() -> Path | None:
    """Return the folder of the reader in the settings, None for the packaged one. Raises CommandError."""
    if settings.LECTERN_READER == NONE:
        raise CommandError("LECTERN_READER is “none”: nothing is read. Name a folder to try the reader in it.")
    return Path(settings.LECTERN_READER) if settings.LECTERN_READER else None


def describe_trial(reader: Reader, trial: Trial) -> str:
    """The figures of a trial, one a line."""
    languages = "any" if "*" in reader.languages else ", ".join(sorted(reader.languages))
    threads = settings.LECTERN_EMBEDDING_THREADS
    told = f"{100 * trial.auc:.0f}% of the pairs of an answered and an unanswered question"
    return (
        f"Reader       {reader.name}\n"
        f"Languages    {languages}\n"
        f"Speed        {trial.milliseconds:.0f} ms a passage, {threads} thread{'' if threads == 1 else 's'}\n"
        f"Told apart   {told} (AUC {trial.auc:.2f})"
    )


def advice(reader: Reader, trial: Trial, folder: Path | None, *, calibrated: bool) -> str:
    """Whether the reader fits, and what to do."""
    lines = []
    if not trial.tells_apart:
        lines.append(
            f"It does not fit: with an AUC below {MIN_AUC} it would spoil the order of the search. Take a model that "
            "was trained to say “no answer”, such as on SQuAD 2, or a cross-encoder, or leave LECTERN_READER empty."
        )
    if not trial.is_quick:
        lines.append(
            f"It does not fit: more than {MAX_MS:.0f} ms a passage is too slow, since ten are read before an answer. "
            "Take a smaller model, its ONNX export, or more threads (LECTERN_EMBEDDING_THREADS)."
        )
    if not lines and not calibrated:
        lines.append(f"It fits. Calibrate it before you use it: manage.py reader {folder} --write")
    elif not lines:
        use = "leave LECTERN_READER empty" if folder is None else f"set LECTERN_READER={folder}"
        lines.append(f"It fits. To use it, {use} and restart Lectern.")
    if not reader.languages & {"*", _LANGUAGE}:
        lines.append("The passages are English, which is not among its languages: the AUC says little about it.")
    return "\n".join(lines)
