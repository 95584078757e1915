"""An answer as HTML: its formulas are set, and its citations lead to its sources."""

from chatbots.models import MessageSource
from chatbots.rendering import render_answer


def source(number: int = 1, excerpt: str = "Text.", **fields: object) -> MessageSource:
    return MessageSource(
        **({"number": number, "kind": "personal", "document_title": "Notes", "excerpt": excerpt} | fields)
    )


def test_formulas_of_an_answer_are_set_beside_its_citations() -> None:
    html = render_answer("Energy is $E=mc^2$ [1].", [source()])
    assert "<msup><mi>c</mi><mn>2</mn></msup></mrow></math> <span" in html
    assert html.count('class="cite ') == 1


def test_dollars_do_not_swallow_a_citation_between_them() -> None:
    html = render_answer("It cost A$5 [1], then US$ more, or $6 [1]$.", [source()])
    assert html.count('class="cite ') == 2
    assert "<math" not in html
