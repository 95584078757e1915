"""Loads the demo into an installation without other schools.

It uses the same services and forms as the pages. All rows are created in one transaction with the marker row; indexing
and the conversation follow. An interrupted run is continued by the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from chatbots.conversations import asking
from chatbots.conversations.audience import MemberPolicy
from chatbots.forms import ChatbotForm
from chatbots.models import Chat, Chatbot, Language, MessageStatus, WhenUnsure
from chatbots.quoting.answerer import ExtractiveAnswerer
from chatbots.streaming import jobs
from classrooms.models import ClassroomSettings, SafeguardingLead
from corpus.advisory_lock import advisory_lock
from corpus.ingestion import uploads
from corpus.ingestion.indexing import index_next_document
from corpus.models import Document, Status
from corpus.querysets import DocumentQuerySet
from demo import zim_file
from demo.catalogue import OPERATOR, SCHOOLS, Table, articles, get_path
from demo.models import DemoLoad
from engines.model_check import find_model_problem
from knowledge import services as knowledge
from knowledge.models import PersonalDocument
from learning.models import PlanStatus, StudyPlan
from learning.planning.making import lock_plan, make_next_plan
from learning.planning.services import create_plan
from references.approved.reading import read_pages
from references.approved.topics import create_topic
from references.models import ApprovedPage, Archive, PageState, ReferenceSettings
from references.offline.adding import add_archive
from references.offline.zim import is_installed
from school_library import services as library
from school_library.models import SchoolDocument
from schools.models import Membership, Role, School, User

WAIT = 600
"""Seconds without progress after which the loader stops waiting for a worker."""


_LOCK = 0x64656D6F  # "demo"


class OwnSchools(Exception):
    """The installation has schools that are not the demo's."""


class Unfinished(Exception):
    """The demo is not complete. The message says what is missing and what to do."""


def load_demo(*, password: str, say: Callable[[str], None]) -> bool:
    """Load or complete the demo. False if it was complete already. Safe to run again, also in parallel.

    Documents are indexed in this process, and by a worker if one runs. Raises OwnSchools, Unfinished.
    """
    marker = _create_all(password)
    _add_archive(say)
    if marker.finished_at:
        return False
    _index(say)
    _read_pages(say)
    if problem := find_model_problem():
        say(f"The language model {problem}: the first answers of the demo are quotations")
    for chatbot in Chatbot.objects.filter(school__slug__in=_slugs()).select_related("school", "owner"):
        _converse(chatbot, say, by_model=not problem)
    for demo in SCHOOLS:
        for plan in demo.get("plans", []):
            _make_plan(demo, plan, say)
    DemoLoad.objects.filter(finished_at=None).update(finished_at=timezone.now())
    return True


@transaction.atomic
def _create_all(password: str) -> DemoLoad:
    """Create all rows of the demo, or none. A second loader waits here until the first has committed."""
    marker, is_new = DemoLoad.objects.get_or_create(pk=1)
    if not is_new:
        return marker
    if School.objects.exists():
        raise OwnSchools
    User.objects.create_superuser(OPERATOR["email"], password, name=OPERATOR["name"])
    for demo in SCHOOLS:
        school = School.objects.create(name=demo["name"], slug=demo["slug"])
        members = {person["email"]: _join(school, person, password) for person in demo["people"]}
        admin = next(email for email, member in members.items() if member.is_admin)
        documents = {d["title"]: _upload(demo, d, members[d.get("owner", admin)]) for d in demo["documents"]}
        _allow_references(school, demo)
        SafeguardingLead.objects.create(school=school, member=members[admin])
        ClassroomSettings.objects.create(school=school, leads_chosen=1)
        for chatbot in demo["chatbots"]:
            _create_chatbot(chatbot, members[chatbot["owner"]], documents)
    return marker


def _allow_references(school: School, demo: Table) -> None:
    """Pages are fetched from this installation. Live Wikipedia stays off: the demo calls nobody unasked."""
    topics = demo.get("topics", [])
    allowed = dict.fromkeys(("allows_approved", "allows_wikipedia_offline", "allows_http"), bool(topics))
    ReferenceSettings.objects.create(school=school, **allowed)
    for topic in topics if settings.LECTERN_DEMO_PAGES else []:
        addresses = [
            f"http://{settings.LECTERN_DEMO_PAGES}{reverse('demo:page', args=[name])}" for name in topic["pages"]
        ]
        create_topic(school=school, name=topic["name"], keywords=topic["keywords"], addresses=addresses)


def _join(school: School, person: Table, password: str) -> Membership:
    user = User.objects.create_user(person["email"], password, name=person["name"])
    role = Role.ADMIN if person.get("is_admin") else Role.TEACHER
    return Membership.objects.create(school=school, user=user, role=role)


def _upload(demo: Table, document: Table, member: Membership) -> Document:
    described = {name: value for name, value in document.items() if name not in ("file", "owner")}
    upload: Callable[..., tuple[Document, bool]] = knowledge.upload if "owner" in document else library.upload
    with get_path(demo, document).open("rb") as content:
        return upload(member=member, file=File(content, name=document["file"]), **described)[0]


def _create_chatbot(chatbot: Table, member: Membership, documents: dict[str, Document]) -> None:
    read = {
        name: [documents[title].pk for title in chatbot[name]] for name in ("personal_documents", "school_documents")
    }
    entered = {"language": Language.ENGLISH, "places": 5, "when_unsure": WhenUnsure.REFUSE}
    form = ChatbotForm({**chatbot, **entered, **read}, member=member)
    if not form.is_valid():
        raise ValueError(f"The demo's chatbot “{chatbot['name']}” is not valid: {form.errors.as_text()}")
    form.save()


def _index(say: Callable[[str], None]) -> None:
    """Index all queued documents and report the progress. Raises Unfinished."""
    for documents in _documents():
        for failed in documents.filter(status=Status.FAILED):
            uploads.retry(failed)
    every = sum(len(demo["documents"]) for demo in SCHOOLS)
    done, since = -1, time.monotonic()
    while True:
        ready = sum(documents.filter(status=Status.READY).count() for documents in _documents())
        if ready != done:
            say(f"{ready} of {every} documents are ready")
            done, since = ready, time.monotonic()
        if not any(documents.unfinished().exists() for documents in _documents()):
            break
        if time.monotonic() - since > WAIT:
            raise Unfinished("A worker has been indexing one document for too long. Run load_demo again later.")
        if not any(index_next_document(documents) for documents in _documents()):
            time.sleep(0.3)
    for documents in _documents():
        for failed in documents.filter(status=Status.FAILED):
            raise Unfinished(f"“{failed.title}” could not be indexed: {failed.failure_reason}")


def _read_pages(say: Callable[[str], None]) -> None:
    """Read the approved pages, which may have been queued before the web process was up."""
    pages = ApprovedPage.objects.filter(school__slug__in=_slugs()).exclude(state=PageState.FRESH)
    read_pages(pages)
    every = ApprovedPage.objects.filter(school__slug__in=_slugs())
    say(f"{every.filter(state=PageState.FRESH).count()} of {every.count()} approved pages are ready")


def _add_archive(say: Callable[[str], None]) -> None:
    """Write and add the encyclopaedia of the demo, once, where libzim is installed, now or at a later start."""
    files = [file for demo in SCHOOLS for file in articles(demo)]
    with advisory_lock(_LOCK) as held:
        if held and is_installed() and not Archive.objects.filter(name=zim_file.NAME).exists():
            path = zim_file.write(settings.DATA_DIR / "archives" / "demo.zim", files)
            say(f"{add_archive(path, progress=lambda *_: None)} is ready")


def _documents() -> Iterator[DocumentQuerySet[Any]]:
    yield SchoolDocument.objects.filter(school__slug__in=_slugs())
    yield PersonalDocument.objects.filter(school__slug__in=_slugs())


def make_quoter() -> ExtractiveAnswerer:
    """What answers while the language model that is set up does not."""
    return ExtractiveAnswerer(closes=False)


@contextmanager
def _without_model() -> Iterator[None]:
    """In this process sentences are quoted, and plans are made by rules."""
    before, settings.LECTERN_ANSWERER = settings.LECTERN_ANSWERER, "demo.loader.make_quoter"
    try:
        yield
    finally:
        settings.LECTERN_ANSWERER = before


def _converse(chatbot: Chatbot, say: Callable[[str], None], *, by_model: bool) -> None:
    """Ask the first question of a chatbot and write the answer, if that is not done; where the model fails, by
    quotations. Raises Unfinished."""
    demos = (demo for school in SCHOOLS for demo in school["chatbots"] if demo["name"] == chatbot.name)
    for question in (demo["question"] for demo in demos if "question" in demo):
        asked = Chat.objects.filter(chatbot=chatbot, messages__question=question)
        if asked.filter(messages__status=MessageStatus.DONE).exists():
            continue
        member = Membership.objects.select_related("school", "user").get(school=chatbot.school, user=chatbot.owner)
        for quotes in (False, True) if by_model else (True,):
            asked.delete()
            message = asking.ask(policy=MemberPolicy(member), chatbot=chatbot, question=question)
            with _without_model() if quotes else nullcontext():
                jobs.start(message).wait()
            message.refresh_from_db()
            if message.status == MessageStatus.DONE:
                break
        if message.status != MessageStatus.DONE:
            raise Unfinished(
                f"“{chatbot.name}” could not answer its first question: {message.notice or message.status}"
            )
        say(f"“{chatbot.name}” has answered its first question")


def _make_plan(demo: Table, wanted: Table, say: Callable[[str], None]) -> None:
    """Make a study plan by rules, if that is not done: a model would take minutes. Raises Unfinished."""
    school = School.objects.get(slug=demo["slug"])
    member = Membership.objects.select_related("school", "user").get(school=school, user__email=wanted["owner"])
    plans = StudyPlan.objects.for_member(member).filter(title=wanted["title"])
    if not plans.exists():
        chatbot = Chatbot.objects.for_member(member).filter(name=wanted.get("chatbot", "")).first()
        readable = [documents.filter(school=school) for documents in _documents()]
        chosen = [
            document.pk
            for documents in readable
            for document in documents.filter(title__in=wanted.get("documents", []))
        ]
        with ExitStack() as locks, _without_model():
            with transaction.atomic():
                plan = create_plan(
                    member=member, title=wanted["title"], chatbot=chatbot, documents=chosen, shows_unreviewed=True
                )
                locks.enter_context(lock_plan(plan.pk))  # no worker takes it
            while plans.get().is_pending and make_next_plan():
                pass
    since = time.monotonic()
    while (plan := plans.get()).is_pending:
        if time.monotonic() - since > WAIT:
            raise Unfinished(f"A worker has been making “{plan.title}” for too long. Run load_demo again later.")
        with _without_model():
            if not make_next_plan():
                time.sleep(0.3)
    if plan.status != PlanStatus.READY:
        raise Unfinished(f"The study plan “{plan.title}” could not be made: {plan.failure}")
    say(f"The study plan “{plan.title}” is ready, with {plan.concepts.count()} concepts")


def _slugs() -> list[str]:
    return [demo["slug"] for demo in SCHOOLS]
