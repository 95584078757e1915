"""Pages on which pupils come into a class: the code, the nickname, and the code to come back."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.models import Chat
from classrooms.erasing import erase_pupil
from classrooms.joining import pupils, visiting
from classrooms.joining.codes import MAX_TYPED, explain_wrong, is_pupils, read_code
from classrooms.joining.visiting import find_link, find_pupil, open_to_all, show_no_such_class, show_not_now
from classrooms.models import OVER, ClassLink, ClassState
from classrooms.own_data import export_pupil
from privacy.exporting import describe_guest
from schools import rate_limits


@require_http_methods(["GET", "POST"])
@open_to_all
def enter_code(request: HttpRequest) -> HttpResponseBase:
    """The field for the code of a class."""
    code = read_code(request.POST.get("code", ""))
    if request.method == "GET":
        return render(request, "classrooms/enter.html")
    if not code:
        return visiting.show_message(request, "Type the code of your class.", 422)
    if is_pupils(code):  # no class has one of this length
        words = "This is your own code. Enter the code of the class first, then choose “I was here before”."
        return visiting.show_message(request, words, 422)
    link = find_link(request, code)
    return redirect("classrooms:door", link.code) if link else show_no_such_class(request, code)


@require_http_methods(["GET", "POST"])
@open_to_all
def door(request: HttpRequest, code: str) -> HttpResponseBase:
    """Join a class by a nickname from the list, or come back by one's own code."""
    link = find_link(request, code)
    if link is None:
        return show_no_such_class(request, code)
    if code != link.code and request.method == "GET":  # typed with its hyphen or in small letters
        return redirect("classrooms:door", link.code)
    if pupil := find_pupil(request, link):
        response = redirect("classrooms:room", link.code)
        visiting.remember(response, pupil)  # the code may be a new one
        return response
    state = ClassState.SWITCHED_OFF if link.is_switched_off() else link.state()
    if request.method == "POST" and request.POST.get("own_code") and (state == ClassState.OPEN or state in OVER):
        return _come_back(request, link, state)
    if state != ClassState.OPEN:
        return show_not_now(request, link, state)
    if request.method == "POST":
        return _join(request, link)
    return visiting.show_door(request, link)


@require_http_methods(["GET", "POST"])
@open_to_all
def leave(request: HttpRequest, code: str) -> HttpResponseBase:
    """Let this browser forget the pupil, for the next one at a shared computer, after a question."""
    link = find_link(request, code)
    if link is None:
        return show_no_such_class(request, code)
    pupil = find_pupil(request, link)
    if request.method == "GET" and pupil:
        context = {"pupil": pupil, "link": link, "elsewhere": describe_guest(pupil.participant_id)}
        return render(request, "classrooms/leave.html", context)
    response = render(request, "classrooms/left.html", {"link": link})
    visiting.forget(response, link)
    return response


@require_http_methods(["GET", "POST"])
@open_to_all
def show_own_data(request: HttpRequest, code: str) -> HttpResponseBase:
    """What is stored of the pupil, and erasing it, after their own code. Also while the class is not open."""
    link = find_link(request, code)
    pupil = find_pupil(request, link) if link else None
    if link is None or pupil is None:
        return redirect("classrooms:door", link.code) if link else show_no_such_class(request, code)
    chats = Chat.objects.filter(participant=pupil.participant_id).count()
    context = {"pupil": pupil, "link": link, "chats": chats, "elsewhere": describe_guest(pupil.participant_id)}
    if request.method == "GET":
        return render(request, "classrooms/own_data.html", context)
    if visiting.find_by_own_code(request, link, request.POST.get("own_code", "")) != pupil:
        own_code = request.POST.get("own_code", "")[:MAX_TYPED]
        told = {"error": "This is not your own code. Nothing was erased.", "own_code": own_code}
        return render(request, "classrooms/own_data.html", context | told, status=422)
    counts = erase_pupil(pupil).counts
    response = render(request, "classrooms/erased.html", {"erased": counts, "nickname": pupil.nickname})
    visiting.forget(response, link)
    return response


@require_POST
@open_to_all
def new_own_code(request: HttpRequest, code: str) -> HttpResponseBase:
    """A new code to come back, shown once, for a pupil who has lost theirs or never had one. The old one ends."""
    link = find_link(request, code)
    pupil = find_pupil(request, link) if link else None
    if link is None or pupil is None:
        return redirect("classrooms:door", link.code) if link else show_no_such_class(request, code)
    own = pupils.change_pupil_code(pupil)
    response = render(request, "classrooms/own_code.html", {"pupil": pupil, "link": link, "code": own})
    visiting.remember(response, pupil)
    return response


@require_GET
@open_to_all
def own_data_file(request: HttpRequest, code: str) -> HttpResponseBase:
    """The same as a ZIP file."""
    link = find_link(request, code)
    pupil = find_pupil(request, link) if link else None
    if link is None or pupil is None:
        return redirect("classrooms:door", link.code) if link else show_no_such_class(request, code)
    headers = {"Content-Disposition": 'attachment; filename="my-data.zip"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(export_pupil(pupil), content_type="application/zip", headers=headers)


def _join(request: HttpRequest, link: ClassLink) -> HttpResponseBase:
    if not rate_limits.take(rate_limits.JOINS, link.pk, rate_limits.get_client_network(request)).allowed:
        words = "Many have just joined from your network. Wait ten minutes, or come back with your own code."
        return visiting.show_door(request, link, status=422, error=words)
    try:
        joined = pupils.join(link, request.POST.get("nickname", ""))
    except pupils.JoinRefused as reason:
        rate_limits.give_back(rate_limits.JOINS, link.pk, rate_limits.get_client_network(request))
        return visiting.show_door(request, link, status=422, error=str(reason))
    sent = visiting.find_unsent_for_pupil(request, joined.pupil)
    context = {"pupil": joined.pupil, "link": link, "code": joined.code, "sent": sent}
    response = render(request, "classrooms/joined.html", context)
    visiting.remember(response, joined.pupil)
    return response


def _come_back(request: HttpRequest, link: ClassLink, state: ClassState) -> HttpResponseBase:
    """By the own code: into the class, or, when it is over, to what is stored of the pupil."""
    pupil = visiting.find_by_own_code(request, link, request.POST["own_code"])
    if pupil is None:
        own_code = request.POST["own_code"][:MAX_TYPED]
        strange = explain_wrong(read_code(own_code))
        words = f"Nobody in this class has that code. {strange} Look at it again, or ask your teacher for a new one."
        if state != ClassState.OPEN:
            return show_not_now(request, link, state, back_error=words, own_code=own_code)
        return visiting.show_door(request, link, status=422, back_error=words, own_code=own_code)
    response: HttpResponseBase
    if state == ClassState.OPEN and (sent := visiting.find_unsent_for_pupil(request, pupil)):
        response = render(request, "classrooms/came_back.html", {"pupil": pupil, "link": link, "sent": sent})
    else:
        response = redirect("classrooms:room" if state == ClassState.OPEN else "classrooms:own-data", link.code)
    visiting.remember(response, pupil)
    return response
