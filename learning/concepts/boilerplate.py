"""What defines nothing: headings without a concept, exercises, hints for teachers, sentences that need others."""

from __future__ import annotations

import re
from collections.abc import Sequence

_EXERCISES = re.compile(
    r"\b(?:exercises?|quiz(?:zes)?|check your understanding|critical thinking|concept items|practice problems|"
    r"test prep|multiple choice|short answer|extended response|review questions|homework|performance task|worksheet|"
    r"learning objectives|further reading|external links|see also|bibliography|key equations|solutions to|answers to|"
    r"table of contents|about the authors?|acknowledge?ments|cookies?|privacy|copyright|"
    r"aufgaben?|übungen|lernziele|lösungen zu|einzelnachweise|weblinks|siehe auch|inhaltsverzeichnis|impressum|"
    r"datenschutz|literaturverzeichnis|"
    r"exercices?|objectifs|corrigés?|bibliographie|voir aussi|liens externes|notes et références|"
    r"ejercicios?|soluciones a|bibliografía|véase también|enlaces externos)\b",
    re.IGNORECASE,
)
_EXERCISES_ALONE = re.compile(
    r"[\d.\s]*(?:(?:chapter|section|end-of-chapter|review|study|additional)\s)?"
    r"(?:problems?|questions?|tests?|practice|assessment|activit(?:y|ies)|labs?|references|notes|answers?|sources|index|"
    r"objectives|licen[cs]e|newsletter|fragen|übung|literatur|inhalt|quellen|belege|problèmes|questions|références|"
    r"problemas|preguntas|objetivos|referencias)"
    r"(?:\s(?:and|&|und|et|y)\s\w+)?[\s\d.:]*",
    re.IGNORECASE,
)
_GLOSSARY = re.compile(
    r"\b(?:key (?:terms|words|concepts)|glossary|vocabulary|terminology|definitions|"
    r"glossar|(?:fach|grund|schlüssel)begriffe|begriffe|glossaire|vocabulaire|mots[- ]clés|lexique|"
    r"glosario|vocabulario|términos clave|palabras clave)\b",
    re.IGNORECASE,
)
_SUMMARY = re.compile(r"\b(?:summary|zusammenfassung|résumé|resumen|overview|überblick)\b", re.IGNORECASE)
_TEACHER = re.compile(
    r"[ \t>]*\*\*(?:teacher|instructor|for teachers|teaching tip|hinweise? für|lehrkr|pour l.enseignant|"
    r"para el profesor)",
    re.IGNORECASE,
)

_LEANS = re.compile(
    r"(?:[\"“„«(¿¡*]\s*)?(?:"
    r"it|its|they|their|them|this|that|these|those|such|both|he|she|his|her|we(?! (?:call|define)\b)|our|you|"
    r"your|i|here|there|another|"
    r"however|therefore|thus|hence|then|also|but|and|or|so|because|since|although|though|while|as|for|note|"
    r"notice|recall|remember|consider|suppose|imagine|let|look|see|finally|first|second|third|next|similarly|likewise|"
    r"actually|indeed|later|earlier|today|nowadays|instead|moreover|furthermore|in addition|in other words|"
    r"in this|in that|in these|in our|"
    r"in the (?:previous|next|"
    r"last|following|above)|of these|one of these|the (?:first|second|third|other|latter|former|next|last|following|"
    r"above|same|previous)|on the other hand|at this|now|again|conversely|perhaps|each of these|"
    r"what|why|how|which|who|where|explain|describe|define|list|name|write|draw|calculate|find|give|compare|"
    r"er|sie|es|ihre?|seine?|dies(?:e[rsmn]?)?|jene[rs]?|beide|wir|ich|man|hier|dort|aber|doch|und|oder|denn|also|"
    r"daher|deshalb|darum|dann|dadurch|damit|dabei|außerdem|zudem|jedoch|dagegen|hingegen|weil|da|wenn|so|"
    r"auch|solche|nenne|erkläre|beschreibe|berechne|das (?:ist|sind|bedeutet|heißt|nennt)|"
    r"il|ils|elle|elles|ce|c['’]est|cela|ça|ces|cet|cette|celui|celle|ceux|son|sa|ses|leurs?|nous|vous|je|"
    r"on (?!appelle|nomme|désigne|définit|parle)|mais|donc|ainsi|alors|car|ensuite|puis|enfin|aussi|cependant|"
    r"toutefois|ici|de plus|"
    r"él|ella|ellos|ellas|ello|esto|eso|este|esta|estos|estas|ese|esa|su|sus|nosotros|pero|así|entonces|por eso|por lo "
    r"tanto|además|también|sin embargo|aquí|luego|después|explica|describe|calcula"
    r")\b",
    re.IGNORECASE,
)
_MEDIATED = re.compile(
    r"\b(?:this (?:section|chapter|module|book|lesson|page|article|text|example|figure|equation|case|problem|video)|"
    r"(?:next|previous|following|last|earlier|later) (?:section|chapter|module|lesson|example|figure|equation)s?|"
    r"the (?:data|study|survey|poll|ranking)\b(?! of)|"
    r"(?:shown|illustrated|depicted|given|seen|discussed|described|mentioned) (?:in|above|below|here|earlier|by)\b|"
    r"(?:see|as|the|shown) (?:above|below)\b|(?:above|below)[.,;)]|(?:as follows|the following|this|these)\b|"
    r"let(?:['’]s| us)\b|"
    r"we (?:will|shall|have|now|can see|saw|learn\w*|discuss\w*|stud\w+|introduc\w+|look\w*|explor\w*)|"
    r"you (?:will|should|may|might|have|can see|learn\w*|are|see)|I['’]?m?\b|"
    r"(?:diese[mrs]?|nächste[mnrs]?|vorige[mnrs]?) (?:abschnitt|kapitel|beispiel|buch|abbildung)|"
    r"(?:siehe|abbildung|oben|unten|folgende[mnrs]?)\b|"
    r"(?:cette section|ce chapitre|ci-dessus|ci-dessous|suivante?s?|nous (?:allons|avons|verrons))\b|"
    r"(?:esta sección|este capítulo|siguientes?|arriba|abajo|vamos a|hemos)\b)",
    re.IGNORECASE,
)
_SUBJECT_BEFORE = re.compile(
    r"^(?!If|When|Wenn).*\b(?:it|they|he|she|this)\s(?:is|are|was) (?:also )?(?:called|known|named)|"
    r"[a-z]\*?[.!?]\*?[A-Z]|[a-z]{4}\. [a-z]|\*\w|\w\*|:$",
)
# What the conversion of a figure or a formula leaves: "shown in ,", "is given by".
_HOLE = re.compile(
    r"\b(?:in|by|and|of|from|see|is|are)\s*[,;.)]|\(\s*\)|,\s*,|\s,\s|\bis (?:given|expressed) by\b", re.IGNORECASE
)
SHORTEST, LONGEST = 5, 45
"""Words of a definition."""


def is_exercise(heading_path: Sequence[str]) -> bool:
    """Say whether a section has exercises, references or other text that teaches nothing."""
    return any(
        _EXERCISES_ALONE.fullmatch(heading) or (_EXERCISES.search(heading) and len(heading.split()) <= 6)
        for heading in heading_path[-2:]
    )


def is_glossary(heading_path: Sequence[str]) -> bool:
    """Say whether a section lists terms, with or without their meaning."""
    return bool(heading_path) and _GLOSSARY.search(heading_path[-1]) is not None


def is_summary(heading_path: Sequence[str]) -> bool:
    """Say whether a section sums up others: its sentences are made to stand alone."""
    return bool(heading_path) and _SUMMARY.search(heading_path[-1]) is not None


def is_for_teachers(text: str, start: int) -> bool:
    """Say whether the paragraph around this offset opens with a label such as "Teacher Support"."""
    begins = text.rfind("\n\n", 0, start) + 2 if "\n\n" in text[:start] else 0
    return _TEACHER.match(text, begins) is not None


def stands_alone(sentence: str, *, glossary: bool = False) -> bool:
    """Say whether a sentence is complete, no question and no instruction, and needs no other one to be understood."""
    words = sentence.split()
    if not SHORTEST <= len(words) <= LONGEST or "?" in sentence or "¿" in sentence or "|" in sentence:
        return False
    if (
        _LEANS.match(sentence)
        or _MEDIATED.search(sentence)
        or _HOLE.search(sentence)
        or _SUBJECT_BEFORE.search(sentence)
    ):
        return False
    begins = sentence.lstrip("\"'“„«(*")[:1]
    ends = sentence.rstrip("\"'”“»)* ")[-1:]
    return glossary or ((begins.isupper() or begins.isdigit()) and ends in ".!。")
