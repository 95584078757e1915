from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from schools import tokens
from schools.models import Scope
from schools.named import find_named_member


class Command(BaseCommand):
    help = "Makes an access token for the REST API and prints it, and nothing else. It is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the person it acts for")
        parser.add_argument("--school", metavar="SLUG", help="needed for a person of several schools")
        parser.add_argument("--scope", choices=Scope.values, default=Scope.READ, help="default: read")
        parser.add_argument("--days", type=int, help="days until it expires; without it, it does not")
        parser.add_argument("--name", default="manage.py create_token", help="what it is listed as")

    def handle(self, *args: object, **options: Any) -> None:
        if (days := options["days"]) is not None and not 1 <= days <= 3650:
            raise CommandError("--days must be between 1 and 3650.")
        member = find_named_member(options["email"], options["school"])
        try:
            _, secret = tokens.make(member=member, name=options["name"][:80], scope=Scope(options["scope"]), days=days)
        except tokens.TokenRefused as reason:
            raise CommandError(str(reason)) from None
        self.stdout.write(secret)
