"""What the pages and routes of a teacher's own documents show."""

from corpus.web.kinds import ApiTexts, DocumentKind
from knowledge.models import PersonalDocument
from knowledge.sources import PERSONAL

PERSONAL_DOCUMENTS = DocumentKind(
    model=PersonalDocument,
    documents=PersonalDocument.objects.for_member,
    value=PERSONAL.value,
    title="My documents",
    edit="rename",
    api=ApiTexts(
        noun="document",
        tag="documents",
        list="Your own documents in this school, the latest first.",
        upload="Adds a file and queues it for indexing: read the document until its status is `ready` or `failed`. "
        "Formats: PDF, DOCX, PPTX, XLSX, ODT, ODP, ODS, RTF, CSV, HTML, EPUB, Markdown, a textbook as a ZIP file of "
        "Markdown files, plain text, VTT, SRT, EML, IPYNB and, if the server can read scans, pictures. If you have the "
        "same file already, the answer is that document.",
        change="Rename a document, or file it under a subject",
        change_effect="Its passages are found by the new title from the next question on.",
        file="The newest file as it was uploaded.",
    ),
)
