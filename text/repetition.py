"""Whether a text goes round in circles, as small language models do."""

from __future__ import annotations

import re
from collections import Counter

_TIMES, _MIN_WORDS = 3, 4
"""So often a sentence of so many words may not stand in one text. Shorter ones repeat in good texts, too."""
_ROUNDS, _MAX_REPEAT_LENGTH = 12, 80
"""So many times in a row no run of so many characters stands in a good text, whether it has sentences or not."""
_END = re.compile(r"(?<=[.!?…])[\s*_\"”»)\]]*\s+|\n+")
_MARKER = re.compile(r"\[\d[\d\s,;&–-]*\]")


def is_repetitive(text: str) -> bool:
    """Whether sentences that stand in it three times make up half of the text, or its end repeats the same characters.

    Its last sentence counts once a space or a line follows. Rows of tables may be alike, and a list may have a refrain.
    """
    sentences = _END.split(_MARKER.sub(" ", text))[:-1]
    words = (tuple(re.findall(r"\w+", one.casefold())) for one in sentences if not one.lstrip().startswith("|"))
    counts = Counter(one for one in words if len(one) >= _MIN_WORDS)
    repeated = sum(count for count in counts.values() if count >= _TIMES)
    return repeated * 2 > counts.total() or _ends_in_circles(text.rstrip())


def _ends_in_circles(text: str) -> bool:
    return any(
        any(map(str.isalpha, text[-length:])) and text.endswith(text[-length:] * _ROUNDS)
        for length in range(3, min(_MAX_REPEAT_LENGTH, len(text) // _ROUNDS) + 1)
    )
