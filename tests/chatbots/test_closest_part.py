"""What is shown of a passage that got no place."""

from dataclasses import replace

from chatbots.answering.closest_part import SHOWN, find_closest_part
from corpus.passages import Passage, Standing
from school_library.sources import SCHOOL

WALLET = (
    "Every pupil of years 7 to 11 locks the phone into a wallet in tutor time. The pupil keeps it all day. "
    "Unlocking stations stand at both doors and work from a quarter past three until the last bus has left the yard. "
    "For lessons that need the camera the teacher has a key. A damaged wallet costs 12 pounds; it is paid for."
)


def shown(*found: str, text: str = WALLET) -> str:
    standing = Standing(1, 9, 0.4, 0.4, 0.4, 0.0, found, ())
    one = Passage(SCHOOL, "Handbook", (), text, text, 0.3, language="en")
    return find_closest_part(replace(one, standing=standing))


def test_the_sentence_nearest_to_the_question_is_shown() -> None:
    assert shown("damaged", "costs") == "… A damaged wallet costs 12 pounds; it is paid for."


def test_a_nearest_sentence_at_the_beginning_is_shown_from_the_beginning() -> None:
    said = shown("phone")
    assert said.startswith("Every pupil") and said.endswith("…") and len(said) <= SHOWN


def test_the_nearest_row_of_a_table_is_shown_with_its_headers() -> None:
    table = (
        "| Year | Invention |\n| --- | --- |\n| 1769 | engine |\n| 1825 | railway |\n\nThe exhibition is open daily."
    )
    assert shown("1825", text=table).startswith("… • Year: 1825 · Invention: railway")
