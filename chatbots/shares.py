"""Form fields for how the sources of a chatbot take part, with validation and a preview."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.forms.boundfield import BoundField

from chatbots.models import Chatbot, ChatbotSource
from corpus.search.fusion import reserve_places
from corpus.source_kinds import Participation, SourceKind


@dataclass(frozen=True)
class ShareRow:
    """The fields of one kind of source: participation and, if asked for, weight."""

    kind: SourceKind
    participation: BoundField
    weight: BoundField | None
    is_allowed: bool


@dataclass(frozen=True)
class PreviewRow:
    """The preview for one kind. `documents` is None for a kind without documents."""

    source: ChatbotSource
    kind: SourceKind
    places: int
    documents: list[Any] | None

    @property
    def is_empty(self) -> bool:
        return self.documents == []


@dataclass(frozen=True)
class Preview:
    """The preview of the form: a row for each kind that takes part."""

    rows: tuple[PreviewRow, ...]

    @property
    def sharing(self) -> list[PreviewRow]:
        return [row for row in self.rows if row.source.shares]

    @property
    def filling_in(self) -> list[PreviewRow]:
        return [row for row in self.rows if row.source.fills_in and not row.is_empty]

    @property
    def drawn_on(self) -> list[PreviewRow]:
        return [row for row in self.sharing if row.places and not row.is_empty]

    @property
    def is_empty(self) -> bool:
        return all(row.is_empty for row in self.rows)

    @property
    def titles(self) -> str:
        named = (row.documents for row in self.drawn_on if row.documents)
        return "; ".join(", ".join(str(document.title) for document in documents) for documents in named)


class SharesForm(forms.Form):
    """For each kind that the school allows a field `<kind>_participation` and a field `<kind>_weight`.

    A kind that takes part and that the school has withdrawn keeps its setting: it can only be switched off. A missing
    participation keeps its value. The last kind that shares gets the remainder if its weight is missing; a kind that
    shares alone always does.
    """

    sources: list[ChatbotSource]
    withdrawn: set[str]
    kinds: dict[str, SourceKind]
    """In words for whoever fills the form in."""

    def add_shares(self, chatbot: Chatbot, *, reader: UUID) -> None:
        rows = [(row, row.is_allowed) for row in chatbot.all_sources()]
        self.sources = [row for row, allowed in rows if allowed or row.participation != Participation.OFF]
        self.withdrawn = {row.kind for row, allowed in rows if not allowed}
        self.kinds = {row.kind: row.source_kind.named_for(reader, chatbot.owner_id) for row in self.sources}
        for row in self.sources:
            kept = (row.participation, Participation.OFF) if row.kind in self.withdrawn else Participation.values
            participation = forms.ChoiceField(
                label=f"How {self.kinds[row.kind].plural} take part",
                choices=[choice for choice in Participation.choices if choice[0] in kept],
                required=False,
                initial=row.participation,
            )
            weight = forms.IntegerField(
                label=f"Share of {self.kinds[row.kind].plural}",
                min_value=0,
                max_value=100,
                required=False,
                initial=row.weight,
                disabled=row.kind in self.withdrawn,
                widget=forms.NumberInput(attrs={"type": "range"} if len(self.sources) == 2 else {}),
            )
            self.fields |= {f"{row.kind}_participation": participation, f"{row.kind}_weight": weight}

    def shares(self) -> list[ShareRow]:
        """The fields by kind. Of two kinds one weight is enough."""
        asked = self.sources[:1] if len(self.sources) == 2 else self.sources
        return [
            ShareRow(
                self.kinds[row.kind],
                self[f"{row.kind}_participation"],
                self[f"{row.kind}_weight"] if row in asked else None,
                is_allowed=row.kind not in self.withdrawn,
            )
            for row in self.sources
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for row in self.sources:
            row.participation = Participation(cleaned.get(f"{row.kind}_participation") or row.participation)
        sharing = [row for row in self.sources if row.shares]
        if not sharing:
            self.add_error(f"{self.sources[0].kind}_participation", "At least one kind shares the places.")
        for row in self.sources:
            row.weight = (cleaned.get(f"{row.kind}_weight") or 0) if row.shares else 0
        if sharing:
            self._check_weights(cleaned, sharing)
        return cleaned

    def _check_weights(self, cleaned: dict[str, object], sharing: list[ChatbotSource]) -> None:
        *others, last = sorted(sharing, key=lambda row: row.kind not in self.withdrawn)
        for row in others:
            if cleaned.get(f"{row.kind}_weight", 0) is None:
                self.add_error(f"{row.kind}_weight", "Say how much of the places it gets.")
        remaining = 100 - sum(row.weight for row in others)
        if not others or cleaned.get(f"{last.kind}_weight") is None:
            last.weight = max(remaining, 0)
        if remaining != last.weight:
            self.add_error(
                f"{last.kind}_weight", f"The shares add up to {100 - remaining + last.weight}%, not to 100%."
            )

    def preview_places(self, places: int, documents: dict[str, list[object]]) -> Preview:
        """The preview of sharing the places, with these documents by kind; call after validation."""
        sources = [row for row in self.sources if row.kind not in self.withdrawn]
        filled = [row.shares and bool(documents.get(row.kind, True)) for row in sources]
        weights = [row.weight if ok else 0 for row, ok in zip(sources, filled, strict=True)]
        shares = reserve_places(weights if any(weights) else [int(ok) for ok in filled], places)
        rows = zip(sources, shares, strict=True)
        return Preview(
            tuple(
                PreviewRow(row, self.kinds[row.kind], share, documents.get(row.kind))
                for row, share in rows
                if row.shares or row.fills_in
            )
        )
