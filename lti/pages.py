"""What is said when a launch is refused, and pages that a platform may frame."""

from __future__ import annotations

from typing import Any

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from accounts.single_sign_on.pages import REASONS_OF_ACCOUNT
from lti.models import Platform
from schools import rate_limits
from schools.audit.actions import Action
from schools.audit.recording import record

_AGAIN = "Go back to {platform} and open it once more."
_NEW_WINDOW = "Open it again, in a new window or tab."
_OPERATOR = "{platform} and Lectern are not set up for each other as they should be. Tell whoever keeps {platform}."
REASONS = REASONS_OF_ACCOUNT | {
    "state": f"It took too long, or this was opened a second time. {_AGAIN}",
    "browser": "Your browser did not say that it is the one that began. It may keep cookies away inside of other "
    f"pages. {_NEW_WINDOW}",
    "nonce": f"What {{platform}} sent answers another start. {_AGAIN}",
    "expired": f"What {{platform}} sent was too old. {_AGAIN}",
    "not-yet": "The clocks of {platform} and Lectern differ. Tell whoever keeps {platform}.",
    "platform": f"{{platform}} broke it off. {_AGAIN}",
    "not-teacher": "Only teachers of the course can choose what an activity opens.",
    "not-member": "The account in Lectern is not one of your school. Sign in with the one that is.",
    "over": f"This was left open for too long. {_AGAIN}",
}


def show_refusal(request: HttpRequest, platform: Platform, code: str, *, is_verified: bool = True) -> HttpResponse:
    """Nobody is let in. The audit log of the school has the code, unless too many came: anybody can send nonsense.

    What comes before the platform's token is verified counts apart, so that it hides nothing else.
    """
    limit = rate_limits.LTI_REFUSALS if is_verified and code != "state" else rate_limits.LTI_JUNK
    if rate_limits.take(limit, platform.school_id, platform.pk).allowed:
        record(Action.LTI_REFUSED, school=platform.school_id, label=platform.name, detail={"reason": code})
    reason = REASONS.get(code, _OPERATOR).format(platform=platform.name)
    return render(request, "lti/refused.html", {"platform": platform, "reason": reason, "code": code}, status=403)


def show_in_frame(
    request: HttpRequest, platform: Platform, template: str, context: dict[str, Any], **policy: list[str]
) -> HttpResponseBase:
    """A page that the platform, and nobody else, may show in a frame."""
    response = render(request, template, {"platform": platform, **context})
    response.xframe_options_exempt = True
    return set_policy(request, response, {"frame-ancestors": platform.origins, **policy})


def set_policy(request: HttpRequest, response: HttpResponse, policy: dict[str, list[str]]) -> HttpResponseBase:
    """Replace parts of the security policy of one response."""
    with_policy: HttpResponseBase = csp_replace(policy)(lambda _: response)(request)
    return with_policy
