"""Services of personal documents."""

from functools import partial

from corpus.ingestion import uploads
from knowledge.models import PersonalDocument

upload = partial(uploads.upload, PersonalDocument)
