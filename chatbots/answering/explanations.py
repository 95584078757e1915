"""Explain why passages were chosen (C5). Pure functions.

`build_search_record` and `build_standing_record` turn a search into plain values, which are stored with the message and
its sources. `explain` and `how_chosen` turn those into sentences and figures. Old answers have no record and no
explanation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.defaultfilters import pluralize
from django.utils.text import capfirst

from chatbots.answering.closest_part import find_closest_part
from chatbots.answering.retrieval import Retrieval
from corpus.passages import Passage
from corpus.reading.locations import describe_location
from corpus.search.fusion import NearMiss
from corpus.source_kinds import SourceKind, get_kind

NameKind = Callable[[str], SourceKind]
"""Finds a kind by its value, in words for whoever reads them."""

MISSED = 3
"""The most relevant passages without a place, so many of which are stored."""
SHOWN_WITH_REFUSAL = 2

_MEANING = ((0.6, "very close to"), (0.4, "close to"), (0.2, "somewhat close to"))
_CLOSE, _APART = 0.9, 0.5  # share of the matched words that is within twelve words


@dataclass(frozen=True)
class Why:
    """Why a passage was chosen: sentences, and named figures."""

    sentences: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Near:
    """A passage that got no place."""

    kind: str
    document_id: str
    title: str
    where: str
    excerpt: str
    reason: str


@dataclass(frozen=True)
class SelectionDetails:
    """How passages were chosen: sentences, and the passages that just missed a place."""

    sentences: tuple[str, ...]
    missed: tuple[Near, ...]

    @property
    def nearest(self) -> tuple[Near, ...]:
        """The passages that are shown with a refusal."""
        return self.missed[:SHOWN_WITH_REFUSAL]


def build_search_record(found: Retrieval) -> dict[str, object]:
    """The record of a search for its answer, as JSON."""
    if not found.searched:
        return {}
    return {
        "places": found.places,
        "threshold": found.threshold,
        "pools": [
            {
                "kind": pool.kind.value,
                "fills_in": pool.fills_in,
                "weight": pool.weight,
                "chunks": pool.chunks,
                "reserved": pool.allocation.reserved,
                "relevant": pool.allocation.relevant,
                "taken": pool.allocation.taken,
            }
            for pool in found.searched
        ],
        "not_needed": [kind.value for kind in found.not_needed],
        "missed": [_missed(missed) for missed in found.missed[:MISSED]],
    }


def build_standing_record(passage: Passage) -> dict[str, object]:
    """The record of one passage, as JSON."""
    standing = passage.standing
    if standing is None:
        return {}
    return {
        "rank": standing.rank,
        "among": standing.among,
        "score": round(passage.score, 4),
        "cosine": round(standing.cosine, 4),
        "coverage": round(standing.coverage, 4),
        "closeness": round(standing.closeness, 4),
        "quoted": round(standing.quoted, 4),
        "found": list(standing.found),
        "missing": list(standing.missing),
    }


def explain_passage(
    standing: Mapping[str, Any], *, kind: SourceKind, certainty: float | None, weight: int
) -> Why | None:
    """Why a passage was chosen, from its `build_standing_record`."""
    if not standing:
        return None
    among = f"{standing['among']:,} passage{pluralize(standing['among'])}"
    sentences = [
        f"{_ranked(standing['rank'])} of the {among} searched in {kind.plural}.",
        _of_words(standing),
        _of_meaning(standing["cosine"]),
    ]
    if standing["quoted"]:
        sentences.append("It has the exact words that you put in quotation marks.")
    figures = [
        ("Certainty", "not known" if certainty is None else f"{_percent(certainty)} sure that it answers"),
        ("Share", f"{weight}%" if weight else "none: it fills in"),
        ("Meaning", f"{standing['cosine']:.2f} cosine"),
        ("Words", f"{_percent(standing['coverage'])} of the question, rare ones counting more"),
        ("Together", f"{_percent(standing['closeness'])} of it within twelve words"),
        ("Score", f"{standing['score']:.2f}"),
    ]
    return Why(tuple(sentence for sentence in sentences if sentence), tuple(figures))


def explain_choice(record: Mapping[str, Any], name: NameKind = get_kind) -> SelectionDetails | None:
    """How the passages of an answer were chosen, from its `build_search_record`."""
    if not record:
        return None
    if "summarised" in record:
        return SelectionDetails((_of_a_text(record["summarised"]),), ())
    pools = [pool for pool in record["pools"] if pool["chunks"] and not pool["fills_in"]]
    sentences = [
        "Passages that are only about the same subject were not used.",
        *([_reserved(pools, record["places"], name)] if pools else []),
        *(_moved(pool, record["pools"], name) for pool in pools),
        *_filled_in(record, name),
    ]
    missed = tuple(_near(one, _reason(one)) for one in record["missed"])
    return SelectionDetails(tuple(sentence for sentence in sentences if sentence), missed)


def _of_a_text(record: Mapping[str, Any]) -> str:
    text = f"“{record['title']}”" if record["title"] else "all documents"
    if record.get("is_outline"):
        some = "all" if record["passages"] >= record["size"] else f"{record['passages']} of the"
        sections = f"{some} {record['size']:,} section{pluralize(record['size'])}"
        return f"You asked for a summary of {text}. It has the beginnings of {sections}."
    passages = f"{record['size']:,} passage{pluralize(record['size'])}"
    if record["passages"] >= record["size"]:
        return f"You asked for a summary of {text}: all of its {passages} were used."
    return (
        f"You asked for a summary of {text}. Of {passages} those were taken that are most like all the others together,"
        " no two of them alike."
    )


def explain_filling(record: Mapping[str, Any], name: NameKind = get_kind) -> tuple[str, ...]:
    """Which sources filled places that the others had left empty, and which were not needed, as sentences."""
    pools = record.get("pools", [])
    sharing = [pool for pool in pools if not pool["fills_in"]]
    filling = [pool for pool in pools if pool["fills_in"] and pool["taken"]]
    taken, filled = (sum(pool["taken"] for pool in some) for some in (sharing, filling))
    names = _and([name(pool["kind"]).plural for pool in filling])
    sentences = []
    if filled and taken:
        left = record["places"] - taken
        which = f"the {left} place{pluralize(left)}" if filled == left else f"{filled} of the {left} places"
        sentences.append(f"{capfirst(names)} filled {which} left.")
    elif filled:
        others = _and([name(pool["kind"]).plural for pool in sharing])
        sentences.append(f"{capfirst(others)} had nothing relevant: {names} filled in." if others else "")
    if not_needed := record.get("not_needed"):
        sentences.append(f"Not needed: {_and([name(kind).plural for kind in not_needed])}.")
    return tuple(filter(None, sentences))


def find_closest(record: Mapping[str, object]) -> Near | None:
    """The passage that came closest to a place without getting one."""
    chosen = explain_choice(record)
    return chosen.missed[0] if chosen and chosen.missed else None


def _missed(missed: NearMiss) -> dict[str, object]:
    passage = missed.passage
    return {
        "kind": passage.kind.value,
        "document": passage.origin,
        "title": passage.document_title,
        "where": describe_location(passage),
        "excerpt": find_closest_part(passage),
        "relevance": round(passage.relevance, 4),
        "relevant": missed.is_relevant,
    }


def _reason(missed: Mapping[str, object]) -> str:
    return "may answer, but all places were taken" if missed["relevant"] else "closest, not an answer"


def _near(missed: Mapping[str, Any], reason: str) -> Near:
    return Near(
        kind=missed["kind"],
        document_id=missed["document"],
        title=missed["title"],
        where=missed["where"],
        excerpt=missed["excerpt"],
        reason=reason,
    )


def _ranked(rank: int) -> str:
    if rank == 1:
        return "The best match"
    ending = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"The {rank}{ending} best match"


def _of_words(standing: Mapping[str, Any]) -> str:
    found, missing = _listed(standing["found"]), _listed(standing["missing"])
    if not found and not missing:
        return ""
    if not found:
        return f"It has none of your words: not {missing}."
    spread = ""
    if len(standing["found"]) > 1:
        near = standing["closeness"] / standing["coverage"] if standing["coverage"] else 0
        spread = ", close together" if near >= _CLOSE else ", far apart" if near < _APART else ""
    return f"It has {found}{spread}" + (f"; not {missing}." if missing else ": all of your words.")


def _of_meaning(cosine: float) -> str:
    for least, words in _MEANING:
        if cosine >= least:
            return f"Its meaning is {words} the question’s."
    return "Its meaning is far from the question’s."


def _reserved(pools: Iterable[Mapping[str, Any]], places: int, name: NameKind) -> str:
    shares = [f"{pool['reserved']} for {name(pool['kind']).plural} ({pool['weight']}%)" for pool in pools]
    return f"Of {places} place{pluralize(places)} {_and(shares)} {pluralize(places, 'is,are')} reserved."


def _moved(pool: Mapping[str, Any], pools: Iterable[Mapping[str, Any]], name: NameKind) -> str:
    """Why a pool has fewer places than were reserved for it; empty if it has not."""
    given, said = pool["reserved"] - pool["taken"], name(pool["kind"]).said
    if given <= 0:
        return ""
    lacking = max(pool["reserved"] - pool["relevant"], 0)
    of_these = f"{given} place{pluralize(given)}"
    if lacking >= given:
        few = pool["relevant"]
        had = f"only {few} passage{pluralize(few)}" if few else "no passage"
        went = any(other["taken"] > other["reserved"] for other in pools)
        where_to = "went to other sources" if went else "stayed empty"
        return f"{said} had {had} that may answer, so {of_these} {where_to}."
    return (
        f"{said} gave up {of_these}: its passages were less than three quarters as relevant as a"
        " passage of another source that was waiting."
    )


def _filled_in(record: Mapping[str, Any], name: NameKind) -> Iterator[str]:
    """Sentences about the sources that only fill in."""
    for pool in record["pools"]:
        if pool["fills_in"] and pool["taken"]:
            yield f"{pool['taken']} empty place{pluralize(pool['taken'])} went to {name(pool['kind']).plural}."
        elif pool["fills_in"]:
            where = name(pool["kind"]).plural
            yield f"Places were empty, but no passage that may answer was found in {where} for them."
    for kind in record["not_needed"]:
        yield f"No place was empty, so nothing was taken from {name(kind).plural}."


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _and(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
