"""Pages of a teacher who has come from a platform: connect the account, go on, choose what an activity opens."""

from __future__ import annotations

import time
from typing import cast

from allauth.account.authentication import get_authentication_records
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from accounts import encryption
from accounts.single_sign_on import sessions, vouchers
from accounts.single_sign_on.pages import require_fresh_proof
from accounts.single_sign_on.vouchers import Refused
from classrooms.links import LinkRefused
from lti import deep_linking, handshake, pages, resource_links, teachers
from lti.forms import ChoiceForm
from lti.launch import Launch
from lti.models import Platform, ResourceLink, TeacherIdentity
from schools.access import MemberRequest, member_required
from schools.http import SESSION_KEY
from schools.models import User

Held = tuple[Platform, Launch, str]


@never_cache
@require_http_methods(["GET", "POST"])
@login_required
def connect(request: HttpRequest, key: str) -> HttpResponseBase:
    """Ask whether to connect who has come with the account to which the person has just signed in."""
    held = handshake.find_launch(request, key)
    if held is None or sessions.is_marked(request):
        return _over(request)
    platform, launch, _ = held
    user = cast(User, request.user)
    if request.method == "POST" and "connect" not in request.POST:
        handshake.forget(request, key)
        messages.info(request, "Nothing was connected.")
        return redirect("home")
    try:
        vouchers.check_may_enter(user, platform.school_id)
    except Refused as refusal:
        return _refused(request, key, platform, refusal)
    if request.method != "POST":
        return render(request, "lti/connect.html", {"platform": platform, "launch": launch, "key": key})
    if _has_just_signed_in(request):
        return _connect(request, key, platform, launch)
    return require_fresh_proof(request, lambda again: _connect(again, key, platform, launch))


def _has_just_signed_in(request: HttpRequest) -> bool:
    return any(time.time() - one["at"] < 300 for one in get_authentication_records(request, cast(User, request.user)))


def _connect(request: HttpRequest, key: str, platform: Platform, launch: Launch) -> HttpResponseBase:
    """No address says that the two are one person, and the connection outlasts a browser that somebody left open."""
    user = cast(User, request.user)
    try:
        vouchers.check_may_enter(user, platform.school_id)
        vouchers.connect(TeacherIdentity, platform, user, subject=launch.subject)
    except Refused as refusal:
        return _refused(request, key, platform, refusal)
    request.session[SESSION_KEY] = str(platform.school_id)
    messages.success(request, f"Connected. From now on you come in from {platform.name} at once.")
    return redirect("lti:go", key)


@never_cache
@require_GET
@member_required
def go(request: MemberRequest, key: str) -> HttpResponseBase:
    """To the class that the activity opens, or to the page on which one chooses."""
    held = _mine(request, key)
    if held is None:
        return _over(request)
    platform, launch, _ = held
    link = None if launch.is_choice else resource_links.find_resource_link(platform, launch)
    if link is None:
        return redirect("lti:choose", key)
    handshake.forget(request, key)
    if link.class_link.owner_id != request.member.user_id:
        return render(request, "lti/of_colleague.html", {"platform": platform})
    return redirect("classrooms:desk", link.class_link_id)


@never_cache
@require_http_methods(["GET", "POST"])
@member_required
def choose_activity(request: MemberRequest, key: str) -> HttpResponseBase:
    """Choose a chatbot or study plan and a class for an activity."""
    held = _mine(request, key)
    if held is None:
        return _over(request)
    platform, launch, _ = held
    found = None if launch.is_choice else resource_links.find_resource_link(platform, launch)
    if found is not None:  # chosen meanwhile, perhaps by a colleague
        return redirect("lti:go", key)
    form = ChoiceForm(request.POST if request.method == "POST" else None, member=request.member, launch=launch)
    if form.is_valid():
        try:
            with transaction.atomic():
                values = form.values()
                link = resource_links.make_link(platform=platform, launch=launch, member=request.member, **values)
                return _done(request, held, key, link)
        except LinkRefused as reason:
            form.add_error(None, str(reason))
        except encryption.Unreadable:
            return pages.show_refusal(request, platform, "key")
    context = {"form": form, "platform": platform, "launch": launch, "key": key}
    return render(request, "lti/choose.html", context, status=422 if form.errors else 200)


def _refused(request: HttpRequest, key: str, platform: Platform, refusal: Refused) -> HttpResponseBase:
    handshake.forget(request, key)
    return pages.show_refusal(request, platform, "not-member" if refusal.code == "removed" else refusal.code)


def _done(request: MemberRequest, held: Held, key: str, link: ResourceLink) -> HttpResponseBase:
    """Take the teacher to the class, or what was chosen to the platform: by a form here, or in the frame that waits."""
    platform, launch, frame = held
    if not launch.is_choice:
        handshake.forget(request, key)
        messages.success(request, f"This activity of {platform.name} opens the class from now on.")
        return redirect("classrooms:desk", link.class_link_id)
    token = deep_linking.sign_choice(request, platform, launch, link)
    handshake.forget(request, key)
    if frame:  # which signs anew when it takes over, since what is signed does not last
        handshake.hand_to_frame(frame, launch, link.pk)
        return render(request, "lti/handed.html", {"platform": platform, "link": link})
    context, policy = deep_linking.build_form(launch.return_address, token)
    response = render(request, "lti/send.html", {"platform": platform, **context})
    return pages.set_policy(request, response, policy)


def _mine(request: MemberRequest, key: str) -> Held | None:
    """The launch, if it is of this person, who acts in the school of its platform."""
    held = handshake.find_launch(request, key)
    if held is None or request.member.school_id != held[0].school_id:
        return None
    return held if teachers.is_launch_by(cast(User, request.user), held[0], held[1]) else None


def _over(request: HttpRequest) -> HttpResponseBase:
    messages.info(
        request, "This was left open for too long, or is done already. Open it once more where you came from."
    )
    return redirect("home")
