"""Time stamps of heads by a server of RFC 3161: somebody else's word that a head was there at a time.

What is stamped is a line of the signed heads, its end included. In the witness's folder, `TABLE.stamps/` gets two
files for it: `SEQ.head`, the line, and `SEQ.tsr`, the server's answer as it came. `openssl ts -verify` judges the two
with the server's certificate. Here only what the answer is about is looked at: that it is granted, for these bytes, to
this query.
"""

import hashlib
import logging
import secrets
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Final

from feltd.record.signed_heads import read_end
from feltd.text.atomic_file import replace_atomically
from feltd.text.errors import JournalError
from feltd.witness.errors import WitnessAwayError, WitnessError, WitnessRefusedError

ANSWER_WITHIN: Final = 10.0
"""Seconds; a process that is asked to stop waits as long."""
MOST: Final = 64 * 1024
"""Bytes of an answer."""
_INTEGER, _BOOLEAN, _OCTETS, _SEQUENCE = b"\x02", b"\x01", b"\x04", b"\x30"
_SHA256: Final = bytes.fromhex("300d06096086480165030402010500")
_GRANTED: Final = frozenset({0, 1})
"""Granted, and granted with other words than were asked for."""
_REMEDY: Final = "See that the address is that of a server of time stamps (RFC 3161)"
_log = logging.getLogger("feltd.witness")


class Stamper:
    """Has the newest head of a table stamped, where it is another than the last time. Blocks."""

    def __init__(self, folder: Path, server: str) -> None:
        """`folder`: the witness's; `server`: http or https."""
        self._folder = folder
        self._server = server

    def stamp_or_say(self, table: str) -> None:
        """As `stamp`; what keeps it from being stamped is logged, and tried again the next time."""
        try:
            made = self.stamp(table)
        except (WitnessError, JournalError, OSError) as fault:
            _log.error("%s: its head is not stamped: %s", table, fault)
        else:
            if made is not None:
                _log.info("%s: %s", table, made)

    def stamp(self, table: str) -> Path | None:
        """Have a table's newest head stamped; the answer's file, None where there is nothing new.

        Raises WitnessError, JournalError, OSError.
        """
        end = read_end(self._folder / f"{table}.heads")
        if end is None or end.last is None:
            return None
        folder = self._folder / f"{table}.stamps"
        answer, head = folder / f"{end.last.seq}.tsr", folder / f"{end.last.seq}.head"
        line = f"{end.last}\n".encode()
        if answer.exists():
            if head.read_bytes() == line:
                return None
            raise WitnessError(
                f"it is stamped for another head {end.last.seq}: these are the stamps of a record before this one",
                str(folder),
                "Move the folder away, and keep it with that record's heads",
            )
        content = self._asked(hashlib.sha256(line).digest())
        folder.mkdir(exist_ok=True)
        replace_atomically(head, line, folder.stat())
        replace_atomically(answer, content, folder.stat())  # last: where it is there, the head is done
        return answer

    def _asked(self, digest: bytes) -> bytes:
        nonce = secrets.randbits(63) | 1 << 62
        headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
        query = urllib.request.Request(self._server, query_of(digest, nonce), headers)  # noqa: S310 - see the settings
        try:
            with urllib.request.urlopen(query, timeout=ANSWER_WITHIN) as answer:  # noqa: S310
                content: bytes = answer.read(MOST + 1)
        except (OSError, HTTPException) as fault:
            words = str(getattr(fault, "reason", None) or fault) or type(fault).__name__
            raise WitnessAwayError(f"is not reached: {words}", self._server, _REMEDY) from None
        require_about(content, digest, nonce, self._server)
        return content


def query_of(digest: bytes, nonce: int) -> bytes:
    """A query for a SHA-256, with the server's certificate in the answer (RFC 3161, 2.4.1)."""
    imprint = _der(_SEQUENCE, _SHA256 + _der(_OCTETS, digest))
    return _der(_SEQUENCE, _number(1) + imprint + _number(nonce) + _der(_BOOLEAN, b"\xff"))


def require_about(answer: bytes, digest: bytes, nonce: int, server: str) -> None:
    """Raise WitnessRefusedError unless an answer grants a stamp of this SHA-256, for the query with this nonce."""
    try:
        if len(answer) > MOST:
            raise ValueError
        (_, whole), *_ = _parts(answer)
        (_, status), *token = _parts(whole)
        told = int.from_bytes(next(_parts(status))[1], "big")
        if told not in _GRANTED:
            raise WitnessRefusedError(f"grants no stamp (status {told})", server, _REMEDY)
        info = _info_in(token[0][1])
        (_, imprint), fields = info[2], info[3:]
        (algorithm, named), (_, stamped) = _parts(imprint)
        right = algorithm + _length(named) + named == _SHA256 and stamped == digest
        if not right or _number(nonce) not in [_der(tag, value) for tag, value in fields]:
            raise WitnessRefusedError("has stamped something else than what was asked", server, _REMEDY)
    except (ValueError, IndexError, StopIteration):
        raise WitnessRefusedError("answers something else than a time stamp", server, _REMEDY) from None


def _info_in(content: bytes) -> list[tuple[bytes, bytes]]:
    """The fields of the TSTInfo in a token: ContentInfo, SignedData, encapContentInfo, its octets."""
    signed = next(_parts(list(_parts(content))[1][1]))[1]
    encapsulated = list(_parts(signed))[2][1]
    octets = next(_parts(list(_parts(encapsulated))[1][1]))[1]
    return list(_parts(next(_parts(octets))[1]))


def _parts(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The values of DER one after another: tag and content. Raises ValueError where they are cut off."""
    at = 0
    while at < len(content):
        tag, size, at = content[at : at + 1], content[at + 1 : at + 2], at + 2
        length = size[0] if size else -1
        if length > 0x80:
            more = length - 0x80
            length, at = int.from_bytes(content[at : at + more], "big"), at + more
        if length in (-1, 0x80) or at + length > len(content):
            raise ValueError
        yield tag, content[at : at + length]
        at += length


def _der(tag: bytes, content: bytes) -> bytes:
    return tag + _length(content) + content


def _length(content: bytes) -> bytes:
    size = len(content)
    if size < 0x80:
        return bytes([size])
    digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([0x80 + len(digits)]) + digits


def _number(value: int) -> bytes:
    return _der(_INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big"))
