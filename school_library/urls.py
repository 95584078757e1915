from django.urls import path

from corpus.web.routes import document_routes
from school_library import views
from school_library.documents import LIBRARY_DOCUMENTS

app_name = "school_library"
urlpatterns = [
    *document_routes(LIBRARY_DOCUMENTS),
    path("<uuid:pk>/publish/", views.publish_document, name="publish"),
    path("<uuid:pk>/withdraw/", views.withdraw, name="withdraw"),
]
