"""Trains the packaged reader and writes it as one ONNX file.

    python -m benchmarks.reader.train READING SQUAD FOLDER [--examples 90000] [--seed 1] [--threads 2]

READING and SQUAD are folders such as shared/data/reading and shared/data/squad. FOLDER takes the checkpoints, from
which an interrupted run goes on, and in the end reader.onnx. Every 300 steps it prints how well questions on the other
half of SQuAD's articles are read: the share of exact answers, their F1, and the area under the curve (AUC) of telling
answerable questions from SQuAD's adversarial ones. About an hour on two cores.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.reader.examples import Example, rounds, squad_examples
from benchmarks.reader.export import export
from benchmarks.reader.network import Network, Pair, as_pairs, batches, tensors
from engines.embedding.models import SMALL, model_folder

BATCH, RATE, WARM_UP, DECAY = 24, 1.2e-4, 300, 0.01
SHOWN = 300  # steps between two figures
ASKED = 700  # questions for each of these figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reading", type=Path)
    parser.add_argument("squad", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--examples", type=int, default=90_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(chosen.seed)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    network = train(chosen)
    export(network, _tokenizer(), chosen.folder / "reader.onnx")


def train(chosen: argparse.Namespace) -> Network:
    """Train for one pass over `chosen.examples`; a checkpoint in `chosen.folder` is taken up."""
    rng, network, tokenizer = random.Random(chosen.seed), Network(model_folder(SMALL)), _tokenizer()  # noqa: S311
    learned = [one for one in network.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=RATE, weight_decay=DECAY, fused=True)
    steps = chosen.examples // BATCH
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(step / WARM_UP, max(0.0, (steps - step) / (steps - WARM_UP)))
    )
    unseen = squad_examples(chosen.squad, half=1)
    shown = random.Random(0).sample(unseen, ASKED)  # noqa: S311
    kept, done = chosen.folder / "checkpoint.pt", 0
    if kept.exists():
        state = torch.load(kept, weights_only=True)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        done = state["done"]
        rng.seed(chosen.seed + done)
    started, losses = time.perf_counter(), [0.0]
    for examples in rounds(chosen.reading, chosen.squad, half=0, seed=chosen.seed + done):
        for batch in batches(list(as_pairs(examples, tokenizer, rng)), BATCH, rng):
            if done == steps:
                return network
            network.train()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                found = network(**tensors(batch))
            loss = _loss(found, batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            losses.append(loss.item())
            done += 1
            if done % SHOWN == 0 or done == steps:
                figures = measure(network, tokenizer, shown)
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


def _loss(found: tuple[Any, Any, Any], batch: Sequence[Pair]) -> Any:
    """Cross-entropy of both ends of the span where the answer is marked, and of "answered" for all."""
    begins, ends, answered = found
    targets = torch.tensor([[pair.begin, pair.end] for pair in batch])
    spans = torch.nn.functional.cross_entropy(begins, targets[:, 0], ignore_index=-1)
    spans = spans + torch.nn.functional.cross_entropy(ends, targets[:, 1], ignore_index=-1)
    wanted = torch.tensor([float(pair.answerable) for pair in batch])
    return spans / 2 + torch.nn.functional.binary_cross_entropy_with_logits(answered, wanted)


def measure(network: Network, tokenizer: Any, examples: Sequence[Example]) -> str:
    """Return exact answers and F1 of marked answers, and the AUC of "answered", in one line."""
    from sklearn.metrics import roc_auc_score

    network.eval()
    scores, exact, overlaps = [], [], []
    for one in examples:
        pair = next(as_pairs([one], tokenizer, random.Random(0)), None)  # noqa: S311
        if pair is None:
            continue
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            begins, ends, answered = network(**tensors([pair]))
        scores.append((one.answerable, answered.item()))
        if pair.begin > 0:
            begin, end = _best_span(begins[0, 1:], ends[0, 1:])
            exact.append((begin + 1, end + 1) == (pair.begin, pair.end))
            overlaps.append(_f1(pair.ids[begin + 1 : end + 2], pair.ids[pair.begin : pair.end + 1]))
    auc = roc_auc_score(*zip(*scores, strict=True))
    return f"exact {sum(exact) / len(exact):.3f}, F1 {sum(overlaps) / len(overlaps):.3f}, AUC {auc:.3f}"


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
