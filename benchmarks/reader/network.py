"""The network of a reader while it is trained: an encoder with a head for the span and one for "answered"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.reader.examples import Example

MAX_TOKENS = 256
"""Of question and passage together, as the embedder's."""

MAX_QUESTION = 48


class Network(torch.nn.Module):  # type: ignore[misc]
    """Reads pairs of shape (pairs, tokens).

    Returns logits of the beginning and the end of the answer, (pairs, tokens) each, place 0 meaning "no answer", and
    one logit (pairs,) of whether the passage answers the question.
    """

    def __init__(self, encoder: Any, frozen: int = 0) -> None:
        """`encoder` is a BertModel, of which the first `frozen` layers stay as they are."""
        super().__init__()
        self.encoder = encoder
        # Words that the training texts lack would lose their place beside those that they hold.
        still = [encoder.embeddings if frozen else encoder.embeddings.word_embeddings, *encoder.encoder.layer[:frozen]]
        for weight in (weight for part in still for weight in part.parameters()):
            weight.requires_grad_(False)
        size = self.encoder.config.hidden_size
        self.span = torch.nn.Linear(size, 2)
        self.pooled = torch.nn.Linear(size, size)
        self.answered = torch.nn.Linear(size, 1)

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> tuple[Any, Any, Any]:
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        readable = (token_type_ids == 1) & (attention_mask == 1)
        readable = torch.cat([torch.ones_like(readable[:, :1]), readable[:, 1:]], dim=1)
        begins, ends, answered = self.read(hidden)
        hides = (~readable).float() * -1e4
        return begins + hides, ends + hides, answered

    def read(self, hidden: Any) -> tuple[Any, Any, Any]:
        """Return the logits of tokens with these states, of shape (pairs, tokens, dimensions), whatever they are of."""
        logits = self.span(hidden).float()
        answered = self.answered(torch.tanh(self.pooled(hidden[:, 0]))).float()
        return logits[..., 0], logits[..., 1], answered[:, 0]


def load_encoder(folder: Path) -> Any:
    """Load MiniLM. Eager attention takes half the time of the fused one when training in bfloat16 on a processor."""
    from transformers import AutoModel

    return AutoModel.from_pretrained(
        folder, attn_implementation="eager", attention_probs_dropout_prob=0.0, add_pooling_layer=False
    )


@dataclass(frozen=True)
class Pair:
    """An example as token ids: `begin` and `end` are the places of its answer, 0 for none, -1 if it is not marked."""

    ids: list[int]
    question: int  # tokens of it, special tokens included
    begin: int
    end: int
    answerable: bool


def as_pairs(examples: Sequence[Example], tokenizer: Any, rng: Any, most: int = MAX_TOKENS) -> Iterator[Pair]:
    """Yield the examples cut to `most` tokens: of a longer passage a stretch with the answer, placed at random."""
    first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    questions = tokenizer.encode_batch([one.question for one in examples], add_special_tokens=False)
    passages = tokenizer.encode_batch([one.passage for one in examples], add_special_tokens=False)
    for one, asked, text in zip(examples, questions, passages, strict=True):
        head = [first, *asked.ids[:MAX_QUESTION], last]
        room = most - len(head) - 1
        begin = end = -1
        if one.start >= 0:
            inside = [n for n, (a, b) in enumerate(text.offsets) if b > one.start and a < one.end]
            begin, end = (inside[0], inside[-1]) if inside else (-1, -1)
        spare = max(0, len(text.ids) - room)
        low, high = max(0, end - room + 1), min(spare, begin if begin >= 0 else spare)
        cut = rng.randint(min(low, high), high) if spare else 0
        ids = [*head, *text.ids[cut : cut + room], last]
        if not one.answerable:
            yield Pair(ids, len(head), 0, 0, answerable=False)
        elif begin < 0:
            if not spare:  # of a cut passage nobody knows whether the answer is still in it
                yield Pair(ids, len(head), -1, -1, answerable=True)
        elif end - begin < 30:
            shift = len(head) - cut
            yield Pair(ids, len(head), begin + shift, end + shift, answerable=True)


def batches(pairs: Sequence[Pair], size: int, rng: Any) -> list[list[Pair]]:
    """Return shuffled batches of pairs of like length."""
    pools = [list(pairs[n : n + 50 * size]) for n in range(0, len(pairs), 50 * size)]
    found = []
    for pool in pools:
        pool.sort(key=lambda pair: len(pair.ids))
        found += [pool[n : n + size] for n in range(0, len(pool), size)]
    rng.shuffle(found)
    return found


def tensors(batch: Sequence[Pair]) -> dict[str, Any]:
    """Return `input_ids`, `attention_mask` and `token_type_ids`, each (pairs, longest), filled with 0."""
    longest = max(len(pair.ids) for pair in batch)
    ids, mask, kinds = (torch.zeros(len(batch), longest, dtype=torch.long) for _ in range(3))
    for row, pair in enumerate(batch):
        ids[row, : len(pair.ids)] = torch.tensor(pair.ids)
        mask[row, : len(pair.ids)] = 1
        kinds[row, pair.question : len(pair.ids)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
