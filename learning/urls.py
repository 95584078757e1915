from django.urls import path

from learning.views import concepts, plans, practice, questions, statistics

app_name = "learning"
urlpatterns = [
    path("", plans.index, name="list"),
    path("new/", plans.create, name="create"),
    path("<uuid:pk>/", plans.detail, name="plan"),
    path("<uuid:pk>/status/", plans.status, name="status"),
    path("<uuid:pk>/settings/", plans.edit_settings, name="settings"),
    path("<uuid:pk>/delete/", plans.delete, name="delete"),
    path("<uuid:pk>/stop/", plans.stop, name="stop"),
    path("<uuid:pk>/resume/", plans.resume, name="resume"),
    path("<uuid:pk>/refresh/", plans.refresh, name="refresh"),
    path("<uuid:pk>/tutor/", plans.tutor, name="tutor"),
    path("<uuid:pk>/undo/", concepts.undo, name="undo"),
    path("<uuid:pk>/concepts/add/", concepts.add, name="add-concept"),
    path("<uuid:pk>/questions/", questions.index, name="questions"),
    path("<uuid:pk>/questions/review/", questions.review, name="review"),
    path("<uuid:pk>/learn/", practice.learn, name="learn"),
    path("<uuid:pk>/statistics/", statistics.index, name="statistics"),
    path("concepts/<uuid:pk>/", concepts.detail, name="concept"),
    path("concepts/<uuid:pk>/edit/", concepts.edit, name="edit-concept"),
    path("concepts/<uuid:pk>/remove/", concepts.remove, name="remove-concept"),
    path("concepts/<uuid:pk>/merge/", concepts.merge, name="merge-concept"),
    path("concepts/<uuid:pk>/split/", concepts.split, name="split-concept"),
    path("concepts/<uuid:pk>/first/add/", concepts.add_prerequisite, name="add-prerequisite"),
    path("concepts/<uuid:pk>/first/remove/", concepts.remove_prerequisite, name="remove-prerequisite"),
    path("concepts/<uuid:pk>/questions/more/", questions.more, name="more-questions"),
    path("questions/<uuid:pk>/", questions.edit, name="question"),
    path("questions/<uuid:pk>/reject/", questions.reject, name="reject-question"),
    path("questions/<uuid:pk>/restore/", questions.restore, name="restore-question"),
    path("practice/<uuid:pk>/", practice.show, name="session"),
    path("practice/<uuid:pk>/answer/", practice.answer, name="answer"),
    path("practice/<uuid:pk>/end/", practice.end, name="end-session"),
    path("sources/<uuid:pk>/", concepts.show_source, name="source"),
]
