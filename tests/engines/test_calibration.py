"""Cosines of any embedding model mean the same on one scale, so that it refuses the same."""

from __future__ import annotations

import pytest

from corpus.embedding.chunk_text import embedding_text
from corpus.sources import Query
from engines.embedding import Embedder, load_embedder
from engines.embedding.cosine_scale import MATCHING, MEASURED, PAIRS, UNRELATED, cosine_scale, mean_cosines
from engines.embedding.models import DEFAULT, SMALL
from knowledge.models import PersonalDocument
from knowledge.sources import PersonalSource
from tests.engines.models import High
from tests.factories import cast, personal_document


@pytest.fixture
def packaged() -> Embedder:
    return load_embedder(SMALL, "onnx-int8")


@pytest.mark.parametrize("model", [DEFAULT, SMALL])
def test_what_was_measured_of_the_models_that_come_with_lectern_is_so(model: str) -> None:
    embedder = load_embedder(model, "onnx-int8")
    measured = mean_cosines(embedder)
    assert measured == pytest.approx(MEASURED[embedder.name], abs=0.002)
    scaled = [cosine_scale(embedder).apply(cosine) for cosine in measured]
    assert scaled == pytest.approx((MATCHING, UNRELATED), abs=0.02)
    assert len({text for pair in PAIRS for text in pair}) == 2 * len(PAIRS)


@pytest.mark.django_db(transaction=True)
def test_a_model_of_high_cosines_gives_the_same_relevance(packaged: Embedder) -> None:
    alice = cast().alice
    document = personal_document(alice)
    source = PersonalSource(alice.school, PersonalDocument.objects.all())
    questions = ("How strong may hydrochloric acid be?", "Who was the first king of Norway?")
    before, after = list[float](), list[float]()
    models: list[Embedder] = [packaged, High(packaged)]
    for model, found in zip(models, (before, after), strict=True):
        for chunk in document.chunks.all():
            text = embedding_text(chunk.heading_path, chunk.text)
            chunk.embedding, chunk.embedding_model = model.embed_passages([text])[0].tolist(), model.name
            chunk.save(update_fields=["embedding", "embedding_model"])
        found += [source.search(Query.of(question, model), 1)[0].relevance for question in questions]
    assert before[0] > 0.5 > before[1]
    assert after == pytest.approx(before, abs=0.05)
