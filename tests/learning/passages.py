"""Passages of short texts in four languages, as a search or the chunks of a document would give them."""

from corpus.passages import Passage
from corpus.source_kinds import SourceKind

SCHOOL = SourceKind("school", "School", "the school's documents")

TEXTS = {
    "en": {
        "1.1 The Cell": (
            "A cell is the smallest unit of life that can reproduce by itself. The thin layer around a cell is "
            "called the "
            "cell membrane. Osmosis is the movement of water through a cell membrane. It is slow."
        ),
        "1.2 Photosynthesis": (
            "**Photosynthesis** is the process by which plants make sugar from light. **Deoxyribonucleic acid "
            "(DNA)** is "
            "a molecule that carries the genetic information of a cell. Chloroplasts are organelles in which "
            "photosynthesis takes place. In this section we will look at plants. What is a plant?"
        ),
        "Key Terms": "- **enzyme**: a protein that speeds up a chemical reaction in a cell",
        "Exercises": "A dragon is an animal that makes fire by photosynthesis. Explain what osmosis is.",
    },
    "de": {
        "1.1 Die Zelle": (
            "Die Zelle ist die kleinste lebende Einheit aller Organismen. Als Zellmembran bezeichnet man die "
            "Hülle, die "
            "das Innere der Zelle von der Umgebung trennt. Unter Osmose versteht man die Wanderung von Wasser "
            "durch eine "
            "Zellmembran. Sie ist langsam."
        ),
        "1.2 Photosynthese": (
            "**Photosynthese** ist ein Vorgang, bei dem grüne Pflanzen aus Licht und Wasser Zucker herstellen. Die "
            "**Desoxyribonukleinsäure (DNS)** ist ein Molekül, das die Erbinformation trägt. Der grüne Farbstoff der "
            "Blätter wird Chlorophyll genannt. Chloroplasten sind Organellen, in denen die Photosynthese abläuft."
        ),
        "Aufgaben": "Ein Drache ist ein Tier, das in Zellen lebt. Erkläre, was Osmose ist.",
    },
    "fr": {
        "1.1 La cellule": (
            "La cellule est la plus petite unité vivante qui peut se reproduire. On appelle membrane plasmique la fine "
            "enveloppe qui sépare la cellule du milieu extérieur. Elle est fine. L'osmose désigne le passage de "
            "l'eau à "
            "travers une membrane plasmique."
        ),
        "1.2 La photosynthèse": (
            "La **photosynthèse** est un processus par lequel les plantes fabriquent du sucre avec la lumière. "
            "L'**acide "
            "désoxyribonucléique (ADN)** est une molécule qui porte l'information génétique. Le pigment vert "
            "des feuilles "
            "est appelé chlorophylle."
        ),
        "Exercices": "Un dragon est un animal qui vit dans la cellule. Explique ce qu'est l'osmose.",
    },
    "es": {
        "1.1 La célula": (
            "La célula es la unidad más pequeña de la vida que puede reproducirse. Se llama membrana plasmática a la "
            "envoltura que separa la célula del exterior. Se denomina ósmosis el paso de agua a través de una membrana "
            "plasmática. Ella es lenta."
        ),
        "1.2 La fotosíntesis": (
            "La **fotosíntesis** es un proceso por el cual las plantas producen azúcar con la luz del sol. El **ácido "
            "desoxirribonucleico (ADN)** es una molécula que lleva la información genética. El pigmento verde de las "
            "hojas se llama clorofila."
        ),
        "Ejercicios": "Un dragón es un animal que vive en la célula. Explica qué es la ósmosis.",
    },
}


def passage(text: str, *headings: str, position: int = 0, title: str = "Biology", excerpt: str = "") -> Passage:
    return Passage(
        kind=SCHOOL,
        document_title=title,
        heading_path=headings,
        excerpt=excerpt or text,
        text=text,
        relevance=1.0,
        position=position,
        external_id=title,
    )


def passages(sections: dict[str, str]) -> list[Passage]:
    return [passage(text, heading, position=place) for place, (heading, text) in enumerate(sections.items())]
