"""What a pupil reads where a concern is found, in the language of the chatbot."""

from __future__ import annotations

from collections.abc import Collection

HELP = {
    "en": "This sounds as if you might need somebody to talk to. Please tell an adult you trust, such as your teacher. "
    "In an emergency call 112.",
    "de": "Das klingt, als könntest du jemanden zum Reden brauchen. Sprich bitte mit einem Erwachsenen, dem du "
    "vertraust, zum Beispiel mit deiner Lehrkraft. Im Notfall wähle 112.",
    "fr": "On dirait que tu aurais besoin de parler à quelqu’un. Adresse-toi à un adulte en qui tu as confiance, par "
    "exemple à ton enseignant ou ton enseignante. En cas d’urgence, appelle le 112.",
    "es": "Parece que te vendría bien hablar con alguien. Cuéntaselo a una persona adulta de confianza, por ejemplo a "
    "tu profesor o profesora. En una emergencia llama al 112.",
}
"""For self-harm and abuse, unless the school has words of its own."""
_VIOLENCE = {
    "en": "This is not answered here. If somebody threatens you, or somebody could get hurt, tell an adult now, such "
    "as your teacher. In danger call 112. If you meant something else, ask again in other words.",
    "de": "Das wird hier nicht beantwortet. Wenn dich jemand bedroht oder jemand verletzt werden könnte, sag es jetzt "
    "einem Erwachsenen, zum Beispiel deiner Lehrkraft. Bei Gefahr wähle 112. Wenn du etwas anderes gemeint hast, frag "
    "noch einmal mit anderen Worten.",
    "fr": "On ne répond pas à cela ici. Si quelqu’un te menace, ou si quelqu’un pourrait être blessé, dis-le tout de "
    "suite à un adulte, par exemple à ton enseignant ou ton enseignante. En cas de danger, appelle le 112. Si tu "
    "voulais dire autre chose, demande-le avec d’autres mots.",
    "es": "Esto no se responde aquí. Si alguien te amenaza, o si alguien podría resultar herido, díselo ahora a una "
    "persona adulta, por ejemplo a tu profesor o profesora. Si hay peligro, llama al 112. Si querías decir otra cosa, "
    "pregunta otra vez con otras palabras.",
}
_PERSONAL_DATA = {
    "en": "Please do not write telephone numbers, addresses, passwords or names here. Your teacher has been told. Ask "
    "again without them.",
    "de": "Schreib hier bitte keine Telefonnummern, Adressen, Passwörter oder Namen. Deine Lehrkraft weiß Bescheid. "
    "Frag noch einmal ohne sie.",
    "fr": "N’écris pas ici de numéros de téléphone, d’adresses, de mots de passe ou de noms. Ton enseignant ou ton "
    "enseignante est au courant. Pose ta question à nouveau sans cela.",
    "es": "No escribas aquí números de teléfono, direcciones, contraseñas ni nombres. Tu profesor o profesora ya lo "
    "sabe. Pregunta otra vez sin ellos.",
}
_PERSONAL_DATA_IN_ANSWER = {
    "en": "This answer is not shown: it may hold telephone numbers, addresses or names. Your teacher has been told.",
    "de": "Diese Antwort wird nicht gezeigt: Sie könnte Telefonnummern, Adressen oder Namen enthalten. Deine Lehrkraft "
    "weiß Bescheid.",
    "fr": "Cette réponse n’est pas affichée : elle contient peut-être des numéros de téléphone, des adresses ou des "
    "noms. Ton enseignant ou ton enseignante est au courant.",
    "es": "Esta respuesta no se muestra: puede contener números de teléfono, direcciones o nombres. Tu profesor o "
    "profesora ya lo sabe.",
}


def get_held_back_words(categories: Collection[str], language: str, *, is_of_answer: bool) -> str:
    """What stands instead of something in which only violence or personal data were found."""
    data = _PERSONAL_DATA_IN_ANSWER if is_of_answer else _PERSONAL_DATA
    words = _VIOLENCE if "violence" in categories else data
    return words.get(language, words["en"])
