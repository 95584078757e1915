"""The tutor of a plan: what it reads, how much it tells at once, and whose it is (G3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone
from numpy.typing import NDArray
from pytest_django import Settings

from chatbots.answering.prompts import build_grounded_prompt
from chatbots.answering.retrieval import retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.citations.markers import strip_markers
from chatbots.models import Chatbot, Message
from chatbots.passages import AnswerPrompt, NumberedPassage
from chatbots.quoting.hints import HintsFirst, is_hint
from corpus.sources import Query
from engines.embedding import get_embedder
from engines.embedding.vector_cache import CachingEmbedder, PassageCache
from engines.llm import ChatMessage, Prompt
from learning.material import WORDS
from learning.models import Concept, ConceptSource, Question, StudyPlan
from learning.planning.making import make_next_plan
from learning.planning.services import create_plan, update_plan
from learning.tutoring.answerer import TYPED, _find_claim, matches
from learning.tutoring.source import _use_names, is_about_learning, tutor_source
from tests.factories import Cast, make_chatbot, make_message, personal_document, signed_in
from tests.learning.plans import RIVERS
from tests.scripted import ScriptedLLM
from text.words import read_words


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    own = personal_document(people.alice, RIVERS, "rivers.md")
    create_plan(member=people.alice, title="Rivers", documents=[own.pk], tutor_style="answers")
    make_next_plan()
    return StudyPlan.objects.get()


def origins(message: Message) -> set[str]:
    return {source.excerpt for source in message.sources.all()}


def stored(plan: StudyPlan) -> set[str]:
    return set(ConceptSource.objects.filter(concept__plan=plan).values_list("excerpt", flat=True))


def test_it_answers_from_the_concepts_of_the_question(plan: StudyPlan, people: Cast) -> None:
    message = make_message(people.alice, plan.tutor, "What is deposition?")
    assert "laying down of load" in message.answer and message.sources.filter(is_cited=True).exists()
    assert origins(message) <= stored(plan)
    source = message.sources.filter(is_cited=True).get()
    assert source.kind == "personal" and source.document_id == plan.tutor.personal_documents.get().pk


def test_a_synonym_within_its_own_name_stays(plan: StudyPlan, people: Cast) -> None:
    concept = plan.concepts.filter(name__icontains=" ").first() or plan.concepts.first()
    assert concept
    concept.name, concept.synonyms = "net force", ["force"]
    assert _use_names("What is a net force?", [concept]) == "What is a net force?"
    assert _use_names("What is a force?", [concept]) == "What is a net force?"


def test_a_synonym_finds_its_concept(plan: StudyPlan, people: Cast) -> None:
    concept = plan.concepts.get(name__iexact="deposition")
    Concept.objects.filter(pk=concept.pk).update(synonyms=["sedimentation"])
    message = make_message(people.alice, plan.tutor, "Explain sedimentation in a river")
    own = set(concept.sources.values_list("excerpt", flat=True))
    assert own & set(message.sources.filter(is_cited=True).values_list("excerpt", flat=True))


@pytest.mark.parametrize("more", ["Please tell me more.", "I still don't understand.", "Explain again!", "Quiz me."])
def test_what_only_goes_on_is_about_the_last_question(plan: StudyPlan, people: Cast, more: str) -> None:
    ask_to_explain(plan, 30)
    first = make_message(people.alice, plan.tutor, "What is deposition?")
    message = make_message(people.alice, plan.tutor, more, chat=first.chat)
    assert message.mode == "grounded" and "deposition" in message.searched_for.lower()


def test_a_misspelled_question_is_corrected_by_the_words_of_the_plan(plan: StudyPlan, people: Cast) -> None:
    personal_document(people.alice, "# Volcanoes\n\nAn obsidianite is a black stone.\n", "lava.md")
    message = make_message(people.alice, plan.tutor, "Wat is depositoin and an obsidianit?")
    assert message.searched_for == "What is deposition and an obsidianit?"


def test_what_the_plan_does_not_teach_is_refused(plan: StudyPlan, people: Cast) -> None:
    message = make_message(people.alice, plan.tutor, "Who wrote the opera The Magic Flute?")
    assert message.mode == "refused" and not message.sources.exists()


def test_a_question_about_learning_takes_what_is_weakest(plan: StudyPlan, people: Cast) -> None:
    message = make_message(people.alice, plan.tutor, "What should I learn next?")
    assert message.mode == "grounded" and origins(message) <= stored(plan)


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("What should I learn next?", "en", True),
        ("Please quiz me again!", "en", True),
        ("Was soll ich als Nächstes lernen?", "de", True),
        ("What is erosion?", "en", False),
        ("Was ist Erosion?", "de", False),
        ("Another question!", "en", True),
        ("Hazme una pregunta", "es", True),
        ("Pose-moi une question.", "fr", True),
        ("Stell mir eine Frage!", "de", True),
    ],
)
def test_questions_about_learning_itself(question: str, language: str, expected: bool) -> None:
    assert is_about_learning(question, language) is expected


def test_it_reads_the_whole_documents_of_the_plan(plan: StudyPlan, people: Cast) -> None:
    Concept.objects.filter(plan=plan).exclude(name__iexact="erosion").update(removed_at=timezone.now())
    message = make_message(people.alice, plan.tutor, "What is a delta?")
    assert "plain of deposition at the mouth of a river" in message.answer
    assert message.sources.filter(is_cited=True).get().document_id == plan.tutor.personal_documents.get().pk


def test_it_reads_no_other_document(plan: StudyPlan, people: Cast) -> None:
    other = personal_document(people.alice, "# Volcanoes\n\nLava is molten rock above the ground.\n", "lava.md")
    own = make_chatbot(people.alice, personal=[other])
    found, there = (
        [one.passage.excerpt for one in retrieve("What is lava?", select_sources(chatbot), places=5).placed]
        for chatbot in (plan.tutor, own)
    )
    assert not any("Lava" in excerpt for excerpt in found) and any("Lava" in excerpt for excerpt in there)


def test_hints_come_first_and_the_whole_when_asked_again(plan: StudyPlan, people: Cast) -> None:
    update_plan(plan=plan, tutor_style="hints")
    tutor = Chatbot.objects.get(pk=plan.tutor_id)
    first = make_message(people.alice, tutor, "What is deposition?")
    assert first.answer.startswith("A hint:") and "laying down of load" not in first.answer
    assert first.sources.filter(is_cited=True).exists() and not first.doubts
    again = make_message(people.alice, tutor, "What is deposition?", chat=first.chat)
    assert "laying down of load where a river slows down" in again.answer


def test_a_model_is_told_to_hint(plan: StudyPlan, people: Cast, model: type[ScriptedLLM], settings: Settings) -> None:
    update_plan(plan=plan, tutor_style="hints")
    model.enqueue("What does a slow river do with its load? [1]")
    message = make_message(people.alice, Chatbot.objects.get(pk=plan.tutor_id), "What is deposition?")
    assert "Ask before you tell" in model.history[0].messages[0].content
    assert message.answer.startswith("What does a slow river")


class Quoting:
    name = "Quoting"
    generative = False

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def stream(self, prompt: Prompt) -> Iterator[str]:
        yield self.answer


def said(
    answer: str, *turns: ChatMessage, language: str = "en", question: str = "What is it?", text: str = "text"
) -> str:
    passage = NumberedPassage(1, "Rivers", (), text, text)
    messages = (*turns, ChatMessage("user", question))
    return "".join(HintsFirst(Quoting(answer)).stream(AnswerPrompt(messages, question, (passage,), language)))


LONG = "“Abrasion is erosion by stones that the river drags along its bed.” [1]"


def test_a_hint_asks_for_the_missing_term_where_the_question_does_not_name_it() -> None:
    assert said(LONG).startswith("A hint: which word is missing? “____ is erosion by stones that the river")
    assert said(LONG, language="de").startswith("Ein Hinweis:")


def test_a_hint_contrasts_with_what_the_definition_names() -> None:
    text = "Erosion is the wearing away of the banks of a river by water. " + LONG[1:-5]
    hint = said(LONG, question="What is abrasion?", text=text)
    assert hint.startswith("A hint: compare it with this: “Erosion is the wearing away") and "drags" not in hint


def test_a_hint_contrasts_with_what_has_a_like_name() -> None:
    other = "A proper fraction is a fraction whose numerator is smaller than its denominator."
    own = "“An **improper fraction** is a fraction whose numerator is larger than or equal to its denominator.” [1]"
    hint = said(own, question="What is an improper fraction?", text=f"{other} {own[1:-5]}")
    assert f"compare it with this: “{other}” [1]" in hint and "larger" not in hint


def test_a_hint_is_a_first_step() -> None:
    steps = "- “Find a common denominator.” [1]\n- “Add the numerators.” [1]\n- “Simplify.” [1]"
    assert "“Find a common denominator.” [1]. What comes next?" in said(steps) and "Add" not in said(steps)


def test_a_hint_names_words_to_think_about_otherwise() -> None:
    quoted = "“A meander grows since the river erodes its outer bank.” [1]"
    assert "think of “meander”, “grows”, “erodes” [1]" in said(quoted, question="Why do bends grow?")


def test_an_exercise_is_never_hinted_at() -> None:
    task = "“**Homework:** Draw and label a plant cell with all of its parts.” [1]"
    assert said(task) == task
    assert "“____ is erosion by stones" in said(f"{task} {LONG}")


def test_a_short_quotation_is_told_at_once() -> None:
    assert said("“Lava is hot.” [1]") == "“Lava is hot.” [1]"
    assert said("Nothing quoted.") == "Nothing quoted."


def test_a_hint_that_was_given_is_not_given_twice() -> None:
    turns = ChatMessage("user", "What is it?"), ChatMessage("assistant", "A hint: which word is missing? “____ is”.")
    assert said(LONG, *turns, question="What is it?") == LONG
    assert said(LONG, *turns, question="What is it / Tell me more / Rivers") == LONG
    assert said(LONG, *turns, question="What is something else?") != LONG


def test_a_word_of_the_sources_is_no_question_asked_before() -> None:
    passage = NumberedPassage(1, "Rivers", (), "Erosion wears banks away. " + LONG[1:-5], "")
    hinted = [("Erosion?", "A hint: which word is missing?")]
    for question, is_hinted in (("What is abrasion?", True), ("Erosion?", False)):
        given = build_grounded_prompt(
            question=question, passages=[passage], instructions="", history=hinted, language="en"
        )
        assert "".join(HintsFirst(Quoting(LONG)).stream(given)).startswith("A hint:") == is_hinted


def talk(plan: StudyPlan, people: Cast, *questions: str) -> list[str]:
    """What the tutor of a plan says in one conversation."""
    tutor, chat, answers = Chatbot.objects.get(pk=plan.tutor_id), None, []
    for question in questions:
        message = make_message(people.alice, tutor, question, chat=chat)
        chat = message.chat
        answers.append(message.answer)
    return answers


@pytest.mark.parametrize(
    ("claim", "begins", "quoted"),
    [
        ("I think deposition drags stones along the bed, right?", "No,", "Abrasion is erosion by stones"),
        ("Attrition makes stones smaller and rounder, right?", "Well done", "makes them smaller and rounder"),
        ("I think abrasion rolls large stones along the bed, right?", "No,", "Traction is the rolling of large stones"),
        ("I believe fast water erodes less than slow water.", "No,", "Fast water erodes more than slow water"),
    ],
)
def test_a_statement_is_checked(plan: StudyPlan, people: Cast, claim: str, begins: str, quoted: str) -> None:
    (answer,) = talk(plan, people, claim)
    assert answer.startswith(begins) and quoted in answer


def test_what_was_said_before_is_checked_when_it_is_asked_for(plan: StudyPlan, people: Cast) -> None:
    _, answer = talk(plan, people, "Traction is the rolling of large stones along the bed.", "Is that right?")
    assert answer.startswith("Well done") and "“Traction is the rolling of large stones along the bed.”" in answer


def test_an_attempt_after_a_hint_is_praised_or_corrected(plan: StudyPlan, people: Cast) -> None:
    update_plan(plan=plan, tutor_style="hints")
    hint, right = talk(plan, people, "What is deposition?", "laying down of load?")
    assert hint.startswith("A hint:") and right.startswith("Well done") and "laying down of load" in right
    _, wrong = talk(plan, people, "What is deposition?", "the bouncing of small stones?")
    assert not wrong.startswith(("Well done", "A hint:")) and "laying down of load" in wrong


def test_it_asks_a_question_and_grades_the_answer(plan: StudyPlan, people: Cast) -> None:
    asked, graded = talk(plan, people, "Quiz me.", "something else entirely")
    question = next(one for one in Question.objects.all() if strip_markers(one.prompt).strip() == strip_markers(asked))
    assert question.kind in TYPED and strip_markers(question.explanation).strip() in strip_markers(graded)
    gave_up = talk(plan, people, "Quiz me.", "I don't know.")[1]
    assert strip_markers(question.explanation).strip() in strip_markers(gave_up) and not is_hint(gave_up)
    assert talk(plan, people, "Quiz me.", "Who won the cup in 1954?")[1].startswith("I cannot answer this")
    again = talk(plan, people, "Quiz me.", "Another question!")
    assert again[0] == asked and again[1] not in ("", asked)
    Question.objects.update(review="rejected")
    assert talk(plan, people, "Quiz me.")[0] != asked


def ask_to_explain(plan: StudyPlan, count: int) -> list[Question]:
    """Make so many questions about the first concepts the only ones. Which kinds a plan has is left to chance."""
    Question.objects.update(review="rejected")
    return [
        Question.objects.create(
            school=plan.school,
            concept=concept,
            kind="short",
            prompt=f"Explain in your own words what is meant by “{concept.name}”.",
            answer={"reference": strip_markers(concept.definition)},
            explanation=f"{strip_markers(concept.definition)} [1]",
            source_numbers=[1],
        )
        for concept in plan.concepts.order_by("position", "pk")[:count]
    ]


def test_its_questions_and_verdicts_claim_nothing(plan: StudyPlan, people: Cast) -> None:
    ask_to_explain(plan, 3)
    tutor = Chatbot.objects.get(pk=plan.tutor_id)
    asked = make_message(people.alice, tutor, "Quiz me.")
    assert asked.answer.startswith("Explain in your own words") and not asked.support
    assert asked.sources.filter(is_cited=True).exists()
    for said in ("I don't know.", "something else entirely"):
        graded = make_message(people.alice, tutor, said, chat=asked.chat)
        assert [state for state, _ in graded.support.values()] == ["supported"] and not graded.doubts
        make_message(people.alice, tutor, "Quiz me.", chat=asked.chat)


def test_it_asks_each_question_once_and_then_begins_again(plan: StudyPlan, people: Cast) -> None:
    kept = ask_to_explain(plan, 2)
    said = [turn for _ in range(len(kept) + 1) for turn in ("Quiz me.", "I don't know.")]
    asked = [strip_markers(answer).strip() for answer in talk(plan, people, *said)[::2]]
    assert sorted(asked[:-1]) == sorted(strip_markers(one.prompt).strip() for one in kept) and asked[-1] in asked[:-1]


@pytest.mark.parametrize(
    ("language", "quiz", "claim", "left"),
    [
        ("en", "Please quiz me on this!", "I think that ice floats, right?", "ice floats"),
        ("de", "Frag mich ab!", "Ich glaube, dass Eis schwimmt, stimmt das?", "Eis schwimmt"),
        ("fr", "Pose-moi une question.", "Je pense que la glace flotte, c’est juste ?", "la glace flotte"),
        ("es", "Hazme una pregunta.", "Creo que el hielo flota, ¿verdad?", "el hielo flota"),
    ],
)
def test_four_languages(language: str, quiz: str, claim: str, left: str) -> None:
    words = read_words(language, WORDS)["tutor"]
    assert matches(words["quizzes"], quiz) and not matches(words["quizzes"], claim)
    assert _find_claim(claim, words) == left
    assert _find_claim(quiz, words) is None
    gives_up = {"en": "I don't know", "de": "Keine Ahnung!", "fr": "Je ne sais pas.", "es": "No lo sé."}
    assert matches(words["gives_up"], gives_up[language]) and not matches(words["gives_up"], claim)


def test_nobody_else_reaches_the_tutor(plan: StudyPlan, people: Cast) -> None:
    for member in (people.bob, people.carol, people.charlie):
        assert not Chatbot.objects.askable_by(member).filter(pk=plan.tutor_id).exists()


def test_after_an_answer_a_question_of_its_concept_is_offered(plan: StudyPlan, people: Cast) -> None:
    message = make_message(people.alice, plan.tutor, "What is deposition?")
    offered = signed_in(people.alice).get(reverse("learning:offer", args=[message.chat_id])).content.decode()
    assert "Deposition" in offered and str(plan.concepts.get(name__iexact="deposition").pk) in offered
    refused = make_message(people.alice, plan.tutor, "Who wrote the opera The Magic Flute?")
    nothing = signed_in(people.alice).get(reverse("learning:offer", args=[refused.chat_id]))
    assert nothing.status_code == 200 and nothing.content == b""


def test_its_page_leads_to_the_plan_and_not_to_settings(plan: StudyPlan, people: Cast) -> None:
    client = signed_in(people.alice)
    page = client.get(reverse("learning:tutor", args=[plan.pk]), follow=True).content.decode()
    assert reverse("learning:plan-of-tutor", args=[plan.tutor_id]) in page
    assert reverse("chatbots:edit", args=[plan.tutor_id]) not in page
    assert client.get(reverse("chatbots:edit", args=[plan.tutor_id])).status_code == 404
    assert client.get(reverse("learning:plan-of-tutor", args=[plan.tutor_id]), follow=True).status_code == 200
    stranger = signed_in(people.bob)
    assert stranger.get(reverse("learning:plan-of-tutor", args=[plan.tutor_id])).status_code == 404
    assert stranger.get(reverse("chatbots:new-chat", args=[plan.tutor_id])).status_code == 404


def test_what_the_plan_says_is_embedded_once(plan: StudyPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    """A source has two seconds to answer."""
    embedded: list[str] = []

    class Counting(CachingEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
            embedded.extend(texts)
            return super().embed_passages(texts)

    monkeypatch.setattr("learning.tutoring.source.cache", PassageCache())
    source, embedder, asked = (
        tutor_source(plan.tutor, None, ()),
        Counting(get_embedder()),
        "How does load come to rest?",
    )
    for question, is_embedded in (("Quiz me.", False), (asked, True), (asked, False)):
        embedded.clear()
        source.search(Query.of(question, embedder), 5)
        assert bool(embedded) == is_embedded, question
