"""Notices of changes at the table, for all parts that show it."""

from collections.abc import Callable


class Changes:
    """Passes each change on to its listeners.

    Belongs to the loop's thread.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[], None]] = []

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change."""
        self._listeners.append(listener)

    def tell(self) -> None:
        """Tell all listeners that something has changed."""
        for listener in self._listeners:
            listener()
