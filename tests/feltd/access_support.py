"""A table that notes what a page tells it of sign-ins, for tests that have no other table."""

from feltd.door import AccessFact, Away
from feltd.text.errors import FeltdError


class Register:
    """The part of a table's door that takes what happens at a page."""

    def __init__(self) -> None:
        self.away: Away | None = None
        self.refusal: FeltdError | None = None
        """What is raised in place of an answer."""
        self.facts: list[AccessFact] = []
        self.told: list[tuple[AccessFact, ...]] = []
        """Message by message."""

    async def tell_access(self, page: str, facts: tuple[AccessFact, ...]) -> None:
        """Take all of it, or refuse it."""
        if self.refusal is not None:
            raise self.refusal
        self.told.append(facts)
        self.facts += facts
