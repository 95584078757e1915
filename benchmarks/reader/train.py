"""Trains a reader: the packaged one, which it writes as one ONNX file, or one of many languages.

    python -m benchmarks.reader.train READING SQUAD FOLDER [--examples 90000] [--seed 1] [--threads 2] [--device cuda]
    python -m benchmarks.reader.train READING SQUAD FOLDER --multilingual --examples 48000 [--xquad XQUAD]

READING and SQUAD are folders such as shared/data/reading and shared/data/squad. FOLDER takes the checkpoints, from
which an interrupted run goes on, and in the end reader.onnx. Every 300 steps it prints how well questions on the other
half of SQuAD's articles are read: the share of exact answers, their F1, and the area under the curve (AUC) of telling
answerable questions from SQuAD's adversarial ones. About an hour on two cores.

The reader of many languages begins with the default embedding model and learns from READING alone, which is English.
With XQUAD, a folder such as shared/data/xquad, figures for its languages are printed too, of each question with its
own paragraph and the one before. On two cores it takes some two and a half hours.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import torch

from benchmarks.reader.examples import Example, read_rows, rounds, squad_examples
from benchmarks.reader.export import export, export_without_words
from benchmarks.reader.multilingual import load_default_encoder
from benchmarks.reader.network import MAX_TOKENS, Network, Pair, as_pairs, batches, load_encoder, tensors
from engines.embedding.models import SMALL, model_folder

WARM_UP, DECAY = 300, 0.01
SHOWN = 300  # steps between two figures
ASKED = 700  # questions for each of these figures


class Recipe(NamedTuple):
    """How one reader is trained: pairs of a step, the rates of its encoder and its heads, the layers that stay as they
    are, the tokens of a pair at most, and the share of the steps in which the rates fall."""

    batch: int
    rate: float
    head_rate: float
    frozen: int
    tokens: int
    falls: float


PACKAGED = Recipe(24, 1.2e-4, 1.2e-4, 0, MAX_TOKENS, 1.0)
MULTILINGUAL = Recipe(16, 1e-4, 5e-4, 3, 160, 0.4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reading", type=Path)
    parser.add_argument("squad", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--examples", type=int, default=90_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--multilingual", action="store_true")
    parser.add_argument("--xquad", type=Path)
    parser.add_argument("--device", default="cpu")
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(chosen.seed)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    recipe = MULTILINGUAL if chosen.multilingual else PACKAGED
    encoder, tokenizer = (
        load_default_encoder() if chosen.multilingual else (load_encoder(model_folder(SMALL)), _tokenizer())
    )
    network = train(Network(encoder, recipe.frozen).to(chosen.device), tokenizer, recipe, chosen)
    if chosen.multilingual:
        export_without_words(network.cpu(), chosen.folder / "reader.onnx")
    else:
        export(network.cpu(), tokenizer, chosen.folder / "reader.onnx")


def train(network: Network, tokenizer: Any, recipe: Recipe, chosen: argparse.Namespace) -> Network:
    """Train for one pass over `chosen.examples`; a checkpoint in `chosen.folder` is taken up."""
    rng = random.Random(chosen.seed)  # noqa: S311
    learned = [one for one in network.parameters() if one.requires_grad]
    heads = [one for name, one in network.named_parameters() if not name.startswith("encoder.")]
    own = {id(one) for one in heads}
    groups = [
        {"params": [one for one in learned if id(one) not in own], "lr": recipe.rate},
        {"params": heads, "lr": recipe.head_rate},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=DECAY, fused=True)
    steps = chosen.examples // recipe.batch
    falling = max(1, min(int(steps * recipe.falls), steps - WARM_UP))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(step / WARM_UP, max(0.0, (steps - step) / falling), 1.0)
    )
    shown = _list_shown(chosen)
    kept, done = chosen.folder / "checkpoint.pt", 0
    if kept.exists():
        state = torch.load(kept, weights_only=True)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        done = state["done"]
        rng.seed(chosen.seed + done)
    learned_from = None if chosen.multilingual else chosen.squad  # XQuAD's paragraphs are SQuAD's
    started, losses = time.perf_counter(), [0.0]
    for examples in rounds(chosen.reading, learned_from, half=0, seed=chosen.seed + done):
        for batch in batches(list(as_pairs(examples, tokenizer, rng, recipe.tokens)), recipe.batch, rng):
            if done == steps:
                return network
            network.train()
            with torch.autocast(chosen.device, dtype=torch.bfloat16):
                found = network(**{name: one.to(chosen.device) for name, one in tensors(batch).items()})
            loss = _loss([one.cpu() for one in found], batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            losses.append(loss.item())
            done += 1
            if done % SHOWN == 0 or done == steps:
                figures = "; ".join(measure(network, tokenizer, name, examples) for name, examples in shown.items())
                mean, losses = sum(losses) / len(losses), []
                print(f"{done}/{steps} {time.perf_counter() - started:.0f} s, loss {mean:.3f}, {figures}", flush=True)
                torch.save(
                    {
                        "network": network.state_dict(),
                        "optimizer": optimizer.state_dict(),
                        "schedule": schedule.state_dict(),
                        "done": done,
                    },
                    kept,
                )
    raise AssertionError("rounds never end")


def _list_shown(chosen: argparse.Namespace) -> dict[str, list[Example]]:
    """List what the figures are of: unseen articles of SQuAD and, of XQuAD, own paragraphs and the ones before them."""
    shown = {"SQuAD": random.Random(0).sample(squad_examples(chosen.squad, half=1), ASKED)}  # noqa: S311
    for file in sorted(chosen.xquad.glob("*.jsonl.gz")) if chosen.xquad else []:
        rows = [*read_rows(file)]
        asked = [
            one
            for before, row in pairwise(rows)
            for question in row["questions"]
            if (start := row["paragraph"].find(question["a"])) >= 0 and question["a"] not in before["paragraph"]
            for one in (
                Example(question["q"], row["paragraph"], True, start, start + len(question["a"])),
                Example(question["q"], before["paragraph"], answerable=False),
            )
        ]
        shown[file.name.partition(".")[0]] = random.Random(0).sample(asked, min(ASKED, len(asked)))  # noqa: S311
    return shown


def _loss(found: Sequence[Any], batch: Sequence[Pair]) -> Any:
    """Cross-entropy of both ends of the span where the answer is marked, and of "answered" for all."""
    begins, ends, answered = found
    targets = torch.tensor([[pair.begin, pair.end] for pair in batch])
    spans = torch.nn.functional.cross_entropy(begins, targets[:, 0], ignore_index=-1)
    spans = spans + torch.nn.functional.cross_entropy(ends, targets[:, 1], ignore_index=-1)
    wanted = torch.tensor([float(pair.answerable) for pair in batch])
    return spans / 2 + torch.nn.functional.binary_cross_entropy_with_logits(answered, wanted)


def measure(network: Network, tokenizer: Any, name: str, examples: Sequence[Example]) -> str:
    """Return the name and exact answers and F1 of marked answers, and the AUC of "answered", in one line."""
    from sklearn.metrics import roc_auc_score

    network.eval()
    device = network.span.weight.device.type
    scores, exact, overlaps = [], [], []
    for one in examples:
        pair = next(as_pairs([one], tokenizer, random.Random(0)), None)  # noqa: S311
        if pair is None:
            continue
        with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16):
            arrays = {name: one.to(device) for name, one in tensors([pair]).items()}
            begins, ends, answered = (found.cpu() for found in network(**arrays))
        scores.append((one.answerable, answered.item()))
        if pair.begin > 0:
            begin, end = _best_span(begins[0, 1:], ends[0, 1:])
            exact.append((begin + 1, end + 1) == (pair.begin, pair.end))
            overlaps.append(_f1(pair.ids[begin + 1 : end + 2], pair.ids[pair.begin : pair.end + 1]))
    auc = roc_auc_score(*zip(*scores, strict=True))
    return f"{name}: exact {sum(exact) / len(exact):.3f}, F1 {sum(overlaps) / len(overlaps):.3f}, AUC {auc:.3f}"


def _best_span(begins: Any, ends: Any, longest: int = 30) -> tuple[int, int]:
    both = torch.triu(begins[:, None] + ends[None, :] + 1e5, 0).tril(longest - 1)
    begin, end = divmod(int(both.argmax()), int(both.shape[1]))
    return begin, end


def _f1(found: Sequence[int], right: Sequence[int]) -> float:
    shared = sum((Counter(found) & Counter(right)).values())
    return 2 * shared / (len(found) + len(right))


def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    found = Tokenizer.from_file(str(model_folder(SMALL) / "tokenizer.json"))
    found.no_truncation()
    found.no_padding()
    return found


if __name__ == "__main__":
    main()
