"""All limits on how often something may be done, and the counter behind them: a sliding window, in one step in Redis.

A limit holds for any span of its length, for all processes together. Redis keeps the times of what was allowed; what
was refused does not count. While Redis does not answer, each process counts by itself, and the log says so.

Only wrong codes of a second factor, mails for a new password and sign-ins of any kind are counted by django-allauth
(`ACCOUNT_RATE_LIMITS` and `MFA_RATE_LIMITS` in config/settings.py).
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from ipaddress import IPv6Address, ip_address, ip_network

import redis
from django.conf import settings
from django.http import HttpRequest
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limit:
    """So many in so many seconds. `by` says what is counted apart: `take` gets the values in this order."""

    name: str
    number: int
    seconds: int
    by: str


WRONG_CLASS_CODES = Limit("wrong-class-codes", 60, 600, "network")
WRONG_OWN_CODES = Limit("wrong-own-codes", 200, 600, "class, network")
"""Also of those who know the right one: six signs are few."""
JOINS = Limit("joins", 100, 600, "class, network")
"""More than a room holds, and one computer does not fill the class."""
HANDS = Limit("hands", 10, 60, "school, pupil")
UPLOADS = Limit("uploads", 2000, 3600, "school, person")
READING_REPORTS = Limit("reading-reports", 60, 3600, "school, person")
NEW_TOKENS = Limit("new-tokens", 60, 3600, "school, membership")
INVITATIONS = Limit("invitations", 5, 86400, "school, e-mail address")
WRONG_PASSWORDS = Limit("wrong-passwords", 5, 300, "account, network, whether on a device where it was used before")
WRONG_PASSWORDS_OF_NETWORK = Limit("wrong-passwords-of-network", 60, 60, "network")
"""Of all accounts, on devices where the account was not used before: the address may be a whole school's."""
WRONG_PASSWORDS_EVERYWHERE = Limit("wrong-passwords-everywhere", 300, 3600, "account")
NEW_KEYS = Limit("new-keys", 2, 60, "address of the keys")
"""How often they are fetched again for a token that names a key which is not among those that are kept."""
SSO_FAILURES = Limit("sso-failures", 10, 60, "provider, network")
"""Entries in the audit log, which nobody can delete, as the next two."""
LTI_REFUSALS = Limit("lti-refusals", 100, 600, "platform")
LTI_JUNK = Limit("lti-junk", 20, 600, "platform")
"""Refusals before a token of the platform was verified: anybody can send such."""


def api_limit() -> Limit | None:
    rate: tuple[int, int] | None = settings.LECTERN_API_RATE
    return Limit("api", *rate, "token, person or network") if rate else None


_PREFIX = "lectern:rate:"

_TIMEOUT = 0.5
"""Seconds that Redis has to answer."""

_PAUSE = 5.0
"""Seconds for which Redis is not asked again after it did not answer, so that requests do not queue up behind it."""


_MAX_KEYS = 20_000
"""Of those that a process counts by itself."""

# The list has the times of requests in microseconds, the latest first.
_TAKE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local limit, span = tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000000
local oldest = redis.call('LINDEX', KEYS[1], -1)
while oldest and tonumber(oldest) <= now - span do
  redis.call('RPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], -1)
end
local taken = redis.call('LLEN', KEYS[1])
local allowed = taken < limit
if allowed then
  redis.call('LPUSH', KEYS[1], string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], ARGV[2] * 1000)
  taken = taken + 1
end
return {allowed and 1 or 0, limit - taken, math.ceil(((oldest or now) + span - now) / 1000)}
"""


@dataclass(frozen=True)
class Allowance:
    """Whether this may be done, how many more may, and in how many seconds the oldest stops counting."""

    allowed: bool
    limit: Limit
    remaining: int
    seconds: int

    def headers(self) -> dict[str, str]:
        """The headers of the IETF draft, and `Retry-After` when nothing is left."""
        headers = {
            "RateLimit-Policy": f'"default";q={self.limit.number};w={self.limit.seconds}',
            "RateLimit": f'"default";r={self.remaining};t={self.seconds}',
        }
        return headers if self.allowed else headers | {"Retry-After": str(self.seconds)}


def take(limit: Limit, *by: object) -> Allowance:
    """Count one of these, if the limit allows it."""
    key = _key(limit, by)
    if client := _redis():
        try:
            allowed, remaining, milliseconds = client.register_script(_TAKE)([key], [limit.number, limit.seconds])
            return Allowance(bool(allowed), limit, remaining, max(1, math.ceil(milliseconds / 1000)))
        except redis.RedisError as error:
            breaker.open(error)
    return _take_here(limit, key)


def give_back(limit: Limit, *by: object) -> None:
    """Do not count the last one that was allowed."""
    key = _key(limit, by)
    with _lock:
        if times := _times.get(key):
            times.pop()
            return
    _tell_redis("lpop", key)


def clear(limit: Limit, *by: object) -> None:
    """Count from nothing."""
    key = _key(limit, by)
    with _lock:
        _times.pop(key, None)
    _tell_redis("delete", key)


def get_client_network(request: HttpRequest) -> str:
    """The client's address; of IPv6 its network, since everybody at home has some quintillions of addresses."""
    return find_network(request.META.get("REMOTE_ADDR", ""))


def find_network(address: str) -> str:
    """The same of an address."""
    try:
        found = ip_address(address)
    except ValueError:
        return address or "nowhere"
    if isinstance(found, IPv6Address) and not found.ipv4_mapped:
        return str(ip_network((int(found), 64), strict=False))
    return address


def _key(limit: Limit, by: tuple[object, ...]) -> str:
    assert by, "a limit counts something apart"
    digest = sha256("\0".join(map(str, by)).encode(errors="surrogatepass")).hexdigest()
    return f"{_PREFIX}{limit.name}:{limit.number}:{limit.seconds}:{digest}"


def _redis() -> redis.Redis | None:
    return _client(settings.REDIS_URL) if settings.REDIS_URL and not breaker.is_open() else None


def _tell_redis(command: str, key: str) -> None:
    if client := _redis():
        try:
            getattr(client, command)(key)
        except redis.RedisError as error:
            breaker.open(error)


@cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT, retry=Retry(NoBackoff(), 0)
    )


_lock = threading.Lock()
_times: dict[str, deque[float]] = {}


def _take_here(limit: Limit, key: str) -> Allowance:
    now = time.monotonic()
    with _lock:
        if key not in _times and len(_times) >= _MAX_KEYS:
            del _times[next(iter(_times))]
        times = _times.setdefault(key, deque())
        while times and times[0] <= now - limit.seconds:
            times.popleft()
        allowed = len(times) < limit.number
        if allowed:
            times.append(now)
        seconds = max(1, math.ceil(times[0] + limit.seconds - now)) if times else limit.seconds
        return Allowance(allowed, limit, limit.number - len(times), seconds)


class CircuitBreaker:
    """Open after a failure of Redis: it is not asked again for some seconds, and the log says so."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = self._log_from = 0.0

    def is_open(self) -> bool:
        """Whether Redis is not to be asked now."""
        return time.monotonic() < self._until

    def open(self, error: redis.RedisError) -> None:
        """Do not ask Redis for some seconds. The log says so at most once a minute."""
        with self._lock:
            now = time.monotonic()
            self._until = now + _PAUSE
            if now >= self._log_from:
                self._log_from = now + 60
                logger.warning("Each process counts and caches by itself: Redis does not answer (%s)", error)

    def close(self) -> None:
        """Ask Redis again at once."""
        self._until = self._log_from = 0.0


breaker = CircuitBreaker()
