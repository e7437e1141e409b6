"""The rulebooks on the page: readable by anybody, whole without the search's script, nothing that the page forbids."""

import asyncio
import re
from pathlib import Path

import pytest

from feltd.books.html import IN_A_FOLDER, RulePages, clause_lists, marked
from feltd.page.access.roles import Role
from tests.feltd.page_support import Browser, Page
from tests.feltd.table_support import BOOKS, HOLDEM, UTH
from tests.feltd.test_page import page

__all__ = ["page"]  # a fixture


@pytest.fixture
def stranger(page: Page) -> Browser:
    """Somebody at another machine who has not signed in."""
    return Browser(page, address="192.0.2.7")


def test_the_index_links_every_book_and_says_which_is_in_force(stranger: Browser) -> None:
    text = stranger.get("/rules").text
    assert set(re.findall(r'href="/rules/([a-z0-9-]+)"', text)) == set(BOOKS)
    marked_as = re.search(r'href="/rules/([a-z0-9-]+)">[^<]*</a> <strong class="in-force">', text)
    assert marked_as is not None
    assert marked_as[1] == HOLDEM


@pytest.mark.parametrize("name", sorted(BOOKS))
def test_a_book_has_its_rulings_options_clauses_and_diagram(stranger: Browser, name: str) -> None:
    answer = stranger.get(f"/rules/{name}")
    book = BOOKS[name]
    assert answer.status_code == 200
    assert book.digest in answer.text
    text = re.sub(r"&#39;", "'", answer.text)
    for row in book.rulings:
        assert row.text.replace("&", "&amp;") in text
    for option in book.options:
        assert f"<code>{option}</code>" in text
    assert 'id="clauses"' in text
    assert "<svg " in text
    assert 'aria-labelledby="d-title d-desc"' in text


@pytest.mark.parametrize("address", ["/rules", f"/rules/{HOLDEM}", f"/rules/{UTH}"])
def test_no_script_and_no_style_is_written_in_a_page_and_nothing_comes_from_elsewhere(
    stranger: Browser, address: str
) -> None:
    text = stranger.get(address).text
    assert not re.search(
        r"<script(?! type=\"module\" src=\"/static/(rules|band-alone)\.js\"></script>)|<style|\sstyle=|\son\w+=", text
    )
    assert all(target.startswith(("/", "#")) for target in re.findall(r'(?:src|href)="([^"]*)"', text))
    style = stranger.get("/rules/rules.css")
    assert style.headers["content-type"].startswith("text/css")
    assert ".d-box" in style.text
    assert "prefers-color-scheme: light" in stranger.get("/static/tokens.css").text
    assert "unsafe" not in style.headers["content-security-policy"]


def test_a_book_in_a_folder_has_no_script_and_no_search(stranger: Browser) -> None:
    text = RulePages(BOOKS, clause_lists(), IN_A_FOLDER).book(HOLDEM)
    assert text is not None
    assert not re.search('<script|id="search"', text)
    assert 'id="search"' in stranger.get(f"/rules/{HOLDEM}").text


def test_every_link_within_a_page_leads_somewhere(stranger: Browser) -> None:
    text = stranger.get(f"/rules/{HOLDEM}").text
    named = re.findall(r'\sid="([^"]+)"', text)
    assert len(set(named)) == len(named)
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(named)


def test_a_book_that_is_not_there(stranger: Browser) -> None:
    assert stranger.get("/rules/none").status_code == 404
    assert stranger.request("post", "/rules").status_code == 405


def test_the_page_links_the_rules(page: Page) -> None:
    assert 'href="/rules"' in Browser(page).get("/").text


def test_text_is_escaped_and_marked() -> None:
    assert marked("a `b` <c> **d**") == "a <code>b</code> &lt;c&gt; <strong>d</strong>"


def test_nothing_of_the_renderer_is_loaded_before_somebody_reads(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = "import sys, feltd.page.opening; print('feltd.books.html' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# -- made once


def test_a_page_is_made_once_however_many_ask_at_once(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from feltd.books.html import RulePages

    made: list[str] = []
    book = RulePages.book

    def counted(pages: RulePages, name: str) -> str | None:
        made.append(name)
        return book(pages, name)

    monkeypatch.setattr(RulePages, "book", counted)
    stranger = Browser(page, address="192.0.2.7")

    async def scene() -> set[bytes]:
        return {
            answer.content for answer in await asyncio.gather(*(stranger.ask("get", f"/rules/{UTH}") for _ in range(9)))
        }

    assert len(asyncio.run(scene())) == 1
    assert made == [UTH]


@pytest.mark.parametrize("address", ["/rules", "/rules/rules.css", f"/rules/{HOLDEM}", "/static/page.css"])
def test_a_browser_that_has_a_page_is_told_that_it_still_holds(stranger: Browser, address: str) -> None:
    plain = stranger.get(address, {"accept-encoding": "identity"})
    small = stranger.get(address, {"accept-encoding": "br;q=1, gzip"})
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert int(small.headers["content-length"]) < len(plain.content) == len(small.content)
    assert plain.content == small.content
    assert plain.headers["etag"] != small.headers["etag"]
    for answer, encoding in ((plain, "gzip;q=0"), (small, "gzip")):
        again = {"accept-encoding": encoding, "if-none-match": f'"other", W/{answer.headers["etag"]}'}
        held = stranger.get(address, again)
        assert (held.status_code, held.content, held.headers["etag"]) == (304, b"", answer.headers["etag"])
        assert held.headers["vary"] == "accept-encoding"
    assert stranger.get(address, {"if-none-match": '"other"'}).status_code == 200


def test_what_is_made_of_the_table_or_of_peoples_words_is_not_compressed(page: Page) -> None:
    """Its size must not tell how what one has written resembles what lies beside it."""
    director = Browser(page, page.session(Role.DIRECTOR))
    paths = page.api.openapi()["paths"]
    reads = [f"/api/v1{path}" for path, ways in paths.items() if "get" in ways and "{" not in path]
    for address in ["/", "/history", "/metrics", *reads]:
        # the words of the closed sets are the same for everybody
        if address not in {"/api/v1/stream", "/api/v1/events", "/api/v1/vocabulary"}:
            assert "content-encoding" not in director.get(address, {"accept-encoding": "gzip"}).headers, address
