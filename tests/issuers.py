"""An issuer on loopback that speaks OpenID Connect, rightly or wrongly, as a test tells it to."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from accounts.models import IdentityProvider
from schools.models import School

CLIENT_ID, SECRET = "lectern-test", "the-secret-of-lectern:/"


@cache
def make_key(name: str) -> rsa.RSAPrivateKey:
    """Two names, two keys; making one takes a while."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Issuer:
    """Who signs in stands in `claims`; the other fields are what it does wrong."""

    url: str
    claims: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] | None = None
    key: str = "good"
    """With which the tokens are signed; only “good” is published."""
    algorithm: str = "RS256"
    description: dict[str, Any] = field(default_factory=dict)
    """Replaces parts of its description."""
    cancels: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """The paths that were called."""

    def signs_in(self, email: str, *, subject: str = "", **claims: Any) -> None:
        """From now on this person comes to the issuer."""
        who = {"sub": subject or f"sub of {email}", "email": email, "email_verified": True, "name": "Erika Muster"}
        self.claims = who | claims

    def authorise(self, address: str) -> str:
        """What the issuer's page does with the browser: the address to which it sends it back."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        if self.cancels:
            return f"{asked['redirect_uri']}?{urlencode({'error': 'access_denied', 'state': asked['state']})}"
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def describe(self) -> dict[str, Any]:
        here = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "userinfo_endpoint": f"{self.url}/userinfo",
        }
        return here | self.description

    def keys(self) -> dict[str, Any]:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(make_key("good").public_key()))
        return {"keys": [public | {"kid": "good", "use": "sig", "alg": "RS256"}]}

    def tokens(self, form: dict[str, str]) -> dict[str, Any] | None:
        """For a code, once, and only with the secret and the verifier."""
        asked = self.codes.pop(form["code"], None)
        if asked is None or (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, SECRET):
            return None
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]:
            return None
        return {"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": self.id_token(asked)}

    def id_token(self, asked: dict[str, str]) -> str:
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims |= self.claims
        claims = {name: value for name, value in claims.items() if value is not None}
        key: Any = "a" * 40 if self.algorithm == "HS256" else "" if self.algorithm == "none" else make_key(self.key)
        return jwt.encode(claims, key, algorithm=self.algorithm, headers={"kid": "good"})


@contextmanager
def issuer() -> Iterator[Issuer]:
    """Run an issuer on a free port of 127.0.0.1."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    found = Issuer(f"http://127.0.0.1:{server.server_port}")
    server.issuer = found  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    @property
    def issuer(self) -> Issuer:
        found: Issuer = self.server.issuer  # type: ignore[attr-defined]
        return found

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.issuer.asked.append(path)
        if path == "/authorize":
            self.send_response(302)
            self.send_header("Location", self.issuer.authorise(self.path))
            self.end_headers()
        elif path == "/keys":
            self._send(self.issuer.keys())
        elif path == "/userinfo" and self.headers["Authorization"] == "Bearer access":
            self._send(self.issuer.userinfo)
        elif path == "/.well-known/openid-configuration":
            self._send(self.issuer.describe())
        else:
            self._send(None)

    def do_POST(self) -> None:
        self.issuer.asked.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._send(self.issuer.tokens({name: values[0] for name, values in parse_qs(body).items()}))

    def _send(self, value: dict[str, Any] | None) -> None:
        content = json.dumps(value or {"error": "invalid_request"}).encode()
        self.send_response(200 if value else 400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def make_provider(school: School, issuer: Issuer | str, **fields: Any) -> IdentityProvider:
    """A provider of a school, for the addresses of the school’s people."""
    fields = {"name": "SchoolID", "domains": [f"{school.slug}.example"], "client_id": CLIENT_ID} | fields
    address = issuer if isinstance(issuer, str) else issuer.url
    row = IdentityProvider(school=school, issuer=address, **fields)
    row.set_secret(SECRET)
    row.save()
    return row
