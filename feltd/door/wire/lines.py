"""Lines out of the pieces in which a socket gives them, none longer than it may be."""

from feltd.door.wire.errors import WireError


class Lines:
    """Puts lines together.

    Holds one unfinished line at most, and of that no more than `most` bytes.
    """

    def __init__(self, most: int) -> None:
        """`most`: bytes of the longest line, its end not counted."""
        self._most = most
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that end in this piece, without their ends.

        Raises WireError for a line that is too long; no call may follow.
        """
        *whole, rest = data.split(b"\n")
        lines = []
        for piece in whole:
            self._take(piece)
            lines.append(bytes(self._rest))
            self._rest.clear()
        self._take(rest)
        return lines

    @property
    def unfinished(self) -> bool:
        """Whether a line has begun that has not ended."""
        return bool(self._rest)

    def _take(self, piece: bytes) -> None:
        if len(self._rest) + len(piece) > self._most:
            self._rest.clear()
            raise WireError(f"a line is longer than {self._most} bytes")
        self._rest += piece
