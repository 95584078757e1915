"""The key pair of a platform: with the private half we sign what we send there, the public half anybody may read."""

from __future__ import annotations

import json
import time
from hashlib import sha256
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from accounts import encryption
from lti.models import Platform

ALGORITHM = "RS256"


def make_private_key() -> str:
    """A new private key, sealed."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return encryption.seal(pem.decode())


def public_keys(platform: Platform) -> dict[str, object]:
    """The JWKS of a platform. Raises `encryption.Unreadable`."""
    public = _private(platform).public_key()
    told = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(public))
    return {"keys": [{**told, "kid": _name(public), "use": "sig", "alg": ALGORITHM}]}


def sign(platform: Platform, **claims: object) -> str:
    """A JWT of ours for this platform, good for five minutes. Raises `encryption.Unreadable`."""
    key, now = _private(platform), int(time.time())
    told = {"iss": platform.client_id, "iat": now, "exp": now + 300, "jti": str(uuid4()), **claims}
    return jwt.encode(told, key, algorithm=ALGORITHM, headers={"kid": _name(key.public_key())})


def _private(platform: Platform) -> rsa.RSAPrivateKey:
    key = serialization.load_pem_private_key(encryption.unseal(platform.key).encode(), password=None)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key


def _name(public: rsa.RSAPublicKey) -> str:
    der = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return sha256(der).hexdigest()[:16]
