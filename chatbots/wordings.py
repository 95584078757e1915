"""Fixed sentences of an answer in the chatbot's language (C6)."""

from chatbots.models import Language

REFUSALS = {
    Language.ENGLISH: "I cannot answer this from the sources of this chatbot.",
    Language.GERMAN: "Das kann ich aus den Quellen dieses Chatbots nicht beantworten.",
    Language.FRENCH: "Je ne peux pas répondre à cette question à partir des sources de ce chatbot.",
    Language.SPANISH: "No puedo responder a esto con las fuentes de este chatbot.",
}


def refusal(language: str) -> str:
    """The sentence that says that nothing relevant was found."""
    return REFUSALS.get(Language(language), REFUSALS[Language.ENGLISH])
