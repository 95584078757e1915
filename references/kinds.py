"""The three kinds of source beyond the school, and whether a school may use them."""

from __future__ import annotations

from typing import Any

from corpus.source_kinds import SourceKind
from corpus.sources import Source
from references.approved.source import ApprovedSource
from references.live.source import live_page, live_source
from references.models import ReferenceSettings
from references.offline.source import offline_page, offline_source
from references.outside_calls import may_call_outside


def _approved(chatbot: Any) -> Source | None:
    permission = ReferenceSettings.of(chatbot.school)
    return ApprovedSource(permission, APPROVED) if permission.allows_approved else None


def _offline(chatbot: Any) -> Source | None:
    return offline_source(chatbot) if WIKIPEDIA_OFFLINE.is_allowed_for(chatbot.school) else None


def _live(chatbot: Any) -> Source | None:
    """None where the school does not allow it, or makes no calls to the outside: then it is not offered."""
    school = chatbot.school
    return live_source(chatbot) if WIKIPEDIA_LIVE.is_allowed_for(school) and may_call_outside(school) else None


APPROVED = SourceKind(
    "approved",
    "Web",
    "approved pages",
    explanation="Pages on the web that your school has approved. They are searched when a question has two keywords of "
    "a topic.",
    counted="approved pages",
    icon="web",
    colour="web",
    is_private=False,
    ends="removed from the approved pages",
    source_for=_approved,
    is_allowed=lambda school: ReferenceSettings.of(school).allows_approved,
)
WIKIPEDIA_OFFLINE = SourceKind(
    "wikipedia_offline",
    "Wikipedia",
    "offline Wikipedia",
    explanation="Encyclopedias that are stored on this server. Nothing leaves the school.",
    counted="articles",
    is_name=True,
    icon="wikipedia",
    colour="wikipedia",
    is_private=False,
    source_for=_offline,
    page_source=offline_page,
    is_allowed=lambda school: ReferenceSettings.of(school).allows_wikipedia_offline,
)
WIKIPEDIA_LIVE = SourceKind(
    "wikipedia_live",
    "Wikipedia live",
    "live Wikipedia and Wikibooks",
    explanation="Articles that are looked up while you wait. The words of a question are sent to Wikipedia.",
    counted="articles",
    is_name=True,
    icon="wikipedia",
    colour="wikipedia",
    is_private=False,
    source_for=_live,
    page_source=live_page,
    is_allowed=lambda school: ReferenceSettings.of(school).allows_wikipedia_live,
)
