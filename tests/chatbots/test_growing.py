"""Markdown that is being written is rendered whole at every moment."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbots.streaming.page_events import _TextAsHTML
from corpus.reading.rendering import last_block_start, render_markdown
from corpus.reading.unfinished import complete

TEXT = """## Plates

Plates move because of **slab pull** [1] and *ridge push*, see `x_1` and snake_case and 2*3 = 6, 5 * 4.

1. First **thing**
2. Second $E = 32^{n}$ with \\(a+b\\)
   - nested *item*

| Plate | Speed |
| --- | ---: |
| Nazca | **7** cm |
| Pacific | 10 cm |

It costs $5 and $6 today. ***Both*** and __bold__ and _it_.

$$
a^2 + b^2 = c^2
$$

```python
a = "**"
```

> quoted **words** here

Text
---

Last ~~word~~."""


class GrowingText(_TextAsHTML):
    """Without citations, sources and settings."""

    def __init__(self) -> None:
        self.open = ""

    def render(self, text: str) -> str:
        return render(text)


def render(text: str) -> str:
    return render_markdown(text, links=False)


def states(text: str) -> list[str]:
    """What a reader sees after each character."""
    answer, finished, found = GrowingText(), "", []
    for character in text:
        growth = answer.add(character)
        finished += growth["finished"]
        found.append(finished + growth["unfinished"])
    return found


def unnumbered(html: str) -> str:
    return re.sub(r"Table \d+", "Table", html)


def test_at_its_end_it_is_the_finished_text() -> None:
    assert unnumbered(states(TEXT)[-1]) == unnumbered(render(TEXT))


BLOCKS = st.lists(
    st.sampled_from([*TEXT.split("\n\n"), "<script>alert(1)</script>", "- a\n\n  b", "a\n1. b", "$$\nx", "```\n| a |"]),
    min_size=1,
    max_size=6,
)


@given(blocks=BLOCKS, cuts=st.lists(st.integers(0, 400), max_size=6))
def test_however_it_is_cut_the_blocks_are_those_of_the_whole(blocks: list[str], cuts: list[int]) -> None:
    text = "\n\n".join(blocks)
    places = [0, *sorted({cut for cut in cuts if cut < len(text)}), len(text)]
    answer, finished, rest = GrowingText(), "", ""
    for start, end in pairwise(places):
        finished += answer.add(text[start:end])["finished"]
        rest += text[start:end]
    last = text[len(text) - len(answer.open) :]
    assert unnumbered(finished + render(last)) == unnumbered(render(text))


@given(text=st.text(alphabet="ab *_`$|\\~-1.#>\n()[]{}", max_size=80))
def test_no_text_breaks_it(text: str) -> None:
    assert 0 <= last_block_start(text) <= len(text)
    assert render(complete(text)) is not None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It costs $5 and **bo", "It costs $5 and **bo**"),
        ("a * b", "a * b"),
        ("**whole** and", "**whole** and"),
        ("see **", "see "),
        ("x `co", "x `co`"),
        ("**open\n- **tw", "**open\n- **tw**"),
        ("```\na = **b", "```\na = **b"),
        ("Use `a**b` now", "Use `a**b` now"),
        ("2**3 is 8", "2**3 is 8"),
        ("**two `a**b` more", "**two `a**b` more**"),
        ("```py\nx\n```", "```py\nx\n```"),
    ],
)
def test_open_bold_words_and_code_are_closed(text: str, shown: str) -> None:
    assert complete(text) == shown
