"""Weights of the regressions of `short_answers`, as `python -m benchmarks.learning.grading --fit` prints them.

The weight without a name is the intercept.
"""

WRONG_BY_WORDS: dict[str, float] = {
    "": -1.09,
    "conflict": 0.75,
    "conflict_any": 1.1,
    "disorder": 3.11,
    "swapped": 2.03,
    "swapped_any": 1.76,
    "polarity": 1.89,
    "opposite": 0.57,
    "opposite_any": 0.38,
    "number": 0.68,
    "substituted": 0.13,
    "off_topic": 3.39,
    "best_part": -1.04,
    "copied": -0.68,
}
WHOLE_BY_WORDS: dict[str, float] = {
    "": -3.05,
    "worst_part": 0.69,
    "length": 1.76,
    "new_words": 1.5,
    "parts": 2.31,
    "asks_two": -0.95,
    "few_words": -0.62,
    "length_of_two": 0.36,
}
WRONG_BY_VECTORS: dict[str, float] = {
    "": -2.1,
    "conflict": 0.93,
    "conflict_any": 1.45,
    "disorder": 3.65,
    "swapped": 1.95,
    "swapped_any": 1.58,
    "polarity": 2.13,
    "opposite": 0.58,
    "opposite_any": 0.39,
    "number": 0.7,
    "substituted": 0.19,
    "off_topic": 1.79,
    "best_part": -0.23,
    "copied": -0.49,
    "cosine_too_low": 11.25,
    "reference_too_far": 2.94,
    "parts_too_far": 2.39,
    "nearer_than_question": -0.23,
}
WHOLE_BY_VECTORS: dict[str, float] = {
    "": -4.66,
    "worst_part": 0.5,
    "length": 1.55,
    "new_words": 1.26,
    "parts": 2.03,
    "asks_two": -0.97,
    "few_words": -0.53,
    "length_of_two": 0.42,
    "cosine": 2.1,
    "worst_part_cosine": 0.63,
}
