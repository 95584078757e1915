"""The comparison with other ways to search, as far as it goes without them."""

import random
import sys
from pathlib import Path

from benchmarks.peers.comparison import UNTITLED, compare, deal, quieter_half
from benchmarks.peers.environment import Peer
from benchmarks.peers.measuring import Measured, Way


def passages(titles: list[str]) -> list[dict[str, object]]:
    return [{"id": number, "title": title, "text": "…"} for number, title in enumerate(titles)]


def test_an_article_belongs_to_one_tenant_and_every_tenant_has_several() -> None:
    dealt = deal(passages([f"Article {n % 20}" for n in range(100)]), 7, random.Random(1))
    owners = {(passage["article"], passage["tenant"]) for passage in dealt}
    assert len(owners) == 20
    assert [passage["id"] for passage in dealt] == list(range(100))
    by_tenant = [sum(owner == tenant for _, owner in owners) for tenant in {owner for _, owner in owners}]
    assert sorted(by_tenant) == [2, 3, 3, 3, 3, 3, 3]


def test_few_articles_make_fewer_tenants() -> None:
    dealt = deal(passages(["A", "B", "C", "D", "E"]), 40, random.Random(1))
    assert len({passage["tenant"] for passage in dealt}) == 2


def test_passages_without_a_title_are_dealt_out_in_runs() -> None:
    dealt = deal(passages([""] * (3 * UNTITLED) + ["A"]), 40, random.Random(1))
    assert len({passage["article"] for passage in dealt}) == 4
    assert len({passage["tenant"] for passage in dealt[:UNTITLED]}) == 1
    assert {passage["title"] for passage in dealt} == {"", "A"}


def measured(name: str, rounds: list[list[float]], ranks: list[int | None]) -> Measured:
    return Measured(Way(name, lambda tenant, text, vector: [], 2.0, 4_000_000), ranks, rounds)


def test_rows_stand_in_ratio_to_the_first_over_the_quieter_rounds_and_failures_give_their_reason() -> None:
    own = measured("own", [[1.0, 1.0, 2.0], [9.0, 9.0, 9.0]], [0, 1, None, 0])
    other = measured("other", [[3.0, 3.0, 30.0], [30.0, 30.0, 30.0]], [0, None, None, 2])
    assert quieter_half([own, other]) == [0]
    rows = compare([own, other], {"third": "No module named 'third'"})
    assert rows["own"] == {
        "p50 ms": "1.00", "p95 ms": "2.00", "R@5": "0.750", "R@1": "0.500", "build s": "2.0", "disk MB": "4.0"
    }  # fmt: skip
    assert rows["other"]["p50 ms"] == "3.00 (×3.0)"
    assert rows["other"]["p95 ms"] == "30.00 (×15)"
    assert rows["other"]["R@5"] == "0.500 (×0.67)"
    assert rows["third"] == {"p50 ms": "failed: No module named 'third'"}


def test_a_peer_that_is_not_installed_says_so(tmp_path: Path) -> None:
    peer = Peer(Path(sys.executable), "chroma", tmp_path)
    peer.take_turn()
    assert peer.finish() == ([], {}, "ModuleNotFoundError: No module named 'chromadb'")
