"""Texts that are the same for everybody: made once, tagged and compressed once.

Only such texts are compressed. They hold nothing that a visitor has written and nothing secret, so their size tells
nobody anything. What mixes people's words with the table's is sent as it is.
"""

import asyncio
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

_LEAST: Final = 512
"""Bytes from which on compressing is worth the while."""
_GZIP: Final = "gzip"


@dataclass(frozen=True, slots=True)
class Kept:
    """A text and what is sent of it. `squeezed`: None where it would not be shorter."""

    media_type: str
    content: bytes
    squeezed: bytes | None
    tag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> "Kept":
        """Make it. Compresses, so a long text is for a thread."""
        squeezed = gzip.compress(content, mtime=0) if len(content) >= _LEAST else content
        small = squeezed if len(squeezed) < len(content) else None
        return cls(media_type, content, small, sha256(content).hexdigest()[:32])

    def answer(self, request: Request) -> Response:
        """The answer to this request: the text, compressed if that is understood, or that the browser's still holds."""
        squeezed = self.squeezed if _understands_gzip(request.headers) else None
        tag = f'"{self.tag}"' if squeezed is None else f'"{self.tag}-{_GZIP}"'
        headers = {"cache-control": "no-cache", "etag": tag, "vary": "accept-encoding"}  # kept, and asked each time
        if tag in _tags(request.headers.get("if-none-match", "")):
            return Response(status_code=304, headers=headers)
        if squeezed is None:
            return Response(self.content, media_type=self.media_type, headers=headers)
        return Response(squeezed, media_type=self.media_type, headers={**headers, "content-encoding": _GZIP})


class Shelf:
    """Texts by name, each made when it is asked for first: once, however many ask at the same time."""

    def __init__(self) -> None:
        self._made: dict[str, Kept] = {}
        self._making = asyncio.Lock()

    async def get(self, name: str, make: Callable[[], str], media_type: str) -> Kept:
        """The text of this name. `make`: makes it, in a thread beside the loop."""
        if name not in self._made:
            async with self._making:
                if name not in self._made:
                    self._made[name] = await asyncio.to_thread(lambda: Kept.of(make().encode(), media_type))
        return self._made[name]


def _understands_gzip(headers: Headers) -> bool:
    for part in headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() == _GZIP:
            return weight.strip().replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


def _tags(said: str) -> set[str]:
    return {tag.strip().removeprefix("W/") for tag in said.split(",")}
