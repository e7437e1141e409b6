"""How the bookmarks fare that the page sends to another system: where to, what was taken, what was not and why."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from feltd.text.catalogue import refusal, say
from feltd.text.zone import moment

KEPT: Final = 200
"""Characters of a reason: a receiver cannot fill the page."""


@dataclass(slots=True)
class Deliveries:
    """What the page remembers of its sending, since it started. It is empty where the table's file has no receiver."""

    receiver: str | None = None
    """Scheme, host and port. Path and query of an address may be a secret, and are left out."""
    fault: str | None = None
    """Why nothing can be sent."""
    taken: int | None = None
    """The entry of the last bookmark that was taken."""
    taken_at: float | None = None
    """When that was, in seconds since 1970."""
    waiting: int | None = None
    """The entry of the bookmark that has not been taken yet, and is sent again."""
    why: str | None = None
    """Why it was not taken the last time."""
    refused: int = 0
    """How many were refused for good."""
    refused_last: int | None = None
    refused_why: str | None = None
    too_old: tuple[int, int] | None = None
    """The entries whose bookmarks an outage has made too old to be sent, the first and the last of them."""

    def begin(self, url: str) -> None:
        """Note where bookmarks are sent."""
        parts = urlsplit(url)
        self.receiver = f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")

    def cannot(self, fault: str) -> None:
        """Note why nothing can be sent."""
        self.fault = fault

    def is_taken(self, entry: int, wall: float) -> None:
        """Note that the receiver has taken a bookmark."""
        self.taken, self.taken_at, self.waiting, self.why = entry, wall, None, None

    def waits(self, entry: int, why: str) -> None:
        """Note why a bookmark was not taken; it is sent again."""
        self.waiting, self.why = entry, why[:KEPT]

    def is_refused(self, entry: int) -> None:
        """Note that the bookmark that waits was refused for good and is left out."""
        self.refused, self.refused_last, self.refused_why = self.refused + 1, entry, self.why
        self.waiting, self.why = None, None

    def are_too_old(self, first: int, last: int) -> None:
        """Note which entries are left out because they can be read back no more."""
        self.too_old = (first, last)

    def in_words(self) -> list[str]:
        """Return all of it as sentences, in the language that is spoken."""
        if self.receiver is None:
            return [say("No other system is told of bookmarks: the table's file has no [page.webhook].")]
        if self.fault is not None:
            return [
                say("Bookmarks are not sent to {receiver}: {why}.", receiver=self.receiver, why=refusal(self.fault))
            ]
        said = [say("Bookmarks are sent to {receiver}.", receiver=self.receiver), *self._last()]
        if self.waiting is not None:
            why = refusal(self.why or "")
            said.append(
                say("Entry {entry} has not been taken yet: {why}. It is sent again until it is taken.",
                    entry=self.waiting, why=why)
            )  # fmt: skip
        if self.refused:
            why = refusal(self.refused_why or "")
            said.append(
                say("{count} refused for good and left out, the last one entry {entry}: {why}. The list has them.",
                    count=self.refused, entry=self.refused_last, why=why)
            )  # fmt: skip
        if self.too_old is not None:
            first, last = self.too_old
            said.append(
                say("Entries {first} to {last} are too old to be sent: export their list.", first=first, last=last)
            )
        return said

    def _last(self) -> list[str]:
        if self.taken is None:
            return []
        told = moment(self.taken_at)
        return [say("The last one was taken at {time}, entry {entry}.", time=told, entry=self.taken)]
