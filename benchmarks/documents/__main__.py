"""Whether documents say what they say: files of all formats are uploaded, and questions about them are asked.

    python -m benchmarks.documents [--folder FOLDER] [--kind A …] [--format pdf …] [--only ID …] [--ocr] [--verbose]

FOLDER has files with `cases.jsonl` and `keep.jsonl`: lines with `files`, `question`, `language`, `pattern` and `never`.
Beside it the project's own files are made and asked about. Each set of files is read by a chatbot of its own, which
answers without a language model. The answer must match `pattern`, where a refusal reads REFUSED, and must not match
`never`. Pictures of text are not recognised unless --ocr is given. Failing cases are printed with their answers, then
tables by kind, format and language. --verbose prints all answers.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.documents.cases import KINDS, Case, read_folder, write_own
from benchmarks.ground import ROOT, database, options, progress, table, write

if TYPE_CHECKING:
    from chatbots.models import Chatbot, Message
    from schools.models import Membership

SHARED = ROOT.parent / "shared" / "data" / "documents"


@dataclass(frozen=True)
class Outcome:
    """A case with its answer, and what is wrong with it: "" if nothing."""

    case: Case
    answer: str
    problem: str


@dataclass(frozen=True)
class Uploaded:
    """A set of files that were read: a chatbot a language, what was refused, and the notes."""

    chatbots: dict[str, Chatbot]
    refused: str
    notes: str


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--folder", type=Path, default=SHARED)
    parser.add_argument("--kind", nargs="*", help="only these kinds: A to P, keep")
    parser.add_argument("--format", nargs="*", help="only these formats: pdf, docx …")
    parser.add_argument("--only", nargs="*", help="only the cases with these ids")
    parser.add_argument("--ocr", action="store_true", help="recognise pictures of text, if Tesseract is installed")
    parser.add_argument("--verbose", action="store_true", help="print the answers to all cases")
    chosen = parser.parse_args()
    if not chosen.ocr:
        os.environ["LECTERN_TESSERACT"] = "none"
    with tempfile.TemporaryDirectory() as folder, database(chosen.data):
        cases = [*read_folder(chosen.folder), *write_own(Path(folder))]
        cases = [case for case in cases if not chosen.kind or case.kind in chosen.kind]
        cases = [case for case in cases if not chosen.format or case.format in chosen.format]
        cases = [case for case in cases if not chosen.only or case.id in chosen.only]
        outcomes = []
        for outcome in ask_all(cases):
            outcomes.append(outcome)
            if outcome.problem or chosen.verbose:
                print(entry(outcome), flush=True)
    result = {
        "kind": count(outcomes, lambda case: f"{case.kind} {KINDS[case.kind]}"),
        "format": count(outcomes, lambda case: case.format),
        "language": count(outcomes, lambda case: case.language),
    }
    for name, rows in result.items():
        print(f"\n{table(rows, name)}")
    write(result, chosen.json)


def ask_all(cases: Sequence[Case]) -> Iterator[Outcome]:
    """Upload the files of each case, unless that is done, ask its question, and yield what came of it."""
    from schools.models import Membership, Role, School, User

    school, _ = School.objects.get_or_create(slug="documents", defaults={"name": "Benchmark"})
    user, _ = User.objects.get_or_create(email="teacher@documents.example", defaults={"name": "Benchmark"})
    member, _ = Membership.objects.get_or_create(school=school, user=user, defaults={"role": Role.ADMIN})
    sets: dict[tuple[Path, ...], Uploaded] = {}
    for case in progress(cases, "cases"):
        if case.files not in sets:
            sets[case.files] = upload(member, case.files)
        yield ask(member, case, sets[case.files])


def upload(member: Membership, files: Sequence[Path]) -> Uploaded:
    """Upload and index these files."""
    from django.core.files.base import ContentFile

    from corpus.ingestion.indexing import index_next_document
    from corpus.ingestion.storage import UploadRefused
    from corpus.models import Status
    from knowledge.models import PersonalDocument
    from knowledge.services import upload as upload_document

    documents, refused = [], []
    for file in files:
        try:
            content = ContentFile(file.read_bytes(), name=file.name)
            documents.append(upload_document(member=member, file=content)[0])
        except UploadRefused as reason:
            refused.append(str(reason))
    while index_next_document(PersonalDocument.objects.filter(school=member.school)):
        pass
    notes = []
    for document in documents:
        document.refresh_from_db()
        if document.status != Status.READY:
            refused.append(document.failure_reason)
        notes += document.newest.notes
    ready = [document.pk for document in documents if document.status == Status.READY]
    return Uploaded(
        {language: make_chatbot(member, language, ready) for language in ("en", "de", "fr", "es")},
        " ".join(refused),
        "\n".join(notes),
    )


def make_chatbot(member: Membership, language: str, documents: Sequence[Any]) -> Chatbot:
    """Make a chatbot of this language that reads these documents."""
    from chatbots.models import Chatbot
    from chatbots.services import set_personal_documents

    chatbot = Chatbot.objects.create(school=member.school, owner=member.user, name="Benchmark", language=language)
    set_personal_documents(chatbot=chatbot, member=member, documents=documents)
    return chatbot


def ask(member: Membership, case: Case, uploaded: Uploaded) -> Outcome:
    """Ask the question of a case and compare the answer."""
    from chatbots.answering.explanations import explain_choice
    from chatbots.conversations.asking import ask as ask_question
    from chatbots.conversations.audience import MemberPolicy
    from chatbots.models import Mode
    from chatbots.streaming import jobs

    chatbot = uploaded.chatbots[case.language]
    message = ask_question(policy=MemberPolicy(member), chatbot=chatbot, question=case.question)
    jobs.start(message).wait()
    message.refresh_from_db()
    refused = message.mode != Mode.GROUNDED
    chosen = explain_choice(message.chosen) if refused else None
    closest = "\n".join(one.excerpt for one in chosen.nearest) if chosen else ""
    answer = f"REFUSED {uploaded.refused}".strip() if refused else message.answer
    return Outcome(
        case,
        f"{answer}\n(closest: {closest})" if closest else answer,
        find_problem(case, answer, closest, cited_places(message), uploaded.notes),
    )


def cited_places(message: Message) -> str:
    """Return where the cited sources are from, one on a line."""
    cited = message.sources.filter(is_cited=True)
    return "\n".join(" › ".join((one.document_title, *one.heading_path, one.where)) for one in cited)


def find_problem(case: Case, answer: str, closest: str, places: str, notes: str) -> str:
    """Say what is wrong with an answer; nothing if it is right."""
    wanted = (
        (case.pattern, answer, "answer"),
        (case.closest, closest, "closest"),
        (case.cites, places, "citation"),
        (case.note, notes, "note"),
    )
    for pattern, text, name in wanted:
        if pattern and not re.search(pattern, text, re.DOTALL):
            return f"{name} without {pattern!r}" + ("" if text is answer else f": {text!r}")
    return f"answer with {case.never!r}" if case.never and re.search(case.never, answer) else ""


def entry(outcome: Outcome) -> str:
    """A case with its answer, to be read."""
    case = outcome.case
    files = ", ".join(file.name for file in case.files)
    head = f"{'FAILS' if outcome.problem else 'holds'} {case.id} ({case.kind}, {files}) {case.question}"
    answer = "\n".join(f"    {line}" for line in outcome.answer.splitlines() if line.strip())
    return f"{head}\n    {outcome.problem or 'right'}\n{answer}"


def count(outcomes: Sequence[Outcome], name_of: Callable[[Case], str]) -> dict[str, dict[str, str]]:
    """Count the cases that hold, by what they have in common, and all of them."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for outcome in outcomes:
        groups[name_of(outcome.case)].append(not outcome.problem)
    rows = dict(sorted(groups.items())) | {"all": [not outcome.problem for outcome in outcomes]}
    return {
        name: {"cases": str(len(hits)), "right": str(sum(hits)), "%": f"{100 * sum(hits) / max(len(hits), 1):.0f}"}
        for name, hits in rows.items()
    }


if __name__ == "__main__":
    main()
