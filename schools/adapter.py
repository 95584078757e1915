"""django-allauth's adapter: sign-up is closed, and wrong passwords are limited by account and address."""

from typing import Any

from allauth.core.internal import ratelimit
from django.http import HttpRequest

from schools.models import User
from schools.signing_in import devices
from schools.signing_in.mails import TellsPeople

_APP, _EVERYWHERE, _ON_KNOWN_DEVICE = "allauth.account", "login_failed_everywhere", "login_failed_on_known_device"


class AccountAdapter(TellsPeople):
    """Counts wrong passwords for the account at the address that they come from.

    So somebody who guesses at one address does not lock the owner out at another. A second, far higher limit counts
    all wrong passwords for an account. A third one counts those of all accounts at an address, which may be a whole
    school: devices on which the account was used before are spared. All are in `ACCOUNT_RATE_LIMITS`.
    """

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Raises a ValidationError when there were too many wrong passwords."""
        if _is_on_known_device(request, **credentials):
            key = self._get_login_attempts_cache_key(request, **credentials)
            self._login_failed_rl_usage = ratelimit.consume(request, app=_APP, action=_ON_KNOWN_DEVICE, key=key)
            if self._login_failed_rl_usage is None:
                raise self.validation_error("too_many_login_attempts")
        else:
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
        here = self._get_login_attempts_cache_key(request, **credentials)
        ratelimit.clear(request, app=_APP, action=_ON_KNOWN_DEVICE, key=here)
        account = super()._get_login_attempts_cache_key(request, **credentials)
        ratelimit.clear(request, app=_APP, action=_EVERYWHERE, key=account)


def _is_on_known_device(request: HttpRequest, **credentials: Any) -> bool:
    typed = str(credentials.get("email") or credentials.get("username") or "").replace("\0", "")
    user = User.objects.with_address(typed).first()
    return user is not None and devices.is_known(request, user)
