"""Posts: levels to set on a device. The latest of a name wins; all are sent in each session."""

from collections.abc import Mapping
from typing import Any

from firmware_bridge.errors import MessageError
from firmware_bridge.limits import POST_NAMES_MAX
from firmware_bridge.messages import Post


class PostBook:
    """The latest post of each name, and which are unsent in this session, longest waiting first."""

    def __init__(self) -> None:
        self._latest: dict[str, bytes] = {}
        self._unsent: dict[str, None] = {}

    def put(self, name: str, args: Mapping[str, Any]) -> None:
        """Set a post. Raises MessageError for what cannot travel, or for too many names."""
        message = Post(name, dict(args)).to_bytes()
        if name not in self._latest and len(self._latest) >= POST_NAMES_MAX:
            raise MessageError(f"post {name!r}: {POST_NAMES_MAX} other names are in use: use fewer, with arguments")
        # Taken out and put in again, so that the order is that of the latest of each.
        self._latest.pop(name, None)
        self._latest[name] = message
        self._unsent.pop(name, None)
        self._unsent[name] = None

    def begin(self) -> None:
        """Begin a session: every post is to be sent again."""
        self._unsent = dict.fromkeys(self._latest)

    def next(self) -> bytes | None:
        """The next message to send, which counts as sent; None if all are."""
        if not self._unsent:
            return None
        name = next(iter(self._unsent))
        del self._unsent[name]
        return self._latest[name]
