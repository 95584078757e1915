"""Weights of the regressions of `short_answers`, as `python -m benchmarks.learning.grading --fit` prints them.

The weight without a name is the intercept.
"""

WRONG_BY_WORDS: dict[str, float] = {
    "": -1.09,
    "conflict": 0.71,
    "conflict_any": 1.04,
    "disorder": 3.13,
    "swapped": 2.03,
    "swapped_any": 1.77,
    "polarity": 1.94,
    "opposite": 0.55,
    "opposite_any": 0.32,
    "number": 0.7,
    "substituted": 0.14,
    "off_topic": 3.41,
    "best_part": -1.03,
    "copied": -0.68,
}
WHOLE_BY_WORDS: dict[str, float] = {
    "": -3.05,
    "worst_part": 0.72,
    "length": 1.76,
    "new_words": 1.49,
    "parts": 2.31,
    "asks_two": -0.94,
    "few_words": -0.62,
    "length_of_two": 0.36,
}
WRONG_BY_VECTORS: dict[str, float] = {
    "": -2.1,
    "conflict": 0.89,
    "conflict_any": 1.38,
    "disorder": 3.67,
    "swapped": 1.96,
    "swapped_any": 1.59,
    "polarity": 2.18,
    "opposite": 0.55,
    "opposite_any": 0.34,
    "number": 0.72,
    "substituted": 0.19,
    "off_topic": 1.84,
    "best_part": -0.22,
    "copied": -0.49,
    "cosine_too_low": 11.13,
    "reference_too_far": 2.95,
    "parts_too_far": 2.4,
    "nearer_than_question": -0.23,
}
WHOLE_BY_VECTORS: dict[str, float] = {
    "": -4.67,
    "worst_part": 0.53,
    "length": 1.54,
    "new_words": 1.26,
    "parts": 2.02,
    "asks_two": -0.97,
    "few_words": -0.53,
    "length_of_two": 0.42,
    "cosine": 2.11,
    "worst_part_cosine": 0.62,
}
