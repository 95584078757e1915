"""What the pages and routes of the school's library show."""

from corpus.web.kinds import ApiTexts, DocumentKind
from school_library.models import SchoolDocument
from school_library.serializers import (
    LibraryDocumentChangeSerializer,
    LibraryDocumentSerializer,
    LibraryQuery,
    NewLibraryDocumentSerializer,
)
from school_library.services import set_published
from school_library.sources import SCHOOL

LIBRARY_DOCUMENTS = DocumentKind(
    model=SchoolDocument,
    documents=SchoolDocument.objects.for_member,
    value=SCHOOL.value,
    title="Library",
    is_shared=True,
    sort="name",
    serializer=LibraryDocumentSerializer,
    new=NewLibraryDocumentSerializer,
    change=LibraryDocumentChangeSerializer,
    query=LibraryQuery,
    set_published=set_published,
    api=ApiTexts(
        noun="library document",
        tag="library",
        list="The school’s documents, the latest first. Teachers get those that are published and indexed.",
        upload="Adds a file, published, and queues it for indexing. If the library has the same file already, the "
        "answer is that document.",
        change="Describe, publish or withdraw a library document",
        change_effect="A withdrawn document is gone from answers with the next question.",
        file="The newest file for admins, the file of the version that answers for teachers.",
    ),
)
