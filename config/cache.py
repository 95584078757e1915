"""The cache of sign-ins that were counted and of approved pages: in Redis, or in memory while Redis does not answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from schools.rate_limits import breaker


def _in_redis_or_memory(name: str) -> Callable[..., Any]:
    def operation(self: RedisOrMemoryCache, *args: object, **kwargs: object) -> object:
        if not breaker.is_open():
            try:
                return getattr(RedisCache, name)(self, *args, **kwargs)
            except RedisError as error:
                breaker.open(error)
        return getattr(self.memory, name)(*args, **kwargs)

    return operation


class RedisOrMemoryCache(RedisCache):
    """Django's Redis cache. While Redis does not answer, each process uses its own memory, so limits still work."""

    def __init__(self, server: str, params: dict[str, object]) -> None:
        super().__init__(server, params)
        self.memory = LocMemCache("lectern", {**params, "OPTIONS": {"MAX_ENTRIES": 20_000}})

    add = _in_redis_or_memory("add")
    get = _in_redis_or_memory("get")
    set = _in_redis_or_memory("set")
    delete = _in_redis_or_memory("delete")
    get_many = _in_redis_or_memory("get_many")
