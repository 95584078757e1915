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
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from chatbots.conversations import asking
from classrooms.joining import pupils
from classrooms.joining.codes import read_code
from classrooms.models import OVER, ClassLink, ClassState, Pupil
from schools import rate_limits

P = ParamSpec("P")

PATH = "/c/"
_SALT = "classrooms.pupil"
_PREFIX = "class-"


class TooManyWrong(Exception):
    """Too many wrong codes came from this network."""


def find_link(request: HttpRequest, code: str) -> ClassLink | None:
    """The class with this code. Raises TooManyWrong for a wrong code after too many; a right one is never refused."""
    link = ClassLink.objects.select_related("school", "owner").filter(code=read_code(code)).first()
    if link is None and not came_by(request, code):
        _take(rate_limits.WRONG_CLASS_CODES, rate_limits.network_of(request))
    return link


def find_by_own_code(request: HttpRequest, link: ClassLink, typed: str) -> Pupil | None:
    """The pupil of the class who has this code. Only wrong ones count. Raises TooManyWrong."""
    by = (link.pk, rate_limits.network_of(request))
    _take(rate_limits.WRONG_OWN_CODES, *by)
    pupil = pupils.come_back(link, read_code(typed))
    if pupil:
        rate_limits.give_back(rate_limits.WRONG_OWN_CODES, *by)
    return pupil


def _take(limit: rate_limits.Limit, *by: object) -> None:
    if not rate_limits.take(limit, *by).allowed:
        raise TooManyWrong


def pupil_of(request: HttpRequest, link: ClassLink) -> Pupil | None:
    """The pupil of this class that the browser's cookie names."""
    try:
        pupil, key, _ = signing.loads(request.COOKIES.get(_name(link), ""), salt=_SALT)
        return link.pupils.select_related("participant", "class_link__school").get(pk=UUID(pupil), key=key)
    except (signing.BadSignature, Pupil.DoesNotExist, ValueError, TypeError):
        return None


def came_by(request: HttpRequest, code: str) -> bool:
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
            return told(request, words, 403)
        try:
            response = view(request, *args, **kwargs)
        except Http404:
            response = render(request, "classrooms/nothing.html", status=HTTPStatus.NOT_FOUND)
        except TooManyWrong:
            words = "Too many wrong codes came from your network. Look at your code again, or wait ten minutes."
            return told(request, words, 429)
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
            return no_such_class(request, code)
        pupil = pupil_of(request, link)
        if pupil is None:
            return _go(request, reverse("classrooms:door", args=[link.code]))
        state = pupils.state_of(pupil)
        if state != ClassState.OPEN:
            return not_now(request, link, state, pupil)
        if request.method == "POST" or not request.headers.get("HX-Request"):
            pupils.note_seen(pupil)  # not for an open page that asks by itself
        return view(request, pupil, *args, **kwargs)

    return cast("Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]", open_to_all(cast(Any, for_pupil)))


def no_such_class(request: HttpRequest, code: str) -> HttpResponseBase:
    """There is no class with this code: it was mistyped, its class is gone, or has another code now."""
    if not came_by(request, code):
        return told(request, "There is no class with this code. It may have changed: ask your teacher for it.", 404)
    words = "Your class has a new code. Ask your teacher for it: with it you come back to where you were."
    if request.headers.get("HX-Request") and request.method == "POST":
        response = render(request, "classrooms/_told.html", {"words": words}, status=422)
        response["HX-Retarget"], response["HX-Reswap"] = "#not-now", "innerHTML"
        return response
    return told(request, words, 404)


def not_now(
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
        context["sent"] = _sent_by(request)
    return render(request, "classrooms/not_now.html", context, status=HTTPStatus.FORBIDDEN)


def _is_question(request: HttpRequest) -> bool:
    return bool(request.resolver_match and request.resolver_match.url_name in ("new-chat", "chat"))


def _sent_by(request: HttpRequest) -> dict[str, Any]:
    """The fields of a form that could not be taken: the text that was typed, by its name, and the others."""
    at = request.resolver_match.url_name if request.resolver_match else ""
    name = "given" if at == "practise" else "question"
    values = request.POST.getlist(name)
    is_text = len(values) == 1 and not (name == "given" and (values[0].isdigit() or values[0] in ("true", "false")))
    fields = [(key, value) for key in request.POST for value in request.POST.getlist(key) if key != name or not is_text]
    return {"name": name, "typed": values[0] if is_text else "", "fields": fields, "max": asking.MAX_QUESTION}


def told(request: HttpRequest, words: str, status: int) -> HttpResponseBase:
    """A page of a sentence, with the field for a code, and with the question that was sent, if one was."""
    typed = request.POST.get("question", "") if _is_question(request) else ""
    return render(request, "classrooms/enter.html", {"error": words, "typed": typed}, status=status)


def _name(link: ClassLink) -> str:
    return f"{_PREFIX}{link.pk.hex[-12:]}"


def _go(request: HttpRequest, address: str) -> HttpResponseBase:
    if request.headers.get("HX-Request") and request.method == "GET":
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Redirect": address})
    return redirect(address)
