"""What is made when a wheel is built: the rulebooks as pages, for people who read them without a table, and the tables
of hands as a file that a table reads in place."""

import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSTALLED = "share/doc/feltd/rulebooks"


class MadeFiles(BuildHookInterface[Any]):
    """Writes both with what the running table has; an editable install has neither."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the pages to the wheel's shared files, and the tables of hands beside what reads them."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from feltd.books.html import write_pages
        from feltd.table.check.check import book_sources, structure_sources_of
        from feltd.table.host.hand_tables import HAND_FILE
        from table_fsm.library import load_library
        from table_fsm.poker.hands.made_before import hand_file

        books = load_library(book_sources(None), structure_sources_of(None))
        for file in write_pages(Path(mkdtemp(prefix="feltd-rulebooks-")), books.values()):
            build_data["shared_data"][str(file)] = f"{INSTALLED}/{file.name}"
        tables = Path(mkdtemp(prefix="feltd-hands-")) / HAND_FILE.name
        tables.write_bytes(hand_file())
        build_data["force_include"][str(tables)] = str(HAND_FILE.relative_to(self.root))
