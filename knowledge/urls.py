from corpus.web.routes import document_routes
from knowledge.documents import PERSONAL_DOCUMENTS

app_name = "knowledge"
urlpatterns = document_routes(PERSONAL_DOCUMENTS)
