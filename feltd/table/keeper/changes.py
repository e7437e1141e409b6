"""News that something at the table has changed, for everybody who shows it."""

from collections.abc import Callable


class Changes:
    """Passes each change on. Belongs to the loop's thread."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[], None]] = []

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change."""
        self._listeners.append(listener)

    def tell(self) -> None:
        """Something has changed."""
        for listener in self._listeners:
            listener()
