"""The e-mail that tells a person that they have become a member of a school."""

from __future__ import annotations

import logging

from allauth.account.adapter import get_adapter
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.urls import reverse

from schools.access import MemberRequest
from schools.models import Membership, User

logger = logging.getLogger(__name__)


def send_invitation(request: MemberRequest, membership: Membership) -> bool:
    """Send the e-mail, with a link to set a password if there is none yet. False if the mail server refused it.

    An account that the operator switched off gets no e-mail. The admin is not told, since other schools may use it.
    """
    user = membership.user
    if not user.is_active:
        return True
    context = {
        "school": membership.school,
        "by": request.member.name,
        "role": membership.get_role_display(),
        "login_url": request.build_absolute_uri(reverse("account_login")),
        "password_url": "" if user.has_usable_password() else _password_url(user),
        "days": settings.PASSWORD_RESET_TIMEOUT // 86400,
    }
    try:
        get_adapter().send_mail("account/email/invitation", user.email, context)
    except OSError:  # all that a mail server can answer, or not answer, is one
        logger.exception("An invitation could not be sent")
        return False
    return True


def _password_url(user: User) -> str:
    key = f"{user_pk_to_url_str(user)}-{default_token_generator.make_token(user)}"
    url: str = get_adapter().get_reset_password_from_key_url(key)
    return url
