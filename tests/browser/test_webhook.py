"""Bookmarks on their way to the cameras, as the page tells it: no receiver, one that takes, refuses, and is away."""

import asyncio
import hmac
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from feltd.page.opening import begin_sending
from feltd.page.settings import PageSettings, WebhookSettings
from table_fsm.events import FloorCalled
from tests.browser.conftest import sign_in
from tests.browser.served import Served
from tests.feltd.page_support import Page as TablePage
from tests.feltd.page_support import limits
from tests.ports import free_port

KEY = b"k" * 32


class Cameras:
    """A receiver on loopback, at an address that stays its own while it is away. `status`: what it answers."""

    def __init__(self) -> None:
        self.port = free_port()
        self.status = 204
        self.got: list[tuple[dict[str, str], bytes]] = []
        self._server: HTTPServer | None = None
        self._thread: threading.Thread | None = None

    def come(self) -> None:
        """Listen."""
        cameras = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                cameras.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(cameras.status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's own name
                """Say nothing."""

        self._server = HTTPServer(("127.0.0.1", self.port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def go(self) -> None:
        """Listen no longer."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            self._server = None


@pytest.fixture
def cameras() -> Iterator[Cameras]:
    made = Cameras()
    made.come()
    yield made
    made.go()


@pytest.fixture
def sending(table: Served, cameras: Cameras, tmp_path: Path) -> Iterator[None]:
    """The table's page sends to the cameras."""
    file = tmp_path / "webhook.key"
    file.write_bytes(KEY)
    own = tmp_path / "own"
    own.mkdir()
    webhook = WebhookSettings(f"http://127.0.0.1:{cameras.port}/marks?token=k7q2z9", file)
    settings = PageSettings("Table 7", "127.0.0.1", 0, own / "accounts.json", own, limits(), webhook=webhook)
    made: Future[asyncio.Task[None]] = Future()

    def begin(page: TablePage) -> None:
        sender = begin_sending(settings, page.door, page.feed, page.deliveries)
        assert sender is not None
        made.set_result(asyncio.get_running_loop().create_task(sender.run()))

    table.do(begin)
    yield
    table.do(lambda page: made.result().cancel())


def test_a_table_without_a_receiver_says_so_to_those_who_may_export(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SURVEILLANCE, "/history")
    expect(tab.locator("#sending")).to_have_text(
        "No other system is told of bookmarks: the table's file has no [page.webhook]."
    )


def test_an_observer_is_not_told_where_bookmarks_go(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER, "/history")
    expect(tab.locator("#found tr").first).to_be_visible()
    expect(tab.locator("#sending")).to_be_hidden()
    assert tab.request.get(f"{table.address}/api/v1/bookmarks/sending").status == 403


@pytest.mark.usefixtures("sending")
def test_a_bookmark_arrives_signed_and_a_refused_one_is_told(tab: Page, table: Served, cameras: Cameras) -> None:
    sign_in(tab, table, Role.SURVEILLANCE, "/history")
    told = tab.locator("#sending")
    expect(told).to_have_text(f"Bookmarks are sent to http://127.0.0.1:{cameras.port}.")
    table.take(FloorCalled, by="dealer")
    expect(told).to_contain_text("The last one was taken at")
    headers, body = cameras.got[0]
    mark = json.loads(body)
    assert (mark["table"], mark["kind"], mark["what"]) == ("Table 7", "alarm", "Floor called")
    signed = hmac.new(KEY, headers["x-feltd-timestamp"].encode() + b"." + body, "sha256").hexdigest()
    assert headers["x-feltd-signature"] == f"sha256={signed}"
    expect(told).to_contain_text(f"entry {mark['entry']}.")
    expect(told).not_to_have_class("quiet down")

    cameras.status = 400
    table.take(FloorCalled, by="dealer")
    expect(told).to_contain_text("1 refused for good and left out")
    expect(told).to_contain_text("127.0.0.1 answers 400. The list has them.")
    expect(told).to_have_class("quiet down")
    assert "k7q2z9" not in tab.content()


@pytest.mark.usefixtures("sending")
def test_a_receiver_that_is_away_is_told_until_it_is_back(tab: Page, table: Served, cameras: Cameras) -> None:
    cameras.go()
    sign_in(tab, table, Role.SUPERVISOR, "/history")
    told = tab.locator("#sending")
    table.take(FloorCalled, by="dealer")
    expect(told).to_contain_text("has not been taken yet: 127.0.0.1: ")
    expect(told).to_have_class("quiet down")
    cameras.come()
    expect(told).to_contain_text("The last one was taken at")
    expect(told).not_to_contain_text("not been taken yet")
    assert json.loads(cameras.got[-1][1])["what"] == "Floor called"
