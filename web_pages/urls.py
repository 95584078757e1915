from django.urls import path

from knowledge.documents import PERSONAL_DOCUMENTS
from school_library.documents import LIBRARY_DOCUMENTS
from web_pages.views import add_web_page, again

app_name = "web_pages"
urlpatterns = [
    path("add/", add_web_page, {"kind": PERSONAL_DOCUMENTS}, name="add"),
    path("add-to-library/", add_web_page, {"kind": LIBRARY_DOCUMENTS}, name="add-to-library"),
    path("documents/<uuid:pk>/again/", again, {"kind": PERSONAL_DOCUMENTS}, name="again"),
    path("library/<uuid:pk>/again/", again, {"kind": LIBRARY_DOCUMENTS}, name="library-again"),
]
