"""The rate limit of the API, for a token, a person or an address: a sliding window, counted in one step in Redis.

The limit holds for any span of the length in `LECTERN_API_RATE`, for all processes together. Redis keeps the times of
the last requests; a refused one does not count. When Redis does not answer, requests go through and the log says so.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from dataclasses import dataclass
from functools import cache
from typing import Any

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

_TIMEOUT = 0.5
"""Seconds that Redis has to answer."""

_PAUSE = 5.0
"""Seconds for which Redis is not asked again after it did not answer, so that requests do not queue up behind it."""

_LOG_INTERVAL = 60.0

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
    """Whether this request may go on, how many more may, and in how many seconds the oldest stops counting."""

    allowed: bool
    limit: int
    span: int
    remaining: int
    seconds: int

    def headers(self) -> dict[str, str]:
        """The headers of the IETF draft, and `Retry-After` when nothing is left."""
        headers = {
            "RateLimit-Policy": f'"default";q={self.limit};w={self.span}',
            "RateLimit": f'"default";r={self.remaining};t={self.seconds}',
        }
        return headers if self.allowed else headers | {"Retry-After": str(self.seconds)}


def take(who: str) -> Allowance | None:
    """Count a request. None where nothing is counted: no limit is set, or Redis does not answer."""
    rate: tuple[int, int] | None = settings.LECTERN_API_RATE
    if rate is None or not settings.REDIS_URL or breaker.is_open():
        return None
    limit, span = rate
    try:
        allowed, remaining, milliseconds = _script(settings.REDIS_URL)(
            keys=[f"lectern:rate:{limit}:{span}:{who}"], args=[limit, span]
        )
    except redis.RedisError as error:
        breaker.open(error)
        return None
    return Allowance(bool(allowed), limit, span, remaining, max(1, math.ceil(milliseconds / 1000)))


@cache
def _script(url: str) -> Any:
    client = redis.Redis.from_url(
        url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT, retry=Retry(NoBackoff(), 0)
    )
    return client.register_script(_TAKE)


class CircuitBreaker:
    """Open after a failure of Redis: it is not asked again for some seconds, and the log says so."""

    def __init__(self, words: str) -> None:
        self._words = words
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
                self._log_from = now + _LOG_INTERVAL
                logger.warning("%s: Redis does not answer (%s)", self._words, error)

    def close(self) -> None:
        """Ask Redis again at once."""
        self._until = self._log_from = 0.0


breaker = CircuitBreaker("Requests to the API are not limited at the moment")
