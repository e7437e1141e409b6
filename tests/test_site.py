"""The documentation's site: made without a warning, whole, with no dead link, and asking nothing of the internet."""

import json
import re
from pathlib import Path
from typing import Final

import pytest

from tests.feltd.table_support import BOOKS
from tests.site.build import ROOT, build, dead_links
from tests.site.conf import GUIDES, without_folders

PAGES: Final = ["README", *(page for pages in GUIDES.values() for page in pages)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return folder


@pytest.mark.slow
class TestTheSite:
    def test_it_has_every_page_each_rulebook_and_the_api(self, site: Path) -> None:
        assert [page for page in PAGES if not (site / f"{page}.html").is_file()] == []
        assert [book for book in BOOKS if not (site / "rulebooks" / f"{book}.html").is_file()] == []
        assert "/session" in json.loads((site / "openapi.json").read_text(encoding="utf-8"))["paths"]

    def test_it_has_no_dead_link(self, site: Path) -> None:
        assert list(dead_links(site)) == []

    def test_a_browser_that_reads_it_asks_nobody_else(self, site: Path) -> None:
        loads = re.compile(r"<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=\"(?:https?:)?//")
        assert [page for page in PAGES if loads.search((site / f"{page}.html").read_text(encoding="utf-8"))] == []


def test_every_page_of_the_documentation_is_in_the_contents() -> None:
    assert {f"docs/{page.stem}" for page in (ROOT / "docs").glob("*.md")} <= set(PAGES)


def test_a_dead_link_and_a_dead_anchor_of_a_site_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="b.html">b</a><a href="#here">a</a><a href="a.html#there">a</a>'
    )
    assert list(dead_links(tmp_path)) == ["a.html: b.html", "a.html: a.html#there"]


def test_a_link_to_a_folder_is_told_as_a_path() -> None:
    text = "[games](own-games), [a page](rules.md), [elsewhere](https://example.org)"
    told = "games (`docs/own-games/`), [a page](rules.md), [elsewhere](https://example.org)"
    assert without_folders(text, ROOT / "docs") == told
