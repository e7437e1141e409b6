"""Everything a running table's page stands on, put together: accounts, sessions, API, certificate."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI

from feltd.page.access.accounts import AccountBook
from feltd.page.access.sessions import Sessions
from feltd.page.access.signatures import Signatures
from feltd.page.access.signing_in import SigningIn
from feltd.page.addresses import hosts_for
from feltd.page.api.action_routes import Actions
from feltd.page.api.app import Parts, make_api
from feltd.page.api.feed import Feed, ReadBack
from feltd.page.api.guard import Guard
from feltd.page.api.signature_models import shown
from feltd.page.app import make_app
from feltd.page.certificate import Certificate, certificate_for
from feltd.page.history.desk import HistoryDesk
from feltd.page.hub import Hub
from feltd.page.rules_routes import add_rules
from feltd.page.state import TableFacts
from feltd.page.views import ShowPage
from feltd.record import EntryKind, JournalReader, Reveal, Span
from feltd.table.config.config import TableConfig
from feltd.table.journal import Journal
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.workshop.workshop import Workshop
from table_fsm.rulebook import Rulebook

READ_BACK_AT_MOST: Final = 2000
"""Answers read from the record in one turn."""

_log = logging.getLogger("feltd.page")


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page ready to be served."""

    app: FastAPI
    api: FastAPI
    guard: Guard
    state: Callable[[], dict[str, Any]]
    show: ShowPage
    """Renders a template."""
    pages: list[tuple[str, str, str]]
    """What every page links to: name, address, words."""
    feed: Feed
    desk: HistoryDesk
    certificate: Certificate | None


def open_page(
    config: TableConfig,
    facts: TableFacts,
    hub: Hub,
    keeper: TableKeeper,
    journal: Journal,
    workshop: Workshop,
    books: Mapping[str, Rulebook],
) -> OpenPage:
    """The page of a running table. Raises CertificateError, AccountError where its files cannot be used."""
    place = config.page
    certified = certificate_for(place, config.accounts_file.parent)
    accounts = AccountBook(config.accounts_file)
    if not len(accounts):
        _log.warning("nobody can sign in to the page yet: feltd user add NAME --role supervisor makes an account")
    sessions = Sessions(accounts, time.monotonic, idle=place.idle_minutes * 60.0)
    guard = Guard(
        SigningIn(accounts, sessions, time.monotonic),
        secure=certified is not None,
        open_on_loopback=place.open_on_loopback,
    )
    feed = Feed(_reading(journal.path), journal.health.appended)
    keeper.on_recorded(feed.record)
    desk = HistoryDesk(journal.path, books)
    actions = Actions(keeper, journal)
    signatures = Signatures(keeper, workshop.bridge, accounts, actions.waits_no_more)
    workshop.on_beat(signatures.expire)
    facts.signatures = lambda: shown(signatures, keeper.now)
    facts.test = workshop.tests.in_short
    api = make_api(
        Parts(guard, facts.state, keeper, hub, feed, actions, signatures, desk, workshop, facts.lag, time.time)
    )

    def metrics() -> bytes:
        from feltd.page.metrics import metrics_text

        return metrics_text(facts)

    app = make_app(api, guard, facts.state, desk, metrics=metrics, unwell=facts.unwell, hosts=hosts_for(place.host))
    add_rules(app, books, lambda: keeper.table.rulebook.id if keeper.table.rulebook else None)
    return OpenPage(
        app=app, api=api, guard=guard, state=facts.state, show=app.state.show, pages=app.state.pages, feed=feed,
        desk=desk, certificate=certified,
    )  # fmt: skip


def _reading(path: Path) -> ReadBack:
    """Answers out of the record, as far as they are on the disk: what is sealed there stays so."""

    def read(after: int, until: int) -> list[tuple[int, str, dict[str, Any]]]:
        found: list[tuple[int, str, dict[str, Any]]] = []
        with JournalReader.open(path) as reader:
            for entry in reader.entries(Span(after=after, until=until, kind=EntryKind.OUTPUT), reveal=Reveal.NOTHING):
                said = {"seq": entry.seq, "wall": entry.wall, "round": entry.round, **(entry.body or {})}
                found.append((entry.seq, entry.name, said))
                if len(found) >= READ_BACK_AT_MOST:
                    break
        return found

    return read
