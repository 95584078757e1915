"""The content of the demo: two schools with people, documents and chatbots. The files are in demo/content/."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CONTENT = Path(__file__).resolve().parent / "content"


@dataclass(frozen=True)
class Person:
    """A member of a demo school."""

    email: str
    name: str
    is_admin: bool = False


@dataclass(frozen=True)
class DemoDocument:
    """A library document, or a personal document of the person with the e-mail address `owner`."""

    file: str
    title: str
    owner: str = ""
    subject: str = ""
    grade: str = ""
    description: str = ""

    @property
    def folder(self) -> str:
        """The folder of its file."""
        return "personal" if self.owner else "library"


@dataclass(frozen=True)
class DemoChatbot:
    """A chatbot. `personal` and `library` are titles of its documents; `question` starts a conversation."""

    owner: str
    name: str
    description: str
    instructions: str
    subject: str
    personal_weight: int
    personal: tuple[str, ...]
    library: tuple[str, ...]
    question: str = ""


@dataclass(frozen=True)
class DemoSchool:
    """A school with its people, documents and chatbots."""

    slug: str
    name: str
    people: tuple[Person, ...]
    documents: tuple[DemoDocument, ...]
    chatbots: tuple[DemoChatbot, ...]

    @property
    def admin(self) -> Person:
        """The admin of the school."""
        return next(person for person in self.people if person.is_admin)

    def path(self, document: DemoDocument) -> Path:
        """The file of a document."""
        return CONTENT / self.slug / document.folder / document.file


AMARA, BEN, JOANNA = "teacher@riverside.example", "colleague@riverside.example", "admin@riverside.example"
MARCUS, SOFIA = "teacher@hillcrest.example", "admin@hillcrest.example"

OPERATOR = Person("operator@lectern.example", "Lectern operator")

RIVERSIDE = DemoSchool(
    slug="riverside",
    name="Riverside School",
    people=(
        Person(AMARA, "Amara Okafor"),
        Person(BEN, "Ben Whitlock"),
        Person(JOANNA, "Joanna Reid", is_admin=True),
    ),
    documents=(
        DemoDocument(
            file="school-handbook.md",
            title="School handbook 2026–27",
            subject="Whole school",
            description="Attendance, uniform, homework, phones, behaviour, trips, safeguarding, assessment dates.",
        ),
        DemoDocument(
            file="laboratory-safety-policy.docx",
            title="Laboratory safety policy",
            subject="Science",
            description="Rules LS-01 to LS-15 for the laboratories S1 to S7.",
        ),
        DemoDocument(
            file="physics-textbook.md",
            title="Physics textbook",
            subject="Physics",
            grade="Years 9 to 11",
            description="Motion and forces; energy; waves and electricity. With examples and review questions.",
        ),
        DemoDocument(
            file="chemistry-data-sheet.md",
            title="Chemistry data sheet",
            subject="Chemistry",
            grade="Years 7 to 11",
            description="Acids and alkalis, dilutions, indicators, tests for gases and ions, reactivity series.",
        ),
        DemoDocument(
            file="exam-access-arrangements.txt",
            title="Exam access arrangements",
            subject="Whole school",
            description="Extra time, readers, scribes, rooms and deadlines.",
        ),
        DemoDocument(
            file="history-local-study-guide.md",
            title="Local study guide: the river trade of Kelbourne",
            subject="History",
            grade="Years 8 and 10",
            description="History of the Wend Navigation with four sources, a walk and the written enquiry.",
        ),
        DemoDocument(
            file="reading-list-year-9.docx",
            title="Reading list, year 9",
            subject="English",
            grade="Year 9",
            description="Books, shelf marks, the reading log and borrowing.",
        ),
        DemoDocument(file="year-9-acids-lesson-plan.docx", title="Year 9 lesson plan, acids", owner=AMARA),
        DemoDocument(file="forces-revision-notes.pdf", title="Forces: revision notes", owner=AMARA),
        DemoDocument(file="friday-physics-club.md", title="Friday physics club", owner=AMARA),
        DemoDocument(file="river-trade-lesson-notes.docx", title="River trade: lesson notes", owner=BEN),
        DemoDocument(file="oral-history-project.md", title="Oral history project", owner=BEN),
    ),
    chatbots=(
        DemoChatbot(
            owner=AMARA,
            name="Chemistry 9 helper",
            description="Practical work with acids and alkalis in year 9: plan, safety rules and data.",
            instructions="Answer briefly and in plain words. Always name the safety rule that applies.",
            subject="Chemistry",
            personal_weight=60,
            personal=("Year 9 lesson plan, acids",),
            library=("Laboratory safety policy", "Chemistry data sheet"),
            question="Do pupils need goggles when they only dilute acids, and how strong may the acid be?",
        ),
        DemoChatbot(
            owner=AMARA,
            name="Physics tutor",
            description="Explains motion, forces, energy, waves and electricity for years 9 to 11.",
            instructions="Explain step by step. Give every quantity with its unit.",
            subject="Physics",
            personal_weight=40,
            personal=("Forces: revision notes",),
            library=("Physics textbook",),
        ),
        DemoChatbot(
            owner=BEN,
            name="Local history guide",
            description="The river trade of Kelbourne: people, dates, sources and the written enquiry.",
            instructions="Quote sources by letter. Say when the evidence is thin.",
            subject="History",
            personal_weight=50,
            personal=("River trade: lesson notes", "Oral history project"),
            library=("Local study guide: the river trade of Kelbourne",),
        ),
    ),
)

HILLCREST = DemoSchool(
    slug="hillcrest",
    name="Hillcrest School",
    people=(Person(MARCUS, "Marcus Lindqvist"), Person(SOFIA, "Sofia Patel", is_admin=True)),
    documents=(
        DemoDocument(
            file="hillcrest-handbook.md",
            title="Hillcrest handbook 2026–27",
            subject="Whole school",
            description="Times, absence, dress, Cloudberry wallets, homework, conduct, trips, assessment.",
        ),
        DemoDocument(
            file="laboratory-rules.md",
            title="Laboratory rules",
            subject="Science",
            description="Rules H1 to H9 for all laboratories.",
        ),
        DemoDocument(
            file="science-course-guide.txt",
            title="Science course guide",
            subject="Science",
            grade="Years 9 to 11",
            description="Lessons, order of topics, practical notebook, required practicals.",
        ),
        DemoDocument(
            file="rates-of-reaction-notes.docx", title="Rates of reaction: notes for year 10", owner=MARCUS
        ),
    ),
    chatbots=(
        DemoChatbot(
            owner=MARCUS,
            name="Science helper",
            description="Rates of reaction, laboratory rules and the science course at Hillcrest.",
            instructions="Answer in two or three sentences.",
            subject="Science",
            personal_weight=50,
            personal=("Rates of reaction: notes for year 10",),
            library=("Laboratory rules", "Science course guide", "Hillcrest handbook 2026–27"),
        ),
    ),
)

SCHOOLS = (RIVERSIDE, HILLCREST)
