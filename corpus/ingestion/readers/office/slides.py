"""PowerPoint presentations (.pptx): a slide is a page, and its title a heading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.build import make_element
from corpus.ingestion.readers.html.unseen import COMMENTS, CROSSED, UNSEEN
from corpus.ingestion.readers.office.slide_shapes import SlideReader
from corpus.ingestion.readers.structure import PPTX, Parsed, SectionBuilder, UnreadableDocument, one_line, report_damage
from corpus.ingestion.readers.titles import sensible_title
from corpus.ingestion.readers.xml import descendants
from corpus.ingestion.readers.zip_package import office_messages, open_office_file, stated_title

if TYPE_CHECKING:
    from pptx.presentation import Presentation

_WORDS = office_messages("PowerPoint")
_SHOW = "This is a PowerPoint show or template. Open it in PowerPoint and save it as a .pptx presentation."
_PICTURES = (
    "The slides of this presentation have no text: they may be pictures. Text in pictures cannot be read. "
    "Run it through text recognition (OCR) as a PDF and upload the result."
)


def read(data: bytes) -> Parsed:
    """Sections of a presentation, one for each slide with text. Hidden slides are left out and noted."""
    import pptx

    presentation = open_office_file(data, pptx.Presentation, _WORDS, other_kind=_SHOW)
    return _parsed(presentation)


@report_damage(_WORDS.damaged)  # a missing part shows only when python-pptx follows a relation
def _parsed(presentation: Presentation) -> Parsed:
    builder = SectionBuilder()
    reader = SlideReader(presentation.slide_width or 0, presentation.slide_height or 0)
    slides = list(presentation.slides)
    names = _section_names(presentation)
    section = first_title = ""
    notes: list[str] = []
    pictured: list[str] = []
    for number, slide in enumerate(slides, start=1):
        if slide.element.get("show") in ("0", "false"):
            notes.append(f"Slide {number} is hidden and was left out.")
            continue
        pictures = reader.text.pictures
        title, content = reader.read(slide)
        first_title = title if number == 1 else first_title
        has_text = bool("".join(content.itertext()).strip())
        if not title and not has_text:
            notes.append(f"Slide {number} has no text (it may be a picture).")
            continue
        pictured += [str(number)] * (reader.text.pictures > pictures)
        if names.get(slide.slide_id, section) != section:
            section = names[slide.slide_id]
            builder.heading(1, section, page=number)
        builder.heading(2 if section else 1, title or f"Slide {number}", page=number)
        HtmlBlocks(builder, page=number).read(
            content if has_text else make_element("p", title)
        )  # a title alone can be found
    sections = builder.finish()
    if not sections:
        raise UnreadableDocument(_PICTURES)
    if footers := "\n\n".join(filter(None, reader.footers)):
        sections = (replace(sections[0], text=f"{footers}\n\n{sections[0].text}"), *sections[1:])
    notes += [note for note in (CROSSED, UNSEEN) if note in reader.text.left_out]
    if any(relation.reltype.endswith("/comments") for slide in slides for relation in slide.part.rels.values()):
        notes.append(COMMENTS)
    if pictured:
        where = f"slide{'s' if len(pictured) > 1 else ''} {', '.join(pictured)}"
        notes.append(f"Pictures on {where} have no description; text in pictures was not read.")
    stated = sensible_title(stated_title(presentation))
    return Parsed(PPTX, stated or first_title or None, sections, len(slides), tuple(notes))


def _section_names(presentation: Presentation) -> dict[int, str]:
    """The section names by slide id, if the presentation has sections."""
    return {
        int(entry.get("id")): name
        for section in descendants(presentation.element, "section")
        if (name := one_line(section.get("name") or "")) and name not in ("Default Section", "Standardabschnitt")
        for entry in descendants(section, "sldId")
    }
