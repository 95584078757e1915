"""Whatever way a class or a pupil is erased, a certificate says so, and names nobody."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from chatbots.models import Chatbot
from classrooms import erasing
from classrooms.joining import pupils
from classrooms.models import ClassLink, Flag
from privacy.erasing import erase_old
from privacy.models import Erasure
from tests.classrooms.classes import come_in, make_asked, open_class, page
from tests.factories import Cast, make_program, signed_in
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
Way = Callable[[Cast, ClassLink], object]


def by_page(people: Cast, link: ClassLink) -> None:
    signed_in(people.alice).post(f"/classes/{link.pk}/erase/", {"confirm": "on"})


def by_api(people: Cast, link: ClassLink) -> None:
    make_program(people.alice).delete(f"/api/v1/class-links/{link.pk}")


def by_night(people: Cast, link: ClassLink) -> None:
    ClassLink.objects.filter(pk=link.pk).update(ends_at=timezone.now() - timedelta(days=400))
    erase_old()


@pytest.mark.parametrize(("way", "asked_by"), [(by_page, "alice"), (by_api, "alice"), (by_night, None)])
def test_an_erased_class(way: Way, asked_by: str | None, people: Cast, chatbot: Chatbot, model: Model) -> None:
    link = open_class(people.alice, chatbot)
    _, pupil = come_in(link)
    make_asked(pupil, chatbot)
    way(people, link)
    row = Erasure.objects.get()
    assert (row.kind, row.subject_id, row.school) == ("class", link.pk, people.alice.school)
    assert row.counts == {"classes": 1, "pupils": 1, "questions": 1}
    assert row.asked_by == (people.alice.user if asked_by else None)
    assert "A class with its pupils" in signed_in(people.carol).get("/schools/erasures/").content.decode()
    assert signed_in(people.chloe).get(f"/schools/erasures/{row.pk}/").status_code == 404


@pytest.mark.parametrize("who", ["teacher", "pupil"])
def test_an_erased_pupil(who: str, people: Cast, chatbot: Chatbot, model: Model) -> None:
    link = open_class(people.alice, chatbot)
    client, pupil = come_in(link)
    make_asked(pupil, chatbot)
    if who == "teacher":
        signed_in(people.alice).post(f"/classes/pupils/{pupil.pk}/erase/", {"confirm": "on"})
    else:
        own = pupils.change_pupil_code(pupil)
        client.post(page("door", link), {"own_code": own})
        assert client.post(page("own-data", link), {"own_code": own}).status_code == 200
    row = Erasure.objects.get()
    assert (row.kind, row.subject_id) == ("pupil", pupil.pk)
    assert row.counts == {"pupils": 1, "questions": 1}
    assert row.asked_by == (people.alice.user if who == "teacher" else None)
    assert pupil.nickname not in str(Erasure.objects.values())


def test_a_certificate_says_that_something_worrying_stays_known(people: Cast, chatbot: Chatbot, model: Model) -> None:
    link = open_class(people.alice, chatbot)
    _, pupil = come_in(link)
    message = make_asked(pupil, chatbot)
    Flag.objects.create(school=link.school, pupil=pupil, message=message, category="abuse", words="hits me")
    erasing.erase_pupil(pupil)
    (kept,) = Erasure.objects.get().kept
    assert "without a word of the pupil" in kept and pupil.nickname not in kept
    erasing.erase_class(link)
    (kept,) = Erasure.objects.get(kind="class").kept
    assert "The safeguarding lead of the school has them" in kept


def test_nothing_is_certified_that_was_not_erased(people: Cast, chatbot: Chatbot) -> None:
    link = open_class(people.alice, chatbot)
    assert signed_in(people.bob).post(f"/classes/{link.pk}/erase/", {"confirm": "on"}).status_code == 404
    assert not Erasure.objects.exists()
