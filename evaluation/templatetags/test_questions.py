from django import template

from chatbots.models import Message, MessageStatus

register = template.Library()


@register.filter
def can_be_pinned(message: Message) -> bool:
    """Whether the owner of its chatbot can make the question a test question."""
    chatbot = message.chat.chatbot
    is_done = message.status == MessageStatus.DONE and not (message.is_about_selection or message.asked_page)
    return is_done and chatbot is not None and not chatbot.is_tutor
