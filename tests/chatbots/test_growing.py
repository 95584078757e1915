"""Markdown that is being written looks at every moment as it will stay."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbots.streaming.growing import GrowingAnswer
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

HIDDEN = re.compile(r"<pre>.*?</pre>|<code>.*?</code>|<math.*?</math>|<[^>]+>", re.DOTALL)
RAW = re.compile(r"\*\*|\||\$[^\d]|---|`|~|\\|(?<!\w)_(?=\w)")


def render(text: str) -> str:
    return render_markdown(text, links=False)


def states(text: str) -> list[str]:
    """What a reader sees after each character."""
    answer, finished, found = GrowingAnswer(render), "", []
    for character in text:
        growth = answer.add(character)
        finished += growth.finished
        found.append(finished + growth.unfinished)
    return found


def unnumbered(html: str) -> str:
    return re.sub(r"Table \d+", "Table", html)


def test_no_sign_of_markdown_is_ever_seen() -> None:
    seen = [HIDDEN.sub("", state) for state in states(TEXT)]
    assert [text[-30:] for text in seen if RAW.search(text)] == []


def test_what_was_shown_stays() -> None:
    before = ""
    for state in states(TEXT):
        words = "".join(re.sub("<[^>]+>", "", state).split())
        assert words.startswith(before.rstrip("*")), "signs within code may still be cut off"
        before = words


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
    answer, finished, rest = GrowingAnswer(render), "", ""
    for start, end in pairwise(places):
        finished += answer.add(text[start:end]).finished
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
        ("It is (*see* ", "It is (*see*"),
        ("a **b *c", "a **b *c***"),
        ("**", ""),
        ("x `co", "x `co`"),
        ("| a | b |\n", ""),
        ("| a | b |\n| --- | --- |\n| 1", "| a | b |\n| --- | --- |\n"),
        ("- one\n- **tw", "- one\n- **tw**"),
        ("- one\n-", "- one"),
        ("He said **no*", "He said **no**"),
        ("The speed \\(v = \\frac", "The speed"),
        ("It is $32^{n}", "It is"),
        ("```\na = **b", "```\na = **b"),
        ("see **" + "x" * 400, "see **" + "x" * 400),
    ],
)
def test_what_is_open_is_closed_or_held_back(text: str, shown: str) -> None:
    assert complete(text) == shown
