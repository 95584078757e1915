"""How good the answers to people's own questions on the demo are: 310 of three readers who had not seen the code.

    python -m benchmarks.demo_answers [--part tuning|kept-back|last|all] [--most N] [--sheet FILE.md] [--data DIRECTORY]

Each question is asked of its chatbot with the answerer that needs no language model, a follow-up after its first
question in the same conversation, all the way through search, reading, quotation and rows. By kind the tables tell
whether the expected words stand in the first sentence, in the answer or among the sources, and which share was refused.
Those of the second reader were kept back while the rules were written ("kept-back"); those of the third were written
when the rules were done ("last"). --most asks only so many, of those that the demo answers and that follow no
other, for a language model that is slow: the settings LECTERN_LLM_BASE_URL and LECTERN_LLM_MODEL name it. --sheet
writes questions and answers for people to judge: words alone do not tell a good answer from a misleading one. --json
FILE writes the table.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.answers import QUOTATION, flat, plain
from benchmarks.ground import ROOT, database, options, progress, table, write

if TYPE_CHECKING:
    from chatbots.models import Message

FOLDER = ROOT / "benchmarks" / "corpus" / "demo"


@dataclass(frozen=True)
class Outcome:
    """An answer: refused or not, and where the expected words stand."""

    question: dict[str, Any]
    answer: str
    refused: bool
    closest: tuple[str, ...] = ()
    first: bool = False
    quoted: bool = False
    found: bool = False


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--part", choices=["tuning", "kept-back", "last", "all"], default="all")
    parser.add_argument("--most", type=int)
    parser.add_argument("--sheet", type=Path)
    chosen = parser.parse_args()
    with database(chosen.data):
        from demo.loader import load_demo

        load_demo(password="benchmark", say=lambda _: None)  # noqa: S106
        asks = questions(chosen.part)
        if chosen.most:
            asks = [one for one in asks if one["quote"] and not one["before"]]
            asks = asks[:: max(1, len(asks) // chosen.most)][: chosen.most]
        outcomes = [asked(question) for question in progress(asks, "questions")]
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        kinds["all that are answered" if outcome.question["quote"] else "the others"].append(outcome)
        kinds[outcome.question["kind"]].append(outcome)
    rows = {kind: measures(of_kind) for kind, of_kind in sorted(kinds.items())}
    print(table(rows, "questions on the demo"))
    if chosen.sheet:
        chosen.sheet.write_text("\n".join(map(entry, outcomes)), encoding="utf-8")
    write(rows, chosen.json)


def questions(part: str) -> list[dict[str, Any]]:
    """Return the questions of a part."""
    files = ["tuning", "kept-back", "last"] if part == "all" else [part]
    lines = [line for name in files for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [json.loads(line) for line in lines]


def asked(question: dict[str, Any]) -> Outcome:
    """Ask the chatbot, after the question before if there is one."""
    from chatbots.answering.explanations import explain_choice
    from chatbots.conversations.asking import ask
    from chatbots.conversations.audience import MemberPolicy
    from chatbots.models import Chatbot, Mode
    from chatbots.streaming import jobs
    from schools.models import Membership

    chatbot = Chatbot.objects.select_related("school").get(name=question["chatbot"])
    member = Membership.objects.select_related("school", "user").get(school=chatbot.school, user=chatbot.owner)
    message: Any = None
    for text in filter(None, (question["before"], question["question"])):
        message = ask(
            policy=MemberPolicy(member), chatbot=chatbot, question=text, chat=message.chat if message else None
        )
        jobs.start(message).wait()
        message.refresh_from_db()
    refused = message.mode != Mode.GROUNDED
    if refused:
        chosen = explain_choice(message.chosen)
        near = [f"“{one.excerpt}” ({one.title})" for one in chosen.nearest] if chosen else []
        return Outcome(question, message.answer, refused, tuple(near))
    first, quoted, found = _places(message, question["quote"])
    return Outcome(question, message.answer, refused, (), first, quoted, found)


def _places(message: Message, quote: str) -> tuple[bool, bool, bool]:
    from text.sentences import split_sentences

    quotations = [flat(words.replace("\\[", "[")) for words in QUOTATION.findall(message.answer)]
    sentences = [words[one.start : one.end] for words in quotations for one in split_sentences(words)]
    wanted = set(plain(quote).split())

    def has(text: str) -> bool:
        """Whether the text has nearly all words of the quote: a quotation may begin or end elsewhere."""
        return bool(wanted) and len(wanted & set(plain(text).split())) >= 0.75 * len(wanted)

    return (
        any(map(has, sentences[:1])),
        has(re.sub(r"\[\d+\]", " ", message.answer)),
        any(has(source.text) for source in message.sources.all()),
    )


def measures(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Shares of the questions of one kind, in percent."""

    def share(name: str) -> str:
        return f"{100 * sum(getattr(one, name) for one in outcomes) / len(outcomes):.0f}"

    words = [len(one.answer.split()) for one in outcomes if not one.refused]
    return {
        "questions": str(len(outcomes)),
        "refused": share("refused"),
        "in the first sentence": share("first"),
        "in the answer": share("quoted"),
        "among the sources": share("found"),
        "words": f"{sum(words) / max(len(words), 1):.0f}",
    }


def entry(outcome: Outcome) -> str:
    """A question with its answer, for a judge."""
    question = outcome.question
    before = f"After: {question['before']}\n" if question["before"] else ""
    expected = f"{question['answer']} (from “{question['document']}”: {question['quote']})"
    answer = outcome.answer.replace("\n\n", "\n")
    head = f"## {question['id']} · {question['chatbot']}\n{before}Question: {question['question']}"
    closest = "".join(f"Closest, not an answer: {one}\n" for one in outcome.closest)
    return f"{head}\nExpected: {expected}\nAnswer: {answer}\n{closest}"


if __name__ == "__main__":
    main()
