"""The nicknames from which pupils choose, so that nobody types a name."""

from __future__ import annotations

import secrets
from collections.abc import Collection

_COLOURS = """
Amber Blue Bronze Copper Coral Crimson Golden Green Indigo Jade Lilac Orange Pearl Purple Red Silver
"""
_ANIMALS = """
Badger Bear Beaver Crane Deer Dolphin Eagle Falcon Finch Fox Gecko Hare Hawk Hedgehog Heron Ibex Jay Kestrel Koala Lark
Lemur Lion Lynx Marten Mole Moose Newt Orca Otter Owl Panda Penguin Puffin Rabbit Raven Robin Seal Sparrow Squirrel
Stork Swan Swift Tiger Toad Turtle Whale Wolf Wren Yak Zebra
"""
NICKNAMES = frozenset(f"{colour} {animal}" for colour in _COLOURS.split() for animal in _ANIMALS.split())
OFFERED = 12


def offer(taken: Collection[str]) -> list[str]:
    """Some nicknames that nobody in the class has, at random, by name."""
    free = sorted(NICKNAMES.difference(taken))
    return sorted(secrets.SystemRandom().sample(free, min(OFFERED, len(free))))
