"""Mails that tell people what happened to their account. None of them ever stops what they tell of."""

from __future__ import annotations

import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from accounts import devices

logger = logging.getLogger(__name__)


class TellsPeople(DefaultAccountAdapter):  # type: ignore[misc]
    """Part of the account adapter: notifications go to the account’s own address, and a device is named in words."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> bool:
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
        told = {"device": devices.in_words(self.get_http_user_agent(self.request)), "person": user, **(context or {})}
        super().send_notification_mail(template_prefix, user, told, email or user.email)

    def get_http_user_agent(self, request: HttpRequest) -> str:
        return str(request.META.get("HTTP_USER_AGENT", ""))

    def login(self, request: HttpRequest, user: Any) -> None:
        """Sign in, and tell the person if it is on a device that is new to the account; not the very first time."""
        is_first = user.last_login is None
        super().login(request, user)
        if user.alerts_on_sign_in and not is_first and not devices.is_known(request, user):
            self.send_notification_mail("account/email/new_device", user)

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> Any:
        response = super().post_login(request, user, **kwargs)
        devices.remember(request, response, user)
        return response
