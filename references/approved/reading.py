"""Read an approved page: fetch, extract, cache, and note what was found. A question that misses the cache, the warming
command, the nightly schedule and the admins' page all come through here (A2)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from corpus.embedding.active_model import active_embedder
from engines.errors import EmbeddingUnavailable
from references.approved import cache
from references.approved.cache import CachedPage
from references.approved.extraction import Extract, extract, parse_charset
from references.fetching.addresses import MAX_ADDRESS_LENGTH, parse_target
from references.fetching.fetch import FetchedPage, FetchFailed, fetch
from references.models import KEPT_FOR, ApprovedPage, PageState, ReferenceSettings, content_hash
from references.outside_calls import get_permit
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import School
from text.languages import detect_configuration, get_language_code

logger = logging.getLogger(__name__)

SECONDS, MAX_BYTES = 10, 1_000_000
"""The most that fetching one page takes, and its most bytes: extraction takes longer the larger a page is."""

TURN_PAGES, TURN_SECONDS = 5, 20
"""When the worker turns to other tasks before it reads more pages of the same school."""

EMPTY = "The page has no text that can be read: it may need JavaScript, be too long, or have been emptied."
_PASSING = {0, 408, 425, 429, *range(500, 600)}
"""Statuses of failures that may be over soon: no answer, too slow, too many requests, an error of the server."""


def read_approved_page(key: UUID) -> ApprovedPage | None:
    """Read a page from its site, and return it as it stands now; None if it is listed no more.

    Raises FetchFailed only where the school calls nothing outside: then nothing is noted. Any other failure is noted
    with the page.
    """
    page = ApprovedPage.objects.select_related("school").filter(pk=key).first()
    if page is None:
        return None
    permit, hosts = get_permit(page.school), allowed_hosts(page.school)
    allow_http = ReferenceSettings.of(page.school).allows_http
    if not connection.in_atomic_block:
        connection.close()  # no connection is held while waiting
    try:
        address = page.address.partition("#")[0]
        fetched = fetch(
            address, permit=permit, hosts=hosts, allow_http=allow_http, seconds=SECONDS, max_bytes=MAX_BYTES
        )
        found = extract(
            fetched.body,
            words=settings.LECTERN_APPROVED_WORDS,
            charset=parse_charset(fetched.headers.get("content-type", "")),
        )
        if not found.text:
            raise FetchFailed(EMPTY, status=200)
    except FetchFailed as failure:
        return _note_failure(key, failure)
    return _note(key, fetched, found)


def read_pages(pages: Iterable[ApprovedPage], *, progress: Callable[[ApprovedPage], None] = lambda page: None) -> None:
    """Read these pages one after the other, which is polite to their sites. Pages that must not be fetched are left."""
    for page in pages:
        with suppress(FetchFailed):
            if current := read_approved_page(page.pk):
                progress(current)


def read_wanted(pages: QuerySet[ApprovedPage]) -> bool:
    """Read those of these pages that somebody wants to be read, as many as one turn has. Whether some are left.

    A page is claimed before it is read, so one that breaks the worker is not tried for ever.
    """
    wanted = pages.filter(wanted_at__isnull=False).order_by("wanted_at", "pk")
    until = time.monotonic() + TURN_SECONDS
    for page in list(wanted[:TURN_PAGES]):
        if wanted.filter(pk=page.pk).order_by().update(wanted_at=None):
            try:
                read_pages([page])
            except Exception:
                logger.exception("An approved page could not be read")
        if time.monotonic() > until:
            break
    return wanted.exists()


def approve_page(key: UUID, *, seen: str) -> bool:
    """Let what was last read answer from now on. False if its hash (`seen_hash`) is not `seen` any more."""
    with transaction.atomic():
        page = _locked(key)
        if page is None or page.read_at is None or page.state != PageState.CHANGED or page.seen_hash != seen:
            return False
        _approve(page, page.read_at)
        page.save()
        record(Action.PAGE_APPROVED, school=page.school_id, subject=page, label=page.address)
        left = page.read_at + KEPT_FOR - timezone.now()
        cache.store(key, _cached(page), seconds=max(left.total_seconds(), 1))
    return True


def allowed_hosts(school: School) -> set[str]:
    """The hosts of the school's list, with their port where it is not that of the scheme."""
    addresses = ApprovedPage.objects.for_school(school).values_list("address", flat=True)
    return {host for address in addresses if (host := parse_host(address))}


def parse_host(address: str) -> str:
    """Host and port of an address as `fetch` takes them, "" for what is no address."""
    place = address.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0]
    try:
        return parse_target(address, hosts=[place], allow_http=True).netloc
    except FetchFailed:
        return ""


def _note(key: UUID, fetched: FetchedPage, found: Extract) -> ApprovedPage | None:
    """Store what was read. The first text is approved with its address; later ones wait until somebody does."""
    with transaction.atomic():
        page = _locked(key)
        if page is None:
            return None
        now = timezone.now()
        page.checked_at = page.read_at = now
        page.wanted_at = None
        page.seen_text, page.seen_title = found.text, found.title or page.host[:200]
        page.seen_address, page.reason = fetched.address[:MAX_ADDRESS_LENGTH], ""
        if not page.approved_hash or page.is_as_approved:
            _approve(page, now)
        else:
            page.state = PageState.CHANGED
        page.save()
        cache.store(key, _cached(page))
    return page


def _note_failure(key: UUID, failure: FetchFailed) -> ApprovedPage | None:
    """A page that is gone or empty answers no more. One that cannot be reached answers until its text has run out."""
    with transaction.atomic():
        page = _locked(key)
        if page is None:
            return None
        now = timezone.now()
        page.checked_at, page.reason, page.wanted_at = now, str(failure)[:300], None
        kept = cache.load([key]).get(key)
        if kept and kept.text and failure.status in _PASSING:
            page.state = PageState.STALE
        else:
            page.state = PageState.FAILED
            cache.store(key, CachedPage(now), seconds=cache.FAILED_FOR.total_seconds())
        page.save()
    logger.info("approved page not read: address=%s status=%d reason=%s", page.address, failure.status, page.reason)
    return page


def _locked(key: UUID) -> ApprovedPage | None:
    """Whoever removes the page waits for this transaction, and clears the cache after it."""
    return ApprovedPage.objects.select_for_update(no_key=True).filter(pk=key).first()


def _approve(page: ApprovedPage, read_at: datetime) -> None:
    """What was last seen answers from now on: the text with its title and its address."""
    page.approved_text, page.title, page.final_address = page.seen_text, page.seen_title, page.seen_address
    page.approved_hash, page.approved_at = content_hash(page.approved_text), read_at
    page.state = PageState.FRESH


def _cached(page: ApprovedPage) -> CachedPage:
    """What answers of this page: the approved text, with all that a search needs of it."""
    assert page.approved_at
    text = page.approved_text
    name, embedding = "", b""
    try:
        embedder = active_embedder()
        name, embedding = embedder.name, embedder.embed_passages([text])[0].astype(np.float32).tobytes()
    except EmbeddingUnavailable:
        logger.warning("An approved page is cached without its embedding: no model is available.")
    return CachedPage(
        read_at=page.approved_at,
        content_hash=page.approved_hash,
        final_address=page.final_address,
        title=page.title,
        text=text,
        language=get_language_code(detect_configuration(text)),
        embedder=name,
        embedding=embedding,
    )
