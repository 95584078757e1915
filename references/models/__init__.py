"""Rows of sources beyond the school."""

from references.models.approved import ApprovedPage, ApprovedTopic, PageState
from references.models.archive import Archive, ArchiveState
from references.models.permission import ReferenceSettings

__all__ = ["ApprovedPage", "ApprovedTopic", "Archive", "ArchiveState", "PageState", "ReferenceSettings"]
