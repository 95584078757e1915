"""The dictionaries between English and German, French and Spanish, and their files."""

import re
import unicodedata

import pytest

from text.dictionary import FOLDER, LANGUAGES, MAX_WORDS, dictionary, read_lines, split_entry


@pytest.mark.parametrize("language", LANGUAGES)
class TestFiles:
    def test_it_has_the_words_of_questions(self, language: str) -> None:
        assert len(read_lines(language)) >= 1_500

    def test_each_line_is_a_word_a_tab_and_translations(self, language: str) -> None:
        lines = (FOLDER / f"{language}.tsv").read_text(encoding="utf-8").splitlines()
        assert "BSD" in " ".join(lines[:4])
        wrong = [line for line in lines if line and not line.startswith("#") and line.count("\t") != 1]
        assert wrong == []

    def test_no_word_and_no_translation_is_twice(self, language: str) -> None:
        words = [tuple(split_entry(word)) for word, _ in read_lines(language)]
        assert sorted({word for word in words if words.count(word) > 1}) == []
        assert [word for word, translations in read_lines(language) if len(set(translations)) < len(translations)] == []

    def test_words_are_composed_and_translations_are_english(self, language: str) -> None:
        for word, translations in read_lines(language):
            assert word == unicodedata.normalize("NFC", word).strip()
            assert 1 <= len(split_entry(word)) <= MAX_WORDS
            assert all(re.fullmatch(r"[A-Za-z][A-Za-z' -]*", translation) for translation in translations), word

    def test_every_word_is_found(self, language: str) -> None:
        found = dictionary(language, "en")
        assert found is not None
        assert [word for word, _ in read_lines(language) if not found.find(split_entry(word))] == []


def test_forms_are_found_by_their_stems() -> None:
    german = dictionary("de", "en")
    assert german is not None
    found = {word: german.find([word]) for word in ("schülern", "schulen", "säuren", "saure", "xyz")}
    assert {word: entry and entry.translation for word, entry in found.items()} == {
        "schülern": "pupil",
        "schulen": "school",
        "säuren": "acid",
        "saure": "acidic",
        "xyz": None,
    }


def test_words_without_their_accents_are_found() -> None:
    spanish = dictionary("es", "en")
    assert spanish is not None
    entry = spanish.find(["acidos"])
    assert entry is not None and entry.translation == "acid"


def test_one_of_the_languages_is_english() -> None:
    assert dictionary("de", "fr") is None
    assert dictionary("it", "en") is None
    assert dictionary("en", "de") is not None
