"""django-allauth's OpenID Connect, stricter: the id token is verified, and answers this very sign-in.

allauth itself reads the claims of the userinfo endpoint first, checks no signature, and sends no nonce.
"""

from __future__ import annotations

import secrets
from typing import Any
from urllib.parse import urlencode

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from accounts.models import IdentityProvider
from accounts.single_sign_on import claims, entering, issuer, pages, sessions
from accounts.single_sign_on.issuer import IssuerFailed
from accounts.single_sign_on.vouchers import Refused

SCOPE = ["openid", "email", "profile"]


class Provider(OpenIDConnectProvider):  # type: ignore[misc]
    """One of our rows, as allauth sees it. Nothing is taken from the address of the request."""

    pkce_enabled_default = True

    def __init__(self, request: HttpRequest, row: IdentityProvider, secret: str) -> None:
        self.row = row
        app = SocialApp(
            provider=self.id,
            provider_id=str(row.pk),
            name=row.name,
            client_id=row.client_id,
            secret=secret,
            settings={"server_url": row.issuer},
        )
        super().__init__(request, app=app)

    def get_oauth2_adapter(self, request: HttpRequest) -> Adapter:
        return Adapter(request, self)


class Adapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """Asks the issuer for the tokens, and verifies them."""

    def __init__(self, request: HttpRequest, provider: Provider) -> None:
        super().__init__(request, str(provider.row.pk))
        self._provider = provider

    def get_provider(self) -> Provider:
        return self._provider

    @property
    def openid_config(self) -> object:
        return issuer.describe(self._provider.row.issuer)

    def get_access_token_data(self, *args: object, **options: object) -> object:
        """Raises IssuerFailed for an answer that is none."""
        try:
            found = super().get_access_token_data(*args, **options)
        except (KeyError, TypeError, ValueError) as problem:
            raise IssuerFailed(f"The answer with the tokens is wrong: {type(problem).__name__}.") from problem
        if not isinstance(found, dict) or not isinstance(found.get("id_token"), str):
            raise IssuerFailed("The issuer sent no id token.")
        found.pop("expires_in", None)  # the access token is not kept
        return found

    def complete_login(self, request: HttpRequest, app: SocialApp, token: object, **options: Any) -> SocialLogin:
        """allauth's object without anything stored: who it is stands in `extra_data`."""
        account = SocialAccount(provider=self.provider_id, uid="", extra_data=dict(options["response"]))
        return SocialLogin(account=account, provider=self._provider)


class SocialAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Knows no apps of allauth's own tables, opens no account, and hands every sign-in to `entering`."""

    def list_apps(self, request: HttpRequest, provider: object = None, client_id: object = None) -> list[SocialApp]:
        return []

    def get_requests_session(self) -> issuer.Session:
        return issuer.Session()

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        provider: Provider = sociallogin.provider
        try:
            person = claims.read_person(provider.row, _claims(provider, sociallogin))
            more = {sessions.HINT: sociallogin.account.extra_data["id_token"]}
            response = entering.enter(request, provider.row, person, sociallogin.state, **more)
        except Refused as refusal:
            response = pages.show_refusal(request, provider.row, refusal.code)
        raise ImmediateHttpResponse(response)

    def on_authentication_error(self, request: HttpRequest, provider: Any, **details: Any) -> None:
        raise ImmediateHttpResponse(pages.show_failure(request, provider.row, details.get("exception")))


def _claims(provider: Provider, sociallogin: SocialLogin) -> dict[str, object]:
    """Of the id token; an address that it does not have is asked for at the userinfo endpoint."""
    tokens, config = sociallogin.account.extra_data, issuer.describe(provider.row.issuer)
    nonce = str((sociallogin.state.get("data") or {}).get("nonce", ""))
    found = claims.verify(provider.row, tokens["id_token"], nonce, keys_url=config["jwks_uri"])
    if "email" in found or not config.get("userinfo_endpoint"):
        return found
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    more = issuer.get_json(config["userinfo_endpoint"], headers=headers)
    if more.get("sub") != found["sub"]:
        raise IssuerFailed("The issuer speaks of two people.")
    names = ("email", "email_verified", "name")
    return found | {name: more[name] for name in names if name in more}


def begin(request: HttpRequest, row: IdentityProvider, *, next_url: str = "", **data: str) -> HttpResponseBase:
    """Send the browser to the issuer, with state, nonce and PKCE. Raises IssuerFailed and `encryption.Unreadable`."""
    nonce = secrets.token_urlsafe(24)
    provider = Provider(request, row, row.open_secret())
    response: HttpResponseBase = provider.redirect(
        request,
        AuthProcess.LOGIN,
        next_url=next_url or None,
        data={"nonce": nonce, **data},
        scope=SCOPE,
        auth_params={"nonce": nonce},
    )
    return response


def come_back(request: HttpRequest, row: IdentityProvider) -> HttpResponseBase:
    """The browser comes back from the issuer. Raises IssuerFailed and `encryption.Unreadable`."""
    view = OAuth2CallbackView.adapter_view(Adapter(request, Provider(request, row, row.open_secret())))
    response: HttpResponseBase = view(request)
    return response


def end_address(request: HttpRequest, row: IdentityProvider, id_token: str) -> str:
    """Where a browser ends its session at the issuer (RP-Initiated Logout); empty if the issuer names no such page."""
    try:
        address = str(issuer.describe(row.issuer).get("end_session_endpoint") or "")
        issuer.check_address(address)
    except IssuerFailed:
        return ""
    query = {
        "client_id": row.client_id,
        "id_token_hint": id_token,
        "post_logout_redirect_uri": request.build_absolute_uri(reverse("account_login")),
    }
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"
