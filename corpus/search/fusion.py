"""How the places of an answer are shared between sources (H2 to H4). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

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
    queues = _queues(pools, threshold)
    sharing = [queue for queue in queues if not queue.pool.fills_in]
    weights = [queue.relevant[0].weight if queue.relevant else 0 for queue in sharing]
    for queue, room in zip(sharing, reserve_places(weights, places), strict=True):
        queue.taken = min(room, len(queue.relevant))
    _fill(sharing, places)
    _yield_incomparable(sharing)
    _fill(queues, places)
    chosen = [placed for queue in queues for placed in queue.relevant[: queue.taken]]
    waiting = [NearMiss(placed.passage, placed.weight, True) for queue in queues for placed in queue.waiting]
    below = [
        NearMiss(passage, _weight(pool), False)
        for pool in pools
        for passage in pool.passages
        if passage.relevance < threshold
    ]
    return FusionResult(
        placed=tuple(sorted(chosen, key=lambda placed: placed.rank)),
        shares=tuple(
            Allocation(room, len(queue.relevant), queue.taken)
            for room, queue in zip(_nominal(pools, places), queues, strict=True)
        ),
        missed=tuple(sorted([*waiting, *below], key=lambda one: (-one.passage.relevance, one.passage.key))),
    )


def reserve_places(weights: Sequence[int], places: int) -> list[int]:
    """Places per weight by largest remainder; equal remainders favour the larger weight, then the earlier one."""
    total = sum(weights)
    if not total:
        return [0] * len(weights)
    whole = [weight * places // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: (-(weights[i] * places % total), -weights[i], i))
    for index in by_remainder[: places - sum(whole)]:
        whole[index] += 1
    return whole


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
    return reserve_places(weights if any(weights) else [int(i in counting) for i in range(len(pools))], places)


@dataclass
class _Queue:
    """The relevant passages of one pool, best first. The first `taken` have a place."""

    pool: Candidates
    relevant: list[SelectedPassage] = field(default_factory=list)
    taken: int = 0

    @property
    def waiting(self) -> list[SelectedPassage]:
        return self.relevant[self.taken :]


def _queues(pools: Sequence[Candidates], threshold: float) -> list[_Queue]:
    """Per pool its relevant passages; of several that say the same only the best one."""
    queues = [_Queue(pool) for pool in pools]
    counting = _counting(pools)
    everything = sorted(
        (
            (SelectedPassage(passage, _weight(queue.pool)), index)
            for index, queue in enumerate(queues)
            if index in counting
            for passage in queue.pool.passages
            if passage.relevance >= threshold
        ),
        key=lambda found: found[0].rank,
    )
    kept: dict[tuple[str, ...], tuple[list[SelectedPassage], int]] = {}
    for placed, index in everything:
        relevant = queues[index].relevant
        same, at = kept.setdefault(wording(placed.passage.excerpt), (relevant, len(relevant)))
        if same is relevant and at == len(relevant):
            relevant.append(placed)
        elif placed.passage.origin not in {p.origin for p in (same[at].passage, *same[at].also)}:
            same[at] = replace(same[at], also=(*same[at].also, placed.passage))
    return queues


def _fill(queues: Sequence[_Queue], places: int) -> None:
    """Give the places that are empty to the best passages that wait."""
    while sum(queue.taken for queue in queues) < places:
        waiting = [queue for queue in queues if queue.waiting]
        if not waiting:
            break
        min(waiting, key=lambda queue: queue.waiting[0].rank).taken += 1


def _yield_incomparable(queues: Sequence[_Queue]) -> None:
    """Move places from a queue's weakest passage to a better one that waits, while they are not comparable."""
    while True:
        pairs = [
            (gains.waiting[0].passage.relevance, loses.relevant[loses.taken - 1].passage.relevance, gains, loses)
            for gains in reversed(queues)  # of equals the last
            for loses in reversed(queues)
            if gains is not loses and gains.waiting and loses.taken
        ]
        worst = [pair for pair in pairs if pair[1] < COMPARABLE * pair[0]]
        if not worst:
            return
        _, _, gains, loses = max(worst, key=lambda pair: pair[0] - pair[1])
        gains.taken += 1
        loses.taken -= 1
