"""A security key in software, which is touched and asks for no PIN."""

from __future__ import annotations

import json
from typing import Any

from allauth.mfa.models import Authenticator
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import sha256, websafe_decode, websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from schools.models import Membership

ORIGIN, PLACE = "https://testserver", sha256(b"testserver")
FLAG = AuthenticatorData.FLAG


class Key:
    """One key of one person."""

    def __init__(self, member: Membership) -> None:
        self.user, self.private = member.user, ec.generate_private_key(ec.SECP256R1())
        self.id = member.user.pk.bytes
        public = AttestedCredentialData.create(
            bytes(16),
            self.id,
            ES256.from_cryptography_key(self.private.public_key()),  # type: ignore[no-untyped-call]
        )
        about = AuthenticatorData.create(PLACE, FLAG.UP | FLAG.AT, 0, public)
        said = self._said(
            "webauthn.create", b"a challenge of any kind", attestationObject=AttestationObject.create("none", about, {})
        )
        Authenticator.objects.create(user=self.user, type="webauthn", data={"name": "Key", "credential": said})

    def sign(self, challenge: str) -> str:
        """What the browser sends."""
        about = AuthenticatorData.create(PLACE, FLAG.UP, 1)
        client = CollectedClientData.create("webauthn.get", websafe_decode(challenge), ORIGIN)
        signature = self.private.sign(about + client.hash, ec.ECDSA(hashes.SHA256()))
        more = {"authenticatorData": about, "signature": signature, "userHandle": self.user.pk.hex.encode()}
        return json.dumps(self._said("webauthn.get", websafe_decode(challenge), **more))

    def _said(self, kind: str, challenge: bytes, **more: bytes) -> dict[str, Any]:
        answer = {"clientDataJSON": CollectedClientData.create(kind, challenge, ORIGIN)} | more
        name = websafe_encode(self.id)
        shown = {field: websafe_encode(value) for field, value in answer.items()}
        return {"id": name, "rawId": name, "type": "public-key", "clientExtensionResults": {}, "response": shown}
