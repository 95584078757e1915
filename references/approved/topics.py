"""Services: topics of approved pages, for the admins of a school."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from references.approved.keywords import NEEDED, drop_repeated
from references.approved.queue import queue_pages
from references.approved.reading import parse_host
from references.fetching.addresses import parse_target
from references.fetching.fetch import FetchFailed
from references.models import ApprovedPage, ApprovedTopic, ReferenceSettings
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import School

MAX_TOPICS, MAX_KEYWORDS, MAX_PAGES = 500, 50, 100
"""Of a school, of a topic, of a topic."""

MAX_NAME_LENGTH, MAX_KEYWORD_LENGTH = 120, 60


class TopicRefused(Exception):
    """A topic cannot be saved so. `field` is name, keywords or addresses; each of `reasons` is a sentence."""

    def __init__(self, field: str, *reasons: str) -> None:
        super().__init__(" ".join(reasons))
        self.field, self.reasons = field, list(reasons)


@dataclass(frozen=True)
class CheckedAddresses:
    """Addresses in their usual spelling, each once, and what is wrong with the others: a sentence for each."""

    addresses: list[str]
    wrong: list[str]


@transaction.atomic
def create_topic(*, school: School, name: str, keywords: Sequence[str], addresses: Sequence[str]) -> ApprovedTopic:
    """A new topic, whose pages are then read in the background. Raises TopicRefused."""
    if ApprovedTopic.objects.for_school(school).count() >= MAX_TOPICS:
        raise TopicRefused("name", f"A school has at most {MAX_TOPICS} topics.")
    topic = ApprovedTopic(school=school)
    _save(topic, name, keywords)
    set_addresses(topic=topic, addresses=addresses)
    record(Action.TOPIC_ADDED, school=school, subject=topic, label=topic.name, detail={"pages": len(addresses)})
    return topic


@transaction.atomic
def change_topic(
    *,
    topic: ApprovedTopic,
    name: str | None = None,
    keywords: Sequence[str] | None = None,
    addresses: Sequence[str] | None = None,
) -> None:
    """Change what is given. Pages whose address stays keep their text. Raises TopicRefused."""
    _save(topic, topic.name if name is None else name, topic.keywords if keywords is None else keywords)
    if addresses is not None:
        set_addresses(topic=topic, addresses=addresses)
    _record_change(topic)


@transaction.atomic
def set_addresses(*, topic: ApprovedTopic, addresses: Sequence[str]) -> None:
    """Exactly these pages, in this order. Raises TopicRefused with a sentence for each address that is none."""
    wanted = _right(topic.school, addresses)
    ApprovedTopic.objects.select_for_update(no_key=True).get(pk=topic.pk)
    pages = {page.address: page for page in topic.pages.all()}
    ApprovedPage.objects.filter(pk__in=[page.pk for page in pages.values() if page.address not in wanted]).delete()
    new: list[ApprovedPage] = []
    for position, address in enumerate(wanted):
        page = pages.get(address)
        if page and page.position != position:
            ApprovedPage.objects.filter(pk=page.pk).update(position=position)
        elif page is None:
            new.append(ApprovedPage(school=topic.school, topic=topic, address=address, position=position))
    queue_pages(page.pk for page in ApprovedPage.objects.bulk_create(new))


@transaction.atomic
def add_addresses(*, topic: ApprovedTopic, addresses: Sequence[str]) -> int:
    """Add pages, and return how many were new. Raises TopicRefused."""
    ApprovedTopic.objects.select_for_update(no_key=True).get(pk=topic.pk)
    there = list(topic.pages.values_list("address", flat=True))
    new = [address for address in _right(topic.school, addresses) if address not in there]
    set_addresses(topic=topic, addresses=[*there, *new])
    if new:
        _record_change(topic, added=len(new))
    return len(new)


@transaction.atomic
def delete_topic(topic: ApprovedTopic) -> None:
    record(Action.TOPIC_DELETED, school=topic.school_id, subject=topic, label=topic.name)
    topic.delete()


@transaction.atomic
def remove_page(page: ApprovedPage) -> None:
    """Take a page off the list of its topic."""
    _record_change(page.topic, removed=page.address)
    page.delete()


def check_addresses(school: School, addresses: Iterable[str]) -> CheckedAddresses:
    """Which of these are web addresses that the school may list."""
    allow_http = ReferenceSettings.of(school).allows_http
    found: dict[str, None] = {}
    wrong = []
    for address in map(str.strip, addresses):
        if not address:
            continue
        try:
            bare = address.partition("#")[0]
            found[str(parse_target(bare, hosts=[parse_host(bare)], allow_http=allow_http))] = None
        except FetchFailed as failure:
            wrong.append(f"“{address[:100]}”: {_in_words(address, failure)}")
    return CheckedAddresses(list(found), wrong)


def clean_keywords(keywords: Iterable[str]) -> list[str]:
    """Keywords without those that are forms of one another. Raises TopicRefused."""
    spellings: dict[str, str] = {}
    for keyword in keywords:
        if plain := " ".join(keyword.split()):
            spellings.setdefault(plain.casefold(), plain)
    given = list(spellings.values())
    # Comparing keywords takes time, so it must not be done with thousands of them, or with whole texts.
    if len(given) > 2 * MAX_KEYWORDS:
        raise _too_many(len(given))
    if long := next((keyword for keyword in given if len(keyword) > MAX_KEYWORD_LENGTH), None):
        raise TopicRefused("keywords", f"“{long[:100]}” is too long: at most {MAX_KEYWORD_LENGTH} characters.")
    found = drop_repeated(given)
    if len(found) < NEEDED:
        raise TopicRefused("keywords", "Give at least two different keywords: a question needs two.")
    if len(found) > MAX_KEYWORDS:
        raise _too_many(len(found))
    return found


def _too_many(number: int) -> TopicRefused:
    return TopicRefused("keywords", f"These are {number} keywords; a topic has at most {MAX_KEYWORDS}.")


def _save(topic: ApprovedTopic, name: str, keywords: Sequence[str]) -> None:
    topic.name, topic.keywords = " ".join(name.split()), clean_keywords(keywords)
    if not topic.name or len(topic.name) > MAX_NAME_LENGTH:
        raise TopicRefused("name", f"Give the topic a name of at most {MAX_NAME_LENGTH} characters.")
    taken = f"There is a topic “{topic.name}” already."
    if ApprovedTopic.objects.for_school(topic.school).filter(name__iexact=topic.name).exclude(pk=topic.pk).exists():
        raise TopicRefused("name", taken)
    try:
        with transaction.atomic():
            topic.save()
    except IntegrityError:  # somebody else has just saved one
        raise TopicRefused("name", taken) from None


def _record_change(topic: ApprovedTopic, **detail: str | int) -> None:
    record(Action.TOPIC_CHANGED, school=topic.school_id, subject=topic, label=topic.name, detail=detail)


def _right(school: School, addresses: Sequence[str]) -> list[str]:
    checked = check_addresses(school, addresses)
    if checked.wrong:
        raise TopicRefused("addresses", *checked.wrong)
    if len(checked.addresses) > MAX_PAGES:
        raise TopicRefused(
            "addresses", f"These are {len(checked.addresses)} addresses; a topic has at most {MAX_PAGES}."
        )
    return checked.addresses


def _in_words(address: str, failure: FetchFailed) -> str:
    if "://" not in address:
        return "An address begins with https://."
    if address.lower().startswith("http://") and "http://" in str(failure):
        return "It begins with http://, and your school allows only encrypted pages (https://)."
    return str(failure)
