"""Authentication by access token or by the session of a signed-in person."""

from __future__ import annotations

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from schools import tokens
from schools.models import AccessToken, User


class BearerToken(BaseAuthentication):
    """`Authorization: Bearer lectern_…`. Unknown, revoked and expired tokens get the same error."""

    def authenticate(self, request: Request) -> tuple[User, AccessToken] | None:
        words = get_authorization_header(request).split()
        if not words:
            return None
        if len(words) != 2 or words[0].lower() != b"bearer":
            raise AuthenticationFailed("Send “Authorization: Bearer” with one access token.")
        token = tokens.recognise(words[1].decode("latin-1"))
        if token is None:
            raise AuthenticationFailed("This access token is not valid: it is unknown, revoked or expired.")
        return token.membership.user, token

    def authenticate_header(self, request: Request) -> str:
        given = bool(get_authorization_header(request))
        return 'Bearer realm="Lectern"' + (', error="invalid_token"' if given else "")


class BearerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Describes the token in the schema."""

    target_class = BearerToken
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        words = "An access token, made under “Access tokens” in your menu or with `manage.py create_token`."
        return {"type": "http", "scheme": "bearer", "description": words}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Describes the session of the pages, which the interactive documentation uses."""

    target_class = SessionAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        words = "The session of a signed-in person; requests that change something also need `X-CSRFToken`."
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": words}
