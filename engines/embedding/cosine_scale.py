"""Cosines of any embedding model on one scale, for which scores and relevance are calibrated.

Models differ in what their cosines mean: for unrelated texts one says 0.05, another 0.75. Each model is measured once
in a process, on the same questions and passages; of those that come with Lectern the figures are known. A linear scale
takes its mean cosines of related and of unrelated pairs to MATCHING and UNRELATED.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engines.embedding.models import ANY_LANGUAGE
from engines.embedding.runtime import Embedder
from text.languages import LATIN, get_language_code

MATCHING, UNRELATED = 0.46, 0.06
"""Mean cosines over PAIRS on the scale: those of all-MiniLM-L6-v2, so that they weigh as much as words do."""

MEASURED = {"multilingual-e5-small/q4i8": (0.825, 0.756), "all-MiniLM-L6-v2/int8": (0.462, 0.059)}
"""Those of the models that come with Lectern, by name; a test measures them."""

FOREIGN = {"multilingual-e5-small/q4i8": 0.2}
"""By how much lower the cosines of German, French and Spanish questions with English passages are, on the scale: 30
questions, the same in English beside them."""

MIN_DISTANCE = 0.05
"""A model that hardly tells matching from unrelated pairs is not stretched beyond sense."""

_PAIRS = """
What do plants make out of light? By photosynthesis, leaves turn the energy of sunlight into sugar.
When did the French Revolution begin? In July 1789 the people of Paris stormed the Bastille.
Why must goggles be worn? Eye protection is compulsory in the laboratory, since acid may splash.
How long is the summer break? The school is closed for six weeks in July and August.
What is the sum of a triangle’s angles? In every triangle the three angles add up to 180 degrees.
Who wrote Hamlet? The tragedy of the Danish prince is a play by William Shakespeare.
How do volcanoes form? Where plates drift apart or collide, molten rock rises and breaks through.
What does a mobile phone at school lead to? Phones that ring in class are kept at the office until four.
At what temperature does water boil? At sea level water turns to steam at 100 degrees Celsius.
How is the past tense of regular verbs formed? In English one adds -ed: walk becomes walked.
Which organ pumps the blood? The heart is a muscle that drives blood through the arteries.
Where can I borrow a laptop? Pupils may take home a computer for a week from the library desk.
What causes the tides? The moon’s gravity pulls the oceans, so the sea rises and falls twice a day.
How do I solve a linear equation? Bring the terms with x to one side and divide by the factor before x.
What did the Romans build roads for? Paved highways let the legions march quickly across the empire.
Who do I tell when I am ill? Parents report an absence by telephone before eight in the morning.
What is an atom made of? Electrons move around a nucleus that consists of protons and neutrons.
How does a bill become law? Both chambers of parliament vote on the draft before it is signed.
Why do we have seasons? The axis of the earth is tilted, so the sun stands higher for half the year.
What does the canteen cost? A warm lunch is four euros, and there is a vegetarian dish every day.
What is a metaphor? It names one thing by another to compare them, such as a sea of troubles.
How do magnets attract iron? A magnetic field aligns small domains in the metal, which is then drawn in.
When is homework handed in? Exercises are due at the beginning of the next lesson.
What do bees do for flowers? Insects that look for nectar carry pollen from one blossom to another.
"""
PAIRS = [(f"{question}?", passage) for question, passage in (line.split("? ") for line in _PAIRS.strip().splitlines())]
"""Questions, each with a passage that answers it."""

Cosines = TypeVar("Cosines", float, NDArray[np.float32])


class CosineScale(NamedTuple):
    """What a cosine is multiplied by, what is added to it then, and what is added besides where question and passage
    are in different languages, which the model puts further apart."""

    factor: float = 1.0
    offset: float = 0.0
    foreign: float = 0.0

    def apply(self, cosines: Cosines) -> Cosines:
        return self.factor * cosines + self.offset


_scales: dict[str, CosineScale] = {}


def cosine_scale(embedder: Embedder) -> CosineScale:
    """Return what brings the cosines of this model to the scale."""
    if embedder.name not in _scales:
        matching, unrelated = MEASURED.get(embedder.name) or mean_cosines(embedder)
        factor = (MATCHING - UNRELATED) / max(matching - unrelated, MIN_DISTANCE)
        foreign = FOREIGN.get(embedder.name, 0.0)
        _scales[embedder.name] = CosineScale(factor, UNRELATED - factor * unrelated, foreign)
    return _scales[embedder.name]


def mean_cosines(embedder: Embedder) -> tuple[float, float]:
    """Return the mean cosine of a question with its passage, and with all others."""
    questions = np.array([embedder.embed_query(question) for question, _ in PAIRS])
    cosines = questions @ embedder.embed_passages([passage for _, passage in PAIRS]).T
    matching = float(np.trace(cosines))
    others = float(cosines.sum()) - matching
    return matching / len(PAIRS), others / (len(PAIRS) * (len(PAIRS) - 1))


def knows_language(embedder: Embedder, language: str) -> bool:
    """Return whether the embedder knows a language, given as a code."""
    return embedder.languages == ANY_LANGUAGE or language in embedder.languages


def language_trust(configuration: str, embedder: Embedder) -> float:
    """Return how far the vectors count in a language, given as a text search configuration: from 0 to 1.

    1 where the embedder knows the language, and in Latin script, where vectors and words together measured better than
    words alone (Spanish, German). Little in other scripts: there the words alone found 93 %, the vectors of an English
    model 4 % (Arabic, Chinese).
    """
    known = knows_language(embedder, get_language_code(configuration))
    return 1.0 if known or configuration in LATIN else 0.2
