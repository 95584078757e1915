import sys

from django.conf import settings
from django.core.management.base import BaseCommand

from engines.model_check import describe_model, find_model_problem


class Command(BaseCommand):
    help = "Says in one line whether the language model of LECTERN_LLM_MODEL answers. Ends with code 1 if it does not."
    requires_system_checks = []

    def handle(self, *args: object, **options: object) -> None:
        if not settings.LECTERN_LLM_MODEL:
            self.stdout.write("no language model is set up: answers are quotations")
            return
        problem = find_model_problem()
        self.stdout.write(f"{describe_model()} {problem or 'answers'}")
        sys.exit(1 if problem else 0)
