from corpus.web.api_docs import api_routes
from school_library.documents import LIBRARY_DOCUMENTS

urlpatterns = api_routes(LIBRARY_DOCUMENTS)
