"""The whole demo, loaded once for this file: by a first run that was killed and a second one that completed it."""

import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.test import Client, override_settings
from pytest_django import DjangoDbBlocker, Settings

from benchmarks.demo_questions import QUESTIONS, UNANSWERABLE, DemoQuestion
from chatbots.answering.retrieval import retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.models import Chat, Chatbot, Message, MessageStatus, Mode
from chatbots.streaming import ticker
from corpus.models import Document
from demo.catalogue import SCHOOLS, web_page
from demo.loader import _converse, load_demo
from knowledge.models import PersonalDocument
from learning.models import PlanStatus, Question, StudyPlan
from references.models import Archive, ArchiveState
from school_library.models import SchoolDocument
from schools.models import School
from tests import kept
from tests.demo.killing import PASSWORD, killed_at
from tests.factories import get_weights
from tests.flushing import delete_what_was_written
from tests.peers import chat_peer, refusal
from tests.running import free_port


class Site(SimpleHTTPRequestHandler):
    """The demo's pages, which in the product its own web process serves."""

    def translate_path(self, path: str) -> str:
        return str(web_page(path.removeprefix("/demo/pages/")))

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def lines(
    site: str, tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[list[str]]:
    """What the second run said, with a language model that cannot be reached. Other workers load the demo, too: the
    encyclopaedia is in a folder of this one."""
    said: list[str] = []
    settings = override_settings(LECTERN_DEMO_PAGES=site, DATA_DIR=tmp_path_factory.mktemp("demo"))
    with django_db_blocker.unblock(), settings:
        kept.end()
        killed_at("3 of 16")
        with override_settings(**a_model_at(f"http://127.0.0.1:{free_port()}/v1")):
            assert load_demo(password=PASSWORD, say=said.append)
        yield said
        delete_what_was_written()


def a_model_at(address: str) -> dict[str, str]:
    return {
        "LECTERN_ANSWERER": "engines.llm.OpenAICompatible",
        "LECTERN_LLM_BASE_URL": address,
        "LECTERN_LLM_MODEL": "llama3.1",
    }


@pytest.fixture(autouse=True)
def demo(lines: list[str], db: None) -> None:
    """Each test sees the loaded demo, and what it changes is undone."""


def documents() -> list[Document]:
    return [*PersonalDocument.objects.all(), *SchoolDocument.objects.all()]


def test_every_document_is_there_once_and_indexed(lines: list[str]) -> None:
    assert "16 of 16 documents are ready" in lines
    assert School.objects.count() == 2
    expected = {(s["name"], d["title"], d.get("owner", "")) for s in SCHOOLS for d in s["documents"]}
    there = [(d.school.name, d.title, getattr(getattr(d, "owner", None), "email", "")) for d in documents()]
    assert sorted(there) == sorted(expected)
    assert all(document.answering_version == document.version == 1 for document in documents())
    assert all(document.chunk_count > 0 for document in documents())


def test_pages_and_encyclopaedia_are_there(lines: list[str]) -> None:
    assert "4 of 4 approved pages are ready" in lines
    archive = Archive.objects.get()
    assert (archive.title, archive.articles, archive.state) == ("Rivers and canals", 8, ArchiveState.READY)


def test_the_pages_are_for_everybody_while_the_demo_is_on(settings: Settings) -> None:
    address = "/demo/pages/cold-water"
    assert "float to live" in Client().get(address).content.decode()
    assert Client().get("/demo/pages/nothing").status_code == 404
    settings.LECTERN_DEMO = False
    assert Client().get(address).status_code == 404


def test_every_chatbot_is_there_with_its_weights_and_links() -> None:
    assert Chatbot.objects.filter(is_tutor=False).count() == 5
    for school in SCHOOLS:
        for demo in school["chatbots"]:
            row = Chatbot.objects.get(name=demo["name"], school__slug=school["slug"], owner__email=demo["owner"])
            assert (get_weights(row)["personal"], row.places) == (demo["personal_weight"], 5)
            assert {d.title for d in row.personal_documents.all()} == set(demo["personal_documents"])
            assert {d.title for d in row.school_documents.all()} == set(demo["school_documents"])


def test_a_conversation_has_begun_and_its_answer_comes_from_both_sources() -> None:
    chat = Chat.objects.get()
    message = chat.messages.get()
    assert (message.status, message.mode) == (MessageStatus.DONE, Mode.GROUNDED)
    assert chat.chatbot and chat.participant.user
    assert (chat.chatbot.name, chat.participant.user.email) == (
        "Chemistry 9 helper",
        "teacher@riverside.example",
    )
    cited = {source.document_title for source in message.sources.filter(is_cited=True)}
    assert {"Laboratory safety policy", "Year 9 lesson plan, acids"} <= cited
    assert "whenever a liquid other than water is open on the bench" in message.answer
    assert "0.5 mol/l" in message.answer


def test_a_complete_demo_is_left_as_people_made_it() -> None:
    answers = list(Message.objects.values("pk", "answer", "finished_at"))
    Chatbot.objects.get(name="Local history guide").delete()
    assert not load_demo(password="another one", say=print)
    assert Chatbot.objects.filter(is_tutor=False).count() == 4
    assert len(documents()) == 16
    assert list(Message.objects.values("pk", "answer", "finished_at")) == answers


@pytest.mark.parametrize("name", QUESTIONS)
def test_natural_questions_find_their_passage(name: str) -> None:
    """Through the real embedder and the real search, with the chatbot's own weights and places."""
    chatbot = Chatbot.objects.get(name=name)
    missed = [question.text for question in QUESTIONS[name] if not found(chatbot, question)]
    assert len(missed) <= 1, missed


def found(chatbot: Chatbot, question: DemoQuestion) -> bool:
    placed = retrieve(question.text, select_sources(chatbot), places=chatbot.places).placed
    return any(
        p.passage.document_title == question.document and question.phrase in " ".join(p.passage.text.split())
        for p in placed
    )


@pytest.mark.parametrize("name", UNANSWERABLE)
def test_a_question_that_the_documents_do_not_touch_finds_nothing(name: str) -> None:
    chatbot = Chatbot.objects.get(name=name)
    assert not retrieve(UNANSWERABLE[name], select_sources(chatbot), places=chatbot.places).placed


def test_no_chatbot_of_riverside_finds_hillcrests_word() -> None:
    for chatbot in Chatbot.objects.filter(school__slug="riverside"):
        placed = retrieve("What is a Cloudberry wallet?", select_sources(chatbot), places=20).placed
        assert not [p for p in placed if "cloudberry" in p.passage.text.lower()]


def test_every_study_plan_is_ready_with_questions(lines: list[str]) -> None:
    for school in SCHOOLS:
        for demo in school["plans"]:
            plan = StudyPlan.objects.get(title=demo["title"], school__slug=school["slug"], owner__email=demo["owner"])
            assert plan.status == PlanStatus.READY and plan.concepts.count() >= 3
            assert Question.objects.filter(concept__plan=plan).exists()
            assert any(plan.title in line for line in lines)


def test_a_model_that_cannot_be_reached_is_told_and_takes_nothing_away(lines: list[str]) -> None:
    assert "The language model cannot be reached: the first answers of the demo are quotations" in lines
    asked = Message.objects.filter(chat__chatbot__school__in=School.objects.all())
    assert asked.exists() and not asked.exclude(status=MessageStatus.DONE).exists()
    assert not asked.filter(answer__contains="No language model is set up").exists()
    assert set(StudyPlan.objects.values_list("status", "made_by")) == {(PlanStatus.READY, "")}


def test_a_model_that_fails_at_a_question_is_replaced_by_quotations(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ticker, "_save", lambda _: None)  # its connection does not see the rows of this transaction
    chatbot = Message.objects.earliest("created_at").chat.chatbot
    assert chatbot
    Chat.objects.filter(chatbot=chatbot).delete()
    said: list[str] = []
    with chat_peer() as peer:
        for name, value in a_model_at(peer.url).items():
            setattr(settings, name, value)
        peer.replies = [refusal(404)]
        _converse(chatbot, said.append, by_model=True)
    [message] = Message.objects.filter(chat__chatbot=chatbot)
    assert len(peer.asked) == 1, (chatbot, message.status, message.mode, message.failure, message.notice)
    assert (message.status, message.mode) == (MessageStatus.DONE, Mode.GROUNDED) and "” [1]" in message.answer
    assert settings.LECTERN_ANSWERER == "engines.llm.OpenAICompatible"
