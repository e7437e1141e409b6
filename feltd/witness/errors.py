"""The errors of the witness and of those who call it. Each names what is wrong, where, and the remedy."""

from feltd.text.errors import FeltdError


class WitnessError(FeltdError):
    """Trouble with a witness. `what` is wrong, at which `place`, and the `remedy`."""

    def __init__(self, what: str, place: str, remedy: str) -> None:
        super().__init__(f"{place}: {what}. {remedy}")
        self.what = what
        self.place = place
        self.remedy = remedy


class WitnessAwayError(WitnessError):
    """The witness cannot be reached now. It is worth another attempt."""


class WitnessRefusedError(WitnessError):
    """The witness does not take this record."""


class WitnessContradictsError(WitnessRefusedError):
    """The witness keeps another history of this record."""
