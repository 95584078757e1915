from django.urls import path

from chatbots.api.waiting import awaits_answer
from learning.api import concepts, plans, questions

urlpatterns = [
    path("plans", plans.PlanList.as_view(), name="plans"),
    path("plans/<uuid:pk>", plans.PlanDetail.as_view(), name="plan"),
    path("plans/<uuid:pk>/stop", plans.StopPlan.as_view(), name="plan-stop"),
    path("plans/<uuid:pk>/resume", plans.Resume.as_view(), name="plan-resume"),
    path("plans/<uuid:pk>/refresh", plans.Refresh.as_view(), name="plan-refresh"),
    path("plans/<uuid:pk>/undo", concepts.Undo.as_view(), name="plan-undo"),
    path("plans/<uuid:pk>/concepts", concepts.PlanConcepts.as_view(), name="plan-concepts"),
    path("plans/<uuid:pk>/questions", questions.QuestionList.as_view(), name="plan-questions"),
    path("plans/<uuid:pk>/progress", plans.ReadProgress.as_view(), name="plan-progress"),
    path("plans/<uuid:pk>/ask", awaits_answer(plans.AskTutor.as_view()), name="plan-ask"),
    path("plans/<uuid:pk>/export", plans.Export.as_view(), name="plan-export"),
    path("concepts/<uuid:pk>", concepts.ConceptDetail.as_view(), name="concept"),
    path("concepts/<uuid:pk>/prerequisites", concepts.ConceptPrerequisites.as_view(), name="concept-prerequisites"),
    path("concepts/<uuid:pk>/merge", concepts.Merge.as_view(), name="concept-merge"),
    path("concepts/<uuid:pk>/split", concepts.Split.as_view(), name="concept-split"),
    path("questions/<uuid:pk>", questions.QuestionDetail.as_view(), name="question"),
    path("questions/<uuid:pk>/attempts", questions.Attempts.as_view(), name="question-attempts"),
    path("attempts/<uuid:pk>", questions.AttemptDetail.as_view(), name="attempt"),
]
