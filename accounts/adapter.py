"""django-allauth's adapter: sign-up is closed, and wrong passwords are limited by account and address."""

from typing import Any

from django.http import HttpRequest

from accounts import devices
from accounts.mails import TellsPeople
from schools import rate_limits
from schools.models import User


class AccountAdapter(TellsPeople):
    """Counts wrong passwords for the account at the address that they come from.

    So somebody who guesses at one address does not lock the owner out at another. A second, far higher limit counts
    all wrong passwords for an account. A third one counts those of all accounts at an address, which may be a whole
    school: devices on which the account was used before are spared. The first and the third are in
    `ACCOUNT_RATE_LIMITS`, the second and that of known devices in `schools.rate_limits`.
    """

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Raises a ValidationError when there were too many wrong passwords."""
        self._taken: list[tuple[rate_limits.Limit, str]] = []
        if _is_on_known_device(request, **credentials):
            self._take(
                rate_limits.WRONG_PASSWORDS_ON_KNOWN_DEVICE, self._get_login_attempts_cache_key(request, **credentials)
            )
        else:
            super().pre_authenticate(request, **credentials)
        self._take(
            rate_limits.WRONG_PASSWORDS_EVERYWHERE, super()._get_login_attempts_cache_key(request, **credentials)
        )

    def _take(self, limit: rate_limits.Limit, key: str) -> None:
        if not rate_limits.take(limit, key).allowed:
            raise self.validation_error("too_many_login_attempts")
        self._taken.append((limit, key))

    def _rollback_login_failed_rl_usage(self) -> None:
        """The password was right."""
        super()._rollback_login_failed_rl_usage()
        for limit, key in self._taken:
            rate_limits.give_back(limit, key)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        account = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{account} {rate_limits.network_of(request)}"

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        super()._delete_login_attempts_cached_email(request, **credentials)
        here = self._get_login_attempts_cache_key(request, **credentials)
        rate_limits.clear(rate_limits.WRONG_PASSWORDS_ON_KNOWN_DEVICE, here)
        rate_limits.clear(
            rate_limits.WRONG_PASSWORDS_EVERYWHERE, super()._get_login_attempts_cache_key(request, **credentials)
        )


def _is_on_known_device(request: HttpRequest, **credentials: Any) -> bool:
    typed = str(credentials.get("email") or credentials.get("username") or "").replace("\0", "")
    user = User.objects.with_address(typed).first()
    return user is not None and devices.is_known(request, user)
