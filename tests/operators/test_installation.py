"""The operator's page: the state of the installation and figures of all schools, for operators only (S4)."""

import re
from dataclasses import asdict
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chatbots.model_trial import ModelTrial
from corpus.embedding.active_model import installation
from corpus.models import Installation, Status
from knowledge.models import PersonalDocument
from operators import overview
from school_library.models import SchoolVersion
from schools.models import Membership, Role, School, User
from tests.factories import PASSWORD, Cast, make_chatbot, make_message, personal_document, school_document, signed_in
from tests.running import free_port

pytestmark = pytest.mark.django_db
PAGE, MOVE, HOME = reverse("operators:index"), reverse("operators:move"), reverse("home")
SECRET = "zephyrquartz"


@pytest.fixture
def user() -> User:
    return User.objects.create_superuser("operator@lectern.example", PASSWORD, name="Operator")


@pytest.fixture
def operator(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def text(client: Client, url: str = PAGE) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get(url).content.decode()))


def test_an_operator_lands_there_after_signing_in(cast: Cast, user: User) -> None:
    client = Client()
    page = client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD}, follow=True)
    assert (page.status_code, page.request["PATH_INFO"]) == (200, PAGE)
    links = re.findall(r'href="([^"]+)"', page.content.decode())
    for name in ("admin:index", "api:docs", "admin:schools_school_add"):
        assert reverse(name) in links
    assert signed_in(cast.alice).get(HOME).headers["Location"] == reverse("chatbots:list")
    assert Client().get(HOME, follow=True).request["PATH_INFO"] == reverse("account_login")


def test_an_operator_with_a_school_starts_in_it(cast: Cast, user: User, operator: Client) -> None:
    Membership.objects.create(school=cast.alice.school, user=user, role=Role.ADMIN)
    assert operator.get(HOME).headers["Location"] == reverse("chatbots:list")
    assert f'href="{PAGE}"' in operator.get(reverse("chatbots:list")).content.decode()
    assert operator.get(PAGE).status_code == 200


def test_others_may_not(cast: Cast) -> None:
    assert Client().get(PAGE).headers["Location"] == f"{reverse('account_login')}?next={PAGE}"
    staff = User.objects.create_user("staff@lectern.example", "x", name="Staff", is_staff=True)
    client = Client()
    client.force_login(staff)
    for one in (client, signed_in(cast.alice), signed_in(cast.carol), signed_in(cast.chloe)):
        answer = one.get(PAGE)
        assert answer.status_code == 403
        assert "Only the operators of this installation" in answer.content.decode()
        assert PAGE not in answer.content.decode()
    assert operator_post(cast) == 405


def operator_post(cast: Cast) -> int:
    cast.alice.user.is_superuser = True
    cast.alice.user.save()
    return signed_in(cast.alice).post(PAGE).status_code


def test_each_school_has_its_figures(cast: Cast, operator: Client) -> None:
    own = personal_document(cast.alice, f"# {SECRET}\n\nAcid has 0.5 mol/l, says {SECRET}.\n", f"{SECRET}.md")
    school_document(cast.carol)
    message = make_message(cast.alice, make_chatbot(cast.alice, personal=[own], name=SECRET), f"How strong, {SECRET}?")
    make_message(cast.charlie, make_chatbot(cast.charlie), answered=False)
    School.objects.create(name="Newtown", slug="newtown")

    rows = overview.compute_figures(list(School.objects.order_by("name")))
    assert [
        (row.school.name, row.members, row.documents, row.chatbots, row.conversations, row.questions) for row in rows
    ] == [("Hillcrest", 2, 0, 1, 1, 1), ("Newtown", 0, 0, 0, 0, 0), ("Riverside", 3, 2, 1, 1, 1)]
    assert rows[2].last_asked == message.created_at
    assert rows[2].size == own.newest.size + school_size(cast)
    page = text(operator)
    assert all(name in page for name in ("Riverside", "Hillcrest", "Newtown"))
    assert SECRET not in page


def school_size(cast: Cast) -> int:
    return SchoolVersion.objects.get(school=cast.alice.school).size


def test_the_number_of_queries_does_not_grow(cast: Cast, django_assert_num_queries: object) -> None:
    personal_document(cast.alice)
    with django_assert_num_queries(10):  # type: ignore[operator]
        overview.compute_figures(list(School.objects.all()))


def test_it_says_what_waits_and_what_answers(cast: Cast, operator: Client, settings: Settings) -> None:
    for number, status in enumerate((Status.QUEUED, Status.QUEUED, Status.FAILED)):
        document = personal_document(cast.alice, f"# Number {number}\n", f"{number}.md", indexed=False)
        PersonalDocument.objects.filter(pk=document.pk).update(status=status)
    make_message(cast.bob, make_chatbot(cast.bob), answered=False)
    settings.LECTERN_LLM_MODEL, settings.LECTERN_LLM_BASE_URL = "some-model", "http://models.example/v1"
    settings.LECTERN_READER = "none"
    page = text(operator)
    assert "Documents waiting 2 (the first for" in page
    assert "Could not be read 1" in page
    assert "Answers being written 1" in page
    assert "Language model some-model at http://models.example/v1" in page
    assert "Not tried yet: manage.py language_model says whether it fits." in page
    assert "Reader none" in page
    trial = ModelTrial("some-model at http://models.example/v1", 9, 8, 1, 0, 0.5)
    Installation.objects.update_or_create(pk=1, defaults={"language_model_trial": asdict(trial)})
    assert "It fits (9 of 10 answers right, 8 of 10 refusals right, 1 answers without a source" in text(operator)
    settings.LECTERN_LLM_MODEL = settings.LECTERN_LLM_BASE_URL = settings.LECTERN_READER = ""
    assert "Language model none: answers quote the sources" in text(operator)
    assert "Reader packaged" in text(operator)


def test_it_warns_of_what_is_away(operator: Client, settings: Settings) -> None:
    page = text(operator)
    assert "No worker answers" in page and "Workers do not answer" in page  # there is none in tests
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    page = text(operator)
    assert "The broker does not answer." in page
    assert "No worker answers" not in page


def test_the_move_to_another_model_tells_how_long_it_takes(operator: Client, cast: Cast) -> None:
    assert "hx-get" not in operator.get(MOVE).content.decode(), "without a move nothing asks again"
    row, since = installation(), timezone.now() - timedelta(hours=1)
    rows = Installation.objects.filter(pk=row.pk)
    rows.update(target_name="large/fp32", progress_done=300, progress_total=900, started_at=since)
    for page in (PAGE, MOVE):
        assert "Moving to large/fp32: 300 of 900 passages, about 2 hours left" in text(operator, page)
        assert f'hx-get="{MOVE}"' in operator.get(page).content.decode()
    rows.update(problem="The model is gone.")
    assert "The model is gone." in text(operator)
    assert " left" not in text(operator, MOVE), "it makes no progress"
    rows.update(target_name="", name="large/fp32")
    assert "large/fp32 answers now" in text(operator, MOVE)
    for client in (signed_in(cast.alice), signed_in(cast.carol)):
        assert client.get(MOVE).status_code == 403
    assert Client().get(MOVE).headers["Location"].startswith(reverse("account_login"))


def test_operators_read_the_description_of_the_api(cast: Cast, operator: Client) -> None:
    assert operator.get(reverse("api:docs")).status_code == 200
    assert operator.get(reverse("api:schema")).status_code == 200
    assert operator.get(reverse("api:me")).status_code == 403
    lone = Client()
    lone.force_login(User.objects.create_user("lone@lectern.example", "x", name="Lone"))
    assert lone.get(reverse("api:docs")).status_code == 403
    assert lone.get(reverse("api:schema")).status_code == 403


def test_where_only_members_come_the_way_back_is_shown(operator: Client) -> None:
    answer = operator.get(reverse("chatbots:list"))
    assert answer.status_code == 403
    assert f'href="{PAGE}"' in answer.content.decode()
