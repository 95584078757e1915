"""Questions as CSV for spreadsheet programs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.web.csv_file import write_csv
from learning.exports.questions import ExportedQuestion, right_answer

COLUMNS = ("concept", "kind", "question", "options", "targets", "answer", "explanation", "sources")


def question_table(questions: Sequence[ExportedQuestion]) -> bytes:
    """One row for each question, in UTF-8 with a byte order mark; several values of a cell stand on lines of it.

    Formulas get an apostrophe: see `write_csv`.
    """
    table = write_csv(COLUMNS, (_row(question) for question in questions))
    return f"\ufeff{table}".encode(errors="replace")


def _row(question: ExportedQuestion) -> list[str]:
    return [
        question.concept,
        question.kind.value,
        question.prompt,
        "\n".join(question.options),
        "\n".join(question.targets),
        "\n".join(right_answer(question)),
        question.explanation,
        "\n".join(question.sources),
    ]
