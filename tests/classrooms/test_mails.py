"""A mail about a child is never lost: it waits in the database until the mail server has taken it."""

from __future__ import annotations

from smtplib import SMTPRecipientsRefused
from threading import Thread
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chatbots.models import Chatbot
from classrooms import erasing, mails
from classrooms.models import ClassLink, ClassroomSettings, ConcernMail, Flag, Pupil, SafeguardingLead
from schools.models import User
from tests.classrooms.classes import decide, join, make_asked, name_leads, open_class
from tests.factories import PASSWORD, Cast, make_member, signed_in
from tests.running import free_port

pytestmark = pytest.mark.django_db
REFUSED: set[str] = set()


class Slow(EmailBackend):
    """A mail server that takes so long that another worker looks for mails meanwhile."""

    def send_messages(self, messages: Any) -> int:
        assert mails.mail_flags() == 0, "another worker sent what this one is sending"
        return super().send_messages(messages)


class Picky(EmailBackend):
    """A mail server that refuses some addresses."""

    def send_messages(self, messages: Any) -> int:
        for message in messages:
            if set(message.to) & REFUSED:
                raise SMTPRecipientsRefused({})
        return super().send_messages(messages)


@pytest.fixture
def found(link: ClassLink, pupil: Pupil, chatbot: Chatbot) -> Flag:
    message = make_asked(pupil, chatbot)
    row = {"school": link.school, "pupil": pupil, "message": message, "words": "zorble", "entry": "zorble"}
    return Flag.objects.create(**row, category="self-harm")


def take_mail_away(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    settings.LECTERN_RETRY_SECONDS = 600  # of documents, not of mails


def bring_mail_back(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def make_due() -> None:
    ConcernMail.objects.update(due_at=timezone.now())


def test_a_mail_waits_for_a_mail_server_that_is_away(
    found: Flag, people: Cast, alice: Client, link: ClassLink, settings: Settings
) -> None:
    name_leads(people.carol, tells_teacher=True)
    take_mail_away(settings)
    assert mails.mail_flags() == 0
    waiting = list(ConcernMail.objects.order_by("pk").values_list("attempts", flat=True))
    assert waiting == [1, 1] and not ConcernMail.objects.due().exists(), "both wait, and only one was tried"
    desk = alice.get(f"/classes/{link.pk}/").content.decode()
    assert f"could not be sent to {people.carol.name}. Tell {people.carol.name} yourself." in desk
    assert "A mail to you about a concern could not be sent." in desk
    first = ConcernMail.objects.all()[0]
    assert f"trying since {timezone.localtime(first.created_at):%-d %B, %H:%M}" in " ".join(desk.split())
    assert mails.count_unsent() == {"unsent": 2, "oldest_unsent": first.created_at}
    bring_mail_back(settings)
    assert mails.mail_flags() == 0, "not before its time"
    make_due()
    assert mails.mail_flags() == 2 and mails.mail_flags() == 0
    assert sorted(one.to[0] for one in mail.outbox) == sorted([people.alice.user.email, people.carol.user.email])
    assert "could not be sent" not in alice.get(f"/classes/{link.pk}/").content.decode()
    assert mails.count_unsent()["unsent"] == 0


def test_it_is_tried_for_ever_and_not_too_often(found: Flag, people: Cast, settings: Settings) -> None:
    name_leads(people.carol)
    take_mail_away(settings)
    waits = []
    for _ in range(6):
        mails.mail_flags()
        waits.append(round((ConcernMail.objects.get().due_at - timezone.now()).total_seconds() / 60))
        make_due()
    assert waits == [0, 2, 16, 16, 16, 16]


def test_an_address_that_is_refused_keeps_no_other_mail_back(
    found: Flag, people: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_leads(people.carol, people.bob, tells_teacher=True)
    settings.EMAIL_BACKEND = f"{__name__}.Picky"
    monkeypatch.setattr(f"{__name__}.REFUSED", {people.bob.user.email})
    assert mails.mail_flags() == 2
    assert ConcernMail.objects.get().member == people.bob
    make_due()
    assert mails.mail_flags() == 0
    REFUSED.clear()
    make_due()
    assert mails.mail_flags() == 1 and len(mail.outbox) == 3


def test_a_worker_that_dies_while_it_sends_loses_no_mail(found: Flag, people: Cast, settings: Settings) -> None:
    name_leads(people.carol)
    mails._write_mails()
    ConcernMail.objects.update(due_at=timezone.now() + mails.LEASE)  # as one does that sends it
    assert mails.mail_flags() == 0
    make_due()  # the time that it had is over
    assert mails.mail_flags() == 1


def test_two_workers_send_no_mail_twice(found: Flag, people: Cast, settings: Settings) -> None:
    name_leads(people.carol)
    settings.EMAIL_BACKEND = f"{__name__}.Slow"
    assert mails.mail_flags() == 1 and len(mail.outbox) == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_write_no_mail_twice(people: Cast, chatbot: Chatbot) -> None:
    link = open_class(people.alice, chatbot)
    pupil = join(link)
    row = {"school": link.school, "pupil": pupil, "practised": "I zorble", "words": "zorble", "entry": "zorble"}
    flag = Flag.objects.create(**row, category="self-harm")
    name_leads(people.carol)

    def work() -> None:
        mails.mail_flags()
        connection.close()

    with transaction.atomic():
        Flag.objects.select_for_update().get(pk=flag.pk)  # as one does that writes of it
        other = Thread(target=work)
        other.start()
        other.join(120)
        assert not other.is_alive(), "it waited for the lock"
    assert not ConcernMail.objects.exists() and not mail.outbox
    work()
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("how", ["removed", "deactivated", "not chosen any more"])
def test_a_mail_to_one_who_is_told_no_more_goes_to_the_next(
    found: Flag, people: Cast, settings: Settings, how: str
) -> None:
    name_leads(people.bob)
    take_mail_away(settings)
    mails.mail_flags()
    if how == "removed":
        people.bob.delete()
    elif how == "deactivated":
        User.objects.filter(pk=people.bob.user_id).update(is_active=False)
    else:
        SafeguardingLead.objects.all().delete()
    bring_mail_back(settings)
    make_due()
    mails.mail_flags()
    told = [one for one in mail.outbox if "Please look" in one.subject]
    assert [one.to for one in told] == [[people.carol.user.email]], "the admin stands in"
    assert not ConcernMail.objects.exists()


def test_a_mail_of_a_teacher_who_left_is_written_anew_for_the_others(
    found: Flag, people: Cast, settings: Settings
) -> None:
    name_leads(people.carol, tells_teacher=True)
    take_mail_away(settings)
    mails.mail_flags()
    assert ConcernMail.objects.count() == 2
    User.objects.filter(pk=people.alice.user_id).update(is_active=False)
    bring_mail_back(settings)
    mails.mail_flags()
    [told] = [one for one in mail.outbox if "Please look" in one.subject]
    assert told.to == [people.carol.user.email] and "of Alice" in str(told.body) and "your class" not in str(told.body)


def test_a_mail_of_a_lead_goes_to_the_teacher_who_is_told_now(found: Flag, people: Cast, settings: Settings) -> None:
    name_leads(people.bob)
    take_mail_away(settings)
    mails.mail_flags()
    people.bob.delete()
    ClassroomSettings.objects.update(tells_teacher=True)
    bring_mail_back(settings)
    mails.mail_flags()
    told = {one.to[0]: str(one.body) for one in mail.outbox if "Please look" in one.subject}
    assert set(told) == {people.alice.user.email, people.carol.user.email}
    assert "your class" in told[people.alice.user.email]


def test_two_leads_of_whom_one_leaves(found: Flag, people: Cast, settings: Settings) -> None:
    name_leads(people.bob, people.carol)
    take_mail_away(settings)
    mails.mail_flags()
    people.bob.delete()
    bring_mail_back(settings)
    mails.mail_flags()
    assert [one.to for one in mail.outbox if "Please look" in one.subject] == [[people.carol.user.email]]


def test_what_waits_for_somebody_waits_on_when_the_pupil_is_erased(
    found: Flag, pupil: Pupil, people: Cast, settings: Settings
) -> None:
    name_leads(people.bob)
    take_mail_away(settings)
    mails.mail_flags()
    people.bob.delete()
    mails.mail_flags()
    Flag.objects.update(seen_at=timezone.now())
    erasing.erase_pupil(pupil)
    bring_mail_back(settings)
    mails.mail_flags()
    [told] = [one for one in mail.outbox if "Please look" in one.subject]
    assert told.to == [people.carol.user.email] and "erased since" in str(told.body)
    mails.mail_flags()
    assert not Flag.objects.exists()


def test_the_mail_of_a_trace_is_not_lost_with_it(found: Flag, pupil: Pupil, people: Cast, settings: Settings) -> None:
    name_leads(people.carol)
    take_mail_away(settings)
    erasing.erase_pupil(pupil)
    mails.mail_flags()
    Flag.objects.update(seen_at=timezone.now())
    mails.mail_flags()
    assert Flag.objects.exists() and ConcernMail.objects.exists()
    bring_mail_back(settings)
    make_due()
    assert mails.mail_flags() == 1


def test_a_mail_to_an_admin_who_left_goes_with_the_admin(people: Cast) -> None:
    ConcernMail.objects.create(
        school=people.carol.school, member=people.carol, subject="Left", body="Bob still gets it."
    )
    people.carol.delete()
    mails.mail_flags()
    assert not ConcernMail.objects.exists() and not mail.outbox


def test_one_who_comes_back_counts_again(people: Cast, found: Flag) -> None:
    name_leads(people.bob, people.carol)

    def set_active(is_active: bool) -> int:
        User.objects.filter(pk=people.bob.user_id).update(is_active=is_active)
        mails.mail_flags()
        return sum("has left" in one.subject for one in mail.outbox)

    assert [set_active(False), set_active(True), set_active(False)] == [1, 1, 2]


def test_erasing_a_pupil_does_not_take_an_unsent_mail_away(
    found: Flag, pupil: Pupil, people: Cast, settings: Settings
) -> None:
    name_leads(people.carol)
    take_mail_away(settings)
    mails.mail_flags()
    Flag.objects.update(seen_at=timezone.now())
    erasing.erase_pupil(pupil)
    assert not ConcernMail.objects.exists() and Flag.objects.get().mailed_at is None
    bring_mail_back(settings)
    assert mails.mail_flags() == 1 and "erased since" in str(mail.outbox[0].body)


def test_admins_are_told_that_there_is_no_lead_any_more(people: Cast, link: ClassLink) -> None:
    decide(link.school, goes_without_lead=False)
    name_leads(people.bob)
    carol = signed_in(people.carol)
    page, form, notice = reverse("classrooms:school"), reverse("classrooms:safeguarding"), "Until you name one"
    assert notice not in carol.get(page).content.decode()
    people.bob.delete()
    assert not SafeguardingLead.objects.exists() and notice in carol.get(page).content.decode()
    mails.mail_flags()
    assert [one.to for one in mail.outbox] == [[people.carol.user.email]]
    assert "Until you name another lead, grave concerns go to the admins." in str(mail.outbox[0].body)
    mails.mail_flags()
    assert len(mail.outbox) == 1, "once"
    carol.post(form, {"leads": [people.carol.pk]})
    carol.post(form, {"goes_without_lead": "on"})
    mails.mail_flags()
    assert len(mail.outbox) == 1, "admins know what they choose themselves"


def test_a_lead_whose_account_is_switched_off_is_noticed(people: Cast) -> None:
    name_leads(people.bob, people.alice)
    Flag.objects.all().delete()
    User.objects.filter(pk=people.bob.user_id).update(is_active=False)
    mails.mail_flags()
    assert [one.to for one in mail.outbox] == [[people.carol.user.email]]
    assert f"These are still told: {people.alice.name}." in str(mail.outbox[0].body)
    assert ClassroomSettings.objects.get().leads_chosen == 1


def test_the_page_of_leads_does_not_grow_with_the_school(people: Cast) -> None:
    carol, form = signed_in(people.carol), reverse("classrooms:safeguarding")
    carol.get(form)
    with CaptureQueriesContext(connection) as few:
        carol.get(form)
    for number in range(5):
        make_member(people.carol.school, f"more-{number}")
    with CaptureQueriesContext(connection) as many:
        carol.get(form)
    assert len(many) == len(few)


def test_the_operator_reads_that_mails_do_not_get_out(found: Flag, people: Cast, settings: Settings) -> None:
    name_leads(people.carol)
    take_mail_away(settings)
    mails.mail_flags()
    operator = Client()
    operator.force_login(User.objects.create_superuser("operator@lectern.example", PASSWORD, name="Operator"))
    shown = operator.get(reverse("operators:index")).content.decode()
    assert "1 mail about concerns in classes could not be sent" in shown and "EMAIL_URL" in shown
    assert people.carol.name not in shown and "Amber Badger" not in shown and "Nobody gets a mail" not in shown
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    assert "Nobody gets a mail: without" in operator.get(reverse("operators:index")).content.decode()
