"""What the walks over all routes find: a row of each kind, of Alice's and of the library of her school."""

from __future__ import annotations

from dataclasses import dataclass

from allauth.usersessions.models import UserSession
from django.test import Client, override_settings
from django.utils import timezone

from accounts.models import Identity, IdentityProvider
from chatbots.conversations import deletion
from chatbots.models import Chat, Chatbot, ChatbotRole, Collaborator, Message, MessageSource, Participant
from chatbots.sharing.colleagues import share_with, stop_sharing
from classrooms import hands
from classrooms.models import ClassLink, Flag, Pupil, RaisedHand
from evaluation.models import TestQuestion
from knowledge.models import PersonalDocument
from learning.models import Attempt, Concept, ConceptSource, PracticeSession, Question, StudyPlan
from lti.models import GradePassback, Platform, PupilIdentity, ResourceLink, TeacherIdentity
from privacy.models import Erasure
from references.models import ApprovedPage, ApprovedTopic, Archive, ReferenceSettings
from school_library.models import SchoolDocument
from schools import tokens
from schools.models import AccessToken, Membership, School
from tests import documents
from tests.classrooms.classes import join, make_asked, name_leads, open_class
from tests.factories import Cast, make_chatbot, make_member, make_message, personal_document, school_document
from tests.issuers import make_provider
from tests.learning.plans import link, make_plan
from tests.lti.simulator import make_platform
from tests.references.offline.archives import shared_archive

SECRET = "zephyrquartz"  # stands in everything that is Alice's and nowhere else
OPEN = "opalharbour"  # the name of the chatbot that Alice shares with colleagues
SHARED = "marblefinch"  # stands in everything of the library of her school


@dataclass
class World:
    people: Cast
    personal: PersonalDocument
    library: SchoolDocument
    personal_pdf: PersonalDocument
    library_pdf: SchoolDocument
    chatbot: Chatbot
    message: Message
    deleted_chat: Chat
    deleted_chatbot: Chatbot
    shared: Chatbot
    """Of Alice's, shared with `reader` and `editor`, and no longer with `former`."""
    collaborator: Collaborator
    reader: Membership
    editor: Membership
    former: Membership
    pinned: TestQuestion
    refused: Message
    token: AccessToken
    archive: Archive
    page: MessageSource
    topic: ApprovedTopic
    approved: ApprovedPage
    plan: StudyPlan
    session: PracticeSession
    class_link: ClassLink
    pupil: Pupil
    asked: Message
    """The pupil’s question."""

    @property
    def concept(self) -> Concept:
        return self.plan.active_concepts().order_by("position", "pk")[0]

    @property
    def last_concept(self) -> Concept:
        return self.plan.active_concepts().order_by("-position", "-pk")[0]

    @property
    def question(self) -> Question:
        return self.concept.questions.all()[0]

    @property
    def attempt(self) -> Attempt:
        row = {"session": self.session, "question": self.question, "participant": self.session.participant}
        made = {"school": self.plan.school, "given": SECRET, "verdict": "unsure", "share": 0, "feedback": SECRET}
        return Attempt.objects.filter(**row).first() or Attempt.objects.create(**row, **made)

    @property
    def concept_source(self) -> ConceptSource:
        return self.concept.sources.all()[0]

    @property
    def flag(self) -> Flag:
        return Flag.objects.get_or_create(
            message=self.asked,
            category="violence",
            defaults={
                "school_id": self.asked.school_id,
                "pupil": self.asked.chat.participant.pupil,
                "words": SECRET,
            },
        )[0]

    @property
    def erasure(self) -> Erasure:
        return Erasure.objects.get_or_create(
            school=self.people.alice.school, kind="class", subject_id=self.people.alice.user_id, defaults={"counts": {}}
        )[0]

    @property
    def inviting(self) -> School:
        """A school that invites Alice."""
        school, _ = School.objects.get_or_create(slug="lakeside", defaults={"name": "Lakeside"})
        defaults = {"known_as": SECRET, "invited_at": timezone.now()}
        Membership.objects.get_or_create(school=school, user=self.people.alice.user, defaults=defaults)
        return school

    @property
    def browser(self) -> UserSession:
        """One in which Alice is signed in."""
        browser = Client()
        browser.force_login(self.people.alice.user, "django.contrib.auth.backends.ModelBackend")
        return UserSession.objects.get(session_key=browser.session.session_key)

    @property
    def identity(self) -> Identity:
        """With which Alice signs in."""
        alice = self.people.alice
        provider = self.provider
        return Identity.objects.get_or_create(
            school=alice.school,
            provider=provider,
            issuer=provider.issuer,
            subject=SECRET,
            defaults={"user": alice.user, "email": f"{SECRET}@riverside.example"},
        )[0]

    @property
    def provider(self) -> IdentityProvider:
        school = self.people.alice.school
        return IdentityProvider.objects.filter(school=school).first() or make_provider(school, "https://id.example")

    @property
    def platform(self) -> Platform:
        """Of Alice’s school, with an activity that opens her class to her pupil, whose grades could not be sent."""
        school = self.people.alice.school
        known = Platform.objects.filter(school=school).first()
        if known:
            return known
        platform = make_platform(school, name=SHARED)
        link = ResourceLink.objects.create(
            school=school, platform=platform, class_link=self.class_link, chatbot=self.chatbot
        )
        pupil = PupilIdentity.objects.create(school=school, platform=platform, pupil=self.pupil, digest="0")
        told = {"address": f"https://{SECRET}.example/", "sealed_subject": SECRET, "last_error": SECRET}
        GradePassback.objects.create(school=school, identity=pupil, resource_link=link, **told)
        return platform

    @property
    def teacher_identity(self) -> TeacherIdentity:
        """By which Alice comes from there."""
        alice = self.people.alice
        return TeacherIdentity.objects.get_or_create(
            school=alice.school, provider=self.platform, subject=SECRET, defaults={"user": alice.user}
        )[0]

    @property
    def hand(self) -> RaisedHand:
        return RaisedHand.objects.get_or_create(message=self.asked, defaults={"school_id": self.asked.school_id})[0]

    @property
    def chat(self) -> Chat:
        return self.message.chat


@override_settings(LECTERN_ANSWERER="tests.scripted.ScriptedLLM")
def make_world(people: Cast) -> World:
    """With a model that writes only what it is told."""
    acids = f"# {SECRET}\n\nHydrochloric acid has 0.5 mol/l here, says {SECRET}.\n"
    personal = personal_document(people.alice, acids, f"{SECRET}.md")
    safety = f"# {SHARED}\n\nHydrochloric acid may have at most 1 mol/l, says {SHARED}.\n"
    library = school_document(people.carol, safety, f"{SHARED}.md")
    personal_pdf = personal_document(people.alice, documents.pdf([[f"Bases, says {SECRET}."]]), f"{SECRET}.pdf")
    library_pdf = school_document(people.carol, documents.pdf([[f"Gloves, says {SHARED}."]]), f"{SHARED}.pdf")
    chatbot = make_chatbot(people.alice, personal=[personal], school=[library], name=SECRET)
    message = make_message(people.alice, chatbot, f"How strong may hydrochloric acid be, {SECRET}?")
    assert message.sources.count() == 2
    refused = make_message(people.alice, chatbot, f"Who won in 1954, {SECRET}?", answered=False)
    Message.objects.filter(pk=refused.pk).update(status="done", mode="refused")
    pinned = TestQuestion.objects.create(school=people.alice.school, chatbot=chatbot, question=SECRET, is_refused=True)
    deleted = make_message(people.alice, chatbot, f"Where is it, {SECRET}?", answered=False).chat
    deletion.delete_chat(deleted)
    deleted_chatbot = make_chatbot(people.alice, name=f"{SECRET} of last year")
    deletion.hide_chatbot(deleted_chatbot)
    reader, editor, former = (make_member(people.alice.school, name) for name in ("dora", "erin", "frank"))
    shared = make_chatbot(people.alice, personal=[personal], school=[library], name=OPEN, colleagues_get_documents=True)
    roles = ((reader, ChatbotRole.READER), (editor, ChatbotRole.EDITOR), (former, ChatbotRole.EDITOR))
    rows = [share_with(chatbot=shared, owner=people.alice, colleague=colleague, role=role) for colleague, role in roles]
    stop_sharing(rows.pop())
    token, _ = tokens.make(member=people.alice, name=SECRET)
    # Archives belong to the installation. Only this school allows them.
    ReferenceSettings.objects.create(
        school=people.alice.school, allows_wikipedia_offline=True, allows_wikipedia_live=True
    )
    page = MessageSource.objects.create(
        school=people.alice.school,
        message=message,
        number=9,
        kind="wikipedia_live",
        document_title=SECRET,
        address="https://en.wikipedia.example/wiki/Acid",
        external_id=f"wikipedia:en:{SECRET}",
        relevance=0.5,
        weight=0,
        was_given=False,
    )
    archive = shared_archive()
    topic = ApprovedTopic.objects.create(school=people.carol.school, name=SHARED, keywords=["acid", SHARED])
    approved = ApprovedPage.objects.create(
        school=people.carol.school, topic=topic, address=f"https://{SHARED}.example/", approved_text=SHARED
    )
    plan = make_plan(people.alice, *(f"{SECRET} {number}" for number in range(8)), title=SECRET)
    first, second = plan.concepts.order_by("position")[:2]
    link(second, first)
    session = PracticeSession.objects.create(
        school=people.alice.school, plan=plan, participant=Participant.objects.of(people.alice)
    )
    name_leads(people.alice)
    class_link = open_class(people.alice, chatbot, name=SECRET, notes_names=True)
    pupil = join(class_link)
    asked = make_asked(pupil, chatbot, f"Which acid, {SECRET}?")
    hands.raise_hand(asked, is_raised=True)
    return World(
        people=people,
        personal=personal,
        library=library,
        personal_pdf=personal_pdf,
        library_pdf=library_pdf,
        chatbot=chatbot,
        message=message,
        deleted_chat=deleted,
        deleted_chatbot=deleted_chatbot,
        shared=shared,
        collaborator=rows[0],
        reader=reader,
        editor=editor,
        former=former,
        pinned=pinned,
        refused=refused,
        token=token,
        archive=archive,
        page=page,
        topic=topic,
        approved=approved,
        plan=plan,
        session=session,
        class_link=class_link,
        pupil=pupil,
        asked=asked,
    )
