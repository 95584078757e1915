"""CSV files, each of which opens in columns in the reader's Excel."""

from __future__ import annotations

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from chatbots.models import Chatbot
from references.models import ApprovedTopic
from tests.classrooms.classes import open_class
from tests.factories import Cast, make_message, signed_in
from tests.references.sites import make_topic

pytestmark = pytest.mark.django_db


def first_line(file: bytes, delimiter: str) -> list[str]:
    text = file.decode()
    assert text.startswith('\ufeff"')
    return next(csv.reader(io.StringIO(text[1:]), delimiter=delimiter))


@pytest.mark.needs("references", "classrooms")
@pytest.mark.parametrize(
    ("language", "delimiter"),
    [("de-DE,de;q=0.9,en;q=0.8", ";"), ("fr", ";"), ("es-ES", ";"), ("de-CH", ";"), ("en-GB,de;q=0.5", ","), ("", ",")],
)
def test_every_file_has_the_separator_of_the_reader(
    people: Cast, chatbot: Chatbot, language: str, delimiter: str
) -> None:
    make_message(people.alice, chatbot)
    addresses = {
        people.alice: [
            reverse("classrooms:export", args=[open_class(people.alice, chatbot).pk]),
        ],
        people.carol: [reverse(name) for name in ("audit:export", "chatbots:export-question-log", "references:export")],
    }
    for member, of_member in addresses.items():
        client = signed_in(member)
        for address in of_member:
            file = b"".join(client.get(address, headers={"Accept-Language": language}))
            assert len(first_line(file, delimiter)) >= 3, address


@pytest.mark.needs("references", "classrooms")
def test_semicolons_and_formulas_stay_and_the_file_can_be_imported(people: Cast, chatbot: Chatbot) -> None:
    make_topic(people.carol.school, "https://a.example/", read=False)
    ApprovedTopic.objects.update(name='=1+1; "Renting"')
    carol = signed_in(people.carol)
    topics = carol.get(reverse("references:export"), headers={"Accept-Language": "de"}).content
    assert b"\"'=1+1; " in topics
    carol.post(
        reverse("references:import"), {"file": SimpleUploadedFile("t.csv", topics.replace(b"Renting", b"Homes"))}
    )
    assert ApprovedTopic.objects.filter(name='=1+1; "Homes"').exists()


@pytest.mark.parametrize("language", ["de;q=x", "\x00", "x" * 900, "*", "../../etc"])
def test_a_language_that_is_none_has_commas(people: Cast, language: str) -> None:
    file = signed_in(people.carol).get(reverse("audit:export"), headers={"Accept-Language": language}).content
    assert len(first_line(file, ",")) == 9
