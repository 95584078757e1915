from django.urls import path

from knowledge.documents import PERSONAL_DOCUMENTS
from school_library.documents import LIBRARY_DOCUMENTS
from web_pages.api import make_add_view, make_fetch_view

add = make_add_view(PERSONAL_DOCUMENTS, operation_id="add_web_page", summary="Add a web page as a document")
again = make_fetch_view(PERSONAL_DOCUMENTS, operation_id="fetch_web_page", summary="Fetch a web page again")
add_to_library = make_add_view(
    LIBRARY_DOCUMENTS, operation_id="add_library_web_page", summary="Add a web page to the library"
)
library_again = make_fetch_view(
    LIBRARY_DOCUMENTS, operation_id="fetch_library_web_page", summary="Fetch a web page of the library again"
)

urlpatterns = [
    path("documents/web-pages", add.as_view(), name="web-pages"),
    path("documents/<uuid:pk>/fetch", again.as_view(), name="web-page-fetch"),
    path("library/documents/web-pages", add_to_library.as_view(), name="library-web-pages"),
    path("library/documents/<uuid:pk>/fetch", library_again.as_view(), name="library-web-page-fetch"),
]
