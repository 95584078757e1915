"""Which titles in the properties of a file say what it is about, and which a program has put there."""

from __future__ import annotations

import re

from corpus.ingestion.readers.structure import one_line

_PROGRAMS = re.compile(
    r"""
    (?:untitled|unbenannt|ohne\ titel|kein\ titel|sans\ titre|sin\ t[ií]tulo|senza\ titolo|no\ title|unspecified
      |\(?anonymous\)?|title|titel|titre|t[ií]tulo)(?:\ (?:document|dokument|page|\d+))?
    |(?:new\ |neues\ )?(?:microsoft\ )?(?:word[ -])?(?:document|dokument|documento)\ ?\d*
    |microsoft\ (?:office\ )?\w+\ -\ .*
    |pr[eäé]sentaci[oó]n(?:\ de\ powerpoint)?\ ?\d*|pr[eäé]sentation(?:\ powerpoint)?\ ?\d*
    |powerpoint[- ]pr[eä]sentation\ ?\d*
    |(?:slide|folie|diapositiv[ea]|book|mappe|classeur|tabelle|sheet|layout|scan|image|img)[ _-]?\d*
    |.*\.(?:docx?|pdf|odt|rtf|indd|tex|dvi|pptx?|odp|xlsx?|ods|qxd|pages|html?|md|txt|jpe?g|png|gif|bmp|tiff?|webp|svg|emf|wmf)
    |(?:[a-z]:\\|file:|https?:|/).*
    |[\W\d_]*
    """,
    re.IGNORECASE | re.VERBOSE,
)


def sensible_title(stated: str | None) -> str | None:
    """The title on one line, or None if it is missing, a file name or the default of a program."""
    title = one_line(stated or "")
    return None if _PROGRAMS.fullmatch(title) else title
