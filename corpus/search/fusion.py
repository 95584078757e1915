"""How the places of an answer are shared between sources (H2 to H4). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus.passages import Passage
from corpus.search.duplicates import wording

COMPARABLE = 0.75
"""A reserved place is kept by a passage of at least this share of the relevance of the one it displaces."""


@dataclass(frozen=True)
class Candidates:
    """What one source found, best first, and its weight in percent.

    A source that `fills_in` has none: it takes only places that the others leave empty.
    """

    weight: int
    passages: Sequence[Passage]
    fills_in: bool = False


@dataclass(frozen=True)
class SelectedPassage:
    """A passage that has a place; `also` are those of the same text elsewhere (one place, all named)."""

    passage: Passage
    weight: int
    also: tuple[Passage, ...] = ()

    @property
    def weighted(self) -> float:
        """Relevance times weight: orders the places. People are shown the unweighted relevance."""
        return self.passage.relevance * self.weight / 100

    @property
    def rank(self) -> tuple[float, float, tuple[str, str, int]]:
        return (-self.weighted, -self.passage.relevance, self.passage.key)


@dataclass(frozen=True)
class Allocation:
    """Of one pool: the places its weight reserves, how many different passages were relevant enough for one (as far as
    was looked), and how many places it had in the end."""

    reserved: int
    relevant: int
    taken: int


@dataclass(frozen=True)
class NearMiss:
    """A passage without a place: below the threshold, or relevant enough when all places were taken."""

    passage: Passage
    weight: int
    is_relevant: bool


@dataclass(frozen=True)
class FusionResult:
    """The passages that have a place; one share for each pool; the passages that have none, the most relevant first."""

    placed: tuple[SelectedPassage, ...]
    shares: tuple[Allocation, ...]
    missed: tuple[NearMiss, ...]


def allocate(pools: Sequence[Candidates], *, places: int, threshold: float) -> FusionResult:
    """At most `places` passages of all pools, ordered by weighted relevance, ties broken by key.

    Passages below the threshold and pools of weight 0 take no place, the latter only where another pool has any; of
    passages that say the same (corpus.search.duplicates) the best takes a place and names the documents of the others.
    Each pool is reserved a share of the places by largest remainder of the weights; what it cannot fill goes to
    the others. A reserved place is then kept only by a passage that is comparable with the best one it displaces.
    What is empty after that goes to the best passages of the pools that fill in.
    Raises ValueError for a negative weight, a weight of a pool that fills in, or fewer than one place.
    """
    if places < 1 or any(pool.weight < 0 or (pool.fills_in and pool.weight) for pool in pools):
        raise ValueError("Weights must not be negative and there must be at least one place.")
    queues = _candidates(pools, threshold)
    sharing = [[] if pool.fills_in else queue for pool, queue in zip(pools, queues, strict=True)]
    taken = _allot(sharing, places)
    _yield_incomparable(sharing, taken)
    _fill(queues, taken, places)
    chosen = [placed for queue, count in zip(queues, taken, strict=True) for placed in queue[:count]]
    return FusionResult(
        placed=tuple(sorted(chosen, key=lambda placed: placed.rank)),
        shares=tuple(
            Allocation(room, len(queue), count)
            for room, queue, count in zip(_nominal(pools, places), queues, taken, strict=True)
        ),
        missed=tuple(_missed(pools, queues, taken, threshold)),
    )


def reserved(weights: Sequence[int], places: int) -> list[int]:
    """Places per weight by largest remainder; equal remainders favour the larger weight, then the earlier one."""
    total = sum(weights)
    if not total:
        return [0] * len(weights)
    whole = [weight * places // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: (-(weights[i] * places % total), -weights[i], i))
    for index in by_remainder[: places - sum(whole)]:
        whole[index] += 1
    return whole


def _candidates(pools: Sequence[Candidates], threshold: float) -> list[list[SelectedPassage]]:
    """Per pool its relevant passages, best first; of several that say the same only the best one."""
    counting = _counting(pools)
    everything = sorted(
        (
            (SelectedPassage(passage, _weight(pool)), index)
            for index, pool in enumerate(pools)
            if index in counting
            for passage in pool.passages
            if passage.relevance >= threshold
        ),
        key=lambda found: found[0].rank,
    )
    queues: list[list[SelectedPassage]] = [[] for _ in pools]
    kept: dict[tuple[str, ...], tuple[int, int]] = {}
    for placed, index in everything:
        words = wording(placed.passage.excerpt)
        if words not in kept:
            kept[words] = (index, len(queues[index]))
            queues[index].append(placed)
            continue
        where, at = kept[words]
        first = queues[where][at]
        if placed.passage.origin not in {p.origin for p in (first.passage, *first.also)}:
            queues[where][at] = replace(first, also=(*first.also, placed.passage))
    return queues


def _counting(pools: Sequence[Candidates]) -> set[int]:
    """Which pools may take places: those of weight 0 only where no other that shares has any passage."""
    filled = {index for index, pool in enumerate(pools) if pool.passages}
    sharing = {index for index in filled if not pools[index].fills_in}
    return ({index for index in sharing if pools[index].weight} or sharing) | (filled - sharing)


def _weight(pool: Candidates) -> int:
    """That of a passage: of a pool that shares alone, with a weight of 0, the whole."""
    return 0 if pool.fills_in else pool.weight or 100


def _nominal(pools: Sequence[Candidates], places: int) -> list[int]:
    """The places that the weights reserve, whatever was found; all of them for a single pool of weight 0."""
    weights = [pool.weight for pool in pools]
    counting = {index for index in _counting(pools) if not pools[index].fills_in}
    return reserved(weights if any(weights) else [int(i in counting) for i in range(len(pools))], places)


def _missed(
    pools: Sequence[Candidates],
    queues: Sequence[Sequence[SelectedPassage]],
    taken: Sequence[int],
    threshold: float,
) -> list[NearMiss]:
    waiting = [
        NearMiss(placed.passage, placed.weight, True)
        for queue, count in zip(queues, taken, strict=True)
        for placed in queue[count:]
    ]
    below = [
        NearMiss(passage, _weight(pool), False)
        for pool in pools
        for passage in pool.passages
        if passage.relevance < threshold
    ]
    return sorted([*waiting, *below], key=lambda one: (-one.passage.relevance, one.passage.key))


def _allot(queues: Sequence[Sequence[SelectedPassage]], places: int) -> list[int]:
    """How many of each queue have a place: the reserved ones, then those that other queues could not fill."""
    weights = [queue[0].weight if queue else 0 for queue in queues]
    taken = [min(room, len(queue)) for room, queue in zip(reserved(weights, places), queues, strict=True)]
    _fill(queues, taken, places)
    return taken


def _fill(queues: Sequence[Sequence[SelectedPassage]], taken: list[int], places: int) -> None:
    """Give the places that are empty to the best passages that wait."""
    while sum(taken) < places:
        waiting = [i for i, queue in enumerate(queues) if taken[i] < len(queue)]
        if not waiting:
            break
        taken[min(waiting, key=lambda i: queues[i][taken[i]].rank)] += 1


def _yield_incomparable(queues: Sequence[Sequence[SelectedPassage]], taken: list[int]) -> None:
    """Move places from a queue's weakest passage to a better one that waits, while they are not comparable."""
    while True:
        waiting = [i for i, queue in enumerate(queues) if taken[i] < len(queue)]
        holding = [i for i, count in enumerate(taken) if count]
        pairs = [
            (queues[w][taken[w]].passage, queues[h][taken[h] - 1].passage, w, h)
            for w in waiting
            for h in holding
            if w != h
        ]
        worst = [pair for pair in pairs if pair[1].relevance < COMPARABLE * pair[0].relevance]
        if not worst:
            return
        _, _, gains, loses = max(worst, key=lambda pair: (pair[0].relevance - pair[1].relevance, pair[2], pair[3]))
        taken[gains] += 1
        taken[loses] -= 1
