"""Why a page could not be fetched."""

from __future__ import annotations


class FetchFailed(Exception):
    """A page could not be fetched. The message says why, in words for a school's admin.

    `status` is that of the answer, 0 without one; `retry_after` the seconds that the server asked to wait.
    """

    def __init__(self, message: str, *, status: int = 0, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


class NoAnswer(FetchFailed):
    """The site was called and did not answer, or broke off."""
