"""The content of the demo: two schools with people, documents and chatbots, read from catalogue.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
CONTENT = _HERE / "content"


@dataclass(frozen=True)
class Person:
    """A member of a demo school."""

    email: str
    name: str
    is_admin: bool = False


@dataclass(frozen=True)
class DemoDocument:
    """A library document, or a personal document of the person with the e-mail address `owner`."""

    file: str
    title: str
    owner: str = ""
    subject: str = ""
    grade: str = ""
    description: str = ""

    @property
    def folder(self) -> str:
        """The folder of its file."""
        return "personal" if self.owner else "library"


@dataclass(frozen=True)
class DemoChatbot:
    """A chatbot. `personal` and `library` are titles of its documents; `question` starts a conversation."""

    owner: str
    name: str
    description: str
    instructions: str
    subject: str
    personal_weight: int
    personal: tuple[str, ...]
    library: tuple[str, ...]
    question: str = ""

    @classmethod
    def of(cls, *, personal: list[str], library: list[str], **fields: Any) -> DemoChatbot:
        """A chatbot from its table in the catalogue."""
        return cls(personal=tuple(personal), library=tuple(library), **fields)


@dataclass(frozen=True)
class DemoSchool:
    """A school with its people, documents and chatbots."""

    slug: str
    name: str
    people: tuple[Person, ...]
    documents: tuple[DemoDocument, ...]
    chatbots: tuple[DemoChatbot, ...]

    @property
    def admin(self) -> Person:
        """The admin of the school."""
        return next(person for person in self.people if person.is_admin)

    def path(self, document: DemoDocument) -> Path:
        """The file of a document."""
        return CONTENT / self.slug / document.folder / document.file


def _school(table: dict[str, Any]) -> DemoSchool:
    return DemoSchool(
        slug=table["slug"],
        name=table["name"],
        people=tuple(Person(**person) for person in table["people"]),
        documents=tuple(DemoDocument(**document) for document in table["documents"]),
        chatbots=tuple(DemoChatbot.of(**chatbot) for chatbot in table["chatbots"]),
    )


_CATALOGUE = tomllib.loads((_HERE / "catalogue.toml").read_text())
OPERATOR = Person(**_CATALOGUE["operator"])
SCHOOLS = tuple(_school(table) for table in _CATALOGUE["schools"])
