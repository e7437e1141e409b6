"""Many tables, one floor and a nemesis, in one process and from one seed: no clock, no socket, no other chance.

Messages are lost, doubled and put out of order, connections and the floor's daemon end, the floor is put back to a
backup, tables' cards are copied or put back to an old image. What must hold is said at `World.judge` and
`World.judge_at_rest`.
"""

import hashlib
import random
from dataclasses import dataclass, field

from feltd.custody.errors import CustodyError
from feltd.custody.messages import FROM_FLOOR, FROM_TABLE, Beat, Hello, Stand, Time, from_bytes, to_bytes
from feltd.custody.rows import chains_of
from feltd.floor.custody import Session
from feltd.floor.engine import Alarm, AlarmKind, Appended, Batch
from feltd.floor.memory import Backup, MemoryEngine
from feltd.record.entries import chain_start
from feltd.record.signed_heads import HeadLines
from feltd.uplink.sending import Sender, Told
from tests.floor.custody_support import FakeJournal, at_once

OF_A_FORK = frozenset({AlarmKind.FORK, AlarmKind.PUT_BACK})


class BrokenInvariantError(AssertionError):
    """Something that must hold does not."""


@dataclass(frozen=True)
class Parts:
    """What is simulated; a mutant has another class in one place."""

    engine: type[MemoryEngine] = MemoryEngine
    session: type[Session] = Session
    sender: type[Sender] = Sender


@dataclass
class Link:
    """A connection. `asked`: the table waits for an answer."""

    sender: Sender
    session: Session
    up: list[bytes] = field(default_factory=list)
    down: list[bytes] = field(default_factory=list)
    asked: bool = False


@dataclass
class Card:
    """A board with a card in it: `table` is whose certificate it has."""

    table: str
    journal: FakeJournal
    link: Link | None = None
    told: Told = field(default_factory=Told)
    """What the uplink remembers over connections."""


class World:
    """Everything, at one moment."""

    def __init__(self, seed: int, tables: int, parts: Parts | None = None) -> None:
        self.chance = random.Random(seed)
        self.parts = parts or Parts()
        self.engine = self.parts.engine(lambda: 0.0)
        self.cards = [Card(f"table {number}", FakeJournal(number)) for number in range(1, tables + 1)]
        self.suspects: set[bytes] = set()
        """Journals of which there may be two histories."""
        self.histories: dict[bytes, list[list[bytes]]] = {}
        """Every history that a journal ever had, where a card was put back."""
        self.heads: dict[bytes, Stand] = {}
        self.most: dict[bytes, int] = {}
        """The last entry of each journal that the floor has ever said it has."""
        self.backup: Backup = self.engine.saved()
        self.trace = hashlib.sha256()
        self.count = 0

    # -- what happens

    def step(self, *, calm: bool = False) -> None:
        """One thing happens, to one card or to all. `calm`: nothing goes wrong."""
        card = self.chance.choice(self.cards)
        what = self.chance.random()
        if what < 0.25 and not calm:
            card.journal.play(self.chance.randint(1, 12))
            if self.chance.random() < 0.15:
                card.journal.sign()
        elif what < 0.5:
            self.look(card)
        elif what < 0.97 or calm:
            self.deliver(card, calm=calm)
        else:
            self.go_wrong(card)

    def go_wrong(self, card: Card) -> None:
        """The nemesis does the worst that it can think of."""
        what = self.chance.randrange(12)
        if what < 5:
            card.link = None
        elif what < 7:  # floord ends: it had no state
            for one in self.cards:
                one.link = None
        elif what < 8:
            self.backup = self.engine.saved()
        elif what < 9:  # with or without an end of the connections: a standby that was behind takes over
            self.engine.put_back(self.backup)
            self.backup = self.engine.saved()
            self.heads.clear()
            for one in self.cards if self.chance.random() < 0.5 else []:
                one.link = None
        elif what < 10:
            self.copy(card)
        elif what < 11 and card.journal.rows:
            self.put_back(card)

    def copy(self, card: Card) -> None:
        """Somebody copies a card, certificate and all, and another board goes on with it."""
        twin = FakeJournal(0)
        twin.journal_id = card.journal.journal_id
        twin.rows, twin.chains = list(card.journal.rows), list(card.journal.chains)
        twin.signed = list(card.journal.signed)
        self.count += 1
        twin.history = self.count
        self.suspects.add(twin.journal_id)
        self.cards.append(Card(card.table, twin))

    def put_back(self, card: Card) -> None:
        """A card is put back to an old image of itself, and goes on from there."""
        self.histories.setdefault(card.journal.journal_id, []).append(list(card.journal.rows))
        self.suspects.add(card.journal.journal_id)
        self.count += 1
        card.journal.history = self.count
        card.journal.cut(self.chance.randrange(len(card.journal.rows)))
        card.link = None

    # -- the wire

    def look(self, card: Card) -> None:
        """An uplink does what it would do next."""
        if card.link is None:
            session = self.parts.session(card.table, self.engine, self._append, lambda: 0.0)
            card.link = Link(self.parts.sender(card.journal, lambda words: None, card.told), session)
            card.link.up.append(to_bytes(card.link.sender.hello("a simulation")))
            card.link.asked = True
            return
        if card.link.asked or card.link.sender.stand is None:
            return
        looked, heads = card.link.sender.look(), card.link.sender.heads() or HeadLines(0, ())
        card.link.up.append(to_bytes(looked.rows or Beat(0.0, looked.head, heads_at=heads.at, heads=heads.lines)))
        card.link.asked = True

    def deliver(self, card: Card, *, calm: bool) -> None:
        """One message arrives, or what happens to messages happens to it."""
        link = card.link
        if link is None:
            return
        way = link.up if link.up and (not link.down or self.chance.random() < 0.5) else link.down
        if not way:
            if link.asked:  # the answer was lost: the table has waited long enough
                card.link = None
            return
        at = 0 if calm else self.chance.randrange(len(way))
        data = way[at] if not calm and self.chance.random() < 0.1 else way.pop(at)
        if not calm and self.chance.random() < 0.1:
            return
        self.trace.update(data)
        if way is link.up:
            try:
                message = from_bytes(data, FROM_TABLE)
                answer = at_once(link.session.take(message))
            except CustodyError:  # refused: rows before hello
                card.link = None
                return
            link.down.append(to_bytes(answer))
            if isinstance(message, Hello):
                self.judge_gap(message, answer)
            self.most[card.journal.journal_id] = max(self.most.get(card.journal.journal_id, 0), answer.seq)
            self.judge(card.journal.journal_id)
            return
        heard: Stand | Time = from_bytes(data, FROM_FLOOR)
        link.asked = False
        link.sender.heard(heard if isinstance(heard, Stand) else heard.stand)

    async def _append(self, batch: Batch) -> Appended:
        [appended] = await self.engine.append_many([batch])
        return appended

    # -- what must hold

    def judge(self, journal: bytes) -> None:
        """Hold always: what is kept is the beginning of one history, acknowledged entries stay, no fork is invented."""
        kept = self.engine.journals.get(journal)
        if kept is None:
            return
        rows = [row for batch in kept.batches for row in batch.rows]
        known = [card.journal.rows for card in self.cards if card.journal.journal_id == journal]
        known += self.histories.get(journal, [])
        if not any(history[: len(rows)] == rows for history in known):
            raise BrokenInvariantError("what is kept is no beginning of a history that was played")
        if kept.stand.seq != len(rows):
            raise BrokenInvariantError("the head is not the last row's")
        before = self.heads.get(journal)
        if before is not None and kept.stand.seq < before.seq:
            raise BrokenInvariantError("what was acknowledged is gone")
        if before is not None and before.forked and (kept.stand.seq != before.seq or not kept.stand.forked):
            raise BrokenInvariantError("something was added behind a fork")
        self.heads[journal] = kept.stand
        if kept.stand.forked and journal not in self.suspects:
            raise BrokenInvariantError("a fork was alarmed, and no card was copied or put back")
        kinds = {alarm.kind for alarm in self.engine.kept_alarms if alarm.journal == journal}
        if any(self._is_gap(one, journal) and one.seq >= self.most[journal] for one in self.engine.kept_alarms):
            raise BrokenInvariantError("a gap was alarmed, and the floor has never said that it had more")
        if AlarmKind.HEADS in kinds and journal not in self.suspects:
            raise BrokenInvariantError("a head was alarmed, and no card was copied or put back")
        chains = chains_of(chain_start(journal), rows) if kept.heads else []
        if any(chains[head.seq] != head.chain for head in kept.heads):
            raise BrokenInvariantError("a head is kept that is not of what is kept")

    def judge_gap(self, hello: Hello, answer: Stand | Time) -> None:
        """Hold at each hello: a floor that ends before what it told the table is alarmed."""
        gaps = {alarm.seq for alarm in self.engine.kept_alarms if self._is_gap(alarm, hello.journal)}
        if hello.heard > answer.seq and not answer.forked and answer.seq not in gaps:
            raise BrokenInvariantError("a floor that was put back was not alarmed")

    @staticmethod
    def _is_gap(alarm: Alarm, journal: bytes) -> bool:
        return (alarm.journal, alarm.kind) == (journal, AlarmKind.GAP)

    def rest(self) -> None:
        """The nemesis goes home, and every table says all that it has to say; nothing more is played."""
        for _ in range(400):
            for card in self.cards:
                self.look(card)
                while card.link is not None and (card.link.up or card.link.down):
                    self.deliver(card, calm=True)
                if card.link is not None and card.link.asked:
                    card.link = None
            if all(self.settled(card) for card in self.cards):
                return
        raise BrokenInvariantError("the tables do not come to rest")

    def settled(self, card: Card) -> bool:
        """Whether the floor has all of a card's entries, or has said that there are two histories."""
        kept = self.engine.journals.get(card.journal.journal_id)
        if kept is None:
            return False
        head = (len(card.journal.rows), card.journal.chains[-1])
        lines = [] if kept.signed is None else [str(line) for line in kept.heads]
        signed = lines == card.journal.signed[1:] or card.journal.journal_id in self.suspects
        return kept.stand.forked or ((kept.stand.seq, kept.stand.chain) == head and signed)

    def judge_at_rest(self) -> None:
        """Hold at rest: every journal is whole on the floor, or alarmed, with both histories kept."""
        for card in self.cards:
            self.judge(card.journal.journal_id)
            kept = self.engine.journals[card.journal.journal_id]
            alarms = {alarm.kind for alarm in self.engine.kept_alarms if alarm.journal == card.journal.journal_id}
            if kept.stand.forked and not (alarms & OF_A_FORK and kept.forks):
                raise BrokenInvariantError("a fork without an alarm, or without the other history")
            if not self.settled(card):
                raise BrokenInvariantError("a table's head is not the floor's")


def play(seed: int, *, tables: int, steps: int, parts: Parts | None = None) -> str:
    """Play one seed to its end; return the digest of all that was said. Raises BrokenInvariantError."""
    world = World(seed, tables, parts)
    for _ in range(steps):
        world.step()
    world.rest()
    world.judge_at_rest()
    return world.trace.hexdigest()
