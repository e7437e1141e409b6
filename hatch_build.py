"""What is made when a wheel is built: the rulebooks as pages, for people who read them without a table."""

import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSTALLED = "share/doc/feltd/rulebooks"


class RulebookPages(BuildHookInterface[Any]):
    """Writes the pages with the renderer that the running table has; an editable install has none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the pages to the wheel's shared files."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from feltd.books.html import write_pages
        from feltd.table.check.check import book_sources, structure_sources_of
        from table_fsm.library import load_library

        books = load_library(book_sources(None), structure_sources_of(None))
        for file in write_pages(Path(mkdtemp(prefix="feltd-rulebooks-")), books.values()):
            build_data["shared_data"][str(file)] = f"{INSTALLED}/{file.name}"
