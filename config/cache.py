"""The cache, which counts sign-ins: in Redis, and in the memory of the process while Redis does not answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from rest.throttling import Absence

absence = Absence("Each process counts sign-ins by itself at the moment")


def _in_redis_or_memory(name: str) -> Callable[..., Any]:
    def operation(self: RedisOrMemoryCache, *args: Any, **kwargs: Any) -> Any:
        if not absence.lasts():
            try:
                return getattr(RedisCache, name)(self, *args, **kwargs)
            except RedisError as error:
                absence.begin(error)
        return getattr(self.memory, name)(*args, **kwargs)

    return operation


class RedisOrMemoryCache(RedisCache):
    """Nobody is kept from signing in because Redis is away, and guessing passwords stays limited meanwhile."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.memory = LocMemCache("lectern", {**params, "OPTIONS": {}})

    add = _in_redis_or_memory("add")
    get = _in_redis_or_memory("get")
    set = _in_redis_or_memory("set")
    delete = _in_redis_or_memory("delete")
