"""Numbers, dates and names in an answer, and whether the sources contain them. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from chatbots.citations.markers import MARKER, blank_out_code
from corpus.reading.formulas import FORMULA

_NUMBER = re.compile(r"(?<![\w.,])[-−]?\d+(?:[.,'’\u00a0\u202f ]\d{3}(?!\d))*(?:[.,]\d+)?(?!\d)")
_WHOLE_NUMBER = re.compile(rf"{_NUMBER.pattern}(?![.,]\d)")  # 0.5 is not 5, but 12.05.2026 is three numbers
_BULLET = re.compile(r"^[ \t]*(?:>[ \t]*)*\d{1,3}[.)]\s", re.MULTILINE)
_HEADING = re.compile(r"^[ >]*#{1,6} .*$", re.MULTILINE)
_TIME = re.compile(
    r"(?<![\w.,:])([01]?\d|2[0-4])(?:[:h]([0-5]\d)|\.([0-5]\d)(?=\s?(?:uhr|[ap]\.?m)))(?![\w:])(\s?p\.?m\b)?",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?<![\w.,:])(\d{1,2})\s?(?:uhr|h|heures?|o['’]clock|am|a\.m|(p\.?m))\b", re.IGNORECASE)
_SPOKEN_TIME = re.compile(
    r"\b(?:(half|halb|(?:quarter|viertel)(?= (?:past|to|nach|vor) ))(?: (past|to|nach|vor))? (\w+)"
    r"|(\w+)(?: heures?)? (et|y|moins|menos) (?:le )?(demie?|quart|media|cuarto))\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"\s?([GMkcmµμn]?)(N ?m|[WA]h|m|g|l|L|s|W|J|N|V|A|Hz|Pa)\b(?!\s?[/^·])")  # no km/h
_SIZES = {"G": 1e9, "M": 1e6, "k": 1e3, "": 1.0, "c": 1e-2, "m": 1e-3, "µ": 1e-6, "μ": 1e-6, "n": 1e-9}
_ROUNDS = re.compile(
    r"(?:\b(?:about|around|roughly|nearly|almost|approximately|ca|circa|etwa|rund|ungefähr|environ|près de|unos|unas"
    r"|aproximadamente)\b\.?|[~≈])\s?$",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\s*(?:[+=]|(?!(?:and|und|et|or|oder|ou|to|bis)\b)[^\W\d_]{2,})")  # year 9 and room 10 do not
_ROUNDED = 0.05  # share by which a number that is said to be rounded may differ
_NAME = re.compile(r"(?<![^\W_]|['’-])[^\W\d_a-zà-öø-ÿ](?:[^\W_]|['’-])*[^\W_]")
_STARTS = re.compile(r"(?:^|[.!?…:;–—\n|“„«\"(*•-])\s*$")
_NO_NAMES = re.compile(  # German words that begin a sentence before a noun
    r"\b(?:[DdWwJjMmSs]?[Ee]in\w{0,2}|[Dd](?:er|ie|as|en|em|es|iese[rsnm]?)|[Ii][nm]s?|[Aa][nm]s?|[Aa]u[fs]|[Bb]eim?|[Zz]u[mr]?|"
    r"[Vv]o[nm]|[Mm]it|[Ff]ür|[Nn]ach|[Uu]nd|[Oo]hne|[Uu]m|[Bb]is|[Aa]lle|[Vv]iele|[Kk]ein\w{0,2}|[Ii]hr\w{0,2})\s+$"
)
_POSSESSIVE = re.compile(r"['’]s?$")
_JOINED_WORD, _JOINT = re.compile(r"(?:[^\W_]|['’-])+"), re.compile(r"['’-]")

_IN_WORDS = (
    ("zero", "null", "zéro", "cero"),
    ("one", "eins", "ein", "eine", "einen", "un", "une", "uno", "una"),
    ("two", "zwei", "deux", "dos", "twice"),
    ("three", "drei", "trois", "tres"),
    ("four", "vier", "quatre", "cuatro"),
    ("five", "fünf", "cinq", "cinco"),
    ("six", "sechs", "seis"),
    ("seven", "sieben", "sept", "siete"),
    ("eight", "acht", "huit", "ocho"),
    ("nine", "neun", "neuf", "nueve"),
    ("ten", "zehn", "dix", "diez"),
    ("eleven", "elf", "onze", "once"),
    ("twelve", "zwölf", "douze", "doce"),
)
_VALUES = {word: str(value) for value, words in enumerate(_IN_WORDS) for word in words}
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Entity:
    """A number or name at `text[start:end]`. Two spellings of the same entity have the same `key`.

    `measure` is a number with its unit, in the base unit. A number that `is_rounded` says so: “about 9.8”. One that
    `counts` stands before what it counts.
    """

    start: int
    end: int
    key: str
    is_number: bool
    measure: str = field(default="", compare=False)
    is_rounded: bool = field(default=False, compare=False)
    counts: bool = field(default=False, compare=False)

    @property
    def kind(self) -> str:
        """Numbers of different kinds do not stand for each other: times, years and others."""
        return "time" if ":" in self.key else "year" if re.fullmatch(r"1\d{3}|20\d\d", self.key) else "number"


def extract_entities(text: str, language: str = "en") -> list[Entity]:
    """The numbers, also in dates, and names of an answer, in order. Skips code, formulas, markers and list numbers.

    A name is a capitalised word inside a sentence. In German, where all nouns are capitalised, it must follow another
    capitalised word. Headings have no names, since any word of them may be capitalised.
    """
    plain = blank_out_code(text)
    for without in (FORMULA, MARKER, _BULLET):
        plain = without.sub(lambda match: " " * len(match[0]), plain)
    times = [Entity(one.start(), one.end(), _clock(one), True) for one in _TIME.finditer(plain)]
    plain = _TIME.sub(lambda match: " " * len(match[0]), plain)
    found = [*times, *(_number(plain, match) for match in _NUMBER.finditer(plain))]
    prose = _HEADING.sub(lambda match: "\n" * len(match[0]), plain)
    return sorted([*found, *_names(prose, language)], key=lambda entity: entity.start)


@dataclass(frozen=True)
class EntityIndex:
    """The keys of a text's numbers and words, to look up many entities. `measured` are numbers that always have a
    known unit there."""

    numbers: frozenset[str]
    words: frozenset[str]
    measured: frozenset[str] = frozenset()

    @classmethod
    def of(cls, text: str) -> EntityIndex:
        found = [_number(text, match) for match in _NUMBER.finditer(text)]
        measured = {one.key for one in found if one.measure} - {one.key for one in found if not one.measure}
        numbers = [*_values(text), *filter(None, (one.measure for one in found))]
        return cls(frozenset(numbers), frozenset(_words(text)), frozenset(measured))

    def has(self, one: Entity) -> bool:
        """Say whether the text has an entity, in whatever unit, or what it is rounded from."""
        if not one.is_number:
            return one.key in self.words
        if one.measure in self.numbers or (one.key in self.numbers and not (one.measure and one.key in self.measured)):
            return True
        return one.is_rounded and any(_is_rounded_from(_as_float(number), one.key) for number in self.numbers)


def find_missing_entities(found: Iterable[Entity], sources: Iterable[EntityIndex]) -> list[Entity]:
    """The entities that occur in none of the indexed texts and are no sum of the two counted numbers before or after
    them that do. Of an iterator no more than needed is taken."""
    found, indexes = list(found), iter(sources)
    missing = found
    while missing and (index := next(indexes, None)):
        missing = [one for one in missing if not index.has(one)]
    numbers = [one for one in found if one.is_number and (one.counts or one in missing)]
    sums = {
        total.key
        for first, second, third in zip(numbers, numbers[1:], numbers[2:], strict=False)
        for one, other, total in ((first, second, third), (second, third, first))
        if total in missing and one not in missing and other not in missing
        if math.isclose(_as_float(total.key), _as_float(one.key) + _as_float(other.key))
    }
    return [one for one in missing if one.key not in sums]


def _number(text: str, match: re.Match[str]) -> Entity:
    key, unit = _value(match[0]), _MEASURE.match(text, match.end())
    measure = f"{float(key) * _SIZES[unit[1]]:.12g} {unit[2].replace(' ', '').lower()}" if unit else ""
    is_rounded = _ROUNDS.search(text, max(0, match.start() - 20), match.start()) is not None
    return Entity(*match.span(), key, True, measure, is_rounded, _COUNTS.match(text, match.end()) is not None)


def _is_rounded_from(exact: float, key: str) -> bool:
    """Whether a number is near this one and has no more digits than that: 1900 is about 1870, but 1815 not 1789."""
    whole, _, rest = key.partition(".")
    step = 10.0 ** (-len(rest) or len(whole) - len(whole.rstrip("0"))) * (5 if key.rstrip("0").endswith("5") else 1)
    return math.isclose(exact, _as_float(key), rel_tol=_ROUNDED) and abs(exact - _as_float(key)) <= step / 2 + 1e-9


def _as_float(key: str) -> float:
    """A number as its key has it; not a number for a time or a measure."""
    return float(key) if key.replace(".", "", 1).isdigit() else math.nan


def _names(text: str, language: str) -> Iterable[Entity]:
    german, end_before = language.startswith("de"), -2
    for match in _NAME.finditer(text):
        starts = _STARTS.search(text[max(0, match.start() - 6) : match.start()])
        follows = end_before >= 0 and text[end_before : match.start()].isspace()
        follows = follows and not _NO_NAMES.search(text, max(0, match.start() - 12), match.start())
        end_before = match.end()
        is_unit = text[max(0, match.start() - 2) : match.start()].strip().isdigit() and _MEASURE.match(
            text, match.start()
        )
        if not (starts or is_unit) and (follows or not german):
            yield Entity(*match.span(), _name_key(match[0]), False)


def _name_key(word: str) -> str:
    return _POSSESSIVE.sub("", word).casefold()


def _words(text: str) -> Iterable[str]:
    for word in set(_JOINED_WORD.findall(text.casefold())):
        yield word
        if not word.isalnum():
            yield _POSSESSIVE.sub("", word)
            yield from filter(None, _JOINT.split(word))


def _clock(time: re.Match[str]) -> str:
    """A time of day in one spelling, with 24 hours."""
    hour = int(time[1]) + (12 if time[4] and int(time[1]) < 12 else 0)
    return f"{hour}:{time[2] or time[3]}"


def _spoken_clock(time: re.Match[str]) -> str:
    """Half past seven as 19:30, which is 7:30 too; halb acht and sept heures et demie as well; "" for other words."""
    word = (time[3] or time[4]).casefold()
    hour, part = int(_VALUES.get(word, word if word.isdecimal() else 0)), (time[1] or time[6]).casefold()
    is_before = part == "halb" or (time[2] or time[5] or "").casefold() in ("to", "vor", "moins", "menos")
    minute = 30 if part in ("half", "halb", "demi", "demie", "media") else 45 if is_before else 15
    return f"{(hour - is_before) % 12 + 12}:{minute}" if hour else ""


def _clocks(text: str) -> Iterable[str]:
    """The times of a text in all spellings: 15:00 is 3:00 and 15, too."""
    times = [_clock(one) for one in _TIME.finditer(text)]
    times += [f"{hour}:00" for one in _HOUR.finditer(text) for hour in (int(one[1]), int(one[1]) + 12 * bool(one[2]))]
    times += filter(None, map(_spoken_clock, _SPOKEN_TIME.finditer(text)))
    for hour, _, minute in (one.partition(":") for one in times):
        for same in {int(hour), int(hour) - 12 if int(hour) > 12 else int(hour)}:
            yield f"{same}:{minute}"
            yield from [str(same)] if minute == "00" else []


def _values(text: str) -> Iterable[str]:
    yield from _clocks(text)
    text = _TIME.sub(" ", text)
    yield from (_value(match[0]) for match in _NUMBER.finditer(text))
    text = _WHOLE_NUMBER.sub(" ", text)
    for digits in re.findall(r"\d+", text):
        yield digits.lstrip("0") or "0"
    for word in _WORD.findall(text.casefold()):
        if word in _VALUES:
            yield _VALUES[word]


def _value(number: str) -> str:
    """A number in one spelling: 1,000, 1.000 and 1 000 are 1000; 0,5 is 0.5; 2.50 is 2.5."""
    digits = re.sub(r"[,.'’\u00a0\u202f ](?=\d{3}(?:\D|$))", "", number.replace("−", "-"))
    digits = digits.replace(",", ".").lstrip("-")
    whole, _, rest = digits.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")
