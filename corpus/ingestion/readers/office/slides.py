"""PowerPoint presentations (.pptx): a slide is a page, and its title a heading."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

from corpus.ingestion.readers.office.slide_shapes import is_hidden_slide, slide_texts, title_of, unwrap
from corpus.ingestion.readers.office.word_text import local_name
from corpus.ingestion.readers.structure import PPTX, Parsed, SectionBuilder, UnreadableDocument, one_line
from corpus.ingestion.readers.zip_package import check_package, office_messages, stated_title

_WORDS = office_messages("PowerPoint")
_SHOW = "This is a PowerPoint show or template. Open it in PowerPoint and save it as a .pptx presentation."
_PICTURES = (
    "The slides of this presentation have no text: they may be pictures. Text in pictures cannot be read. "
    "Run it through text recognition (OCR) as a PDF and upload the result."
)
_EMPTY_TITLES = {"", "powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint"}


def read(data: bytes) -> Parsed:
    """Sections of a presentation, one for each slide with text. Hidden slides are left out and noted."""
    check_package(data, _WORDS)
    presentation = _open(data)
    try:
        return _parsed(presentation)
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as error:  # a missing part shows only when python-pptx follows a relation
        raise UnreadableDocument(_WORDS.damaged) from error


def _open(data: bytes) -> Any:
    import pptx

    try:
        return pptx.Presentation(io.BytesIO(data))
    except ValueError as error:
        is_other_kind = "not a PowerPoint file" in str(error)
        raise UnreadableDocument(_SHOW if is_other_kind else _WORDS.damaged) from error
    except MemoryError:
        raise
    except Exception as error:  # raised by the library, lxml or zipfile
        raise UnreadableDocument(_WORDS.damaged) from error


def _parsed(presentation: Any) -> Parsed:
    builder = SectionBuilder()
    slides = list(presentation.slides)
    names = _section_names(presentation)
    section = ""
    notes = []
    for number, slide in enumerate(slides, start=1):
        if is_hidden_slide(slide):
            notes.append(f"Slide {number} is hidden and was left out.")
            continue
        unwrap(slide)
        title, texts = title_of(slide), slide_texts(slide)
        if not title and not texts:
            notes.append(f"Slide {number} has no text (it may be a picture).")
            continue
        if names.get(slide.slide_id, section) != section:
            section = names[slide.slide_id]
            builder.heading(1, section, page=number)
        _add(builder, number, 2 if section else 1, title, texts)
    sections = builder.finish()
    if not sections:
        raise UnreadableDocument(_PICTURES)
    return Parsed(PPTX, _title(presentation, slides), sections, len(slides), tuple(notes))


def _add(builder: SectionBuilder, number: int, level: int, title: str, texts: Sequence[str]) -> None:
    builder.heading(level, title or f"Slide {number}", page=number)
    if not texts:  # so that a slide with only a title can be found
        builder.paragraph(title, page=number)
    for text in texts:
        builder.paragraph(text, page=number)


def _title(presentation: Any, slides: Sequence[Any]) -> str | None:
    """The title in the properties, else the title of the first slide."""
    stated = stated_title(presentation)
    if stated.lower() not in _EMPTY_TITLES:
        return stated
    return (title_of(slides[0]) or None) if slides and not is_hidden_slide(slides[0]) else None


def _section_names(presentation: Any) -> dict[int, str]:
    """The section names by slide id, if the presentation has sections."""
    return {
        int(entry.get("id")): name
        for section in _named(presentation.element, "section")
        if (name := one_line(section.get("name") or "")) and name not in ("Default Section", "Standardabschnitt")
        for entry in _named(section, "sldId")
    }


def _named(element: Any, name: str) -> Iterator[Any]:
    return (inner for inner in element.iter() if local_name(inner) == name)
