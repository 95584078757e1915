"""Bringing another reader's logits to a common scale, and trying it on the samples."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from engines.reader.calibration import (
    FILE,
    Calibration,
    fit_calibration,
    load_calibration,
    store_calibration,
)
from engines.reader.reading import ReaderUnavailable, Reading
from engines.reader.trial import Sample, Trial, samples, try_reader


def probability(calibration: Calibration, logit: float) -> float:
    return float(1 / (1 + np.exp(-calibration.applied(logit))))


def test_the_fit_finds_the_scale_that_the_logits_were_drawn_from() -> None:
    random = np.random.default_rng(1)
    logits = random.normal(0, 10, 20_000)
    answers = random.random(len(logits)) < 1 / (1 + np.exp(-(0.3 * logits - 1)))
    found = fit_calibration(logits[answers].tolist(), logits[~answers].tolist())
    assert found.scale == pytest.approx(0.3, rel=0.05)
    assert found.offset == pytest.approx(-1, abs=0.1)


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e3])
def test_logits_of_every_scale_end_on_one(factor: float) -> None:
    above, below = [1.0, 2.0, 3.0, -0.5], [-2.0, -1.0, 0.5, -3.0]
    one = fit_calibration(above, below)
    other = fit_calibration([factor * logit + 7 for logit in above], [factor * logit + 7 for logit in below])
    assert [other.applied(factor * logit + 7) for logit in above] == pytest.approx([one.applied(x) for x in above])


def test_kinds_that_are_separated_entirely_do_not_become_certain() -> None:
    found = fit_calibration([5.0] * 40, [-5.0] * 40)
    assert probability(found, 5) == pytest.approx(41 / 42, abs=1e-3)
    assert probability(found, -5) == pytest.approx(1 / 42, abs=1e-3)


def test_what_cannot_be_fitted() -> None:
    with pytest.raises(ValueError, match="All logits are the same"):
        fit_calibration([1.0, 1.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="no higher logits"):
        fit_calibration([-1.0, -2.0, 0.5], [1.0, 2.0, 0.0])


def test_a_calibration_is_stored_and_found(tmp_path: Path) -> None:
    assert load_calibration(tmp_path) is None
    store_calibration(tmp_path, Calibration(0.5, -1.25))
    assert load_calibration(tmp_path) == Calibration(0.5, -1.25)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"scale": "x", "offset": 0}', '{"scale": 0, "offset": 0}', '{"scale": 1, "offset": NaN}', "\xff"],
)
def test_a_file_that_holds_no_calibration_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="latin-1")
    with pytest.raises(ReaderUnavailable, match=r"lectern\.json must hold the numbers “scale”, above 0, and “offset”"):
        load_calibration(tmp_path)


def test_the_file_holds_two_numbers(tmp_path: Path) -> None:
    file = store_calibration(tmp_path, Calibration(0.5, -1.25))
    assert json.loads(file.read_text(encoding="utf-8")) == {"scale": 0.5, "offset": -1.25}


# The trial -------------------------------------------------------------------------------------------------------


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


class SharedWords:
    """Rates by the share of the question's words that the text has, as a search would."""

    name, languages, max_tokens = "shared words", frozenset({"en"}), 256

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        asked = _words(question)
        shares = [len(asked & _words(text)) / len(asked) for text in texts]
        none, places = np.zeros(0, dtype=np.float32), np.zeros((0, 2), dtype=np.int64)
        return [Reading(share, share, places, none, none) for share in shares]

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def test_the_samples_are_whole_and_different() -> None:
    known = samples()
    assert len(known) == 40
    assert len({text for one in known for text in (one.passage, one.answered, one.unanswered)}) == 120
    assert all(one.answered.endswith("?") and one.unanswered.endswith("?") for one in known)
    assert all(40 <= len(one.passage.split()) <= 70 for one in known)


def test_shared_words_do_not_tell_the_samples_apart() -> None:
    trial = try_reader(SharedWords(), samples())
    assert 0.3 < trial.auc < 0.6
    assert not trial.tells_apart
    assert trial.is_quick


def test_a_trial_reads_each_question_with_its_passage() -> None:
    known = [Sample("Ice floats.", "What floats?", "Who swims?"), Sample("Acid burns.", "What burns?", "What melts?")]
    trial = try_reader(SharedWords(), known)
    assert trial.answered == (0.5, 0.5)
    assert trial.unanswered == (0, 0)
    assert (trial.auc, trial.tells_apart) == (1, True)


def test_the_share_of_pairs_counts_equal_ones_half() -> None:
    assert Trial((1, 2), (0, 1), 5).auc == pytest.approx(3.5 / 4)
    assert Trial((1,), (1,), 5).auc == 0.5
    assert Trial((1,), (1,), 100).is_quick
    assert not Trial((1,), (1,), 101).is_quick
