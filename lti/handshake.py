"""The way of a launch: begun by the platform, proved by a token, taken over by the browser that began it.

The token comes by a form of the platform's page, and browsers send no cookie of ours with that. So the verified launch
waits under a ticket, which is good once, and the browser is sent to a page of ours that gets the cookie.
"""

from __future__ import annotations

import secrets
import time
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import salted_hmac

from accounts.single_sign_on.vouchers import Refused
from lti.launch import Launch
from lti.models import Platform

PATIENCE = 600
"""Seconds from the beginning of a launch to its token."""
_PATH = "/lti/"
_LAUNCHES = "lti_launches"  # of the session
_LAUNCH_SECONDS, _MAX_LAUNCHES = 1800, 5


def make_state(platform: Platform) -> str:
    """A new state, from which `compute_nonce` makes the nonce. It is signed.

    Anybody can begin, as often as they like, so nothing is stored.
    """
    return _signer(platform).sign(secrets.token_urlsafe(16))


def remember_state(response: HttpResponseBase, state: str, frame: str) -> None:
    """Let the browser prove later that it is the one that began, by a signed cookie.

    `frame` is the secret of a page in a frame of the platform that waits for what a teacher chooses.
    """
    response.set_cookie(
        _cookie(state),
        signing.dumps(frame, salt=_browser(state)),
        max_age=PATIENCE,
        path=_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def check_state(platform: Platform, state: str) -> None:
    """Raises Refused for a state that was not given for this platform, or too long ago."""
    try:
        _signer(platform).unsign(state, max_age=PATIENCE)
    except signing.BadSignature:
        raise Refused("state") from None


def compute_nonce(state: str) -> str:
    return salted_hmac("lti.nonce", state, algorithm="sha256").hexdigest()


def give_ticket(platform: Platform, state: str, launch: Launch) -> str:
    """Let a verified launch wait for its browser. Returns the ticket. Raises Refused if the state is used up."""
    if not cache.add(f"lti-state:{_digest(state)}", True, PATIENCE):
        raise Refused("state")
    ticket = secrets.token_urlsafe(24)
    waiting = {"platform": str(platform.pk), "state": state, "launch": launch.as_dict()}
    cache.set(f"lti-ticket:{_digest(ticket)}", waiting, 120)  # seconds
    return ticket


def take_ticket(request: HttpRequest, platform: Platform, ticket: str) -> tuple[Launch, str]:
    """The launch that waits for this browser, and the secret of the frame that waits for it. Raises Refused."""
    kept = _take(f"lti-ticket:{_digest(ticket)}")
    if kept is None or kept["platform"] != str(platform.pk):
        raise Refused("state")
    state = kept["state"]
    try:
        frame = signing.loads(request.COOKIES.get(_cookie(state), ""), salt=_browser(state))
    except signing.BadSignature:
        raise Refused("browser") from None
    return Launch.of(kept["launch"]), frame


def keep(request: HttpRequest, launch: Launch, frame: str) -> tuple[str, dict[str, Any]]:
    """A key for this launch, and what the session has to hold: the last launches, and this one."""
    key, now = secrets.token_urlsafe(9), int(time.time())
    known = request.session.get(_LAUNCHES, {})
    held = {name: one for name, one in known.items() if one["until"] > now}
    held[key] = {"launch": launch.as_dict(), "frame": frame, "until": now + _LAUNCH_SECONDS}
    return key, {_LAUNCHES: dict(list(held.items())[-_MAX_LAUNCHES:])}


def find_launch(request: HttpRequest, key: str) -> tuple[Platform, Launch, str] | None:
    """A launch of this session with its platform and the secret of its frame, while it lasts and the platform works."""
    one = request.session.get(_LAUNCHES, {}).get(key)
    if not one or one["until"] < time.time():
        return None
    launch = Launch.of(one["launch"])
    platform = Platform.objects.working().select_related("school").filter(pk=UUID(launch.platform)).first()
    return (platform, launch, one["frame"]) if platform else None


def forget(request: HttpRequest, key: str) -> None:
    """The launch is done."""
    known = dict(request.session.get(_LAUNCHES, {}))
    known.pop(key, None)
    request.session[_LAUNCHES] = known


def make_frame() -> str:
    """A secret for a page in a frame of the platform, and for the window that it opens."""
    return secrets.token_urlsafe(24)


def hand_to_frame(frame: str, launch: Launch, link: UUID) -> None:
    """Let the page in the frame take over what was chosen in this window."""
    cache.set(f"lti-frame:{_digest(frame)}", {"launch": launch.as_dict(), "link": str(link)}, _LAUNCH_SECONDS)


def find_choice(frame: str, platform: Platform) -> tuple[Launch, UUID] | None:
    """What was chosen for this frame; None while nothing is. It may look again, such as after a broken connection."""
    kept = cache.get(f"lti-frame:{_digest(frame)}") if frame else None
    if kept is None or kept["launch"]["platform"] != str(platform.pk):
        return None
    return Launch.of(kept["launch"]), UUID(kept["link"])


def _take(key: str) -> dict[str, Any] | None:
    """Of two who come at once, one gets it: deleting tells whether there was something to delete."""
    kept = cache.get(key)
    return kept if kept is not None and cache.delete(key) else None


def _signer(platform: Platform) -> signing.TimestampSigner:
    return signing.TimestampSigner(salt=f"lti-state:{platform.pk}")


def _browser(state: str) -> str:
    return f"lti-browser:{state}"


def _cookie(state: str) -> str:
    return f"lti-{_digest(state)[:12]}"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
