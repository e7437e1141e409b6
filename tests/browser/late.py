"""Answers that a test holds back: the server has given them, and the page gets them when the test says so."""

from playwright.sync_api import APIResponse, Page, Route


class Late:
    """The answer to a tab's next request to an address."""

    def __init__(self, tab: Page, address: str) -> None:
        self._tab = tab
        self._held: list[tuple[Route, APIResponse]] = []
        tab.route(address, self._hold, times=1)

    def _hold(self, route: Route) -> None:
        self._held.append((route, route.fetch()))

    def given(self) -> None:
        """Wait until the server has answered."""
        while not self._held:
            self._tab.title()

    def come(self) -> None:
        """Let the page have it, and do what it does with it."""
        self.given()
        route, answer = self._held.pop()
        with self._tab.expect_response(route.request.url) as told:
            route.fulfill(response=answer)
        told.value.finished()
        self._tab.evaluate("fetch('/healthz').then((answer) => answer.text())")
