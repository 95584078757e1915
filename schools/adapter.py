"""How django-allauth makes accounts and limits guesses at passwords."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from django.http import HttpRequest

_APP, _EVERYWHERE = "allauth.account", "login_failed_everywhere"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Strangers cannot sign up. Wrong passwords count for the account at the address they come from.

    So who guesses from one address does not lock the owner out at another. All wrong passwords for an account together
    have a limit too, far higher: `ACCOUNT_RATE_LIMITS` has both.
    """

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Raises a ValidationError when there were too many wrong passwords."""
        super().pre_authenticate(request, **credentials)
        account = super()._get_login_attempts_cache_key(request, **credentials)
        usage = ratelimit.consume(request, app=_APP, action=_EVERYWHERE, key=account)
        if usage is None:
            raise self.validation_error("too_many_login_attempts")
        self._login_failed_rl_usage.usage += usage.usage  # given back when the password was right

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        account = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{account} {ratelimit.get_ip(request)}"

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        super()._delete_login_attempts_cached_email(request, **credentials)
        account = super()._get_login_attempts_cache_key(request, **credentials)
        ratelimit.clear(request, app=_APP, action=_EVERYWHERE, key=account)
