"""Personal data of the apps that `privacy` stands on, and its own."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session

from accounts.models import Identity
from privacy.models import Erasure
from privacy.registry import PersonalData, declare, make_due_filter
from rest.idempotency import KEPT_FOR
from rest.models import IdempotencyRecord
from schools.models import AccessToken, Membership

_SESSION = timedelta(seconds=settings.SESSION_COOKIE_AGE)
"""After so long without a request every session is over."""

declare(
    PersonalData(EmailAddress, user="user"),
    PersonalData(Authenticator, user="user"),
    PersonalData(SocialAccount, user="user"),
    PersonalData(LogEntry, user="user"),
    PersonalData(UserSession, user="user", due=make_due_filter(UserSession, "last_seen_at", _SESSION)),
    PersonalData(Session, due=make_due_filter(Session, "expire_date", timedelta())),
    PersonalData(Membership, user="user"),
    PersonalData(AccessToken, user="membership__user"),
    PersonalData(Identity, user="user"),
    PersonalData(IdempotencyRecord, user="owner", due=make_due_filter(IdempotencyRecord, "created_at", KEPT_FOR)),
    PersonalData(Erasure, user="asked_by", blanks=True),
)
