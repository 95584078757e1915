"""django-allauth's adapter: sign-up is closed, wrong passwords are limited, and people are told by mail."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from accounts import devices
from schools import rate_limits
from schools.models import User

logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Counts wrong passwords in place of allauth, and mails to the account's own address.

    No mail ever stops what it tells of.
    """

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Raise a ValidationError when there were too many wrong passwords."""
        self._counted: list[tuple[rate_limits.Limit, tuple[Any, ...]]] = []
        account = _read_address(credentials)
        for limit, *by in _limits(request, account):
            if not rate_limits.take(limit, *by).allowed:
                raise self.validation_error("too_many_login_attempts")
            self._counted.append((limit, tuple(by)))

    def authenticate(self, request: HttpRequest, **credentials: object) -> object:
        """Do not count a right password."""
        user = super().authenticate(request, **credentials)
        for limit, by in self._counted if user else ():
            rate_limits.give_back(limit, *by)
        return user

    def send_mail(self, template_prefix: str, email: str, context: dict[str, object]) -> bool:
        """Send a mail. False if it could not be sent: pages about passwords say the same in any case."""
        try:
            super().send_mail(template_prefix, email, context)
        except OSError:  # all that a mail server can answer, or not answer, is one
            logger.exception("A mail could not be sent: %s", template_prefix)
            return False
        return True

    def send_notification_mail(
        self, template_prefix: str, user: Any, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        device = devices.describe_device(self.get_http_user_agent(self.request))
        more = {"device": device, "person": user, **(context or {})}
        super().send_notification_mail(template_prefix, user, more, email or user.email)

    def get_http_user_agent(self, request: HttpRequest) -> str:
        return str(request.META.get("HTTP_USER_AGENT", ""))

    def login(self, request: HttpRequest, user: Any) -> None:
        """Sign in, and tell the person if it is on a device that is new to the account; not the very first time."""
        is_first = user.last_login is None
        super().login(request, user)
        if user.alerts_on_sign_in and not is_first and not devices.is_known(request, user):
            self.send_notification_mail("account/email/new_device", user)

    def post_login(self, request: HttpRequest, user: object, **kwargs: object) -> object:
        response = super().post_login(request, user, **kwargs)
        devices.remember(request, response, user)
        return response


def forgive(request: HttpRequest, user: User, **_: object) -> None:
    """Receive that a password was reset: wrong ones for the account are counted from nothing."""
    account, network = user.email.lower(), rate_limits.get_client_network(request)
    for is_known in (True, False):
        rate_limits.clear(rate_limits.WRONG_PASSWORDS, account, network, is_known)
    rate_limits.clear(rate_limits.WRONG_PASSWORDS_EVERYWHERE, account)


def _limits(request: HttpRequest, account: str) -> Iterator[tuple[Any, ...]]:
    """Yield limits with what they count apart.

    Somebody who guesses at one address does not lock the owner out at another: only a far higher limit counts all
    guesses at an account. What is counted of all accounts at an address, which may be a whole school, spares devices
    on which the account was used before.
    """
    network = rate_limits.get_client_network(request)
    user = User.objects.with_address(account).first()
    is_known = user is not None and devices.is_known(request, user)
    if not is_known:
        yield rate_limits.WRONG_PASSWORDS_OF_NETWORK, network
    yield rate_limits.WRONG_PASSWORDS, account, network, is_known
    yield rate_limits.WRONG_PASSWORDS_EVERYWHERE, account


def _read_address(credentials: dict[str, object]) -> str:
    typed = str(credentials.get("email") or credentials.get("username") or "")
    return typed.replace("\0", "").strip().lower()
