"""Four schools whose documents are alike but for secret words: every document has some that stand nowhere else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from chatbots.answering.retrieval import retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot, ChatbotPersonalDocLink
from chatbots.services import link_school_document
from corpus.ingestion import uploads
from corpus.passages import Passage
from corpus.source_kinds import SourceKind
from knowledge.sources import PERSONAL
from school_library import services as library
from school_library.sources import SCHOOL
from schools.models import Membership, Role
from tests.factories import (
    index_all,
    make_chatbot,
    make_file,
    make_member,
    make_school,
    personal_document,
    school_document,
)


@dataclass(frozen=True)
class Canary:
    """A document and its words. `key` stands in title, headings and text and is what people ask for; each of the others
    stands in one of these and in no question, so that wherever it turns up, the document was read."""

    key: str
    title: str
    heading: str
    body: str
    document: Any = None

    @property
    def words(self) -> set[str]:
        return {self.key, self.title, self.heading, self.body}

    @property
    def full_title(self) -> str:
        return f"Lesson {self.key} {self.title}"

    @property
    def text(self) -> str:
        return (
            f"# {self.key} {self.heading}\n\n## Practical\n\nHydrochloric acid for year 9 has 0.5 mol/l here. "
            f"The word {self.key} stands for {self.body}.\n\n## Timing\n\n"
            "The practical takes twenty-five minutes; groups of three share one burette.\n"
        )

    def put(self, member: Membership, kind: SourceKind) -> Canary:
        """Into the member's own documents or the library of their school, not indexed yet."""
        take_in: Any = personal_document if kind == PERSONAL else school_document
        return replace(self, document=take_in(member, self.text, "lesson.md", indexed=False, title=self.full_title))


@dataclass
class Reader:
    """A chatbot, whose it is, what it may read and what it was asked."""

    member: Membership
    chatbot: Chatbot
    canaries: list[Canary]
    asked: list[str] = field(default_factory=list)

    @property
    def words(self) -> set[str]:
        return set().union(*(canary.words for canary in self.canaries))

    @property
    def documents(self) -> set[object]:
        return {canary.document.pk for canary in self.canaries}

    def finds(self, question: str) -> list[Passage]:
        found = retrieve(question, select_sources(self.chatbot), places=self.chatbot.places)
        assert not found.unavailable
        return [passage for placed in found.placed for passage in (placed.passage, *placed.also)]


@dataclass
class World:
    readers: list[Reader]
    retired: list[Canary]  # withdrawn, unlinked, deleted or written over: they answer nobody any more

    @property
    def words(self) -> set[str]:
        living = (reader.words for reader in self.readers)
        return set().union(*living, *(canary.words for canary in self.retired))

    @property
    def keys(self) -> set[str]:
        canaries = [*(canary for reader in self.readers for canary in reader.canaries), *self.retired]
        return {canary.key for canary in canaries}


def build() -> World:
    """Ten chatbots, two of them of one person, each with documents of its teacher's own and of the library.

    Two libraries and a teacher share a file, under titles of their own; a row links one's document to a colleague's
    chatbot, which the database allows and no service does.
    """
    words = _invented()
    shared = _canary(words)
    readers: list[Reader] = []
    retired: list[Canary] = []
    for name, teachers in (("North", 3), ("South", 2), ("East", 2), ("West", 2)):
        school = make_school(name)
        admin = make_member(school, "admin", Role.ADMIN)
        members = [make_member(school, f"teacher{number}") for number in range(teachers)]
        if name == "South":
            members.append(Membership.objects.create(school=school, user=readers[0].member.user))
        library = [_canary(words).put(admin, SCHOOL)]
        if name in ("North", "South"):
            library.append(replace(shared, title=next(words)).put(admin, SCHOOL))
        passing = [_canary(words).put(admin, SCHOOL) for _ in range(4)]
        own = [[_canary(words).put(member, PERSONAL)] for member in members]
        if name == "North":
            own[0].append(replace(shared, title=next(words)).put(members[0], PERSONAL))
        here = [_reader(member, own[number], [*library, *passing], number) for number, member in enumerate(members)]
        index_all()
        _retire(admin, here, passing, _canary(words))
        readers += here
        retired += passing
    theirs, chatbot = readers[0].canaries[0].document, readers[1].chatbot
    ChatbotPersonalDocLink.objects.create(school=chatbot.school, chatbot=chatbot, document=theirs)
    return World(readers, retired)


def _reader(member: Membership, own: list[Canary], school: list[Canary], number: int) -> Reader:
    chatbot = make_chatbot(
        member,
        personal=[canary.document for canary in own],
        school=[canary.document for canary in school],
        personal_weight=(60, 50, 30)[number],
        when_unsure=("refuse", "general")[number % 2],
    )
    return Reader(member, chatbot, [*own, *school])


def _retire(admin: Membership, readers: list[Reader], passing: list[Canary], new: Canary) -> None:
    """Withdraw one, unlink one, delete one and write one over with `new`, all of which answered until now."""
    for canary in passing:
        assert all(canary.body in str(reader.finds(f"What is {canary.key}?")) for reader in readers)
    withdrawn, unlinked, deleted, rewritten = (canary.document for canary in passing)
    library.set_published(document=withdrawn, published=False)
    for reader in readers:
        link_school_document(chatbot=reader.chatbot, document=unlinked, linked=False)
    uploads.delete(deleted)
    uploads.replace(rewritten, make_file(new.text), by=admin.user)
    uploads.describe(rewritten, title=new.full_title, description="", subject="", grade="")
    index_all()
    for reader in readers:
        kept = [canary for canary in reader.canaries if canary not in passing]
        reader.canaries = [*kept, replace(new, document=rewritten)]


def _canary(words: Iterator[str]) -> Canary:
    return Canary(f"{next(words)}-7", next(words), next(words), next(words))


def _invented() -> Iterator[str]:
    """Words that no language has, all different and equally long, so that none is a part of another."""
    starts, middles, vowels = ("zor", "bli", "qua", "vre", "dru", "ske", "plo"), "dfgklmprtvz", "aeiou"
    words = [f"{s}{m}{a}{n}{b}nt" for s in starts for m in middles for a in vowels for n in "lmr" for b in vowels]
    random.Random(11).shuffle(words)
    return iter(words)
