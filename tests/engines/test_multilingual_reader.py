"""The encoder from which a reader of many languages is trained is the one that embeds."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from benchmarks.reader.examples import Example
from benchmarks.reader.export import export_without_words
from benchmarks.reader.multilingual import Pieces, load_default_encoder
from benchmarks.reader.network import Network, as_pairs, tensors
from engines.embedding import get_embedder
from engines.reader.folder import load_folder

PASSAGE = "Die Prüfung beginnt um 8:15 Uhr – im Raum A0.11."


@pytest.fixture(scope="module")
def loaded() -> tuple[Any, Pieces]:
    return load_default_encoder()


def test_it_sees_what_the_embedder_sees(loaded: tuple[Any, Pieces]) -> None:
    encoder, pieces = loaded
    first, last = pieces.token_to_id("[CLS]"), pieces.token_to_id("[SEP]")
    (text,) = pieces.encode_batch([f"passage: {PASSAGE}"], add_special_tokens=False)
    with torch.no_grad():
        vector = encoder(input_ids=torch.tensor([[first, *text.ids, last]])).last_hidden_state.mean(1)[0].numpy()
    own = get_embedder().embed_passages([PASSAGE])[0]
    assert float(vector @ own) / float(np.linalg.norm(vector)) > 0.98  # int8 there


def test_what_was_trained_reads_alike_in_the_product(loaded: tuple[Any, Pieces], tmp_path: Path) -> None:
    encoder, pieces = loaded
    encoder.encoder.layer = encoder.encoder.layer[:2]
    network = Network(encoder, frozen=1)
    start = PASSAGE.index("A0.11")
    asked = Example("Where is the exam?", PASSAGE, True, start, start + len("A0.11"))
    (pair,) = as_pairs([asked], pieces, random.Random(1))
    begins, _, answered = network(**tensors([pair]))
    answered.sum().backward()
    assert [one.output.dense.weight.grad is None for one in encoder.encoder.layer] == [True, False]

    export_without_words(network, tmp_path / "reader.onnx")
    reader = load_folder(tmp_path, threads=1)
    assert reader.languages == {"*"} and reader.count_tokens(PASSAGE) == len(pair.ids) - pair.question - 1
    (reading,) = reader.read(asked.question, [PASSAGE])
    assert reading.answered == pytest.approx(answered.item(), abs=0.1)
    inside = slice(pair.question, len(pair.ids) - 1)
    assert reading.begins == pytest.approx(torch.softmax(begins[0, inside], 0).detach().numpy(), abs=0.05)
    place = reading.offsets[pair.begin - pair.question : pair.end - pair.question + 1]
    assert PASSAGE[place[0, 0] : place[-1, 1]].strip(" .") == "A0.11"  # after letters of two and three bytes
