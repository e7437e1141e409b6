"""The errors of custody. Each names what is wrong, where, and the remedy."""

from feltd.text.errors import FeltdError


class CustodyError(FeltdError):
    """Trouble between a table's record and the floor. `what` is wrong, at which `place`, and the `remedy`."""

    def __init__(self, what: str, place: str, remedy: str) -> None:
        super().__init__(f"{place}: {what}. {remedy}")
        self.what = what
        self.place = place
        self.remedy = remedy


class CustodyWireError(CustodyError):
    """A message that is none, or is longer than one may be."""


class CustodyRefusedError(CustodyError):
    """The floor lets this table or this journal not go on."""


class CertificateWrongError(CustodyError):
    """A certificate, a key or an authority that cannot be used."""


class FloorAwayError(CustodyError):
    """The floor, or its database, cannot be reached now. It is worth another attempt."""


class FloorDamagedError(FloorAwayError):
    """The floor's database has something on its disk that it cannot read. What does not touch it goes on."""


class FloorUnfitError(FloorAwayError):
    """The floor's database does not take a value. What has none like it goes on."""


class NotYetSaidError(FloorAwayError):
    """A table shows its code, and no person has said it at the floor yet."""
