"""A request to the page without a socket and without a client library: thousands of them are sent."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.types import ASGIApp, Message

ELSEWHERE: Final = "192.0.2.7"
"""The browser's address: not on the table's machine, where reading is open to anybody."""
_EXPIRES: Final = re.compile(r"(?<=expires=)\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT")
"""When a cookie ends: by the machine's clock, which may pass a second between two worlds that are compared."""


@dataclass(frozen=True)
class Answered:
    """The answer to a request."""

    status: int
    head: str
    body: str

    @property
    def taken(self) -> bool:
        """Whether it was no refusal."""
        return self.status < 300

    def __str__(self) -> str:
        return f"{self.status}\n{self.head}\n\n{self.body}"


async def ask(app: ASGIApp, method: str, address: str, headers: Mapping[str, str], body: Any = None) -> Answered:
    """Send one request and return the whole answer. `body`: sent as JSON, None for no body."""
    path, _, query = address.partition("?")
    sent = b"" if body is None else json.dumps(body).encode()
    named = {"host": "localhost", **{name.lower(): value for name, value in headers.items()}}
    if body is not None:
        named |= {"content-type": "application/json", "content-length": str(len(sent))}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method.upper(), "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        "client": (ELSEWHERE, 4711), "server": ("localhost", 80),
    }  # fmt: skip
    waiting: list[Message] = [{"type": "http.request", "body": sent, "more_body": False}]
    answers: list[Message] = []

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()  # the browser stays: one that goes gets no more of a stream
        return waiting.pop()

    async def send(message: Message) -> None:
        answers.append(message)

    try:
        await app(scope, receive, send)
    except Exception as fault:  # noqa: BLE001 - what a browser sees of it is the answer 500, and that tells something too
        return Answered(500, type(fault).__name__, "")
    start = answers[0]
    head = "\n".join(sorted(f"{name.decode()}: {value.decode()}" for name, value in start["headers"]))
    head = _EXPIRES.sub("(a time)", head)
    return Answered(start["status"], head, b"".join(one.get("body", b"") for one in answers[1:]).decode())
