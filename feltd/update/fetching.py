"""Brings an update from a server of the house onto the data partition: nobody can sign in at a board and copy it there.

What comes is believed for its signature alone, so it may come by HTTP.
"""

import http.client
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from feltd.update.called_back import ENDING
from feltd.update.called_back import MOST_BYTES as MOST_BYTES_OF_LIST
from feltd.update.errors import UpdateError

MOST_BYTES: Final = 2 << 30
"""More is no update: a system's place on the disk is smaller."""
LEFT_FREE: Final = 512 << 20
"""Bytes that the record keeps beside it: a server that has no end must not stop a table."""
SILENCE_SECONDS: Final = 60.0
_PART: Final = 1 << 20
_NOT_THERE: Final = (404, 410)


def is_address(place: str) -> bool:
    """Whether a bundle is named by an address and not by a path."""
    return place.startswith(("http://", "https://"))


def address_in(file: Path) -> str:
    """The one address in /etc/feltd/update.url. Raises UpdateError."""
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as fault:
        raise UpdateError(f"{file}: it cannot be read ({fault})") from fault
    told = [line for line in lines if line and not line.startswith("#")]
    if len(told) != 1 or not is_address(told[0]) or not urlsplit(told[0]).hostname:
        raise UpdateError(f"{file}: it must have one line, the address of an update: http://server/feltd.raucb")
    return told[0]


def fetch(address: str, folder: Path) -> Path:
    """Fetch a bundle into the folder and return its file; what was fetched before is gone. Raises UpdateError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file, half = folder / "update.raucb", folder / "update.raucb.half"
    file.unlink(missing_ok=True)
    half.unlink(missing_ok=True)
    most = min(MOST_BYTES, _free(folder) - LEFT_FREE)
    try:
        with urllib.request.urlopen(address, timeout=SILENCE_SECONDS) as answer:  # noqa: S310 - `is_address` said so
            wanted = answer.headers.get("Content-Length", "")
            size = _copy(answer, half, most)
    except (OSError, ValueError, http.client.HTTPException) as fault:
        half.unlink(missing_ok=True)
        raise _unfetched(address, fault) from fault
    if size > most:
        half.unlink()
        room = f"{max(0, most)} bytes, for which there is room"
        raise UpdateError(f"{address}: it is larger than {room}. Look at the disk")
    if wanted.isdecimal() and int(wanted) != size:
        half.unlink()
        raise UpdateError(f"{address}: {size} bytes came of {wanted or 'unknown'}. It is tried again the next time")
    half.rename(file)
    return file


def fetch_list(address: str) -> bytes | None:
    """Fetch the list of versions that are called back; None where the server has none. Raises UpdateError."""
    place = address + ENDING
    try:
        with urllib.request.urlopen(place, timeout=SILENCE_SECONDS) as answer:  # noqa: S310 - as above
            content = bytes(answer.read(MOST_BYTES_OF_LIST + 1))
    except urllib.error.HTTPError as refused:
        if refused.code in _NOT_THERE:
            return None
        raise _unfetched(place, refused) from refused
    except (OSError, ValueError, http.client.HTTPException) as fault:
        raise _unfetched(place, fault) from fault
    if len(content) > MOST_BYTES_OF_LIST:
        raise UpdateError(f"{place}: it is larger than {MOST_BYTES_OF_LIST} bytes, and so no list of versions")
    return content


def _unfetched(address: str, fault: Exception) -> UpdateError:
    return UpdateError(f"{address}: it cannot be fetched ({fault}). It is tried again the next time")


def _free(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def _copy(answer: http.client.HTTPResponse, half: Path, most: int) -> int:
    """Copy what comes; give its bytes, which are more than `most` where that did not do."""
    size = 0
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as out:
        while size <= most and (part := answer.read(_PART)):
            size += len(part)
            if size <= most:
                out.write(part)
        out.flush()
        os.fsync(out.fileno())
    return size
