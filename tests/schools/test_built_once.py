"""A query whose SQL is built once yields what its queryset yields."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db.models import QuerySet
from pytest_django import DjangoAssertNumQueries

from chatbots.conversations.audience import MemberPolicy, select_askable
from schools.built_once import build_once
from schools.models import Membership
from tests.factories import Cast

pytestmark = pytest.mark.django_db


@build_once(UUID(int=1))
def _fetch_memberships(user: UUID) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user).select_related("school")


def test_each_call_has_its_own_values_and_models(
    people: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for member in (people.alice, people.bob, people.alice):
        with django_assert_num_queries(1):
            [found] = _fetch_memberships(member.user_id)
            assert (found, found.school) == (member, member.school)
    assert _fetch_memberships(UUID(int=7)) == []


def test_a_value_without_a_place_is_refused() -> None:
    @build_once(UUID(int=1), UUID(int=2))
    def fetch(user: UUID, school: UUID) -> QuerySet[Membership]:
        return Membership.objects.filter(user=user)

    with pytest.raises(AssertionError, match="no place"):
        fetch(UUID(int=3), UUID(int=4))


def test_none_is_refused() -> None:
    with pytest.raises(AssertionError, match="None equals nothing"):
        _fetch_memberships(None)  # type: ignore[arg-type]


def test_nobody_has_what_has_no_key(people: Cast, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert MemberPolicy(people.alice).fetch(select_askable, None) == []
