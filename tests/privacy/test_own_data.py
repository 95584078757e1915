"""What a school stores of a person: downloaded by the person, erased by an admin, certified."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client

from chatbots.models import Chat, Chatbot, Feedback, Message
from classrooms.models import ClassLink, Pupil
from knowledge.models import PersonalDocument
from learning.models import StudyPlan
from privacy import erasing
from privacy.models import Erasure
from privacy.templatetags.amounts import in_words
from school_library.models import SchoolVersion
from schools.models import Membership, Role, User
from schools.services import MembershipRefused, invite, join, remove_member
from tests.accounts.codes import SECRET as APP_SECRET
from tests.accounts.codes import give_app
from tests.classrooms.classes import come_in, make_asked, open_class
from tests.classrooms.test_erasing import tables_with
from tests.factories import Cast, make_message, make_program, make_token, proved_again, school_document, signed_in
from tests.learning.plans import make_plan
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
SECRET = "quivertassel"
JSON = "application/json"


def read_zip(response: Any) -> dict[str, bytes]:
    content = b"".join(response.streaming_content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def full(people: Cast, chatbot: Chatbot, model: Model) -> Chatbot:
    """Alice has something of each kind, and others have asked her chatbot."""
    make_message(people.alice, chatbot, f"How strong may acid be, {SECRET}?")
    make_plan(people.alice, f"Acid {SECRET}", "Base")
    make_token(people.alice)
    make_asked(come_in(open_class(people.alice, chatbot))[1], chatbot, "What did a pupil ask?")
    return chatbot


def test_everything_of_the_person_is_in_the_file(full: Chatbot, people: Cast) -> None:
    files = read_zip(signed_in(people.alice).post("/my-data/"))
    texts = {name: content.decode(errors="replace") for name, content in files.items()}
    assert json.loads(texts["person.json"])["email"] == people.alice.user.email
    (conversation,) = (text for name, text in texts.items() if name.startswith("conversations/"))
    assert SECRET in conversation
    (document,) = (text for name, text in texts.items() if name.startswith("documents/"))
    assert "Use hydrochloric acid" in document
    assert SECRET in texts["records/learning_concept.json"] and "learning_question" in str(texts.keys())
    names = {name.removeprefix("records/").removesuffix(".json") for name in files if name.startswith("records/")}
    assert {"chatbots_chatbot", "classrooms_classlink", "schools_membership"} <= names
    together = "\n".join(texts.values())
    assert "What did a pupil ask?" not in together and "digest" not in together
    assert people.bob.user.email not in together


def test_sessions_and_factors_are_in_the_file_without_secrets(people: Cast) -> None:
    give_app(people.alice)
    stored = Authenticator.objects.create(user=people.alice.user, type="recovery_codes", data={"seed": "x" * 40})
    alice, bob = Client(headers={"User-Agent": "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0"}), Client()
    alice.force_login(people.alice.user, "django.contrib.auth.backends.ModelBackend")
    alice.get("/chatbots/", REMOTE_ADDR="192.0.2.80")
    bob.force_login(people.bob.user, "django.contrib.auth.backends.ModelBackend")
    texts = {name: content.decode(errors="replace") for name, content in read_zip(alice.post("/my-data/")).items()}
    assert json.loads(texts["person.json"])["second_factors"] == ["authenticator app", "recovery codes"]
    (session,) = json.loads(texts["records/usersessions_usersession.json"])
    assert session["user_id"] == str(people.alice.user_id) and session["created_at"]
    together = "\n".join(texts.values())
    kept = Authenticator.objects.get(user=people.alice.user, type="totp").data["secret"]
    for hidden in (APP_SECRET, kept, stored.data["seed"], alice.session.session_key, bob.session.session_key):
        assert str(hidden) not in together


def test_who_is_erased_cannot_come_back_by_a_factor_or_a_session(people: Cast) -> None:
    give_app(people.alice)
    alice = signed_in(people.alice)
    erasing.erase_person(people.alice, asked_by=people.carol)
    assert not Authenticator.objects.exists() and not UserSession.objects.filter(user=people.alice.user_id).exists()
    assert not Session.objects.filter(pk=alice.cookies["sessionid"].value).exists()
    assert alice.get("/chatbots/").headers["Location"].startswith("/accounts/login/")


def test_the_same_by_the_api(full: Chatbot, people: Cast) -> None:
    response = make_program(people.alice, write=False).post("/api/v1/me/export")
    assert response.status_code == 200 and "person.json" in read_zip(response)
    assert Client().post("/api/v1/me/export").status_code == 401


def test_a_person_is_erased_with_a_certificate(full: Chatbot, people: Cast) -> None:
    carol = proved_again(people.carol)
    url = f"/schools/members/{people.alice.user_id}/erase/"
    asked_again = signed_in(people.carol).post(url, {"email": people.alice.user.email})
    assert "/accounts/reauthenticate/" in asked_again["Location"] and Chatbot.objects.exists()
    assert "chatbots" in carol.get(url).content.decode()
    refused = carol.post(url, {"email": "wrong@e.example"})
    assert refused.status_code == 422 and Membership.objects.filter(pk=people.alice.pk).exists()
    assert carol.post(url, {"email": people.alice.user.email.upper()}).status_code == 302
    for model in (Chatbot, Chat, Message, PersonalDocument, StudyPlan, ClassLink, Pupil):
        assert not model.objects.exists(), model
    assert not User.objects.filter(pk=people.alice.user_id).exists()
    assert tables_with(people.alice.user.email) == {"schools_auditentry"}  # which the certificate says
    assert tables_with(SECRET) <= {"chatbots_questionlogentry"}  # which has no names, as the certificate says
    row = Erasure.objects.get(kind="person")
    assert Erasure.objects.filter(kind="class").count() == 1
    assert row.counts["accounts"] == 1 and all(log in " ".join(row.kept) for log in ("question log", "audit log"))
    listed = carol.get("/schools/erasures/").content.decode()
    assert "A person" in listed and people.alice.user.email not in listed
    printed = carol.get(f"/schools/erasures/{row.pk}/").content.decode()
    assert f"asked for by {people.carol.name}" in printed and "1 account" in printed and str(row.pk) in printed
    assert people.alice.user.email not in printed and "Backups" in printed
    assert json.loads(carol.get(f"/schools/erasures/{row.pk}/file/").content)["backups"]


def test_somebody_of_two_schools_keeps_the_account_and_the_other_school(people: Cast, chatbot: Chatbot) -> None:
    there = Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    erasing.erase_person(people.alice, asked_by=people.carol)
    assert User.objects.filter(pk=people.alice.user_id).exists() and Membership.objects.filter(pk=there.pk).exists()
    assert not Chatbot.objects.exists()


def test_who_may_not_erase_whom(people: Cast, chatbot: Chatbot) -> None:
    url = f"/schools/members/{people.alice.user_id}/erase/"
    email = {"email": people.alice.user.email}
    for who, status in ((people.alice, 403), (people.bob, 403), (people.charlie, 404), (people.chloe, 404)):
        assert signed_in(who).get(url).status_code == status
        assert signed_in(who).post(url, email).status_code == status
        asked = {"kind": "person", "id": str(people.alice.user_id), "confirm": "erase"}
        response = make_program(who).post("/api/v1/erasures", asked, content_type=JSON)
        assert response.status_code == status
    with pytest.raises(MembershipRefused):
        erasing.erase_person(people.carol, asked_by=people.carol)
    assert Chatbot.objects.exists() and not Erasure.objects.exists()


def test_erasing_by_the_api(full: Chatbot, people: Cast) -> None:
    pupil, link = Pupil.objects.get(), ClassLink.objects.get()
    alice, carol = make_program(people.alice), make_program(people.carol)
    asked = {"kind": "pupil", "id": str(pupil.pk), "confirm": "erase"}
    for stranger in (people.bob, people.carol, people.charlie):
        assert make_program(stranger).post("/api/v1/erasures", asked, content_type=JSON).status_code == 404
    careless = alice.post("/api/v1/erasures", asked | {"confirm": "yes"}, content_type=JSON)
    assert careless.status_code == 400 and Pupil.objects.exists()
    done = alice.post("/api/v1/erasures", asked, content_type=JSON)
    assert done.status_code == 201 and done.json()["counts"] == {"pupils": 1, "questions": 1}
    asked = {"kind": "class", "id": str(link.pk), "confirm": "erase"}
    assert alice.post("/api/v1/erasures", asked, content_type=JSON).status_code == 201
    asked = {"kind": "person", "id": str(people.alice.user_id), "confirm": "erase"}
    assert carol.post("/api/v1/erasures", asked, content_type=JSON).status_code == 201
    assert len(carol.get("/api/v1/erasures").json()["results"]) == 3
    assert make_program(people.bob).get("/api/v1/erasures").json()["results"] == []


def test_tokens_and_feedback_are_in_the_file(full: Chatbot, people: Cast) -> None:
    message = Message.objects.get(chat__participant__user=people.alice.user)
    Feedback.objects.create(school=message.school, message=message, verdict="down", reason="unclear", words="Too long.")
    files = read_zip(signed_in(people.alice).post("/my-data/"))
    (token,) = json.loads(files["records/schools_accesstoken.json"])
    assert token["prefix"] and "digest" not in token
    (feedback,) = json.loads(files["records/chatbots_feedback.json"])
    assert feedback["words"] == "Too long."
    assert not any(name.startswith("records/chatbots_") for name in read_zip(signed_in(people.bob).post("/my-data/")))


def test_what_is_the_schools_stays_without_the_name(people: Cast) -> None:
    """Also where the account stays, because the person belongs to another school."""
    Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    document = school_document(people.alice, text="# Rules\n\nWear goggles.\n")
    there = school_document(people.chloe, text="# Rules\n\nRun.\n")
    SchoolVersion.objects.filter(document=there).update(uploaded_by=people.alice.user)
    earlier = Erasure.objects.create(
        school=people.alice.school, kind="class", subject_id=document.pk, asked_by=people.alice.user, counts={}
    )
    row = erasing.erase_person(people.alice, asked_by=people.carol)
    assert SchoolVersion.objects.get(document=document).uploaded_by is None
    assert SchoolVersion.objects.get(document=there).uploaded_by == people.alice.user
    earlier.refresh_from_db()
    assert earlier.asked_by is None
    assert any("stay without the name" in words for words in row.kept) and any(
        "The account" in words for words in row.kept
    )


def test_how_much_it_is_stands_in_words(full: Chatbot, people: Cast) -> None:
    page = signed_in(people.alice).get("/my-data/").content.decode()
    assert "<li>2 chatbots</li>" in page and "<li>1 class</li>" in page and "other records, such as" in page
    assert "personal chunks" not in page
    assert in_words({"classes": 2, "messages": 2, "personal chunks": 1}) == [
        "2 questions with their answers",
        "2 classes",
        "1 other record, such as passages and settings",
    ]


def test_a_school_that_was_left_keeps_its_things_when_another_erases(people: Cast, chatbot: Chatbot) -> None:
    """Alice left Riverside, where her chatbot stays. Hillcrest neither erases her before she joins, nor that after."""
    remove_member(membership=people.alice)
    invited = invite(school=people.chloe.school, email=people.alice.user.email, name="Alice", role=Role.TEACHER)
    answer = proved_again(people.chloe).post(
        f"/schools/members/{people.alice.user_id}/erase/", {"email": people.alice.user.email}
    )
    assert answer.status_code == 422 and "Withdraw the invitation" in answer.content.decode()
    assert Membership.objects.filter(pk=invited.pk).exists()
    join(invited)
    erasing.erase_person(invited, asked_by=people.chloe)
    assert not Membership.objects.filter(pk=invited.pk).exists()
    assert User.objects.filter(pk=people.alice.user_id).exists() and Chatbot.objects.filter(pk=chatbot.pk).exists()
