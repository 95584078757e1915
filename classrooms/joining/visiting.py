"""A pupil's browser: which class and which pupil it comes from.

The one cookie of a class names the pupil and is signed. It is sent for the pages of classes only. There is no session
and no second cookie against forged requests: a POST must come from a page of ours, which browsers say themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec, cast
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from chatbots.conversations import asking
from chatbots.models import Chat
from classrooms.joining import pupils
from classrooms.joining.codes import MAX_TYPED, explain_wrong, read_code
from classrooms.joining.nicknames import offer
from classrooms.models import OVER, ClassLink, ClassState, Pupil
from schools import rate_limits

P = ParamSpec("P")

PATH = "/c/"
_SALT = "classrooms.pupil"
_PREFIX = "class-"
_WRITTEN = {"classrooms:new-chat": "question", "classrooms:chat": "question", "classrooms:practise": "given"}
"""Pages to which a pupil sends a text, and the name of its field."""
_OF_THE_DOOR = ("nickname", "own_code", "to")


class TooManyWrong(Exception):
    """Too many wrong codes came from this network."""


def find_link(request: HttpRequest, code: str) -> ClassLink | None:
    """The class with this code. Raises TooManyWrong for a wrong code after too many; a right one is never refused."""
    link = ClassLink.objects.select_related("school", "owner").filter(code=read_code(code)).first()
    if link is None and not has_come_by(request, code):
        _take(rate_limits.WRONG_CLASS_CODES, rate_limits.get_client_network(request))
    return link


def find_by_own_code(request: HttpRequest, link: ClassLink, typed: str) -> Pupil | None:
    """The pupil of the class who has this code. Only wrong ones count. Raises TooManyWrong."""
    by = (link.pk, rate_limits.get_client_network(request))
    _take(rate_limits.WRONG_OWN_CODES, *by)
    pupil = pupils.return_by_code(link, read_code(typed))
    if pupil:
        rate_limits.give_back(rate_limits.WRONG_OWN_CODES, *by)
    return pupil


def _take(limit: rate_limits.Limit, *by: object) -> None:
    if not rate_limits.take(limit, *by).allowed:
        raise TooManyWrong


def find_pupil(request: HttpRequest, link: ClassLink) -> Pupil | None:
    """The pupil of this class that the browser's cookie names."""
    try:
        pupil, key, _ = signing.loads(request.COOKIES.get(_name(link), ""), salt=_SALT)
        return link.pupils.select_related("participant", "class_link__school").get(pk=UUID(pupil), key=key)
    except (signing.BadSignature, Pupil.DoesNotExist, ValueError, TypeError):
        return None


def has_come_by(request: HttpRequest, code: str) -> bool:
    """Whether a cookie proves that this browser’s pupil came into a class by this code, which the class has no more."""
    for name, value in request.COOKIES.items():
        if not name.startswith(_PREFIX):
            continue
        try:
            pupil, key, came = signing.loads(value, salt=_SALT)
        except (signing.BadSignature, ValueError, TypeError):
            continue
        if came == read_code(code) and Pupil.objects.filter(pk=pupil, key=key).exclude(class_link__code=came).exists():
            return True
    return False


def remember(response: HttpResponseBase, pupil: Pupil) -> None:
    """Let the browser keep who its pupil is, until what the class asked is erased."""
    link = pupil.class_link
    until = link.ends_at + timedelta(days=link.days_kept)  # also if it was closed earlier, as it may be opened again
    response.set_cookie(
        _name(link),
        signing.dumps([str(pupil.pk), pupil.key, link.code], salt=_SALT),
        max_age=max(0, int((until - timezone.now()).total_seconds())),
        path=PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def forget(response: HttpResponseBase, link: ClassLink) -> None:
    """Let the browser forget its pupil."""
    response.delete_cookie(_name(link), path=PATH, samesite="Lax")


def is_from_here(request: HttpRequest) -> bool:
    """Whether the browser says that a page of ours sent this."""
    origin = request.headers.get("Origin")
    if origin:
        return origin in {f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS}
    return request.headers.get("Sec-Fetch-Site") == "same-origin"


def open_to_all(
    view: Callable[Concatenate[HttpRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """For pages that somebody without an account sees. Refuses a POST from elsewhere, and too many wrong codes."""

    @csrf_exempt
    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.method == "POST" and not is_from_here(request):
            words = "This did not come from a page of your class. Open the page again and try once more."
            return show_message(request, words, 403)
        try:
            response = view(request, *args, **kwargs)
        except Http404:
            response = render(request, "classrooms/nothing.html", {"typed": _typed(request)}, status=404)
        except TooManyWrong:
            words = "Too many wrong codes came from your network. Look at your code again, or wait ten minutes."
            return show_message(request, words, 429)
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return guarded


def pupil_required(
    view: Callable[Concatenate[HttpRequest, Pupil, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]:
    """For the pages of a pupil, who joins first, and is told politely when the class is not open."""

    @wraps(view)
    def for_pupil(request: HttpRequest, code: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        link = find_link(request, code)
        if link is None:
            return show_no_such_class(request, code)
        pupil = find_pupil(request, link)
        if pupil is None:
            return _ask_to_come_in(request, link)
        state = pupils.get_pupil_state(pupil)
        if state != ClassState.OPEN:
            return show_not_now(request, link, state, pupil)
        if request.method == "POST" or not request.headers.get("HX-Request"):
            pupils.note_seen(pupil)  # not for an open page that asks by itself
        return view(request, pupil, *args, **kwargs)

    return cast("Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]", open_to_all(cast(Any, for_pupil)))


def show_no_such_class(request: HttpRequest, code: str) -> HttpResponseBase:
    """There is no class with this code: it was mistyped, its class is gone, or has another code now."""
    if not has_come_by(request, code):
        strange = explain_wrong(read_code(code))
        hint = f"{strange} Look at it again." if strange else "It may have changed: ask your teacher for it."
        return show_message(request, f"There is no class with this code. {hint}", 404)
    words = "Your class has a new code. Ask your teacher for it: with it you come back to where you were."
    if request.headers.get("HX-Request") and request.method == "POST":
        return _tell_in_place(request, words)
    return show_message(request, words, 404)


def show_not_now(
    request: HttpRequest, link: ClassLink, state: ClassState, pupil: Pupil | None = None, **told: str
) -> HttpResponseBase:
    """The class or the pupil is paused, or the class is outside its hours, or over. What a pupil has typed is shown
    and can be sent again; an open page keeps it and is told in place."""
    context: dict[str, Any] = {
        "link": link,
        "pupil": pupil,
        "state": state.value,
        "is_over": state in OVER,
        "again": request.get_full_path() if pupil else reverse("classrooms:door", args=[link.code]),
        "sent": find_unsent(request, link),
        **told,
    }
    if pupil and request.headers.get("HX-Request"):
        if request.method == "GET":
            return HttpResponse(status=HTTPStatus.NO_CONTENT)
        context["has_asked"] = "question" in request.POST
        response = render(request, "classrooms/_not_now.html", context, status=422)
        response["HX-Retarget"], response["HX-Reswap"] = "#not-now", "innerHTML"
        return response
    if pupil and request.method == "POST":
        context["sent"] = _sent_by(request, request.path)
    return render(request, "classrooms/not_now.html", context, status=HTTPStatus.FORBIDDEN)


def show_door(request: HttpRequest, link: ClassLink, *, status: int = 200, **told: str) -> HttpResponseBase:
    """The names to choose from, and the field for the own code. What was typed and not sent goes through both forms."""
    names = offer(set(link.pupils.values_list("nickname", flat=True)))
    context = {"link": link, "names": names, "sent": find_unsent(request, link), **told}
    return render(request, "classrooms/door.html", context, status=status)


def find_unsent(request: HttpRequest, link: ClassLink) -> dict[str, Any] | None:
    """What was typed on a page of a pupil, and came to the door instead: sent there, or by a form of the door."""
    path = request.POST.get("to", request.path) if request.method == "POST" else ""
    try:
        match = resolve(path)
    except Resolver404:
        return None
    is_ours = match.view_name in _WRITTEN and read_code(match.kwargs["code"]) == link.code
    sent = _sent_by(request, path) if is_ours else {}
    return sent if sent.get("typed") else None


def find_unsent_for_pupil(request: HttpRequest, pupil: Pupil) -> dict[str, object] | None:
    """The same for a pupil who came in: for the conversation of another one it begins a new one."""
    link = pupil.class_link
    sent = find_unsent(request, link)
    match = resolve(sent["to"]) if sent else None
    if sent is None or match is None or match.view_name != "classrooms:chat":
        return sent
    chat = Chat.objects.filter(pk=match.kwargs["pk"], school=link.school_id).first()
    if chat and chat.participant_id == pupil.participant_id:
        return sent
    chatbots = [one.pk for one in pupils.list_askable_chatbots(link)]
    chatbots = [pk for pk in chatbots if chat and pk == chat.chatbot_id] or chatbots
    if len(chatbots) == 1:  # else nobody knows whom the question was for
        sent["to"] = reverse("classrooms:new-chat", args=[link.code, chatbots[0]])
        sent["fields"] = [(name, value) for name, value in sent["fields"] if name != "last"]
    return sent


def _ask_to_come_in(request: HttpRequest, link: ClassLink) -> HttpResponseBase:
    """This browser has no pupil, or none any more. What was typed is kept: an open page is told in place."""
    door = reverse("classrooms:door", args=[link.code])
    if request.method == "POST" and request.headers.get("HX-Request"):
        words = "You are not in this class any more, so this was not sent. What you typed is kept here."
        return _tell_in_place(request, words, door=door)
    if not find_unsent(request, link):
        return _go(request, door)
    state = ClassState.SWITCHED_OFF if link.is_switched_off() else link.state()
    if state != ClassState.OPEN:
        return show_not_now(request, link, state)
    return show_door(request, link, status=HTTPStatus.FORBIDDEN)


def _tell_in_place(request: HttpRequest, words: str, *, door: str = "") -> HttpResponse:
    response = render(request, "classrooms/_told.html", {"words": words, "door": door}, status=422)
    response["HX-Retarget"], response["HX-Reswap"] = "#not-now", "innerHTML"
    return response


def _sent_by(request: HttpRequest, path: str) -> dict[str, object]:
    """The fields of a form that could not be taken: the text that was typed, by its name, and the others."""
    name = _WRITTEN.get(resolve(path).view_name, "question")
    values = request.POST.getlist(name)
    is_text = len(values) == 1 and not (name == "given" and (values[0].isdigit() or values[0] in ("true", "false")))
    others = [key for key in request.POST if key not in _OF_THE_DOOR and (key != name or not is_text)]
    fields = [(key, value) for key in others for value in request.POST.getlist(key)]
    typed = values[0] if is_text else ""
    return {"name": name, "typed": typed, "fields": fields, "max": asking.MAX_QUESTION, "to": path}


def show_message(request: HttpRequest, words: str, status: int) -> HttpResponseBase:
    """A page of a sentence, with the field for a code, and with the question that was sent, if one was."""
    context = {"error": words, "code": request.POST.get("code", "")[:MAX_TYPED], "typed": _typed(request)}
    return render(request, "classrooms/enter.html", context, status=status)


def _typed(request: HttpRequest) -> str:
    """The text that was sent to a page of a pupil, if one was."""
    is_written = request.resolver_match and request.resolver_match.view_name in _WRITTEN
    return str(_sent_by(request, request.path)["typed"]) if is_written else ""


def _name(link: ClassLink) -> str:
    return f"{_PREFIX}{link.pk.hex[-12:]}"


def _go(request: HttpRequest, address: str) -> HttpResponseBase:
    if request.headers.get("HX-Request") and request.method == "GET":
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Redirect": address})
    return redirect(address)
