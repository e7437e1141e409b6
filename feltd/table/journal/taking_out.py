"""What is taken out of an entry's body to be sealed: by the kind of field, never by what it says."""

from collections.abc import Collection
from typing import Any

from feltd.record.sealing import CARDS_OF, is_public
from table_fsm.events import Event


def take_out_cards(event: Event, body: dict[str, Any]) -> dict[str, Any] | None:
    """The face-down cards of an event, by field; they are None in `body` from then on. None where none can be."""
    names = CARDS_OF.get(type(event))
    if names is None or is_public(event):
        return None
    for name in names:  # always last, so that not even the order tells a card read from one not read
        body.pop(name, None)
        body[name] = None
    return {name: getattr(event, name) for name in names}


def take_out_words(
    body: dict[str, Any], words: Collection[str], number: int | None, open_rounds: tuple[int, ...]
) -> tuple[int | None, dict[str, Any] | None]:
    """Take the words out of a body; return the round they are sealed with, and them by name, None for none.

    `number`: the entry's round. Which fields are words depends on the kind of entry, and whether they are sealed on
    whether a round is open: never on what they say.
    """
    if not open_rounds or body.keys().isdisjoint(words):
        return number, None
    fields = {name: body[name] for name in sorted(words) if name in body}
    body.update(dict.fromkeys(fields))
    return (number if number in open_rounds else open_rounds[-1]), fields
