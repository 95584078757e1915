"""The kinds of source that an answer may draw on. The core registers its own, plug-ins declare theirs (ADR 19, 41)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from django.db import models
from django.urls import reverse
from django.utils.module_loading import import_string

from plugins import find_all_plugins

if TYPE_CHECKING:
    from corpus.models import Document
    from corpus.sources import Source
    from schools.models import Membership, School

MAX_KIND_LENGTH = 20
"""Characters of the value of a kind; the columns that store it have as many."""


class Participation(models.TextChoices):
    """How a source of a chatbot takes part in an answer."""

    SHARES = "shares", "Shares the places"
    FILLS_IN = "fills_in", "Fills in"
    OFF = "off", "Off"


class StoredSource(Protocol):
    """What is stored of a source that an answer used."""

    @property
    def document_id(self) -> UUID | None: ...
    @property
    def address(self) -> str: ...


@dataclass(frozen=True, repr=False)
class SourceKind:
    """One kind of source: how it is shown, who may read its text, and where its sources come from.

    A kind with documents says which of them a member may read, and which of those a chatbot reads; `page` is the URL
    name of such a document. The sources of any other kind have an address of their own.
    """

    value: str
    label: str
    plural: str
    """Its sources, for every reader: “personal documents”."""
    explanation: str = ""
    """What it has and when it is searched, in a sentence or two for teachers."""
    counted: str = "documents"
    """What follows a number of its documents: “personal”, “from the library”."""
    guest_label: str = ""
    """The label for readers without an account, to whom the usual one would say something else; empty for the same."""
    shared_label: str = ""
    """The same for members with whom the owner shares a chatbot."""
    is_name: bool = False
    """Whether the label is a proper name, which keeps its capital within a sentence."""
    icon: str = "info"  # in templates/_icons.html
    colour: str = "selection"  # the class .kind-<colour> in static/css/base.css
    is_private: bool = True
    """Whether its text is private to the chatbot's owner: no log has it, and other people get answers from it only if
    the owner lets them (ADR 26)."""
    ends: str = "deleted"
    """What may have become of a document that can no longer be opened."""
    participation: Participation = Participation.OFF
    """How it takes part in a new chatbot, and in one that has no row for it."""
    weight: int = 0
    """Its share of the places in a new chatbot, in percent."""
    source_for: Callable[[Any], Source | None] | None = None
    """What a chatbot may search; without it the kind cannot be chosen for a chatbot."""
    page_source: Callable[[Any, str], Source] | None = None
    """A single page, for a chatbot and the external id of a passage. Raises corpus.sources.PageUnavailable."""
    is_allowed: Callable[[School], bool] | None = None
    """Whether a school allows it; without it every school does."""
    documents_for: Callable[[Membership], models.QuerySet[Any]] | None = None
    find_documents: Callable[[Any], models.QuerySet[Any]] | None = None
    source_among: Callable[[School, Any], Source] | None = None
    """These of its documents as a source, whether or not a chatbot reads them."""
    page: str = ""
    is_on: bool = True
    """False for the kind of a plug-in that is off: stored answers name it, nothing searches or opens it."""

    def __str__(self) -> str:
        return self.value

    __repr__ = __str__

    def is_allowed_for(self, school: School) -> bool:
        """Whether a chatbot of this school may be given it."""
        return self.is_allowed is None or self.is_allowed(school)

    def named_for(self, reader: UUID | None, owner: UUID) -> SourceKind:
        """The same kind in words for a reader of a chatbot; None is a reader without an account."""
        label = self.guest_label if reader is None else self.shared_label if reader != owner else ""
        if not label:
            return self
        whose = f"{label[:1].lower()}{label[1:]} documents"
        return replace(self, label=label, plural=whose, counted=f"of {whose}")

    @property
    def word(self) -> str:
        """The label within a sentence."""
        return self.label if self.is_name else self.label.lower()

    @property
    def said(self) -> str:
        """Its sources, at the beginning of a sentence."""
        return self.plural[:1].upper() + self.plural[1:]

    def uri(self, stored: StoredSource) -> str:
        """The address of a source for programs: its own, else the page of its document, whoever may read it."""
        if stored.document_id is None or not self.page:
            return self._address(stored)
        return reverse(self.page, args=[stored.document_id])

    def document(self, member: Membership, stored: StoredSource) -> Document | None:
        """The document of a stored source, if the member may read it."""
        if self.documents_for is None or stored.document_id is None:
            return None
        found: Document | None = self.documents_for(member).filter(pk=stored.document_id).first()
        return found

    def open(self, member: Membership, stored: StoredSource) -> str:
        """Where a stored source leads: a page of ours, or a web address; "" where it leads nowhere."""
        if self.documents_for is None:
            return self._address(stored)
        return reverse(self.page, args=[stored.document_id]) if self.document(member, stored) else ""

    def switch_off(self) -> SourceKind:
        off = replace(
            self, source_for=None, page_source=None, documents_for=None, find_documents=None, source_among=None
        )
        return replace(off, page="", is_on=False)

    def _address(self, stored: StoredSource) -> str:
        """The address of a source without a document. A page of ours is gone with its plug-in."""
        return stored.address if self.is_on or "://" in stored.address else ""


class SelectionKind(SourceKind):
    """A text that somebody has selected: not searched, only read. It may be from a document of any kind."""

    def document(self, member: Membership, stored: StoredSource) -> Document | None:
        return next(filter(None, (kind.document(member, stored) for kind in list_document_kinds())), None)

    def open(self, member: Membership, stored: StoredSource) -> str:
        return next(filter(None, (kind.open(member, stored) for kind in list_document_kinds())), "")


SELECTION = SelectionKind("selection", "Selection", "the selected text", icon="selection")

_kinds: dict[str, SourceKind] = {}


def register(kind: SourceKind) -> None:
    """Make a kind known, or replace the one of the same value. Raises ValueError for one that cannot be stored."""
    if not 0 < len(kind.value) <= MAX_KIND_LENGTH:
        raise ValueError(f"The value of a kind of source has 1 to {MAX_KIND_LENGTH} characters, not {kind.value!r}.")
    shared = sum(other.weight for other in _kinds.values() if other.value != kind.value) + kind.weight
    if shared > 100 or (kind.weight and kind.participation != Participation.SHARES):
        raise ValueError("The shares of a new chatbot add up to at most 100, and only what shares has one.")
    _kinds[kind.value] = kind


def unregister(value: str) -> None:
    _kinds.pop(value)


@cache
def _register_kinds_of_plugins() -> None:
    for plugin in find_all_plugins():
        for path in plugin.source_kinds:
            kind: SourceKind = import_string(path)
            register(kind if plugin.is_on else kind.switch_off())


def list_kinds() -> list[SourceKind]:
    """All kinds, in the order in which people see them."""
    _register_kinds_of_plugins()
    return list(_kinds.values())


def get_kind(value: str) -> SourceKind:
    """The kind of this value. One that nobody registers any more is private and leads nowhere."""
    _register_kinds_of_plugins()
    return _kinds.get(value) or SourceKind(value, value.capitalize(), "other sources")


def list_searchable_kinds() -> list[SourceKind]:
    """The kinds that a chatbot can be given."""
    return [kind for kind in list_kinds() if kind.source_for]


def list_document_kinds() -> list[SourceKind]:
    """The kinds whose sources are documents of ours."""
    return [kind for kind in list_kinds() if kind.documents_for]


register(SELECTION)
