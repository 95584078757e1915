"""Read a public web page, so that it can become a document of a teacher or of the library."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape

from django.db import connection
from django.utils import timezone

from references.approved.extraction import extract_readable, parse_charset
from references.approved.reading import MAX_BYTES, SECONDS
from references.fetching.fetch import FetchedPage, FetchFailed, NoAnswer, fetch
from references.models import ReferenceSettings
from references.outside_calls import get_permit, may_call_outside
from schools.models import School

NOT_ALLOWED = "Your school has not switched on web pages as documents."
MOSTLY_EMPTY = (
    "This page is mostly empty without JavaScript. Open it in your browser, save it as a PDF there, and upload that."
)
_TOO_LONG = (
    "This page is too long, or not written as web pages are. Save what you need of it as a PDF, and upload that."
)
_NO_PAGE = "Save it on your computer, and upload it as a file."


class PageRefused(Exception):
    """A page cannot become a document. The message says why, in words for a teacher."""


@dataclass(frozen=True)
class WebPage:
    """A page as it was read: `address` after all redirects, `html` with its readable text and nothing around it."""

    address: str
    title: str
    html: bytes
    fetched_at: datetime

    @property
    def filename(self) -> str:
        return f"{' '.join(self.title.replace('/', ' ').split())[:100]}.html"


def may_add_web_pages(school: School) -> bool:
    """Whether the school lets its people add web pages, and anything outside may be called for it."""
    return ReferenceSettings.of(school).allows_web_pages and may_call_outside(school)


def read_web_page(school: School, address: str) -> WebPage:
    """Fetch a page from wherever on the public web it is, and extract its text. Raises PageRefused.

    An address without a scheme is taken for https. No database connection is held while the site is waited for.
    """
    permission = ReferenceSettings.of(school)
    if not permission.allows_web_pages:
        raise PageRefused(NOT_ALLOWED)
    try:
        permit = get_permit(school)
        if not connection.in_atomic_block:
            connection.close()
        fetched = fetch(
            _whole(address),
            permit=permit,
            hosts=None,
            allow_http=permission.allows_http,
            seconds=SECONDS,
            max_bytes=MAX_BYTES,
        )
    except FetchFailed as failure:
        raise PageRefused(_in_words(failure)) from None
    return _page(fetched)


def _whole(address: str) -> str:
    """The address with a scheme and without the place within the page."""
    address = address.strip().partition("#")[0]
    return address if "://" in address else f"https://{address}"


def _page(fetched: FetchedPage) -> WebPage:
    try:
        found = extract_readable(fetched.body, charset=parse_charset(fetched.headers.get("content-type", "")))
    except ValueError:
        raise PageRefused(_TOO_LONG) from None
    if not found.text:
        raise PageRefused(MOSTLY_EMPTY)
    title = found.title or fetched.address.partition("://")[2][:200]
    head = f'<head><meta charset="utf-8"><title>{escape(title)}</title></head>'
    html = found.text.replace("<html>", f"<html>{head}", 1).encode(errors="replace")
    return WebPage(fetched.address, title, html, timezone.now())


def _in_words(failure: FetchFailed) -> str:
    if isinstance(failure, NoAnswer):
        return f"The page did not answer. {failure}"
    if failure.status == 200:  # something was there, and it is no page
        return f"{failure} {_NO_PAGE}"
    return str(failure)
