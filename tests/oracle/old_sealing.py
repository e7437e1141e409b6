"""Sealing as it was up to version 0.2, which hangs on what an entry says: the leak that the program has to find."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from feltd.record import drafts
from feltd.record.drafts import Draft
from feltd.record.entries import Row
from feltd.table.journal.journal import Journal
from feltd.table.journal.rounds import OpenRounds
from table_fsm.events import Event
from table_fsm.table import Table

_CARD_NAME: Final = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][shdc](?![A-Za-z0-9])")


@contextmanager
def sealed_by_content() -> Iterator[None]:
    """Words stay in clear, and an entry is sealed whole where it names a card that is face down."""
    hidden: dict[Any, set[str]] = {}

    def to_row(draft: Draft) -> Row:
        key = draft.round_key
        if key is None:
            return drafts.to_row(draft)
        down = hidden.setdefault(key, set())
        secret = dict(draft.secret or {})
        words = {
            name: value for name, value in secret.items() if name not in {"card", "missing", "foreign", "duplicate"}
        }
        if not words:
            down.update(card for card in secret.values() if isinstance(card, str))
            return drafts.to_row(draft)
        body = json.dumps({**json.loads(draft.body), **words})
        if down.isdisjoint(_CARD_NAME.findall(body)):
            return drafts.to_row(draft._replace(body=body, round_key=None, secret=None))
        return drafts.to_row(draft._replace(body="{}", secret=json.loads(body)))

    with patch("feltd.table.journal.writer.to_row", to_row):
        yield


@contextmanager
def published_whole() -> Iterator[None]:
    """The end of a round opens every card of it, shown or not, as before edition 2."""
    published = OpenRounds._published

    def whole(rounds: OpenRounds, used: Any) -> dict[str, Any]:
        used.words |= used.cards
        return published(rounds, used)

    with patch.object(OpenRounds, "_published", whole):
        yield


@contextmanager
def counted_in_clear() -> Iterator[None]:
    """A snapshot counts in clear the cards that readers saw, as before edition 2."""
    snapshot = Table.snapshot
    with (
        patch.object(Table, "snapshot", lambda table, counts: snapshot(table)),
        patch("feltd.table.keeper.keeper.gives_its_state", lambda *_: True),
    ):
        yield


@contextmanager
def refused_by_content() -> Iterator[None]:
    """A refusal that hangs on a hidden card: a note is not taken where it names one that has come out of the shoe."""
    hidden: dict[int, set[str]] = {}
    append_event, append_note = Journal.append_event, Journal.append_note

    def noticed(journal: Journal, event: Event, **place: Any) -> int:
        hidden.setdefault(id(journal), set()).add(str(getattr(event, "card", None)))
        return append_event(journal, event, **place)

    def refused(journal: Journal, note: str, details: Any = None, **place: Any) -> int:
        if hidden.get(id(journal), set()) & set(_CARD_NAME.findall(str(details))):
            raise ValueError("it names a card")
        return append_note(journal, note, details, **place)

    with patch.object(Journal, "append_event", noticed), patch.object(Journal, "append_note", refused):
        yield
