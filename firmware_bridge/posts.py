"""Posts: levels to set on a device. The latest of a name wins; all are sent in each session."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from firmware_bridge.errors import MessageError
from firmware_bridge.limits import POST_NAMES_MAX
from firmware_bridge.messages import Post

Encode = Callable[[Post], bytes]


class PostBook:
    """The latest post of each name, and which are unsent in this session, longest waiting first."""

    def __init__(self) -> None:
        self._encode: Encode = Post.to_bytes
        self._latest: dict[str, tuple[Post, bytes]] = {}
        self._unsent: dict[str, None] = {}

    def put(self, name: str, args: Mapping[str, Any]) -> None:
        """Set a post. Raises MessageError for what cannot travel, or for too many names.

        Without a session it is judged as in the last one, before the first as in version 1.
        """
        post = Post(name, dict(args))
        message = post, self._encode(post)
        if name not in self._latest and len(self._latest) >= POST_NAMES_MAX:
            raise MessageError(f"post {name!r}: {POST_NAMES_MAX} other names are in use: use fewer, with arguments")
        # Taken out and put in again, so that the order is that of the latest of each.
        self._latest.pop(name, None)
        self._latest[name] = message
        self._unsent.pop(name, None)
        self._unsent[name] = None

    def begin(self, encode: Encode) -> None:
        """Begin a session: every post is to be sent again, but one that is longer than this device takes."""
        self._encode = encode
        self._unsent = {}
        for name, (post, _) in self._latest.items():
            with suppress(MessageError):
                self._latest[name] = post, encode(post)
                self._unsent[name] = None

    def next(self) -> bytes | None:
        """The next message to send, which counts as sent; None if all are."""
        if not self._unsent:
            return None
        name = next(iter(self._unsent))
        del self._unsent[name]
        return self._latest[name][1]
