"""Class links of a teacher: the list, the form, the printed sheet, and closing, pausing and erasing."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from classrooms import erasing, links
from classrooms.desk import count_unseen
from classrooms.flagging import get_settings
from classrooms.forms import ClassLinkForm
from classrooms.joining import pupils
from classrooms.models import ClassLink, Flag, RealName
from schools.access import MemberRequest, member_required
from schools.http import find, parse_uuid
from schools.qr_code import qr_svg


@never_cache
@require_GET
@member_required
def list_classes(request: MemberRequest) -> HttpResponseBase:
    """The member's classes, the newest first; those that are over below."""
    found = list(ClassLink.objects.for_member(request.member).prefetch_related("chatbots", "pupils"))
    unseen = count_unseen(Flag.objects.for_member(request.member))
    for link in found:
        link.unseen = unseen[link.pk]  # type: ignore[attr-defined]
    over = [link for link in found if link.state() in ("ended", "closed")]
    context = {
        "links": [link for link in found if link not in over],
        "over": over,
        "is_over_unseen": any(unseen[link.pk] for link in over),
        "not_allowed": links.explain_not_allowed(request.member.school),
        "is_switched_off": not get_settings(request.member.school).are_links_allowed,
        "has_chatbots": links.list_offered_chatbots(request.member).exists(),
    }
    return render(request, "classrooms/list.html", context)


@require_http_methods(["GET", "POST"])
@member_required
def create_class(request: MemberRequest) -> HttpResponseBase:
    """A form for a new class link; `?chatbot=` chooses a chatbot, or says why it is not offered."""
    chosen = None
    if key := parse_uuid(request.GET.get("chatbot")):
        chosen = find(links.list_own_chatbots(request.member), key)
        if chosen not in links.list_offered_chatbots(request.member):
            messages.warning(
                request, f"“{chosen}” has too few questions that pupils may get: review or add some first."
            )
            chosen = None
    form = ClassLinkForm(request.POST if request.method == "POST" else None, member=request.member, chosen=chosen)
    if form.is_valid():
        try:
            link = links.create_link(member=request.member, **form.fields_of_link())
        except links.LinkRefused as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, "The class is open. Show the code to your pupils, or print the sheet.")
            return redirect("classrooms:desk", link.pk)
    school = request.member.school
    context = {
        "form": form,
        "link": None,
        "not_allowed": links.explain_not_allowed(school),
        "is_switched_off": not get_settings(school).are_links_allowed,
    }
    return render(request, "classrooms/form.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
@member_required
def edit_class(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Change a class link. Pupils get the change with their next question."""
    link = _find(request, pk)
    form = ClassLinkForm(request.POST if request.method == "POST" else None, instance=link, member=request.member)
    if form.is_valid():
        try:
            links.change_link(link=_find(request, pk), member=request.member, **form.fields_of_link())
        except links.LinkRefused as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, "Saved.")
            return redirect("classrooms:desk", pk)
    context = {"form": form, "link": _find(request, pk)}
    return render(request, "classrooms/form.html", context, status=422 if form.errors else 200)


@never_cache
@require_GET
@member_required
def sheet(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A sheet to print: the address, the code and a QR picture."""
    link = _find(request, pk)
    return render(request, "classrooms/sheet.html", {"link": link, **build_addresses(request, link)})


@never_cache
@require_GET
@member_required
def large(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The code for a projector: the address, the code and a QR picture, and nothing that happens in the class."""
    link = _find(request, pk)
    return render(request, "classrooms/large.html", {"link": link, **build_addresses(request, link)})


@require_POST
@member_required
def pause_class(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Pause the class, or let it go on."""
    link = _find(request, pk)
    is_paused = request.POST.get("paused") == "on"
    links.pause(link, is_paused=is_paused)
    messages.success(request, "Paused. Pupils see that you have paused the class." if is_paused else "It goes on.")
    return redirect("classrooms:desk", pk)


@require_http_methods(["GET", "POST"])
@member_required
def close_or_open(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Close the class at once, after a confirmation, or open it again."""
    link = _find(request, pk)
    if request.method == "GET":
        return render(
            request, "classrooms/close.html", {"link": link, "unseen": Flag.objects.of_class(link).unseen().count()}
        )
    is_closed = request.POST.get("closed") == "on"
    if not is_closed and link.ends_at < timezone.now():
        messages.error(request, "Its last day is over. Choose a later one first.")
        return redirect("classrooms:edit", pk)
    links.close(link, is_closed=is_closed)
    told = "Closed. Nobody can ask any more; what was asked stays until it is erased." if is_closed else "Open again."
    messages.success(request, told)
    return redirect("classrooms:desk", pk)


@require_http_methods(["GET", "POST"])
@member_required
def confirm_new_code(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A new code, after a confirmation; the old one leads nowhere."""
    link = _find(request, pk)
    if request.method == "GET":
        return render(request, "classrooms/change_code.html", {"link": link})
    links.change_code(link)
    messages.success(request, f"The new code is {link.shown_code}. The old one leads nowhere now.")
    return redirect("classrooms:desk", pk)


@require_http_methods(["GET", "POST"])
@member_required
def erase(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Erase a class with everything that was asked in it, after a confirmation."""
    link = _find(request, pk)
    if request.method == "POST":
        counts = erasing.erase_class(link, asked_by=request.member).counts
        messages.success(
            request,
            f"Erased: the class “{link.name}”, {counts['pupils']} pupils and {counts['questions']} questions.",
        )
        return redirect("classrooms:list")
    unseen = Flag.objects.of_class(link).unseen()
    context = {"link": link, "pupils": link.pupils.count(), "unseen": unseen.count(), "handed": unseen.grave().count()}
    return render(request, "classrooms/erase.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
@member_required
def note_names(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Who the pupils are, if the teacher has switched that on for the class."""
    link = find(ClassLink.objects.for_member(request.member).filter(notes_names=True), pk)
    names = {pupil: str(getattr(pupil, "real_name", "")) for pupil in link.pupils.select_related("real_name")}
    is_refused = False
    if request.method == "POST":
        # Who joined after the page was opened is not on it.
        names |= {pupil: request.POST.get(f"name-{pupil.pk}", name) for pupil, name in names.items()}
        most = RealName._meta.get_field("name").max_length or 0
        is_refused = any(len(name) > most for name in names.values())
        if not is_refused:
            for pupil, name in names.items():
                pupils.note_real_name(pupil, name)
            messages.success(request, "Saved.")
            return redirect("classrooms:desk", pk)
        messages.error(request, f"Not saved yet: a name has at most {most} characters.")
    context = {"link": link, "pupils": list(names.items())}
    return render(request, "classrooms/names.html", context, status=422 if is_refused else 200)


def build_addresses(request: MemberRequest, link: ClassLink) -> dict[str, object]:
    """Where pupils go: the address of the class, the short one where they type the code, and the QR picture; and
    whether it is an address of this computer only."""
    address = request.build_absolute_uri(reverse("classrooms:door", args=[link.code]))
    enter = request.build_absolute_uri(reverse("classrooms:enter"))
    is_here_only = _is_loopback(urlsplit(address).hostname or "")
    return {"address": address, "enter": enter.partition("://")[2], "qr": qr_svg(address), "is_here_only": is_here_only}


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _find(request: MemberRequest, pk: UUID) -> ClassLink:
    return find(ClassLink.objects.for_member(request.member).select_related("school"), pk)
