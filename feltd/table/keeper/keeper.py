"""The keeper of the table: takes every event, one by one, to table, indicators and record.

For each event, in this order: the table answers; indicators are told at once; event and answers go to the journal as
one. When the journal has synced it, its device is told to forget it.

**Play stops** when the record cannot be kept: the gate is shut, lamps and page say why. Events that come meanwhile are
still taken while the journal has room for them in memory; after that they wait here untaken, and nothing is
acknowledged, so that devices keep them. The journal is tried again until it takes them.
"""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol

from devices.errors import DeviceError
from feltd.door import Answer, Answered, GivenRuling, Person, PlayStopped
from feltd.record import Source
from feltd.record.notes import (
    BAD_MESSAGE_NOTE,
    BY_HAND_NOTE,
    CLOCK_SET_NOTE,
    SETTLED_NOTE,
    SNAPSHOT_NOTE,
    UNPROVEN_NOTE,
)
from feltd.table.journal import Journal, JournalState
from feltd.table.keeper.bad_messages import BadMessageBatch
from feltd.table.keeper.clock import TableClock
from feltd.table.keeper.deliveries import Delivery, Tally
from feltd.table.keeper.pending_rulings import PendingRulings
from feltd.table.keeper.recovery import gives_its_state, snapshot_note
from feltd.table.keeper.reported_states import ReportedStates
from feltd.table.keeper.shown_ruling import ShownRuling
from feltd.text.errors import JournalError
from table_fsm.events import CardPlaced, CountsLost, Event, TableClose, TableOpen, TestMode, Tick
from table_fsm.felt import Phase
from table_fsm.outputs import Kind, Output, Refusal, Ruling
from table_fsm.table import Table

RULINGS_SHOWN: Final = 20
RESTING: Final[frozenset[Phase]] = frozenset({"closed", "checking_cards", "waiting", "complete", "misdeal", "void"})
"""Phases between two rounds, before the next shuffle: the table may be opened under another rulebook."""

_log = logging.getLogger("feltd.table")


class Indicators(Protocol):
    """The calls of the keeper to the bridge to the devices."""

    def observe(self, event: Event) -> None:
        """Note an event that the table has taken."""

    def send(self, outputs: Sequence[Output]) -> None:
        """Send outputs to the indicators at once."""

    def stop_play(self, why: str) -> None:
        """Shut the gate and show why."""

    def resume_play(self) -> None:
        """Let the table control the gate again."""

    def acknowledge(self, source: Source) -> None:
        """Tell the device that the record holds this event and all before it."""

    def fault(self, device: str, text: str, times: int = 1) -> None:
        """Report that a device broke the rules of its messages, `times` times in succession."""


class TableKeeper:
    """The keeper of one table.

    All methods belong to the loop's thread; none waits.
    """

    def __init__(
        self,
        table: Table,
        journal: Journal,
        clock: TableClock,
        indicators: Indicators,
        standing: ReportedStates,
        *,
        changed: Callable[[], None],
    ) -> None:
        self.table = table
        self.tally = Tally()
        self.rulings: deque[GivenRuling] = deque(maxlen=RULINGS_SHOWN)
        self.pending_rulings = PendingRulings(table)
        self.stopped: str | None = None
        """The reason why play is stopped while the record cannot be kept; else None."""
        self._journal = journal
        self._clock = clock
        self._indicators = indicators
        self._standing = standing
        self._changed = changed
        self._held: deque[Delivery] = deque()
        self._unsynced: deque[tuple[int, Source]] = deque()
        self._bad = BadMessageBatch()
        self._shown_ruling = ShownRuling(table.waiting)
        self._round_number = table.round_number
        self._named: tuple[int, str | None] | None = None
        """The round and the rulebook's digest that the record names last, in an event of this start."""
        self._opening: TableOpen | None = None
        self._seats_stay = False
        self._listeners: list[Callable[[Event, Sequence[Output]], None]] = []
        self._followers: list[Callable[[Sequence[Answer]], None]] = []

    # -- what comes in

    def deliver(self, delivery: Delivery) -> None:
        """Take a delivery now, or hold it while the journal takes nothing."""
        if not self._taking:
            self._held.append(delivery)
            self._stop("the record falls behind: the disk does not take what happens at the table")
            return
        self._take_delivery(delivery)

    def count_anew(self) -> None:
        """Begin to count the cards of each pack anew: a `counts.lost`, which the record keeps like any other event."""
        with self._journal.together():
            self._take(CountsLost(t=self._clock.now()), None)

    def beat(self) -> None:
        """Pass time if a deadline has come, and note a step of the wall clock; call each second."""
        step = self._clock.wall_step()
        if step is not None:
            self.tally.clock_steps += 1
            self.tally.clock_step = step
            _log.warning("the wall clock was set by %.3f s", step)
            self._journal.append_note(CLOCK_SET_NOTE, {"seconds": round(step, 6)})
        if self._taking:
            for device in tuple(self._bad.waiting):
                with self._journal.together():
                    self._take_gathered(device, self._clock.now())
        deadline = self.table.next_deadline()
        if not self._held and deadline is not None and self._clock.now() >= deadline:
            self.deliver(Delivery("the time", lambda t: [Tick(t=t)]))

    def open_with(self, opening: TableOpen, *, seats_stay: bool = False) -> None:
        """Open the table with this opening; no effect if it is in force already.

        At once if the table is closed or between two rounds, else after this round. The opening's `t` is ignored.
        `seats_stay`: whoever sits at an open table by then goes on sitting there, in place of the opening's seats.
        """
        self._seats_stay = seats_stay
        standing = self._standing.opening
        if self.table.rulebook is not None and standing is not None and same_play(standing, opening):
            self._opening = None
            return
        self._opening = opening
        self._open_if_possible()

    def stay_open(self) -> None:
        """Leave the table open as it is: an opening that waits for the end of the round is dropped."""
        self._opening = None

    def on_outputs(self, listener: Callable[[Event, Sequence[Output]], None]) -> None:
        """Call `listener` with each event taken and the table's outputs."""
        self._listeners.append(listener)

    def on_answers(self, listener: Callable[[Sequence[Answer]], None]) -> None:
        """Call `listener` with the answers to each event, once the record has entries for them."""
        self._followers.append(listener)

    def act(self, person: Person, why: str | None, event: Event, **details: str | int | None) -> Answered:
        """Take an event that a person has made at the page; its `t` is ignored.

        The record has who, from where, why and `details` in a note before the event. Raises PlayStopped while the
        record cannot be kept: an event taken later would meet another state than the person saw.
        """
        with self._journal.together():
            self.note_by_hand(person, event.ev, why, **details)
            outputs, entry = self._take(replace(event, t=self._clock.now()), None)
        self._open_if_possible()
        self._changed()
        refusals = [output.value.reason for output in outputs if isinstance(output.value, Refusal)]
        rulings = tuple(output.value.to_json() for output in outputs if isinstance(output.value, Ruling))
        return Answered(entry, refusals[0] if refusals else None, rulings, self.table.view()["prompt"])

    def note_by_hand(self, person: Person, act: str, why: str | None = None, **details: str | int | None) -> int:
        """Note a person's act that is no event of the table; return the entry.

        Raises PlayStopped as `act`.
        """
        if not self._taking:
            raise PlayStopped("the record cannot be kept now: nothing can be decided until it can")
        who = {"who": person.account, "role": person.role, "from": person.address, "what": act, "why": why}
        return self._journal.append_note(BY_HAND_NOTE, {**who, **details}, round_number=self.table.round_number)

    @property
    def between_rounds(self) -> bool:
        """Whether no round is in progress and no shuffle for one has begun."""
        return self.table.phase in RESTING

    @property
    def seats_may_change(self) -> bool:
        """Whether nobody is taken out of a round, or comes into one: a shuffled pack may wait for its cut.

        Where too few sit for a hand, it waits for them: without them nobody cuts.
        """
        return self.between_rounds or self.table.phase == "cutting"

    @property
    def waiting(self) -> int:
        """Number of deliveries not yet taken."""
        return len(self._held)

    @property
    def _taking(self) -> bool:
        """Whether deliveries are taken at once: none is held, and the record has room."""
        return not self._held and self._journal.health.accepting

    @property
    def now(self) -> float:
        """Table seconds now."""
        return self._clock.now()

    @property
    def standing(self) -> ReportedStates:
        """States that devices have reported and that still hold."""
        return self._standing

    # -- what the journal says

    def synced(self, seq: int) -> None:
        """Acknowledge events up to this entry, which are on the disk."""
        latest: dict[str, Source] = {}
        while self._unsynced and self._unsynced[0][0] <= seq:
            source = self._unsynced.popleft()[1]
            latest[source.device] = source
        for source in latest.values():
            self._indicators.acknowledge(source)
        if self._held:
            self._take_held()

    def journal_failed(self, error: JournalError) -> None:
        """Stop play, because the disk refuses writes."""
        _log.error("the record cannot be kept, play stops: %s", error)
        self._stop(str(error))

    def journal_recovered(self) -> None:
        """Let play go on, because the disk takes writes again and has all that was kept."""
        _log.warning("the record is kept again, play may go on")
        self._journal.append_note("the record was interrupted", {"why": self.stopped or ""})
        self._take_held()
        self._go_on()

    # -- one delivery

    def _take_held(self) -> None:
        while self._held and self._journal.health.accepting:
            self._take_delivery(self._held.popleft())
        if not self._held:
            self._go_on()

    def _take_delivery(self, delivery: Delivery) -> None:
        t = self._clock.now() if delivery.at is None else self._clock.at(delivery.at, self.table.last_t)
        # Between rounds a person waits for what they do to a device (an acceptance, a seat): only play wears a card.
        may_wait = delivery.kept_by_device and bool(self._journal.open_rounds)
        with self._journal.together(may_wait=may_wait):
            try:
                events = delivery.translate(t)
            except DeviceError as fault:
                self._take_bad(delivery, str(fault), t)
            else:
                self._take_events(events, delivery.source, t)
        if delivery.done is not None:
            delivery.done()
        self._open_if_possible()
        self._changed()

    def _take_events(self, events: Sequence[Event], source: Source | None, t: float) -> None:
        if source is not None:
            self._take_gathered(source.device, t)
            events = events or [
                Tick(t=t)
            ]  # the record names every event of a device, also one without meaning for the table
        last = len(events) - 1
        for number, event in enumerate(events):
            self._take(event, source if number == last else None)

    def _take_bad(self, delivery: Delivery, fault: str, t: float) -> None:
        """Note a message against the rules now, or gather it with those that follow."""
        if delivery.source is None:
            self._note_bad(delivery.about, fault, 1)
        elif self._bad.take(fault, delivery.source, t):
            self._take_gathered(delivery.source.device, t)

    def _take_gathered(self, device: str, t: float) -> None:
        """Note the gathered messages of a device before its next event."""
        bad = self._bad.release(device, t)
        if bad is not None:
            self._note_bad(device, bad.fault, bad.times)
            self._take(Tick(t=t), bad.last)

    def _note_bad(self, about: str, fault: str, times: int) -> None:
        self._indicators.fault(about, fault, times)
        self._journal.append_note(
            BAD_MESSAGE_NOTE, {"fault": fault} if times == 1 else {"fault": fault, "times": times}
        )

    def _take(self, event: Event, source: Source | None) -> tuple[Sequence[Output], int]:
        """Take one event; return the table's outputs and the event's last entry in the record."""
        outputs = self.table.apply(event)
        if outputs:
            self._indicators.send(outputs)
        self._indicators.observe(event)
        self._standing.observe(event)
        ruling_over = self._shown_ruling.ends(outputs, self.table)
        if ruling_over or isinstance(event, TestMode):
            self._indicators.send([output for output in self.table.indicators() if output.kind is Kind.DISPLAY])
        seq = self._record(event, outputs, source)
        self._count(event, outputs)
        if isinstance(event, CardPlaced) and event.card is None and source is not None:
            self.tally.unread[source.device] += 1
        for listener in self._listeners:
            listener(event, outputs)
        return outputs, seq

    def _record(self, event: Event, outputs: Sequence[Output], source: Source | None) -> int:
        table, journal = self.table, self._journal
        number = table.round_number
        book = table.rulebook
        digest = None if book is None else book.digest
        if number != self._round_number:
            self._round_number = number
            if (ended := journal.round_in_progress) is not None:  # the event ended that round and begins this one
                journal.end_round(ended)
            journal.begin_round(number)
        seq = last = journal.append_event(
            event, source=source, round_number=number, rulebook_digest=self._to_name(event, number, digest)
        )
        entries = []
        for output in outputs:  # under the rulebook of the event that it answers
            last = journal.append_output(output, round_number=number, rulebook_digest=None)
            entries.append(last)
        settled = self.pending_rulings.observe(event, outputs)
        if settled:
            last = journal.append_note(SETTLED_NOTE, {"rulings": settled}, round_number=number)
        if source is not None:
            self._unsynced.append((seq, source))
        if entries and self._followers:
            wall = self._clock.wall()
            answers = [
                Answer(entry, wall, number, output.kind.value, output.to_dict())
                for entry, output in zip(entries, outputs, strict=True)
            ]
            for follower in self._followers:
                follower(answers)
        if table.at_round_boundary:
            for open_round in journal.open_rounds:
                journal.end_round(open_round)
            last = self._keep_state(number, digest)
        return last

    def _to_name(self, event: Event, number: int, digest: str | None) -> str | None:
        """The digest where an event names it: the first of a round, of a start, after a state that was kept, of another
        rulebook, and each opening. In each entry its 32 bytes would be 3 % of what a memory card is sent, 8 % where
        events wait 10 s."""
        before, self._named = self._named, (number, digest)
        return None if before == self._named and not isinstance(event, TableOpen) else digest

    def _keep_state(self, number: int, digest: str | None) -> int:
        """Write the state between two rounds, if it gives this state when it is loaded again; return the last entry."""
        table, journal = self.table, self._journal
        snapshot = table.snapshot(counts=False)
        if not gives_its_state(table, snapshot, table.rulebooks):
            _log.error("the state after round %d is not given by its snapshot, which is not written", number)
            return journal.append_note(UNPROVEN_NOTE, round_number=number)
        self._named = None
        journal.append_note(SNAPSHOT_NOTE, snapshot_note(table, self._standing), round_number=number)
        return journal.append_snapshot(snapshot, round_number=number, rulebook_digest=digest)

    def _count(self, event: Event, outputs: Sequence[Output]) -> None:
        tally = self.tally
        tally.events[event.ev] += 1
        for output in outputs:
            tally.outputs[output.kind.value] += 1
            if isinstance(output.value, Ruling):
                self._ruled(output.value)
            elif isinstance(output.value, Refusal):
                tally.refused += 1
                _log.warning("refused: %s: %s", output.value.ev, output.value.reason)

    def _ruled(self, ruling: Ruling) -> None:
        self.tally.rulings[ruling.irregularity] += 1
        self.rulings.appendleft(GivenRuling(self._clock.wall(), ruling.to_json()))
        seat = "" if ruling.seat is None else f", seat {ruling.seat}"
        _log.info(
            "ruling %s: %s%s: %s (%s %s)%s",
            ruling.id, ruling.irregularity, seat, ruling.outcome, ruling.rulebook, ruling.rule,
            ", a person must decide" if ruling.pending else "",
        )  # fmt: skip

    # -- opening and stopping

    def _open_if_possible(self) -> None:
        opening = self._opening
        if opening is None or not self._taking:
            return
        view = self.table.view()
        if view["phase"] not in RESTING or view["pending"]:
            return
        self._opening = None
        if view["open"]:
            if self._seats_stay:
                opening = replace(opening, seats=[seat["seat"] for seat in view["seats"]])
            self._take_delivery(Delivery("the table", lambda t: [TableClose(t=t)]))
        self._take_delivery(Delivery("the table", lambda t: [_at(opening, t)]))

    def _stop(self, why: str) -> None:
        if self.stopped is None:
            self._indicators.stop_play(why)
        self.stopped = why
        self._changed()

    def _go_on(self) -> None:
        if self.stopped is None or self._held or self._journal.health.state is not JournalState.RUNNING:
            return
        self.stopped = None
        self._indicators.resume_play()
        self._changed()


def same_play(opening: TableOpen, other: TableOpen) -> bool:
    """Whether two openings are of one game at one table."""
    return (opening.rulebook, opening.options, sorted(opening.seats), opening.button) == (
        other.rulebook, other.options, sorted(other.seats), other.button,
    )  # fmt: skip


def _at(opening: TableOpen, t: float) -> TableOpen:
    return replace(opening, t=t, seats=list(opening.seats), options=dict(opening.options))
