import sys
from argparse import ArgumentParser
from dataclasses import asdict

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from chatbots.answering.request import get_prompt_budget
from chatbots.model_trial import find_trial, try_model
from corpus.embedding.active_model import installation
from engines.errors import EngineError
from engines.llm import get_llm
from engines.model_check import describe_model, find_model_problem


class Command(BaseCommand):
    help = (
        "Asks the language model of LECTERN_LLM_MODEL packaged questions and says whether it fits; pages of operators "
        "show the result. Ends with code 1 if the model does not answer."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--brief", action="store_true", help="ask nothing: say whether it answers, and what is known"
        )

    def handle(self, *args: object, brief: bool = False, **options: object) -> None:
        if not settings.LECTERN_LLM_MODEL:
            self.stdout.write("no language model is set up: answers are quotations")
            return
        name = describe_model()
        if problem := find_model_problem():
            self.stdout.write(f"{name} {problem}")
            sys.exit(1)
        if not brief:
            llm = get_llm()
            try:
                row = installation()
                trial = try_model(llm, name, get_prompt_budget(llm), self.stderr.write)
            except EngineError as error:
                raise CommandError(f"The trial was not finished: {error}") from error
            row.language_model_trial = asdict(trial)
            row.save(update_fields=["language_model_trial"])
        found = find_trial()
        self.stdout.write(f"{name} answers; {found or 'manage.py language_model tries whether it fits'}")
