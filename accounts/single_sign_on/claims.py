"""What an issuer says of a person, and whether it is believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from accounts.models import IdentityProvider, Provider
from accounts.single_sign_on import issuer
from accounts.single_sign_on.issuer import IssuerFailed
from accounts.single_sign_on.vouchers import Refused
from schools import rate_limits

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
"""Only those with a public key: “none” and shared secrets prove nothing."""
REQUIRED = ["iss", "sub", "aud", "exp", "iat"]
CODES: dict[type[Exception], str] = {
    jwt.InvalidSignatureError: "signature",
    jwt.ExpiredSignatureError: "expired",
    jwt.ImmatureSignatureError: "not-yet",
    jwt.InvalidAudienceError: "audience",
    jwt.InvalidIssuerError: "issuer",
    jwt.MissingRequiredClaimError: "incomplete",
}


@dataclass(frozen=True)
class Person:
    """A person as the issuer knows them, after all checks."""

    subject: str
    email: str
    name: str


def verify(provider: Provider, token: str, nonce: str, *, keys_url: str) -> dict[str, Any]:
    """Verify an id token (signature, issuer, audience, time, nonce) and return its claims. Raise IssuerFailed.

    Its `code` says what is wrong.
    """
    try:
        header = jwt.get_unverified_header(token)
        if header.get("alg") not in ALGORITHMS:
            raise IssuerFailed("The token is signed in a way that is not accepted.", "algorithm")
        claims: dict[str, Any] = jwt.decode(
            token,
            _key(keys_url, header),
            algorithms=[header["alg"]],
            audience=provider.client_id,
            issuer=provider.issuer,
            leeway=60,  # seconds
            options={"require": REQUIRED},
        )
    except (jwt.PyJWTError, ValueError, KeyError, TypeError) as problem:
        code = CODES.get(type(problem), "token")
        raise IssuerFailed(f"The token is not right: {type(problem).__name__}.", code) from problem
    if not nonce or claims.get("nonce") != nonce:
        raise IssuerFailed("The token answers another sign-in.", "nonce")
    others = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if (others or "azp" in claims) and claims.get("azp") != provider.client_id:
        raise IssuerFailed("The token was made for another application.", "audience")
    return claims


def _key(keys_url: str, header: Mapping[str, Any]) -> Any:
    """The key with which the token says that it is signed. One without a name must be the only one.

    The keys are kept for a while. Whoever names another one makes us ask for new ones, but not as often as they like.
    """
    named = _named(issuer.read_keys(keys_url), header)
    if len(named) != 1 and rate_limits.take(rate_limits.NEW_KEYS, keys_url).allowed:
        named = _named(issuer.read_keys(keys_url, anew=True), header)
    if len(named) != 1:
        raise IssuerFailed("The token is signed with an unknown key.", "signature")
    return jwt.PyJWK.from_dict(named[0], algorithm=header["alg"]).key


def _named(found: Mapping[str, Any], header: Mapping[str, object]) -> list[dict[str, Any]]:
    keys = found.get("keys")
    usable = [key for key in keys if isinstance(key, dict) and key.get("use", "sig") == "sig"] if keys else []
    return [key for key in usable if key.get("kid") == header["kid"]] if "kid" in header else usable


def read_person(provider: IdentityProvider, claims: Mapping[str, Any]) -> Person:
    """Read who it is, if the issuer may vouch for this address. Raise Refused."""
    subject, email = str(claims.get("sub") or ""), str(claims.get("email") or "").strip().lower()
    if not subject or len(subject) > 255 or "\0" in subject:
        raise Refused("no-subject")
    try:
        validate_email(email)
    except ValidationError:
        raise Refused("no-address") from None
    if not provider.takes(email):
        raise Refused("other-domain")
    if not _is_verified(provider, claims):
        raise Refused("unverified")
    name = " ".join(str(claims.get("name") or "").replace("\0", "").split())
    return Person(subject, email, name[:120] or email.partition("@")[0][:120])


def _is_verified(provider: IdentityProvider, claims: Mapping[str, object]) -> bool:
    if provider.is_microsoft:
        # Microsoft sends no `email_verified`. The issuer is one tenant, whose admins assign the addresses; where the
        # tenant sends `xms_edov` it must be true. A guest's address is another tenant's.
        is_guest = str(claims.get("acct", "0")) == "1" or claims.get("idp", provider.issuer) != provider.issuer
        return not is_guest and str(claims.get("xms_edov", "1")).lower() in ("1", "true")
    if provider.is_google and str(claims.get("hd", "")).lower() not in provider.domains:
        return False  # a private account, on which the address was verified once and may be somebody else's by now
    return claims.get("email_verified") is True
