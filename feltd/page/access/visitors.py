"""Under whose name a request is counted: a person's, wherever they are, or an address of people nobody knows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Visitor:
    """The sender of a request, as limits have it.

    `person`: the account's name; None for one who is not known. `address`: as `counted_as` has it.
    """

    person: str | None
    address: str

    @property
    def key(self) -> str:
        """What is counted under: no person's is an address."""
        return f"address {self.address}" if self.person is None else f"person {self.person}"
