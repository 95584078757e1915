"""What every text field of forms and the API refuses."""

from django.core.exceptions import ValidationError

from text.visible import is_visible


def check_visible(value: object) -> None:
    """Refuse a text of nothing but white space and signs without width. Every text field of forms and the API does."""
    if isinstance(value, str) and not is_visible(value):
        raise ValidationError("This has no visible characters. Please write something.", code="required")
