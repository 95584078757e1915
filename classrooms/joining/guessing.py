"""Limits on guessing codes: wrong ones are counted for an address, for a class, and for all together; and on joining.

A whole school may share one address, so right codes are never counted, and an address may be wrong far more often than
a person would be. Counts are kept in the cache for ten minutes.
"""

from __future__ import annotations

import time
from ipaddress import IPv6Address, ip_address, ip_network

from django.core.cache import cache
from django.http import HttpRequest

SPAN = 600
"""Seconds."""
MOST_OF_ADDRESS, MOST_OF_CLASS, MOST_OF_ALL = 60, 100, 5000
MOST_JOIN = 100
"""Pupils who join one class from one address: more than a room holds, and one computer does not fill the class."""


def may_try(request: HttpRequest, of_class: object = None) -> bool:
    """Whether another code may be tried from here, and in this class."""
    counts = cache.get_many([key for key, _ in _limits(request, of_class)])
    return all(counts.get(key, 0) < most for key, most in _limits(request, of_class))


def count_wrong(request: HttpRequest, of_class: object = None) -> None:
    """Count a wrong code."""
    for key, _ in _limits(request, of_class):
        cache.set(key, cache.get(key, 0) + 1, timeout=SPAN)


def may_join(request: HttpRequest, of_class: object) -> bool:
    """Whether another pupil may join this class from here."""
    return bool(cache.get(_joined(request, of_class), 0) < MOST_JOIN)


def count_joined(request: HttpRequest, of_class: object) -> None:
    """Count a pupil who has joined."""
    key = _joined(request, of_class)
    cache.set(key, cache.get(key, 0) + 1, timeout=SPAN)


def _joined(request: HttpRequest, of_class: object) -> str:
    address = _network(request.META.get("REMOTE_ADDR") or "nowhere")
    return f"class-joined:{int(time.time() // SPAN)}:{of_class}:{address}"


def _limits(request: HttpRequest, of_class: object) -> list[tuple[str, int]]:
    window = int(time.time() // SPAN)
    address = _network(request.META.get("REMOTE_ADDR") or "nowhere")
    limits = [(f"class-codes:{window}:of:{address}", MOST_OF_ADDRESS), (f"class-codes:{window}:all", MOST_OF_ALL)]
    return limits + ([(f"class-codes:{window}:in:{of_class}", MOST_OF_CLASS)] if of_class else [])


def _network(address: str) -> str:
    """An address; of IPv6 its network, since everybody at home has some quintillions of addresses."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and not found.ipv4_mapped:
        return str(ip_network((int(found), 64), strict=False))
    return address
