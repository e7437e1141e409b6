"""An answer is given when the record of what was done is on the disk."""

from http import HTTPStatus

from feltd.page.api.problems import ApiProblem
from feltd.table.journal import Journal
from feltd.text.errors import JournalError


async def until_kept(journal: Journal, done: str) -> None:
    """Wait until all that was recorded is on the disk. Raises ApiProblem: 503 if it is not kept, though `done`."""
    try:
        await journal.flush()
    except JournalError as fault:
        raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, f"{done}, and not on the disk yet: {fault}") from None
