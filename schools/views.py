from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from schools.access import MemberRequest, member_required
from schools.models import Membership
from schools.services import switch_school


@require_POST
@member_required
def switch(request: MemberRequest) -> HttpResponseBase:
    """Act in another of one's schools."""
    try:
        membership = switch_school(request, request.POST.get("school", ""))
    except (Membership.DoesNotExist, ValidationError):
        raise Http404("There is nothing here.") from None
    messages.success(request, f"You are now in {membership.school.name}.")
    return redirect("home")
