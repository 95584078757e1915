"""What a platform says when it opens Lectern: a verified token, as plain values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from django.http import HttpRequest

from accounts.single_sign_on import claims
from accounts.single_sign_on.issuer import IssuerFailed, check_address
from accounts.single_sign_on.vouchers import Refused
from lti.models import Platform

LTI = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/"
GRADES = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
SCORES = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
VERSION = "1.3.0"
RESOURCE, CHOICE = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"

_CONTEXT = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
_INSTITUTION = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#"
_TEACHERS = ("Instructor", "Administrator")
_UNSTORABLE = re.compile("[\\0\\ud800-\\udfff]")


@dataclass(frozen=True)
class Launch:
    """A launch that was verified. `link` is the custom parameter that deep linking has put into the activity."""

    platform: str
    subject: str
    is_teacher: bool
    is_choice: bool
    name: str = ""
    """Of a teacher, shown when the account is connected and not stored. Of a pupil, for a class that notes names."""
    deployment: str = ""
    resource: str = ""
    title: str = ""
    link: str = ""
    line_item: str = ""
    """Where grades go; empty without leave to send them."""
    return_address: str = ""
    data: str = ""
    takes_line_item: bool = False

    def as_dict(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        return cls(**values)


def verify_launch(request: HttpRequest, platform: Platform, token: str, nonce: str) -> Launch:
    """The launch that a token proves. Raises Refused, with a code for what is wrong."""
    try:
        found = claims.verify(platform, token, nonce, keys_url=platform.keys_url)
    except IssuerFailed as problem:
        raise Refused(problem.code) from problem
    if found.get(f"{LTI}version") != VERSION:
        raise Refused("version")
    deployment = _text(found.get(f"{LTI}deployment_id"))
    if deployment not in platform.deployment_ids:
        raise Refused("deployment")
    subject = _text(found.get("sub"))
    if not subject or len(subject) > 255:
        raise Refused("no-subject")
    is_teacher = teaches(_list(found.get(f"{LTI}roles")))
    common: dict[str, Any] = {
        "platform": str(platform.pk),
        "subject": subject,
        "is_teacher": is_teacher,
        "name": _shown(found.get("name"), 120),
        "deployment": deployment,
    }
    kind = found.get(f"{LTI}message_type")
    if kind == RESOURCE:
        check_target(request, _text(found.get(f"{LTI}target_link_uri")))
        return Launch(**common, is_choice=False, **_resource(platform, found))
    if kind == CHOICE:
        return Launch(**common, is_choice=True, **_choice(platform, found))
    raise Refused("message")


def check_target(request: HttpRequest, address: str) -> None:
    """The address that the platform wants to open is one of ours. Nobody is ever sent there. Raises Refused."""
    try:
        parts = urlsplit(address)
    except ValueError:
        raise Refused("target") from None
    if (parts.scheme, parts.netloc) != (request.scheme, request.get_host()):
        raise Refused("target")


def teaches(roles: Iterable[object]) -> bool:
    """Whether these roles are a teacher's: by the role in the course, and without any by that at the institution."""
    named = {role if "/" in role else f"{_CONTEXT}{role}" for role in roles if isinstance(role, str)}
    in_course = {role.removeprefix(_CONTEXT) for role in named if role.startswith(_CONTEXT)}
    at_school = {role.removeprefix(_INSTITUTION) for role in named if role.startswith(_INSTITUTION)}
    return not (in_course or at_school).isdisjoint(_TEACHERS)


def _resource(platform: Platform, found: Mapping[str, object]) -> dict[str, Any]:
    link = _part(found, f"{LTI}resource_link")
    resource = _text(link.get("id"))
    if not resource or len(resource) > 255:
        raise Refused("no-resource")
    return {
        "resource": resource,
        "title": _shown(link.get("title"), 80) or _read_course_title(found),
        "link": _text(_part(found, f"{LTI}custom").get("lectern_link"))[:36],
        "line_item": _line_item(platform, _part(found, GRADES)),
    }


def _choice(platform: Platform, found: Mapping[str, object]) -> dict[str, Any]:
    wanted = _part(found, f"{DEEP_LINKING}deep_linking_settings")
    address, data = _text(wanted.get("deep_link_return_url")), wanted.get("data", "")
    if not is_platform_address(platform, address):
        raise Refused("return-address")
    if "ltiResourceLink" not in _list(wanted.get("accept_types")):
        raise Refused("accepts")
    if not isinstance(data, str) or len(data) > 8000:
        raise Refused("data")
    return {
        "title": _read_course_title(found),
        "return_address": address,
        "data": data,
        "takes_line_item": wanted.get("accept_lineitem") is not False,
    }


def _line_item(platform: Platform, endpoint: Mapping[str, object]) -> str:
    """Where grades may be sent: only with leave to do so, and only to the platform itself."""
    address = _text(endpoint.get("lineitem"))
    allowed = SCORES in _list(endpoint.get("scope")) and len(address) <= 1000
    return address if allowed and is_platform_address(platform, address) else ""


def is_platform_address(platform: Platform, address: str) -> bool:
    """Whether an address may be called, and is the platform's."""
    try:
        check_address(address)
    except IssuerFailed:
        return False
    return platform.has(address)


def _read_course_title(found: Mapping[str, object]) -> str:
    return _shown(_part(found, f"{LTI}context").get("title"), 80)


def _part(found: Mapping[str, object], name: str) -> Mapping[str, object]:
    part = found.get(name)
    return part if isinstance(part, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    """Exactly what was sent: two subjects that differ in a space are two people."""
    return value if isinstance(value, str) and not _UNSTORABLE.search(value) else ""


def _shown(value: object, most: int) -> str:
    return " ".join(_text(value).split())[:most]
