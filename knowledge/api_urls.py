from corpus.web.api_docs import api_routes
from knowledge.documents import PERSONAL_DOCUMENTS

urlpatterns = api_routes(PERSONAL_DOCUMENTS)
