import smtplib
import socket
import ssl
from argparse import ArgumentParser

from django.conf import settings
from django.core.mail import send_mail
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Sends a mail by EMAIL_URL, and says in words what is wrong if it cannot be sent."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address")

    def handle(self, *args: object, address: str, **options: object) -> None:
        try:
            send_mail("[Lectern] Test", "Lectern can send mails.", None, [address])
        except (OSError, ValueError) as error:  # also what smtplib raises
            server = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
            raise CommandError(f"{server}: {describe_failure(error)} Check EMAIL_URL. ({error})") from error
        if settings.EMAIL_BACKEND.endswith("filebased.EmailBackend"):
            self.stdout.write(f"EMAIL_URL is not set: the mail is a file in {settings.DATA_DIR / 'mail'}.")
        else:
            self.stdout.write(f"The mail server took the mail to {address}. Look whether it arrives.")


def describe_failure(error: Exception) -> str:
    """What a person can do something about."""
    sentences: list[tuple[type[Exception] | tuple[type[Exception], ...], str]] = [
        (smtplib.SMTPAuthenticationError, "The mail server refuses the user or the password."),
        (smtplib.SMTPSenderRefused, f"The mail server refuses the sender {settings.DEFAULT_FROM_EMAIL}."),
        (smtplib.SMTPRecipientsRefused, "The mail server refuses this recipient."),
        (smtplib.SMTPNotSupportedError, "The mail server does not offer what EMAIL_URL asks for (TLS or a password)."),
        (ssl.SSLError, "There is no secure connection. smtp+tls is for port 587, smtp+ssl for 465."),
        (socket.gaierror, "There is no server of this name."),
        ((TimeoutError, smtplib.SMTPServerDisconnected), "The mail server does not answer."),
        (ConnectionRefusedError, "No mail server listens there."),
        (ValueError, "This is no address."),
    ]
    return next((sentence for kind, sentence in sentences if isinstance(error, kind)), "The mail could not be sent.")
