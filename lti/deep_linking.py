"""What a teacher chose, as the signed answer that a platform expects (LTI Deep Linking 2.0)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.urls import reverse

from lti import keys
from lti.launch import DEEP_LINKING, LTI, VERSION, Launch
from lti.models import Platform, ResourceLink
from lti.platform_calls import MAXIMUM


def sign_choice(request: HttpRequest, platform: Platform, launch: Launch, link: ResourceLink) -> str:
    """The JWT with one activity, which names the row that it opens. Raises `encryption.Unreadable`."""
    item: dict[str, object] = {
        "type": "ltiResourceLink",
        "title": _title(link),
        "url": request.build_absolute_uri(reverse("lti:launch", args=[platform.pk])),
        "custom": {"lectern_link": str(link.pk)},
        "window": {"targetName": "_blank"},
    }
    if link.sends_grades and launch.takes_line_item:
        item["lineItem"] = {"scoreMaximum": MAXIMUM, "label": _title(link), "resourceId": str(link.pk)}
    claims: dict[str, Any] = {
        "aud": [platform.issuer],
        "nonce": str(link.pk),
        f"{LTI}deployment_id": launch.deployment,
        f"{LTI}message_type": "LtiDeepLinkingResponse",
        f"{LTI}version": VERSION,
        f"{DEEP_LINKING}content_items": [item],
    }
    if launch.data:
        claims[f"{DEEP_LINKING}data"] = launch.data
    return keys.sign(platform, **claims)


def build_form(address: str, token: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """What the page with the form needs, and what its policy has to allow."""
    parts = urlsplit(address)
    return {"address": address, "token": token}, {"form-action": [f"{parts.scheme}://{parts.netloc}"]}


def _title(link: ResourceLink) -> str:
    return f"{link.chatbot.name} ({link.class_link.name})"
