from django.urls import path

from evaluation import views

app_name = "evaluation"
urlpatterns = [
    path("chatbots/<uuid:pk>/checks/", views.list_test_questions, name="list"),
    path("chatbots/<uuid:pk>/checks/run/", views.run_test_questions, name="run"),
    path("chatbots/<uuid:pk>/checks/try/", views.try_search, name="try-search"),
    path("chatbots/<uuid:pk>/checks/add/", views.add_test_question, name="add"),
    path("checks/<uuid:pk>/edit/", views.edit_test_question, name="edit"),
    path("checks/<uuid:pk>/delete/", views.delete_test_question, name="delete"),
    path("messages/<uuid:pk>/pin/", views.pin, name="pin"),
]
