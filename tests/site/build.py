"""The site made in a folder, and its links followed."""

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from feltd.books.html import write_pages
from feltd.books.shipped import rulebook_sources, structure_sources
from table_fsm.library import load_library
from tests.feltd.page_support import Page

ROOT: Final = Path(__file__).resolve().parents[2]


class SiteError(Exception):
    """The site cannot be made of the documentation as it is."""


def build(folder: Path) -> None:
    """Make the site in a folder, which is made where it is missing.

    Raises SiteError with Sphinx's own words where a page links to nothing or is missing in the contents.
    """
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        "-c",
        str(ROOT / "tests" / "site"),
    ]
    made = subprocess.run([*command, str(ROOT), str(folder)], capture_output=True, text=True, check=False)
    if made.returncode:
        raise SiteError(f"the documentation has faults:\n{made.stderr}")
    for _ in write_pages(folder / "rulebooks", load_library(rulebook_sources(), structure_sources()).values()):
        pass
    (folder / "openapi.json").write_text(json.dumps(asyncio.run(_api()), indent=1), encoding="utf-8")


async def _api() -> dict[str, object]:
    """Return the API's description, as a table gives it."""
    with tempfile.TemporaryDirectory() as place:
        page = Page(Path(place), open_here=False)
        try:
            return dict(page.api.openapi())
        finally:
            page.close()


class _Read(HTMLParser):
    """The links of a page, and the names that a link to it may end with."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name in ("href", "src"):
                self.links.append(value)
            elif name == "id":
                self.names.add(value)


def dead_links(folder: Path) -> Iterator[str]:
    """Yield each link of a site's pages that leads to no file of it, or to no place in a page."""
    pages = {page: _Read(page.read_text(encoding="utf-8")) for page in sorted(folder.resolve().rglob("*.html"))}
    for page, read in pages.items():
        for link in read.links:
            target = urlsplit(link)
            if target.scheme or target.netloc or link == "#":
                continue
            file = (page.parent / unquote(target.path)).resolve() if target.path else page
            name = unquote(target.fragment)
            if not file.exists() or (name and file in pages and name not in pages[file].names):
                yield f"{page.relative_to(folder.resolve())}: {link}"
