"""Reading rules: what they mean, and the line of each mistake."""

import pytest

from classrooms.concern.rules import CATEGORIES, LANGUAGES, RulesError, Step, default, parse


def mistake(text: str) -> tuple[int, str]:
    with pytest.raises(RulesError) as caught:
        parse(text)
    assert len(caught.value.mistakes) == 1
    return caught.value.mistakes[0]


def test_classes_and_patterns() -> None:
    read = parse(
        "@self = I, I'm,\n   me  # who\n@all = @self, kill*, end my life\n\n[violence]\n@self ~4 @all .. now\n"
    )
    assert read.classes["self"] == (("i",), ("im",), ("me",))
    assert read.classes["all"] == (("i",), ("im",), ("me",), ("kill*",), ("end", "my", "life"))
    rule = read.rules[0]
    assert (rule.category, rule.line, rule.text) == ("violence", 6, "@self ~4 @all .. now")
    assert rule.steps == (Step("self"), Step("all", any_order=True, distance=4), Step("now|", distance=None))


def test_a_word_of_a_pattern_is_not_mixed_up_with_a_class_of_that_name() -> None:
    read = parse("[violence]\nkill me\n@kill = stab\n[abuse]\n@kill me\n")
    assert [rule.steps[0].words for rule in read.rules] == ["kill|", "kill"]


def test_unless_may_stand_several_times() -> None:
    rule = parse("[abuse]\nhits ..2 me unless game unless (story | film)\n").rules[0]
    assert [steps[0].words for steps in rule.unless] == ["game|", "story|film|"]


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("\n[selfharm]\n", 2, "name of a category"),
        ("[violence\n", 1, "name of a category"),
        ("kill me\n", 1, "below the name of a category"),
        ("[violence]\n@harm ~2 me\n", 2, "no class @harm"),
        ("@a1 = x\n@a1 = y\n", 2, "defined twice"),
        ("@phone = x\n", 1, "built in"),
        ("@Harm = x\n", 1, "no name of a class"),
        ("@harm = , ,\n", 1, "no words"),
        ("@harm = x, @phone\n", 1, "no list of words"),
        ("@harm = a*\n", 1, "too short"),
        ("@harm = *kill*\n", 1, "two *"),
        ("@harm = ki*ll\n", 1, "no word"),
        ("@harm = ???\n", 1, "no word"),
        ("[violence]\nkill ~99 me\n", 2, "At most 12"),
        ("[violence]\nkill ~3\n", 2, "missing at the end"),
        ("[violence]\n~3 kill\n", 2, "between two words"),
        ("[violence]\nkill ~3 ..2 me\n", 2, "between two words"),
        ("[violence]\n(kill | stab me\n", 2, "no other half"),
        ("[violence]\nkill me unless\n", 2, "missing at the end"),
        ("[violence]\na b c d e f g\n", 2, "at most 6"),
    ],
)
def test_a_mistake_names_its_line(text: str, line: int, part: str) -> None:
    found, message = mistake(text)
    assert found == line
    assert part in message


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(RulesError) as caught:
        parse("[nothing]\n@a = b*\n[abuse]\n@missing me\n")
    assert [line for line, _ in caught.value.mistakes] == [1, 2, 4]
    assert str(caught.value).startswith("Line 1: ")


def test_rules_have_an_end() -> None:
    assert mistake("# " + "x" * 300_000)[0] == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_default_rules_are_without_mistakes_and_fill_each_category(language: str) -> None:
    assert {rule.category for rule in parse(default(language)).rules} >= set(CATEGORIES)


def test_other_languages_have_no_default() -> None:
    with pytest.raises(ValueError, match="eo"):
        default("eo")


def test_classes_of_classes_do_not_grow_without_end() -> None:
    names = [f"{first}{second}" for first in "abcdefghijklmnopqrstuvwxyz" for second in "abcdefghijklmnopqrstuvwxyz"]
    text = f"@all = {', '.join(f'{name}x' for name in names)}\n" + "\n".join(f"@z{name} = @all" for name in names)
    with pytest.raises(RulesError, match="at most 50,000"):
        parse(text)
