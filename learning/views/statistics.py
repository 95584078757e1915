"""What the teacher sees of practice: concepts and questions, never a ranking of people."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from learning.practice.statistics import concept_statistics, question_statistics
from learning.views.plans import find_plan
from schools.access import MemberRequest, member_required


@never_cache
@require_GET
@member_required
def show_statistics(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Which concepts are weak and which questions mislead, over all who practise the plan."""
    plan = find_plan(request, pk)
    questions = [row for row in question_statistics(plan) if row.attempts]
    concepts = [row for row in concept_statistics(plan) if row.attempts]
    context = {
        "plan": plan,
        "concepts": concepts,
        "misleading": [row for row in questions if row.is_misleading],
        "others": [row for row in questions if not row.is_misleading],
    }
    return render(request, "learning/statistics.html", context)
