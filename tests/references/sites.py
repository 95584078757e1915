"""A small web site on loopback, and schools that list its pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from references.approved import topics
from references.approved.reading import read_approved_page
from references.models import ApprovedPage, ApprovedTopic, ReferenceSettings
from schools.models import School
from tests.references.web import Step, WebPeer, page, web_peer

DEPOSIT = (
    "Your landlord must put the deposit into a protection scheme within thirty days of getting it. The scheme keeps "
    "the money safe until you leave the home, and nobody can spend it before that. You get it back if you paid rent."
)
NOTICE = (
    "A landlord who wants a tenant to leave must give notice in writing, two months before the day on which the "
    "tenancy ends. During these two months the tenant may stay, pays the rent as before, and may look for another home."
)
KEYWORDS = ["tenant", "landlord", "deposit", "rent"]
QUESTION = "Does the landlord keep my deposit?"


def html(text: str = DEPOSIT, title: str = "Deposits – Office for Housing") -> str:
    return (
        f"<!doctype html><html lang='en'><head><title>{title}</title></head><body><nav><a href='/'>Home</a> "
        f"<a href='/more'>More</a></nav><main><h1>Deposits</h1><p>{text}</p></main><footer>Imprint</footer></body>"
    )


class Site:
    """What a site answers, by path: a text, or a whole answer. Anything else is 404."""

    def __init__(self) -> None:
        self.pages: dict[str, str | tuple[bytes, ...]] = {"/deposit": DEPOSIT}
        self.peer: WebPeer

    def __call__(self, path: str) -> Sequence[Step]:
        found = self.pages.get(path)
        if found is None:
            return page(html("Sorry, there is no such page here."), status=404)
        return page(html(found)) if isinstance(found, str) else found

    def url(self, path: str = "/deposit") -> str:
        return f"{self.peer.url}{path}"


@contextmanager
def site() -> Iterator[Site]:
    answers = Site()
    with web_peer(answers) as peer:
        answers.peer = peer
        yield answers


def allow(school: School, **more: Any) -> ReferenceSettings:
    """The school allows approved pages, and http, which the tests' site speaks."""
    values = {"allows_approved": True, "allows_http": True, **more}
    return ReferenceSettings.objects.update_or_create(school=school, defaults=values)[0]


def make_topic(school: School, *addresses: str, name: str = "Renting", read: bool = True) -> ApprovedTopic:
    """A topic about renting with these pages, which are read at once."""
    topic = topics.create_topic(school=school, name=name, keywords=KEYWORDS, addresses=addresses)
    if read:
        for one in topic.pages.all():
            read_approved_page(one.pk)
    return topic


def only_page(topic: ApprovedTopic) -> ApprovedPage:
    return topic.pages.get()
