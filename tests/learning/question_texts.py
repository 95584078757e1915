"""Concepts with passages that the tests of questions share."""

from __future__ import annotations

from chatbots.passages import NumberedPassage
from learning.material import ConceptText
from learning.questions.sources import ConceptSources


def passage(number: int, text: str, *, heading: tuple[str, ...] = ()) -> NumberedPassage:
    return NumberedPassage(number, "Textbook", heading, text, text[:100])


def concept(name: str, definition: str, *texts: str, synonyms: tuple[str, ...] = ()) -> ConceptText:
    written = texts or (definition,)
    return ConceptText(name, definition, tuple(passage(n, text) for n, text in enumerate(written, 1)), synonyms)


OSMOSIS = concept(
    "osmosis",
    "Osmosis is the movement of water through a membrane toward the side with more solute.",
    "**Osmosis** is the movement of water through a membrane toward the side with more solute. Osmosis increases "
    "the pressure on the side with more solute. Osmosis needs no energy from the cell because water follows its "
    "gradient.",
    "**Turgor** is the pressure of the cell contents against the wall of a plant cell. A **vacuole** is a sac in a "
    "plant cell that stores water and dissolved waste. Osmosis keeps the cells of a leaf firm in moist soil.",
)
OTHERS = (
    concept("diffusion", "Diffusion is the spread of particles from a crowded region to an emptier region."),
    concept("respiration", "Respiration is the release of usable energy from sugar inside living cells."),
    concept("photosynthesis", "Photosynthesis is the production of sugar from carbon dioxide with the help of light."),
    concept("digestion", "Digestion is the breakdown of large food molecules into smaller nutrients by enzymes."),
    concept("turgor", "Turgor is the pressure of the cell contents against the wall of a plant cell."),
    concept("vacuole", "A vacuole is a sac in a plant cell that stores water and dissolved waste."),
)
BOILING = concept(
    "boiling point",
    "The boiling point is the temperature at which a liquid turns into a gas throughout its volume.",
    "The boiling point is the temperature at which a liquid turns into a gas throughout its volume. The boiling point "
    "of pure water at sea level is 100 °C. The boiling point of ethanol is lower.",
)
FILTERING = ConceptText(
    "filtration",
    "Filtration is the separation of a solid from a liquid by a porous barrier.",
    (
        passage(
            1,
            "Filtration is the separation of a solid from a liquid by a porous barrier. The steps of a filtration:\n\n"
            "1. Fold the filter paper into a cone.\n2. Put the paper into the funnel.\n"
            "3. Pour the mixture slowly along a rod.\n4. Rinse the residue with clean water.\n",
            heading=("Filtration in steps",),
        ),
    ),
)

DRUCK = concept(
    "Druck",
    "Druck ist die Kraft, die senkrecht auf eine Fläche wirkt, geteilt durch diese Fläche.",
    "Der Druck ist die senkrechte Kraft je Einheit der Fläche eines Körpers. Der Druck in einer Flüssigkeit steigt mit "
    "der Tiefe unter der Oberfläche. Der Druck der Luft am Meer beträgt im Mittel 1013 hPa.",
)
ANDERE = (
    concept("Dichte", "Die Dichte ist die Masse eines Stoffes je Einheit seines Rauminhalts."),
    concept("Leistung", "Die Leistung ist die verrichtete Arbeit in einer bestimmten Zeit."),
    concept("Reibung", "Die Reibung ist ein Widerstand gegen die Bewegung zweier Körper aneinander."),
    concept("Trägheit", "Die Trägheit ist das Bestreben jeder ruhenden Masse, in Ruhe zu bleiben."),
)
VITESSE = concept(
    "vitesse",
    "La vitesse est le rapport entre la distance parcourue et la durée du parcours.",
    "La vitesse est le rapport entre la distance parcourue et la durée du parcours. La vitesse du son dans l'air sec "
    "vaut environ 340 m/s à température ambiante.",
)
AUTRES = (
    concept("masse", "La masse est la quantité de matière contenue dans un corps solide."),
    concept("force", "La force est une action mécanique capable de déformer les objets."),
    concept("pression", "La pression est le quotient d'une poussée par l'aire de la surface."),
    concept("énergie", "L'énergie est la capacité d'un système à produire un travail utile."),
)
CELULA = concept(
    "célula",
    "La célula es la unidad más pequeña de los seres vivos capaz de reproducirse.",
    "La célula es la unidad más pequeña de los seres vivos capaz de reproducirse. La célula vegetal tiene una pared "
    "rígida de celulosa.",
)
OTRAS = (
    concept("tejido", "El tejido es un conjunto organizado con la misma función en un órgano."),
    concept("enzima", "La enzima es una proteína que acelera las reacciones químicas del metabolismo."),
    concept("gen", "El gen es un fragmento de ADN con instrucciones para fabricar proteínas."),
    concept("fotosíntesis", "La fotosíntesis es la producción de azúcar con ayuda de luz solar."),
)


def osmosis() -> ConceptSources:
    return ConceptSources(OSMOSIS, OTHERS, "en")
