"""Keeping topics: names, keywords and addresses, and as a CSV file."""

from __future__ import annotations

import csv
import io
import time

import pytest

from references.approved import csv_file, topics
from references.approved.csv_file import NoTable, export_topics, import_topics
from references.approved.topics import TopicRefused, check_addresses
from references.models import ApprovedPage, ApprovedTopic
from schools.models import School
from tests.factories import Cast
from tests.references.sites import KEYWORDS, Site, allow, make_topic, only_page

pytestmark = pytest.mark.django_db

A, B, C = (f"https://page.example/{letter}" for letter in "abc")


@pytest.fixture
def school(people: Cast) -> School:
    return people.carol.school


def addresses(topic: ApprovedTopic) -> list[str]:
    return [page.address for page in topic.pages.all()]


def make(school: School, *listed: str, name: str = "Renting") -> ApprovedTopic:
    return make_topic(school, *listed, name=name, read=False)


def test_addresses_keep_their_order_and_are_there_once(school: School) -> None:
    topic = make(school, B, A, "HTTPS://Page.Example/b", " ", f"{A}#section")
    assert addresses(topic) == [B, A]
    topics.set_addresses(topic=topic, addresses=[A, C, B])
    assert addresses(topic) == [A, C, B]
    assert topics.add_addresses(topic=topic, addresses=[B, "https://page.example/d", A]) == 1
    assert addresses(topic) == [A, C, B, "https://page.example/d"]


def test_a_page_whose_address_stays_keeps_what_was_read(school: School, web: Site) -> None:
    allow(school)
    topic = make_topic(school, web.url())
    before = only_page(topic)
    topics.change_topic(topic=topic, name="Homes", addresses=[A, web.url()])
    after = topic.pages.get(address=web.url())
    assert (after.pk, after.approved_text, after.position) == (before.pk, before.approved_text, 1)
    assert topic.name == "Homes"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("page.example", "begins with https://"),
        ("http://page.example/", "only encrypted pages"),
        ("ftp://page.example/", "must begin with https://"),
        ("javascript:alert(1)", "begins with https://"),
        ("https://", "not a web address"),
        ("https://user:secret@page.example/", "user name or a password"),
        ("https://page.example/a b", "does not belong there"),
        ("https://2130706433/", "unusual spelling"),
        ("https://[::1", "not a web address"),
        ("https://page.example/" + "a" * 2000, "longer than"),
    ],
)
def test_what_is_no_address_is_said_in_words(school: School, address: str, reason: str) -> None:
    topic = make(school, A)
    with pytest.raises(TopicRefused) as refused:
        topics.add_addresses(topic=topic, addresses=[B, address])
    assert refused.value.field == "addresses"
    assert len(refused.value.reasons) == 1
    assert reason in refused.value.reasons[0]
    assert addresses(topic) == [A]


def test_http_is_listed_where_the_school_allows_it(school: School) -> None:
    assert check_addresses(school, ["http://page.example/"]).wrong
    allow(school)
    assert not check_addresses(school, ["http://page.example/"]).wrong


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 121}, "name"),
        ({"name": "renting"}, "name"),
        ({"keywords": ["rent"]}, "keywords"),
        ({"keywords": ["rent", "rents", "RENT"]}, "keywords"),
        ({"keywords": ["rent", "?", " "]}, "keywords"),
        ({"keywords": ["rent", "x" * 61]}, "keywords"),
        ({"keywords": [f"word{number}" for number in range(51)]}, "keywords"),
        ({"addresses": [f"https://page.example/{number}" for number in range(101)]}, "addresses"),
    ],
)
def test_a_topic_that_cannot_be_is_refused_and_nothing_is_saved(
    school: School, values: dict[str, object], field: str
) -> None:
    make(school)
    right = {"name": "New", "keywords": KEYWORDS, "addresses": [A]}
    with pytest.raises(TopicRefused) as refused:
        topics.create_topic(school=school, **(right | values))  # type: ignore[arg-type]
    assert refused.value.field == field
    assert ApprovedTopic.objects.count() == 1
    assert not ApprovedPage.objects.exists()


def test_schools_may_have_topics_of_one_name(people: Cast, school: School) -> None:
    make(school)
    make(people.chloe.school)
    assert ApprovedTopic.objects.count() == 2


def test_what_is_exported_can_be_imported_elsewhere(people: Cast, school: School) -> None:
    topics.create_topic(school=school, name="=Renting; “home”", keywords=["rent", "deposit, paid"], addresses=[A, B])
    topics.create_topic(school=school, name="Empty", keywords=["one", "two"], addresses=[])
    done = import_topics(school=people.chloe.school, table=f"\ufeff{export_topics(school)}".encode())
    assert (done.topics, done.pages, done.wrong) == (2, 2, [])
    there = ApprovedTopic.objects.for_school(people.chloe.school)
    assert [one.name for one in there] == ["=Renting; “home”", "Empty"]
    assert addresses(there[0]) == [A, B]
    assert import_topics(school=people.chloe.school, table=export_topics(school)).pages == 0


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_tables_of_any_spreadsheet_program_are_taken(school: School, delimiter: str, encoding: str) -> None:
    lines = [["Address", "NAME", "keywords", "notes"], [A, "Säuren", "Säure; Base", ""], [B, "Säuren", "", "x"]]
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(lines)
    done = import_topics(school=school, table=file.getvalue().encode(encoding))
    assert (done.topics, done.pages, done.wrong) == (1, 2, [])
    topic = ApprovedTopic.objects.get()
    assert (topic.name, topic.keywords, addresses(topic)) == ("Säuren", ["Säure", "Base"], [A, B])


def test_lines_that_are_wrong_come_back_with_their_reason_and_the_others_are_taken(school: School) -> None:
    make(school, C)
    table = (
        "name;keywords;address\n"
        f"Renting;mortgage;{A}\n"
        f"renting;;ftp://page.example/\n"
        f";rent, home;{B}\n"
        f"One word;rent;{B}\n"
        "\n"
        f"New;rent, home;{B}\n"
    )
    done = import_topics(school=school, table=table)
    assert (done.topics, done.pages) == (1, 2)
    assert [(one.number, one.reason) for one in done.wrong] == [
        (3, "“ftp://page.example/”: The address must begin with https://."),
        (4, "It names no topic."),
        (5, "Give at least two different keywords: a question needs two."),
    ]
    assert done.remaining().splitlines() == [
        "name;keywords;address",
        "renting;;ftp://page.example/",
        f";rent, home;{B}",
        f"One word;rent;{B}",
    ]
    renting = ApprovedTopic.objects.get(name="Renting")
    assert (addresses(renting), renting.keywords) == ([C, A], [*KEYWORDS, "mortgage"])
    again = import_topics(school=school, table=done.remaining().replace("ftp", "https").replace(";rent;", ";rent,due;"))
    assert [one.number for one in again.wrong] == [3]


@pytest.mark.parametrize(
    "table", ["", "\n", "name;address\nx;y", b"\x00\x01", b"PK\x03\x04\x00", 'name;keywords;address\n"open']
)
def test_what_is_no_table_is_refused(school: School, table: str | bytes) -> None:
    with pytest.raises(NoTable):
        import_topics(school=school, table=table)


def test_a_table_has_a_most(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_file, "MAX_LINES", 2)
    with pytest.raises(NoTable, match="more than 2 lines"):
        import_topics(school=school, table="name;keywords;address\n" + f"Renting;rent,home;{A}\n" * 3)
    assert not ApprovedTopic.objects.exists()


@pytest.mark.parametrize("line", ["one line", "many lines"])
def test_thousands_of_keywords_are_refused_at_once(school: School, line: str) -> None:
    words = [f"w{number}" for number in range(6000)]
    parts = [words] if line == "one line" else [words[start : start + 10] for start in range(0, 6000, 10)]
    table = "name;keywords;address\n" + "".join(f"Renting;{','.join(part)};{A}\n" for part in parts)
    began = time.thread_time()
    done = import_topics(school=school, table=table)
    assert {one.reason for one in done.wrong} == {"These are 6000 keywords; a topic has at most 50."}
    assert time.thread_time() - began < 10
    with pytest.raises(TopicRefused, match="too long"):
        topics.create_topic(school=school, name="Long", keywords=["rent", "word " * 100_000], addresses=[])


def test_keywords_that_stand_on_every_line_count_once(school: School) -> None:
    words = ",".join(f"w{number}" for number in range(50))
    table = "name;keywords;address\n" + "".join(f"Renting;{words};{A}{number}\n" for number in range(9))
    assert import_topics(school=school, table=table).pages == 9
