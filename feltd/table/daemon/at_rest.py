"""A text for the dealer's display that can wait: it covers no ruling, no signature and no cause of a stop."""

from collections.abc import Callable
from typing import Final

from feltd.table.keeper.keeper import TableKeeper
from feltd.table.links.indicating import Indicating

SHOWN_SECONDS: Final = 60.0


class TextAtRest:
    """Shows a text once, between rounds, where the display has nothing that somebody waits for."""

    def __init__(self, keeper: TableKeeper, indicating: Indicating, signs: Callable[[], bool]) -> None:
        """`signs`: whether a signature is asked for."""
        self._keeper = keeper
        self._indicating = indicating
        self._signs = signs
        self._text: str | None = None
        self._until: float | None = None

    def say(self, text: str) -> None:
        """Show this text now, or as soon as nothing else is to be read."""
        self._text = text
        self.beat()

    def beat(self) -> None:
        """Show what waits where it may be shown, and what the table has to say when that time is over.

        Call it once a second.
        """
        now = self._keeper.now
        if self._until is not None and now >= self._until:
            self._until = None
            self._indicating.set_again()
        if self._text is not None and self._is_free:
            self._indicating.show({"display": {"text": self._text, "rule": None}})
            self._text, self._until = None, now + SHOWN_SECONDS

    @property
    def _is_free(self) -> bool:
        if self._keeper.stopped is not None or self._indicating.put_back or self._signs():
            return False
        return self._keeper.between_rounds and not self._keeper.table.view()["pending"]
