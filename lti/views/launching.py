"""The routes of a platform: begin a launch, prove it, take it over; our public keys; and a page within its frame."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit, urlunsplit
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect, JsonResponse, QueryDict
from django.urls import reverse
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import encryption
from accounts.single_sign_on.vouchers import Refused
from lti import handshake, pages, pupils, teachers
from lti import keys as own_keys
from lti.deep_linking import build_form, sign_choice
from lti.launch import check_target, verify_launch
from lti.models import Platform, ResourceLink
from schools.http import find

FRAMES = {"iframe", "frame", "embed", "object", "fencedframe"}


class SeeOther(HttpResponseRedirect):
    """The browser gets the next page by GET, whatever it has sent."""

    status_code = 303


@csrf_exempt
@never_cache
@require_http_methods(["GET", "POST"])
def login(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """The platform begins a launch: send the browser back to it, with a state and a nonce. In a frame a page offers to
    open a window instead, since browsers keep our cookies away there."""
    platform = find(_working(), pk)
    asked = request.POST if request.method == "POST" else request.GET
    try:
        _check(request, platform, asked)
    except Refused as refusal:
        return pages.show_refusal(request, platform, refusal.code, is_verified=False)
    if request.headers.get("Sec-Fetch-Dest", "") in FRAMES:
        return _in_frame(request, platform, asked)
    state = handshake.make_state(platform)
    response = SeeOther(_authorization(request, platform, asked, state))
    handshake.remember_state(response, state, asked.get("frame", "")[:100])
    return response


@csrf_exempt
@never_cache
@require_POST
def launch(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """The platform’s page sends the token. It waits under a ticket, with which the browser is sent on."""
    platform = find(_working(), pk)
    state = request.POST.get("state", "")[:200]
    try:
        handshake.check_state(platform, state)
        if request.POST.get("error"):
            raise Refused("platform")
        found = verify_launch(request, platform, request.POST.get("id_token", ""), handshake.compute_nonce(state))
        ticket = handshake.give_ticket(platform, state, found)
    except Refused as refusal:
        is_verified = refusal.__cause__ is None and refusal.code != "platform"  # else the token is not the platform's
        return pages.show_refusal(request, platform, refusal.code, is_verified=is_verified)
    return SeeOther(f"{reverse('lti:enter', args=[platform.pk])}?{urlencode({'ticket': ticket})}")


@never_cache
@require_GET
def take_launch_over(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """The browser that began takes its launch over: a teacher is signed in, a pupil goes to the class."""
    platform = find(_working(), pk)
    try:
        found, frame = handshake.take_ticket(request, platform, request.GET.get("ticket", "")[:200])
        if found.is_teacher:
            return teachers.let_teacher_in(request, platform, found, frame)
        if found.is_choice:
            raise Refused("not-teacher")
        return pupils.let_pupil_in(request, platform, found)
    except Refused as refusal:
        return pages.show_refusal(request, platform, refusal.code)


@never_cache
@require_GET
def frame(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """In the platform’s frame: hand over what was chosen in the other window, once it is."""
    platform = find(_working(), pk)
    secret = request.GET.get("frame", "")[:100]
    chosen = handshake.find_choice(secret, platform)
    link = ResourceLink.objects.filter(platform=platform, pk=chosen[1]).first() if chosen else None
    if chosen is None or link is None:
        return pages.show_in_frame(request, platform, "lti/waiting.html", {"frame": secret})
    try:
        context, policy = build_form(chosen[0].return_address, sign_choice(request, platform, chosen[0], link))
    except encryption.Unreadable:
        return pages.show_refusal(request, platform, "key")
    return pages.show_in_frame(request, platform, "lti/send.html", context, **policy)


@cache_control(public=True, max_age=300)
@require_GET
def keyset(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """Our public key for this platform, as a JWKS."""
    try:
        return JsonResponse(own_keys.public_keys(find(_working(), pk)))
    except encryption.Unreadable:
        return JsonResponse({"keys": []}, status=503)


def _check(request: HttpRequest, platform: Platform, asked: QueryDict) -> None:
    """Raises Refused if this is not the platform’s way to begin, or leads elsewhere."""
    if asked.get("iss") != platform.issuer:
        raise Refused("issuer")
    if asked.get("client_id", platform.client_id) != platform.client_id:
        raise Refused("audience")
    if "lti_deployment_id" in asked and asked["lti_deployment_id"] not in platform.deployment_ids:
        raise Refused("deployment")
    if not asked.get("login_hint"):
        raise Refused("no-subject")
    check_target(request, asked.get("target_link_uri", ""))


def _authorization(request: HttpRequest, platform: Platform, asked: QueryDict, state: str) -> str:
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": platform.client_id,
        "redirect_uri": request.build_absolute_uri(reverse("lti:launch", args=[platform.pk])),
        "login_hint": asked["login_hint"],
        "state": state,
        "nonce": handshake.compute_nonce(state),
    }
    if "lti_message_hint" in asked:
        query["lti_message_hint"] = asked["lti_message_hint"]
    parts = urlsplit(platform.authorization_endpoint)
    return urlunsplit(parts._replace(query="&".join(filter(None, [parts.query, urlencode(query)])), fragment=""))


def _in_frame(request: HttpRequest, platform: Platform, asked: QueryDict) -> HttpResponseBase:
    names = ("iss", "client_id", "lti_deployment_id", "login_hint", "target_link_uri", "lti_message_hint")
    again = {name: asked[name] for name in names if name in asked}
    chooses = urlsplit(asked.get("target_link_uri", "")).path == reverse("lti:launch-to-choose", args=[platform.pk])
    secret = handshake.make_frame() if chooses else ""
    address = f"{request.path}?{urlencode(again | ({'frame': secret} if secret else {}))}"
    return pages.show_in_frame(request, platform, "lti/framed.html", {"address": address, "frame": secret})


def _working() -> QuerySet[Platform]:
    return Platform.objects.working().select_related("school")
