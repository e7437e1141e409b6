"""The parts of docs/security.md that the program itself gives: `python -m tests.security_page` writes them anew.

Each stands between two comments, `<!-- begin NAME -->` and `<!-- end NAME -->`. Who may ask what is found by asking:
each address and method of the API's description, by nobody and by each role.
"""

import asyncio
import contextlib
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from feltd.page.access.roles import RIGHTS, Right, Role
from tests.feltd.page_support import Page

PAGE: Final = Path(__file__).parents[1] / "docs" / "security.md"
PREFIX: Final = "/api/v1"
SHUT: Final = frozenset({401, 403})
_METHODS: Final = ("get", "post", "put", "patch", "delete")


def with_part(text: str, name: str, lines: list[str]) -> str:
    """Return the page's text with these lines between the comments of a part. Raises ValueError without them."""
    pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    made, count = pattern.subn(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], text)
    if count != 1:
        raise ValueError(f"{PAGE}: the part {name} stands there {count} times")
    return made


def rights() -> list[str]:
    """Return the table of roles and what each may see and do."""
    rows = [f"| `{right}` | {_cells([right in RIGHTS[role] for role in Role])} |" for right in Right]
    return ["| right | " + " | ".join(Role) + " |", "| --- |" + " --- |" * len(Role), *rows]


def _cells(told: Sequence[bool]) -> str:
    return " | ".join("yes" if one else "–" for one in told)


async def status(page: Page, method: str, path: str, headers: Mapping[str, str]) -> int:
    """Return the status that one request is answered with; what follows it is not waited for."""
    answered: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    sent = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method.upper(), "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "client": ("192.0.2.9", 4711),
        "server": ("localhost", 80), "state": {},
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json"), *sent],
    }  # fmt: skip
    told = False

    async def receive() -> dict[str, Any]:
        nonlocal told
        if told:
            await asyncio.Event().wait()  # the caller stays
        told = True
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start" and not answered.done():
            answered.set_result(int(message["status"]))

    task = asyncio.create_task(page.app(scope, receive, send))
    either: set[asyncio.Future[Any]] = {task, answered}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        return answered.result()
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def asked() -> list[tuple[str, str, tuple[bool, ...]]]:
    """Return each method and address of the API, and whether nobody and each role is let in."""
    rows: list[tuple[str, str, tuple[bool, ...]]] = []
    with tempfile.TemporaryDirectory() as folder:
        page = Page(Path(folder), open_here=False)
        page.bench.open_table()
        await page.bench.synced()
        for path, methods in sorted(page.api.openapi()["paths"].items()):
            address = PREFIX + re.sub(r"\{[^}]*\}", "1", path)
            for method in (method for method in _METHODS if method in methods):
                callers = [{}, *(page.session(role) for role in Role)]  # a session each time: one question ends it
                statuses = [await status(page, method, address, headers) for headers in callers]
                rows.append((method.upper(), path, tuple(one not in SHUT for one in statuses)))
        page.close()
    return rows


def routes() -> list[str]:
    """Return the table of the API's addresses and who is let in."""
    lines = ["| | nobody | " + " | ".join(Role) + " |", "| --- | --- |" + " --- |" * len(Role)]
    return [*lines, *(f"| `{method} {path}` | {_cells(may)} |" for method, path, may in asyncio.run(asked()))]


PARTS: Final[Mapping[str, Callable[[], list[str]]]] = {"rights": rights, "routes": routes}


def written(text: str) -> str:
    """Return the page's text with every part as the program gives it."""
    for name, lines in PARTS.items():
        text = with_part(text, name, lines())
    return text


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8")
    after = written(before)
    PAGE.write_text(after, encoding="utf-8")
    sys.stdout.write("changed\n" if after != before else "as it was\n")
