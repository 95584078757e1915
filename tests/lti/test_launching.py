"""From the platform to us and back: what is verified, and that each refusal has words and a code."""

from __future__ import annotations

import time
from hashlib import sha256
from typing import Any

import jwt
import pytest
import redis
from django.conf import settings as django_settings
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.single_sign_on import issuer
from classrooms.models import Pupil
from lti.launch import teaches
from lti.models import Platform, ResourceLink
from schools import rate_limits
from schools.models import AuditEntry
from tests.factories import Cast
from tests.issuers import make_key
from tests.limits import all_at_once, set_limit
from tests.lti.simulator import COURSE, DEEP_LINKING, LTI, SCHOOL, Simulator, begin, go, make_platform, prove, words

pytestmark = pytest.mark.django_db


def refusals() -> list[str]:
    return [entry.detail["reason"] for entry in AuditEntry.objects.filter(action="lti.refused").order_by("pk")]


@pytest.fixture(autouse=True)
def a_pupil_comes(sim: Simulator, link: ResourceLink) -> None:
    sim.opens(link=link.pk)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"iss": "https://evil.example"}, "issuer"),
        ({"iss": None}, "issuer"),
        ({"client_id": "another"}, "audience"),
        ({"lti_deployment_id": "4"}, "deployment"),
        ({"login_hint": None}, "no-subject"),
        ({"target_link_uri": "https://evil.example/"}, "target"),
        ({"target_link_uri": "//evil.example/"}, "target"),
        ({"target_link_uri": "http://testserver@evil.example/"}, "target"),
        ({"target_link_uri": "javascript:alert(1)"}, "target"),
        ({"target_link_uri": "http://[::1"}, "target"),
        ({"target_link_uri": None}, "target"),
    ],
)
def test_a_beginning_that_is_refused(sim: Simulator, changes: dict[str, Any], code: str) -> None:
    response = begin(Client(), sim, **changes)
    assert response.status_code == 403 and f"“{code}”" in words(response)
    assert refusals() == [code]


def test_a_beginning_without_what_is_optional(sim: Simulator) -> None:
    response = begin(Client(), sim, client_id=None, lti_deployment_id=None)
    assert response.status_code == 303 and response.headers["Location"].startswith(f"{sim.url}/authorize?")
    again = Client().get(sim.routes["login"], sim.start())
    assert again.status_code == 303
    (cookie,) = again.cookies.values()
    assert cookie["samesite"] == "Lax" and cookie["httponly"] and cookie["path"] == "/lti/"


def now() -> int:
    return int(time.time())


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({"iss": "https://evil.example"}, "issuer"),
        ({"iss": None}, "incomplete"),
        ({"aud": "another"}, "audience"),
        ({"aud": None}, "incomplete"),
        ({"aud": ["lectern-at-moodle", "another"]}, "audience"),
        ({"aud": ["lectern-at-moodle", "another"], "azp": "another"}, "audience"),
        ({"azp": "another"}, "audience"),
        ({"exp": 1_700_000_000}, "expired"),
        ({"exp": None}, "incomplete"),
        ({"iat": None}, "incomplete"),
        ({"iat": 4_000_000_000}, "not-yet"),
        ({"nonce": "of another"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"sub": None}, "incomplete"),
        ({"sub": ""}, "no-subject"),
        ({"sub": "x" * 256}, "no-subject"),
        ({f"{LTI}version": "1.1"}, "version"),
        ({f"{LTI}version": None}, "version"),
        ({f"{LTI}deployment_id": "4"}, "deployment"),
        ({f"{LTI}deployment_id": None}, "deployment"),
        ({f"{LTI}deployment_id": ["3"]}, "deployment"),
        ({f"{LTI}message_type": "LtiSubmissionReviewRequest"}, "message"),
        ({f"{LTI}message_type": None}, "message"),
        ({f"{LTI}target_link_uri": "https://evil.example/"}, "target"),
        ({f"{LTI}target_link_uri": None}, "target"),
        ({f"{LTI}resource_link": None}, "no-resource"),
        ({f"{LTI}resource_link": "7"}, "no-resource"),
    ],
)
def test_a_token_that_is_refused(sim: Simulator, claims: dict[str, Any], code: str) -> None:
    sim.claims |= claims
    response = go(Client(), sim)
    assert response.status_code == 403 and f"“{code}”" in words(response)
    assert refusals() == [code] and not Pupil.objects.exists()


@pytest.mark.parametrize("roles", [None, "Instructor", {}, 7, [None, 7, {}], []])
def test_odd_roles_are_no_teachers(sim: Simulator, roles: Any) -> None:
    sim.claims[f"{LTI}roles"] = roles
    assert go(Client(), sim).status_code == 302 and Pupil.objects.count() == 1


@pytest.mark.parametrize(
    ("key", "algorithm", "code"),
    [("bad", "RS256", "signature"), ("good", "none", "algorithm"), ("good", "HS256", "algorithm")],
)
def test_a_token_that_is_signed_wrongly(sim: Simulator, key: str, algorithm: str, code: str) -> None:
    sim.key, sim.algorithm = key, algorithm
    assert go(Client(), sim).status_code == 403 and refusals() == [code] and not Pupil.objects.exists()


def test_keys_that_cannot_be_read(sim: Simulator, platform: Platform) -> None:
    Platform.objects.update(keys_url=f"{sim.url}/gone")
    assert go(Client(), sim).status_code == 403 and refusals() == ["failed"]
    Platform.objects.update(keys_url="http://192.0.2.7/keys")
    assert go(Client(), sim).status_code == 403 and refusals() == ["failed", "failed"]


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "{}"])
def test_nonsense_instead_of_a_token(sim: Simulator, token: str) -> None:
    location = begin(Client(), sim).headers["Location"]
    assert prove(sim, location, id_token=token).status_code == 403 and refusals() == ["token"]


def test_a_launch_is_good_once(sim: Simulator) -> None:
    client = Client()
    location = begin(client, sim).headers["Location"]
    form = sim.authorise(location)
    first = Client().post(sim.routes["launch"], form)
    assert first.status_code == 303
    assert Client().post(sim.routes["launch"], form).status_code == 403  # replayed
    assert client.get(first.headers["Location"]).status_code == 302
    assert client.get(first.headers["Location"]).status_code == 403
    fresh = begin(client, sim).headers["Location"]  # the old token with a new state
    state = sim.authorise(fresh)["state"]
    assert Client().post(sim.routes["launch"], form | {"state": state}).status_code == 403
    assert refusals() == ["state", "state", "nonce"] and Pupil.objects.count() == 1


def test_a_launch_is_good_in_its_own_browser(sim: Simulator) -> None:
    """Somebody is made to open what another has begun."""
    mine, victim = Client(), Client()
    proved = prove(sim, begin(mine, sim).headers["Location"])
    response = victim.get(proved.headers["Location"])
    assert response.status_code == 403 and "new window" in words(response)
    assert mine.get(proved.headers["Location"]).status_code == 403  # and then it is used up
    begin(victim, sim)  # with a cookie of another launch
    proved = prove(sim, begin(mine, sim).headers["Location"])
    assert victim.get(proved.headers["Location"]).status_code == 403
    assert refusals() == ["browser", "state", "browser"] and not Pupil.objects.exists()


def test_a_launch_that_takes_too_long(sim: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    location = begin(Client(), sim).headers["Location"]
    monkeypatch.setattr("lti.handshake.PATIENCE", -1)
    assert prove(sim, location).status_code == 403 and refusals() == ["state"]


def test_the_platform_says_no(sim: Simulator) -> None:
    location = begin(Client(), sim).headers["Location"]
    assert prove(sim, location, error="access_denied").status_code == 403 and refusals() == ["platform"]


def test_another_platforms_token_opens_nothing(sim: Simulator, people: Cast) -> None:
    """The platform of the other school: the same server, under another client ID, and its routes."""
    other = make_platform(people.charlie.school, sim.url, client_id="another")
    form = sim.authorise(begin(Client(), sim).headers["Location"])
    theirs = reverse("lti:launch", args=[other.pk])
    assert Client().post(theirs, form).status_code == 403
    proved = prove(sim, begin(Client(), sim).headers["Location"])
    ticket = proved.headers["Location"].replace(sim.routes["launch"].split("/")[2], str(other.pk))
    assert Client().get(ticket).status_code == 403
    assert refusals() == ["state", "state"] and not Pupil.objects.exists()


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_on": False}])
def test_a_platform_that_is_switched_off(sim: Simulator, platform: Platform, change: dict[str, bool]) -> None:
    client = Client()
    location = begin(client, sim).headers["Location"]
    proved = prove(sim, begin(client, sim).headers["Location"])
    Platform.objects.update(**change)
    assert prove(sim, location).status_code == 404
    assert client.get(proved.headers["Location"]).status_code == 404
    assert begin(client, sim).status_code == 404
    assert Client().get(reverse("lti:keys", args=[platform.pk])).status_code == 404


def test_the_log_of_refusals_is_not_flooded(sim: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "LTI_JUNK", 3)
    set_limit(monkeypatch, "LTI_REFUSALS", 2)
    for _ in range(3):
        assert Client().post(sim.routes["login"], {"iss": "nonsense"}).status_code == 403
        assert Client().post(sim.routes["launch"], {"state": "x", "id_token": "y"}).status_code == 403
    sim.key = "bad"
    assert go(Client(), sim).status_code == 403, "a state costs anybody one request"
    sim.key = "good"
    sim.chooses(roles=[f"{COURSE}Learner"])
    for _ in range(3):
        assert go(Client(), sim).status_code == 403
    assert refusals() == ["issuer", "state", "issuer", "not-teacher", "not-teacher"], "junk hides nothing else"


def test_junk_hides_no_wrong_deployment(sim: Simulator, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "LTI_JUNK", 1)
    for _ in range(3):
        assert Client().post(sim.routes["login"], {"iss": "nonsense"}).status_code == 403
    sim.claims[f"{LTI}deployment_id"] = "4"
    assert go(Client(), sim).status_code == 403
    assert refusals() == ["issuer", "deployment"]


def test_our_public_key(platform: Platform) -> None:
    response = Client().get(reverse("lti:keys", args=[platform.pk]))
    (key,) = response.json()["keys"]
    assert {"kty", "n", "e", "kid", "use", "alg"} <= set(key) and not {"d", "p", "q"} & set(key)
    assert "max-age=300" in response.headers["Cache-Control"]


def test_a_page_in_a_frame_offers_a_window(sim: Simulator, platform: Platform) -> None:
    response = Client().post(sim.routes["login"], sim.start(), headers={"Sec-Fetch-Dest": "iframe"})
    text = words(response)
    assert response.status_code == 200 and 'target="_blank"' in text and "Take over" not in text
    assert not response.cookies and "X-Frame-Options" not in response.headers
    assert f"frame-ancestors {sim.url}" in response.headers["Content-Security-Policy"]
    address = text.partition('class="button" href="')[2].partition('"')[0]
    opened = Client().get(address)
    assert opened.status_code == 303 and opened.headers["Location"].startswith(sim.url)
    for other in (begin(Client(), sim, iss="x"), Client().get("/accounts/login/"), go(Client(), sim)):
        assert other.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in other.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("roles", "is_teacher"),
    [
        ([f"{COURSE}Instructor"], True),
        ([f"{COURSE}Administrator"], True),
        (["Instructor"], True),
        ([f"{SCHOOL}Instructor"], True),
        ([f"{SCHOOL}Administrator"], True),
        ([f"{COURSE}Learner", f"{COURSE}Instructor"], True),
        ([f"{COURSE}Learner", f"{SCHOOL}Instructor"], False),
        ([f"{COURSE}Learner", f"{SCHOOL}Administrator"], False),
        ([f"{SCHOOL}Student", f"{SCHOOL}Staff"], False),
        ([f"{COURSE}Mentor"], False),
        (["http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"], False),
        (["http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator"], False),
        (["https://evil.example/membership#Instructor"], False),
        ([], False),
    ],
)
def test_who_is_a_teacher(roles: list[str], is_teacher: bool) -> None:
    assert teaches(roles) == is_teacher


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"deep_link_return_url": "https://evil.example/return"}, "return-address"),
        ({"deep_link_return_url": "javascript:alert(1)"}, "return-address"),
        ({"deep_link_return_url": None}, "return-address"),
        ({"accept_types": ["link"]}, "accepts"),
        ({"accept_types": None}, "accepts"),
        ({"data": "x" * 8001}, "data"),
        ({"data": {}}, "data"),
    ],
)
def test_a_choice_that_is_refused(sim: Simulator, wanted: dict[str, Any], code: str) -> None:
    sim.chooses(**wanted)
    assert go(Client(), sim).status_code == 403 and refusals() == [code]
    del sim.claims[f"{DEEP_LINKING}deep_linking_settings"]
    assert go(Client(), sim).status_code == 403


def test_a_learner_chooses_nothing(sim: Simulator) -> None:
    sim.chooses(roles=[f"{COURSE}Learner"])
    response = go(Client(), sim)
    assert response.status_code == 403 and "Only teachers" in words(response) and refusals() == ["not-teacher"]


def test_signs_that_nobody_can_store(sim: Simulator, link: ResourceLink) -> None:
    """Half of a pair of code units is no text."""
    sim.opens("\ud800", link=link.pk)
    assert go(Client(), sim).status_code == 403 and refusals() == ["no-subject"]
    sim.opens("ж" * 255, link=link.pk)
    assert go(Client(), sim).status_code == 302


@pytest.mark.parametrize(
    "claims", [{f"{LTI}roles": None}, {f"{LTI}resource_link": {"id": "7"}}, {f"{LTI}context": None}]
)
def test_a_launch_that_says_little(sim: Simulator, link: ResourceLink, claims: dict[str, Any]) -> None:
    sim.opens(link=link.pk, aud=["lectern-at-moodle"], **claims)
    assert go(Client(), sim).status_code == 302


def test_junk_from_the_same_network_shuts_nobody_out(sim: Simulator) -> None:
    location = begin(client := Client(), sim).headers["Location"]
    for number in range(120):
        state = "" if number % 2 else f"junk {number}"
        assert Client().post(sim.routes["launch"], {"state": state, "id_token": "x"}).status_code == 403
    proved = prove(sim, location)
    assert proved.status_code == 303 and client.get(proved.headers["Location"]).status_code == 302
    assert go(Client(), sim).status_code == 302


def test_beginnings_store_nothing(sim: Simulator) -> None:
    """Anybody can begin, as often as they like."""
    with redis.Redis.from_url(django_settings.REDIS_URL) as store:
        before = store.dbsize()
        for _ in range(30):
            assert begin(Client(), sim).status_code == 303
        assert store.dbsize() == before


def test_who_sends_nonsense_makes_us_fetch_no_keys_without_end(sim: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []
    read = issuer.get_json

    def get_json(address: str) -> dict[str, Any]:
        fetched.append(address)
        return read(address)

    monkeypatch.setattr(issuer, "get_json", get_json)
    for number in range(8):
        token = jwt.encode({}, make_key("bad"), algorithm="RS256", headers={"kid": f"unknown {number}"})
        assert prove(sim, begin(Client(), sim).headers["Location"], id_token=token).status_code == 403
    assert go(Client(), sim).status_code == 302 and go(Client(), sim).status_code == 302
    assert len(fetched) == 1 + rate_limits.NEW_KEYS.number


def test_new_keys_of_a_platform_are_found(sim: Simulator) -> None:
    cache.set(f"single-sign-on-{sha256(f'{sim.url}/keys'.encode()).hexdigest()}", {"keys": [{"kid": "old"}]})
    assert go(Client(), sim).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_a_token_that_is_sent_twice_at_once_opens_once(sim: Simulator) -> None:
    form = sim.authorise(begin(Client(), sim).headers["Location"])
    statuses = all_at_once(4, lambda _: Client().post(sim.routes["launch"], form).status_code)
    assert sorted(statuses) == [303, 403, 403, 403]
