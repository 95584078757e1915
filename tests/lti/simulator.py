"""A learning platform on loopback that speaks LTI 1.3 Advantage, rightly or wrongly, as a test tells it to."""

from __future__ import annotations

import html
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jwt
from django.test import Client
from django.urls import reverse

from lti.keys import make_private_key, public_keys
from lti.models import Platform
from schools.models import School
from tests.issuers import make_key

CLIENT_ID, DEPLOYMENT = "lectern-at-moodle", "3"
LTI = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/"
GRADES = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
SCORE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
COURSE = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
SCHOOL = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#"
TEACHER, LEARNER = [f"{COURSE}Instructor"], [f"{COURSE}Learner"]


@dataclass
class Simulator:
    """Who is there stands in `claims`; `key`, `algorithm` and `status` are what it does wrong."""

    url: str
    claims: dict[str, Any] = field(default_factory=dict)
    key: str = "good"
    algorithm: str = "RS256"
    status: int = 0
    """With which its services answer, if they fail."""
    tool: str = ""
    """Our address."""
    routes: dict[str, str] = field(default_factory=dict)
    tool_keys: dict[str, Any] = field(default_factory=dict)
    scores: list[dict[str, Any]] = field(default_factory=list)
    returned: list[dict[str, Any]] = field(default_factory=list)
    tokens: int = 0

    @property
    def line_item(self) -> str:
        return f"{self.url}/services.php/2/lineitems/5/lineitem?type_id=1"

    def know(self, platform: Platform, tool: str = "http://testserver") -> None:
        """What an admin types into the platform."""
        names = ("login", "launch", "launch-to-choose")
        self.routes = {name: reverse(f"lti:{name}", args=[platform.pk]) for name in names}
        self.tool, self.tool_keys = tool, public_keys(platform)

    def opens(
        self, subject: str = "42", roles: list[str] = LEARNER, *, resource: str = "7", link: object = "", **claims: Any
    ) -> None:
        """From now on this person opens an activity."""
        self.claims = {
            "sub": subject,
            "name": "Erika Muster",
            "email": "erika@riverside.example",
            f"{LTI}version": "1.3.0",
            f"{LTI}message_type": "LtiResourceLinkRequest",
            f"{LTI}deployment_id": DEPLOYMENT,
            f"{LTI}roles": roles,
            f"{LTI}target_link_uri": f"{self.tool}{self.routes['launch']}",
            f"{LTI}resource_link": {"id": resource, "title": "Rivers"},
            f"{LTI}context": {"id": "2", "title": "Geography 9b"},
            f"{LTI}custom": {"lectern_link": str(link)} if link else {},
            GRADES: {"scope": [SCORE], "lineitem": self.line_item},
            **claims,
        }

    def chooses(self, subject: str = "11", roles: list[str] = TEACHER, **wanted: Any) -> None:
        """From now on this person chooses content."""
        self.opens(subject, roles)
        for name in ("resource_link", "custom", "target_link_uri"):
            del self.claims[f"{LTI}{name}"]
        self.claims[f"{LTI}message_type"] = "LtiDeepLinkingRequest"
        self.claims[f"{DEEP_LINKING}deep_linking_settings"] = {
            "deep_link_return_url": f"{self.url}/return?course=2",
            "accept_types": ["ltiResourceLink"],
            "accept_presentation_document_targets": ["window"],
            "data": "of this very dialog",
            **wanted,
        }

    def start(self, **changes: str | None) -> dict[str, str]:
        """What the platform’s page sends to begin."""
        is_choice = self.claims[f"{LTI}message_type"] == "LtiDeepLinkingRequest"
        route = self.routes["launch-to-choose" if is_choice else "launch"]
        form: dict[str, str | None] = {
            "iss": self.url,
            "client_id": CLIENT_ID,
            "lti_deployment_id": DEPLOYMENT,
            "login_hint": "5",
            "lti_message_hint": '{"cmid":3}',
            "target_link_uri": f"{self.tool}{route}",
        }
        return {name: value for name, value in (form | changes).items() if value is not None}

    def authorise(self, address: str) -> dict[str, str]:
        """What its page sends to our launch route, after looking at what we asked for."""
        asked = dict(parse_qsl(urlsplit(address).query))
        expected = {
            "scope": "openid",
            "response_type": "id_token",
            "response_mode": "form_post",
            "prompt": "none",
            "client_id": CLIENT_ID,
            "redirect_uri": f"{self.tool}{self.routes['launch']}",
            "login_hint": "5",
            "lti_message_hint": '{"cmid":3}',
        }
        assert {name: asked.get(name) for name in expected} == expected
        return {"id_token": self.id_token(asked["nonce"]), "state": asked["state"]}

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": nonce} | self.claims
        claims = {name: value for name, value in claims.items() if value is not None}
        key: Any = "a" * 40 if self.algorithm == "HS256" else "" if self.algorithm == "none" else make_key(self.key)
        return jwt.encode(claims, key, algorithm=self.algorithm, headers={"kid": "good"})

    def verified(self, token: str, audience: str) -> dict[str, Any]:
        """The claims of a token of ours, as the platform checks it."""
        (public,) = self.tool_keys["keys"]
        assert jwt.get_unverified_header(token)["kid"] == public["kid"]
        options = {"require": ["exp", "iat", "jti"]}
        found: dict[str, Any] = jwt.decode(
            token,
            jwt.PyJWK(public).key,
            algorithms=["RS256"],
            audience=audience,
            issuer=CLIENT_ID,
            options=options,  # type: ignore[arg-type]
        )
        return found

    def token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if self.status:
            return self.status, {"error": "invalid_client"}
        assert (form["grant_type"], form["scope"]) == ("client_credentials", SCORE)
        assert form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        assert self.verified(form["client_assertion"], f"{self.url}/token")["sub"] == CLIENT_ID
        self.tokens += 1
        return 200, {"access_token": f"token {self.tokens}", "token_type": "Bearer", "expires_in": 3600}

    def score(self, headers: Any, body: bytes) -> tuple[int, dict[str, Any]]:
        if self.status:
            return self.status, {}
        assert headers["Authorization"] == f"Bearer token {self.tokens}"
        assert headers["Content-Type"] == "application/vnd.ims.lis.v1.score+json"
        self.scores.append(json.loads(body))
        return 200, {}

    def take(self, token: str) -> dict[str, Any]:
        """What a teacher chose, as the platform stores it."""
        found = self.verified(token, self.url)
        self.returned.append(found)
        return found


@contextmanager
def simulator() -> Iterator[Simulator]:
    """Run a platform on a free port of 127.0.0.1."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    found = Simulator(f"http://127.0.0.1:{server.server_port}")
    server.simulator = found  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    @property
    def simulator(self) -> Simulator:
        found: Simulator = self.server.simulator  # type: ignore[attr-defined]
        return found

    def do_GET(self) -> None:
        one, path = self.simulator, urlsplit(self.path).path
        if path == "/keys":
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(make_key("good").public_key()))
            self._send(200, {"keys": [public | {"kid": "good", "use": "sig", "alg": "RS256"}]})
        elif path == "/authorize":
            self._page(_form(f"{one.tool}{one.routes['launch']}", one.authorise(self.path)))
        elif path == "/start":
            self._page(_form(f"{one.tool}{one.routes['login']}", one.start()))
        elif path == "/course":  # with the dialog in which Moodle lets one choose
            self._page('<h1>Course</h1><iframe title="Choose" src="/start" width="900" height="500"></iframe>')
        elif path == "/favicon.ico":  # a browser with windows asks for it, and writes a 404 to its console
            self._answer(204, "image/x-icon", b"")
        else:
            self._send(404, {})

    def do_POST(self) -> None:
        one, parts = self.simulator, urlsplit(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        if parts.path == "/token":
            self._send(*one.token(form))
        elif (parts.path, parts.query) == ("/services.php/2/lineitems/5/lineitem/scores", "type_id=1"):
            self._send(*one.score(self.headers, body))
        elif parts.path == "/return":
            one.take(form["JWT"])
            self._page("<h1>Put into the course</h1>")
        else:
            self._send(404, {})

    def _page(self, body: str) -> None:
        self._answer(200, "text/html; charset=utf-8", f'<!doctype html><html lang="en"><body>{body}'.encode())

    def _send(self, status: int, value: dict[str, Any]) -> None:
        self._answer(status, "application/json", json.dumps(value).encode())

    def _answer(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _form(address: str, values: dict[str, str]) -> str:
    fields = "".join(f'<input type="hidden" name="{n}" value="{html.escape(v)}">' for n, v in values.items())
    sends = "<script>document.forms[0].submit()</script>"
    return f'<form method="post" action="{html.escape(address)}">{fields}</form>{sends}'


def make_platform(school: School, url: str = "https://moodle.riverside.example", **fields: Any) -> Platform:
    """A platform of a school."""
    values = {
        "name": "Moodle",
        "issuer": url,
        "client_id": CLIENT_ID,
        "deployment_ids": [DEPLOYMENT],
        "authorization_endpoint": f"{url}/authorize",
        "token_endpoint": f"{url}/token",
        "keys_url": f"{url}/keys",
        "key": make_private_key(),
    }
    return Platform.objects.create(school=school, **(values | fields))


def begin(client: Client, sim: Simulator, **changes: Any) -> Any:
    """The platform’s page sends the browser to us. Browsers send no cookies of ours with it, and take those we set."""
    stranger = Client()
    response = stranger.post(sim.routes["login"], sim.start(**changes))
    client.cookies.update(stranger.cookies)
    return response


def prove(sim: Simulator, location: str, **changes: str) -> Any:
    """The platform’s page sends the token, again without cookies of ours."""
    return Client().post(sim.routes["launch"], sim.authorise(location) | changes)


def go(client: Client, sim: Simulator) -> Any:
    """The whole way of a launch, up to where the browser takes it over."""
    response = begin(client, sim)
    assert response.status_code == 303, response.content.decode()
    proved = prove(sim, response.headers["Location"])
    return client.get(proved.headers["Location"]) if proved.status_code == 303 else proved


def words(response: Any) -> str:
    return html.unescape(" ".join(response.content.decode().split()))
