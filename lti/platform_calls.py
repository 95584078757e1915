"""Calls to the services of a platform: a token for them, and a score (Assignment and Grade Services)."""

from __future__ import annotations

import json
from datetime import datetime
from urllib.parse import urlsplit, urlunsplit

from django.core.cache import cache

from accounts import encryption
from accounts.single_sign_on import issuer
from accounts.single_sign_on.issuer import IssuerFailed
from lti import keys
from lti.launch import SCORES, is_platform_address
from lti.models import Platform

SCORE_TYPE = "application/vnd.ims.lis.v1.score+json"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SPARE, MAX_SECONDS = 60, 3600
MAXIMUM = 100


def post_score(
    platform: Platform, line_item: str, *, subject: str, score: float, is_complete: bool, comment: str, at: datetime
) -> None:
    """Send a score of 100, with a comment on what it rests on. Raises IssuerFailed and `encryption.Unreadable`."""
    if not is_platform_address(platform, line_item):
        raise IssuerFailed("The address for grades is not the platform’s own any more.")
    body = {
        "userId": subject,
        "scoreGiven": score,
        "scoreMaximum": MAXIMUM,
        "activityProgress": "Completed" if is_complete else "InProgress",
        "gradingProgress": "FullyGraded",
        "comment": comment,
        "timestamp": at.isoformat(timespec="milliseconds"),
    }
    headers = {"Authorization": f"Bearer {_token(platform)}", "Content-Type": SCORE_TYPE}
    try:
        issuer.post(build_scores_url(line_item), data=json.dumps(body).encode(), headers=headers)
    except IssuerFailed as problem:
        if problem.status in (401, 403):
            cache.delete(_key(platform))
        raise


def build_scores_url(line_item: str) -> str:
    """The address for the scores of a line item: before its query, which Moodle has."""
    parts = urlsplit(line_item)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/scores", fragment=""))


def _token(platform: Platform) -> str:
    """An access token, kept encrypted until shortly before it ends."""
    if kept := cache.get(_key(platform)):
        return encryption.unseal(kept)
    audience = platform.token_audience or platform.token_endpoint
    form = {
        "grant_type": "client_credentials",
        "client_assertion_type": ASSERTION,
        "client_assertion": keys.sign(platform, sub=platform.client_id, aud=audience),
        "scope": SCORES,
    }
    found = issuer.post(platform.token_endpoint, data=form, headers={"Accept": "application/json"})
    token = found.get("access_token") if isinstance(found, dict) else None
    if not isinstance(token, str) or not token:
        raise IssuerFailed("The platform sent no access token.")
    lasts = found.get("expires_in")
    seconds = min(int(lasts), MAX_SECONDS) - SPARE if isinstance(lasts, int | float) else 0
    if seconds > 0:
        cache.set(_key(platform), encryption.seal(token), seconds)
    return token


def _key(platform: Platform) -> str:
    return f"lti-token:{platform.pk}"
