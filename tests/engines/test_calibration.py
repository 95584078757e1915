"""Cosines of another embedding model mean what those of the packaged one do, so that it refuses the same."""

from __future__ import annotations

import pytest

from corpus.embedding.chunk_text import embedding_text
from corpus.sources import Query
from engines.embedding import Embedder, load_embedder
from engines.embedding.cosine_scale import MATCHING, PAIRS, UNRELATED, CosineScale, cosine_scale, mean_cosines
from knowledge.models import PersonalDocument
from knowledge.sources import PersonalSource
from tests.engines.models import High
from tests.factories import cast, personal_document


@pytest.fixture
def packaged() -> Embedder:
    return load_embedder("", "onnx-int8")


def test_the_packaged_model_is_the_measure(packaged: Embedder) -> None:
    assert mean_cosines(packaged) == pytest.approx((MATCHING, UNRELATED), abs=0.01)
    assert cosine_scale(packaged) == CosineScale(1, 0)
    assert len({text for pair in PAIRS for text in pair}) == 2 * len(PAIRS)


@pytest.mark.django_db(transaction=True)
def test_a_model_of_high_cosines_gives_the_same_relevance(packaged: Embedder) -> None:
    alice = cast().alice
    document, high = personal_document(alice), High(packaged)
    source = PersonalSource(alice.school, PersonalDocument.objects.all())
    questions = ("How strong may hydrochloric acid be?", "Who was the first king of Norway?")
    before = [source.search(Query.of(question, packaged), 1)[0].relevance for question in questions]
    for chunk in document.chunks.all():
        text = embedding_text(chunk.heading_path, chunk.text)
        chunk.embedding, chunk.embedding_model = high.embed_passages([text])[0].tolist(), high.name
        chunk.save(update_fields=["embedding", "embedding_model"])
    after = [source.search(Query.of(question, high), 1)[0].relevance for question in questions]
    assert before[0] > 0.5 > before[1]
    assert after == pytest.approx(before, abs=0.05)
