"""Find the member that a command's arguments name."""

from __future__ import annotations

from django.core.management.base import CommandError

from schools.models import Membership, User


def find_named_member(email: str, slug: str | None) -> Membership:
    """The membership of a person in the school of this slug, or in their only school. Raises CommandError."""
    user = User.objects.with_address(email).first()
    if user is None:
        raise CommandError(f"There is nobody with the e-mail address {email}.")
    if not user.is_active:
        raise CommandError(f"The account of {user.email} is switched off.")
    memberships = {m.school.slug: m for m in user.memberships.joined().select_related("school")}
    named = ", ".join(sorted(memberships))
    if not memberships:
        raise CommandError(f"{user.email} does not belong to a school.")
    if slug is None and len(memberships) > 1:
        raise CommandError(f"{user.email} belongs to several schools. Name one with --school: {named}.")
    if slug is not None and slug not in memberships:
        raise CommandError(f"{user.email} does not belong to a school “{slug}”, but to: {named}.")
    return memberships[slug or named]
