"""What keeps an uplink from its floor, in words."""

import ssl

from websockets.exceptions import InvalidHandshake, InvalidMessage

from feltd.custody.errors import CertificateWrongError, CustodyRefusedError, FloorAwayError
from feltd.text.errors import FeltdError


def in_words(floor: str, fault: Exception) -> FeltdError:
    """What keeps an uplink from its floor, with the remedy."""
    cause: BaseException | None = fault
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return CertificateWrongError(
            f"the floor's certificate is not good: {cause.verify_message}",
            floor,
            "See that `authority` is the casino's, that the certificate is made for this address, and has not run out",
        )
    if isinstance(cause, ssl.SSLError):
        return CertificateWrongError(
            f"the floor does not let this table in ({cause.reason or cause})",
            floor,
            "See that `certificate` is of the casino's authority, is a table's, and has not run out",
        )
    if isinstance(fault, FeltdError):
        return fault
    if isinstance(fault, InvalidMessage):  # TLS 1.3: the floor looks at our certificate when we think all is well
        return CertificateWrongError(
            "the floor does not let this table in, or is none: it ended the connection before it answered",
            floor,
            "See that `certificate` is of the casino's authority, is a table's and has not run out; then the address",
        )
    if isinstance(fault, InvalidHandshake):
        return CustodyRefusedError(f"no floor answers there: {fault}", floor, "See that the address is the floor's")
    words = getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
    return FloorAwayError(
        f"the floor is not reached: {words}", floor, "See that it runs and the network leads there; the table plays on"
    )
