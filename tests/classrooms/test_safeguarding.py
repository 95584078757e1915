"""Who is told of a concern, and where it stands until somebody has looked; real names; what pupils are told."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chatbots.models import Chatbot
from classrooms import mails
from classrooms.links import LinkRefused, change_link, create_link
from classrooms.models import ClassLink, ClassroomSettings, Flag, Pupil, RealName, SafeguardingLead
from schools.audit.actions import Action
from schools.audit.models import AuditEntry
from schools.models import User
from tests.classrooms.classes import come_in, decide, make_asked, name_leads, open_class, page, url
from tests.factories import Cast, signed_in
from tests.learning.plans import make_plan

pytestmark = pytest.mark.django_db


def flag(pupil: Pupil, chatbot: Chatbot, category: str = "self-harm") -> Flag:
    message = make_asked(pupil, chatbot, f"Can I zorble, {category}?")
    row = {"school": message.school, "pupil": pupil, "message": message, "words": "zorble", "entry": "zorble"}
    return Flag.objects.create(**row, category=category)


def read(client: Client, address: str) -> str:
    return " ".join(client.get(address).content.decode().split())


def test_no_class_without_a_lead_unless_an_admin_says_so(people: Cast, chatbot: Chatbot) -> None:
    alice, carol, form = signed_in(people.alice), signed_in(people.carol), url("safeguarding")
    told = "Before classes can be opened, an admin names the safeguarding lead of your school."
    assert told in read(alice, url("list")) and told in read(alice, url("create"))
    with pytest.raises(LinkRefused, match="safeguarding lead"):
        create_link(member=people.alice, chatbots=[chatbot.pk], name="9b", ends_at=timezone.now() + timedelta(days=1))
    for address in ("list", "school"):
        assert "Name the safeguarding lead" in read(carol, url(address))
    assert carol.post(url("switch"), {"allowed": "on"})["Location"] == form
    refused = carol.post(form, {})
    assert refused.status_code == 422 and "Name somebody" in refused.content.decode()
    foreign = carol.post(form, {"leads": [people.charlie.pk]})
    assert foreign.status_code == 422 and not SafeguardingLead.objects.exists()
    for stranger in (people.alice, people.bob):
        assert signed_in(stranger).post(form, {"leads": [people.bob.pk]}).status_code == 403
    carol.post(form, {"goes_without_lead": "on"})
    assert told not in read(alice, url("list")) and "without a safeguarding lead" in read(carol, url("school"))
    carol.post(form, {"leads": [people.bob.pk], "goes_without_lead": "on"})
    row = ClassroomSettings.objects.get()
    assert not row.goes_without_lead and row.leads_chosen == 1 and not row.allows_practice
    assert f"Safeguarding lead: {people.bob.name}" in read(carol, url("school"))
    people.bob.user.is_active = False
    people.bob.user.save()
    assert told in read(alice, url("list")), "a new one is asked for"
    assert carol.post(form, {"leads": [people.bob.pk]}).status_code == 422, "who cannot sign in is no lead"


def test_nothing_is_promised_while_class_links_are_switched_off(people: Cast) -> None:
    carol, form = signed_in(people.carol), url("safeguarding")
    carol.post(url("switch"))
    assert "Name the safeguarding lead" not in read(carol, url("create"))
    assert "let teachers open classes" not in read(carol, form)
    shown = carol.post(form, {"leads": [people.bob.pk]}, follow=True).content.decode()
    assert "Saved." in shown and "Teachers can open classes now" not in shown


def test_a_grave_concern_waits_for_somebody_to_tell(people: Cast, pupil: Pupil, chatbot: Chatbot) -> None:
    decide(people.alice.school, tells_teacher=False)
    User.objects.filter(pk=people.carol.user_id).update(is_active=False)
    flag(pupil, chatbot)
    assert mails.mail_flags() == 0
    User.objects.filter(pk=people.carol.user_id).update(is_active=True)
    assert mails.mail_flags() == 1 and mail.outbox[0].to == [people.carol.user.email]


def test_an_unseen_concern_stands_everywhere_until_somebody_has_looked(
    people: Cast, link: ClassLink, pupil: Pupil, chatbot: Chatbot, alice: Client
) -> None:
    assert "Concerns (" not in read(alice, reverse("chatbots:list"))
    found = flag(pupil, chatbot, "personal-data")
    for address in (reverse("chatbots:list"), url("list"), url("desk", link.pk)):
        assert "Concerns (1)" in read(alice, address)
    assert "1 concern nobody has looked at" in read(alice, url("list"))
    assert 'class="row alarm"' in read(alice, url("desk", link.pk))
    assert "Nobody has looked at 1 concern in this class yet." in read(alice, url("close", link.pk))
    assert "Nobody has looked at 1 concern" in read(alice, url("erase", link.pk))
    for other in (people.bob, people.carol, people.charlie):
        assert "Concerns (" not in read(signed_in(other), reverse("chatbots:list"))
    alice.post(url("seen", found.pk))
    for address in (reverse("chatbots:list"), url("list"), url("close", link.pk)):
        assert "oncerns (" not in read(alice, address) and "looked at" not in read(alice, address)


def test_the_lead_reads_what_is_grave_and_nobody_else_does(
    people: Cast, link: ClassLink, pupil: Pupil, chatbot: Chatbot, alice: Client
) -> None:
    name_leads(people.bob, tells_teacher=True)
    grave, light = flag(pupil, chatbot), flag(pupil, chatbot, "personal-data")
    bob = signed_in(people.bob)
    shown = read(bob, url("concerns"))
    assert "Can I zorble, self-harm?" in shown and f"{link.name}, {people.alice.name}" in shown
    assert "personal-data?" not in shown and "Concerns (1)" in shown
    assert AuditEntry.objects.filter(action=Action.CONCERNS_READ, actor_id=people.bob.user_id).count() == 1
    assert "1 concern nobody has looked at" in read(signed_in(people.carol), url("school"))
    for stranger in (people.carol, people.charlie, people.chloe):
        assert "zorble" not in read(signed_in(stranger), url("concerns"))
        assert signed_in(stranger).post(url("seen", grave.pk)).status_code == 404
    assert bob.post(url("seen", light.pk)).status_code == 404
    assert bob.get(url("answer", grave.message_id)).status_code == 404, "the conversation is the teacher's"
    mails.mail_flags()
    told = sorted((one.to[0], "Self-harm" in one.body) for one in mail.outbox)
    own, lead = people.alice.user.email, people.bob.user.email
    assert told == sorted([(own, True), (own, False), (lead, True)])
    assert all("zorble" not in one.body for one in mail.outbox)
    assert bob.post(url("seen", grave.pk))["Location"] == url("concerns")
    assert "Nothing waits for you" in read(bob, url("concerns"))
    assert "Concerns (1)" in read(alice, url("concerns"))


def test_real_names_stand_in_a_place_of_their_own(
    people: Cast, link: ClassLink, pupil: Pupil, chatbot: Chatbot, alice: Client, computer: Client
) -> None:
    names = url("names", link.pk)
    assert alice.get(names).status_code == 404, "off by default"
    ClassLink.objects.update(notes_names=True)
    assert "Who is who" in read(alice, url("desk", link.pk))
    assert "may note who is behind" in read(alice, page("door", link))
    for stranger in (people.bob, people.carol, people.charlie):
        assert signed_in(stranger).post(names, {f"name-{pupil.pk}": "Zoe"}).status_code == 404
    alice.post(names, {f"name-{pupil.pk}": "  Mia \n Quivertassel "})
    assert RealName.objects.get().name == "Mia Quivertassel"
    alice.post(names, {})
    assert RealName.objects.exists(), "who joined after the page was opened keeps the name"
    long = "Mia " * 40
    refused = alice.post(names, {f"name-{pupil.pk}": long})
    assert refused.status_code == 422 and long in refused.content.decode() and "at most 120" in refused.content.decode()
    assert RealName.objects.get().name == "Mia Quivertassel"
    flag(pupil, chatbot)
    assert "Mia Quivertassel" in read(alice, url("desk", link.pk))
    assert "Mia Quivertassel" in read(computer, page("own-data", link))
    with zipfile.ZipFile(io.BytesIO(computer.get(page("own-data-file", link)).content)) as archive:
        assert "Mia Quivertassel" in archive.read("name.json").decode()
    for address in ("transcripts", "export", "summary", "sheet"):
        assert "Quivertassel" not in read(alice, url(address, link.pk))
    change_link(link=ClassLink.objects.get(), member=people.alice, notes_names=False)
    assert not RealName.objects.exists()


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_pupils_are_told_in_the_language_of_the_chatbot(
    language: str, link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot
) -> None:
    Chatbot.objects.update(language=language)
    program = {
        "en": "A program answers with quotations.",
        "de": "Ein Programm antwortet mit Zitaten.",
        "fr": "Un programme répond par des citations.",
        "es": "Un programa responde con citas.",
    }
    teacher = {"en": "Your teacher", "de": "Deine Lehrkraft", "fr": "Ton enseignant", "es": "Tu profesor"}
    shown = read(computer, page("new-chat", link, chatbot.pk))
    composer = shown.partition('class="composer"')[2]
    assert program[language] in composer and teacher[language] in composer


def test_what_pupils_are_told_depends_on_what_answers(
    people: Cast, link: ClassLink, chatbot: Chatbot, alice: Client, request: pytest.FixtureRequest
) -> None:
    door, sheet = page("door", link), url("sheet", link.pk)
    for address in (door, sheet):
        shown = read(alice, address)
        assert "it picks sentences" in shown and "an admin of your school can read it, too" in shown
        assert "Only what may mean danger stays longer" in shown
    name_leads(people.bob)
    request.getfixturevalue("model")
    for address in (door, sheet):
        shown = read(alice, address)
        assert "a language model writes" in shown and "It can be wrong, even when it sounds sure." in shown
        assert "the safeguarding lead of your school can read it, too" in shown
    assert "A language model writes the answers. It can be wrong." in read(alice, f"/chatbots/{chatbot.pk}/")


def test_a_school_switches_practice_off(people: Cast) -> None:
    plan = make_plan(people.alice, "Acid", "Base")
    assert plan.tutor
    link = open_class(people.alice, plan.tutor)
    client, _ = come_in(link)
    practice, chat = page("practise", link, plan.tutor_id), page("new-chat", link, plan.tutor_id)
    assert "makes the questions and checks your answers" in read(client, practice) and ">Practise<" in read(
        client, chat
    )
    decide(link.school, allows_practice=False)
    assert "There’s no practice here" in read(client, practice) and ">Practise<" not in read(client, chat)
    assert client.post(practice, {"given": "x"}).status_code == 200
