"""The ways in which a table may see the same clean rounds."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from feltd.books.moments.croupier import StuckError
from feltd.books.moments.layout import Deed
from feltd.books.moments.setting import Setting
from feltd.books.moments.stream import Stream
from table_fsm.felt import BETWEEN_ROUNDS, SEAT_OF, Built
from table_fsm.rulebook import Rulebook
from tests.readings.random_rounds import session

ROUNDS_OF_A_TABLE: Final = 10
MOST_OUT_OF_THE_MOUTH: Final = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """A way to see a clean round.

    `sees`: the setting without what the table cannot see; `order`: the same events in another order that is legal.
    """

    name: str
    words: str
    sees: Callable[[Setting], Setting] = lambda setting: setting
    order: Callable[[list[Deed], Random], list[Deed]] = lambda deeds, chance: deeds
    has_no_shoe: bool = False
    """Whether the table has no shoe, which not every book knows (ACT 2019, 2.2)."""
    sees_no_hands: bool = False
    """Whether no reader is at the seats: only a game whose hole cards lie face down until the showdown is judged so."""

    knows_no_side: bool = False
    """Whether no reader can tell which side of a card is up: a game with open cards before players is not judged so."""

    def fits(self, book: Rulebook) -> bool:
        """Whether a table of this book may see its rounds so."""
        open_cards = book.book.banked == "house" or any("up" in street.faces for street in book.book.streets)
        if self.knows_no_side and open_cards:
            return False
        if self.sees_no_hands and (book.book.banked == "house" or not book.book.board_cards[-1]):
            return False
        return not (self.has_no_shoe and book.deck.from_shoe)


def reordered(deeds: list[Deed], chance: Random) -> list[Deed]:
    """The events as the devices may tell them too.

    Cards leave the shoe before the one before has come to rest; cards of one hand are turned, taken up and mucked, and
    stakes put in, in any order.
    """
    told: list[Deed] = []
    for run in _runs(deeds):
        if run[0]["ev"] == "shoe.card":
            told += _batched(run, chance)
        else:
            told += chance.sample(run, len(run))
    return told


def faceless(deeds: list[Deed], chance: Random) -> list[Deed]:
    """The events as readers tell them that know no side of a card: the dealer keys each hand that was turned up."""
    told: list[Deed] = []
    for deed in deeds:
        seat = SEAT_OF.get(str(deed.get("zone")))
        if deed["ev"] == "table.open":
            told.append({**deed, "options": {**deed["options"], "faces": False}})
        elif deed["ev"] == "card.placed":
            told.append({**deed, "face": "up" if deed["zone"].startswith("board") else "down"})
        elif deed["ev"] != "card.turned":
            told.append(deed)
        elif seat is not None and told[-1] != (key := {"ev": "hand.shown", "seat": seat}):
            told.append(key)
    return told


def _runs(deeds: list[Deed]) -> Iterator[list[Deed]]:
    """The events in their order, those together whose order is left to chance."""
    run: list[Deed] = []
    for deed in deeds:
        if run and _kind(run[-1]) != _kind(deed):
            yield run
            run = []
        run.append(deed)
    if run:
        yield run


def _kind(deed: Deed) -> object:
    """What two events share whose order is left to chance; else something of their own."""
    if deed["ev"] in ("shoe.card", "card.placed") and deed.get("zone") != "muck":
        return "dealt"
    if deed["ev"] == "card.turned":
        return "turned", deed["zone"]
    if deed["ev"] == "action" and deed["action"] in ("post", "ante"):
        return deed["action"]
    if deed["ev"] == "wager" and deed["box"] != "play":
        return "wager", deed["seat"]
    return id(deed)


def _batched(run: list[Deed], chance: Random) -> Iterator[Deed]:
    """Each card out of the shoe and to its place: up to three leave the shoe before the first comes to rest."""
    out = [deed for deed in run if deed["ev"] == "shoe.card"]
    lies = [deed for deed in run if deed["ev"] == "card.placed"]
    while out or lies:
        count = chance.randint(1, MOST_OUT_OF_THE_MOUTH)
        yield from out[:count]
        yield from lies[:count]
        out, lies = out[count:], lies[count:]


def _built(built: Built) -> Callable[[Setting], Setting]:
    """A table that is built so; its shoe names no card where no reader would see it thrown away."""
    return lambda setting: replace(setting, built=built, shoe_names=built is Built.NO_SHOE)


_BETTING: Final = frozenset({"act", "open", "close"})

READINGS: Final = (
    Reading("as-it-is", "as it is"),
    Reading("unread", "no card that lies face down is read", lambda s: replace(s, names=False, shoe_names=False)),
    Reading("unnamed", "the shoe names no card", lambda s: replace(s, shoe_names=False)),
    Reading("no-shoe", "the shoe tells nothing", lambda s: replace(s, shoe=False), has_no_shoe=True),
    Reading("built-without-shoe", "built without a shoe", _built(Built.NO_SHOE), has_no_shoe=True),
    Reading(
        "built-without-seats", "built without readers at the seats", _built(Built.NO_SEAT_READERS), sees_no_hands=True
    ),
    Reading(
        "built-with-a-board",
        "built with a reader under the board alone",
        _built(Built.BOARD_ONLY),
        has_no_shoe=True,
        sees_no_hands=True,
    ),
    Reading("no-keys", "no action is keyed", lambda s: replace(s, keys=False)),
    Reading("no-faces", "the readers know no side of a card", order=faceless, knows_no_side=True),
    Reading("reordered", "the devices tell the same in another order", order=reordered),
)
"""Every reading."""


@dataclass(slots=True)
class Result:
    """How many rounds were read, and what was ruled or refused: by its words, the seeds of the first tables."""

    rounds: int = 0
    told: dict[str, list[int]] = field(default_factory=dict)

    def note(self, words: str, seed: int) -> None:
        """Something was told at the table of this seed."""
        seeds = self.told.setdefault(words, [])
        if seed not in seeds and len(seeds) < 5:
            seeds.append(seed)


def read(
    book: Rulebook,
    books: Mapping[str, Rulebook],
    rounds: int,
    first_seed: int = 0,
    *,
    ways: int | None = None,
    among: Collection[str] | None = None,
) -> dict[str, Result]:
    """Play random clean rounds of a book, and let a table read each in every way; returns what each reading told.

    `ways`: each is read as it is, and in so many other ways, which take turns. `among`: names of readings to which the
    other ways are limited.
    """
    wanted = [reading for reading in READINGS if among is None or reading is READINGS[0] or reading.name in among]
    fitting = [reading for reading in wanted if reading.fits(book)]
    results = {reading.name: Result() for reading in fitting}
    for seed in range(first_seed, first_seed + -(-rounds // ROUNDS_OF_A_TABLE)):
        chance = Random(seed)
        setting = _setting(book, chance, seed)
        try:
            played = session(setting, books, chance, ROUNDS_OF_A_TABLE)
        except StuckError as stuck:
            results[READINGS[0].name].note(f"stuck: {stuck}", seed)
            continue
        ended = sum(deed["ev"] == "hand.end" for deed in played.done)
        others = fitting[1:] if ways is None else _in_turn(fitting[1:], (seed - first_seed) * ways, ways)
        for reading in (READINGS[0], *others):
            result = results[reading.name]
            result.rounds += ended
            # the table that played the rounds has read them as it is: they are not played once more
            as_it_is = reading is READINGS[0]
            for words in words_of(played) if as_it_is else told_in(reading, played, books, Random(seed)):
                result.note(words, seed)
    return results


def _in_turn(readings: list[Reading], first: int, count: int) -> list[Reading]:
    """So many readings one after another, around the list from the one at `first`."""
    return [readings[(first + number) % len(readings)] for number in range(count)]


def _setting(book: Rulebook, chance: Random, seed: int) -> Setting:
    least = max(book.seats.least_players, book.seats.least_to_begin or 0, 2)
    most = min(book.seats.most, 7)
    seats = tuple(sorted(chance.sample(range(1, book.seats.most + 1), chance.randint(least, most))))
    return Setting(book, seats=seats, shoe_names=True, salt=str(seed))


def told_in(reading: Reading, played: Stream, books: Mapping[str, Rulebook], chance: Random) -> Iterator[str]:
    """What is ruled or refused where a table reads the rounds so."""
    stream = Stream.on(reading.sees(played.setting), books)
    for deed in reading.order(list(played.done), chance):
        if not stream.setting.keys:
            _close_where_asked(stream, deed)
        if stream.setting.built is Built.BOARD_ONLY and deed["ev"] == "shoe.card":
            _announce(stream)
        stream.do(**deed)
    yield from words_of(stream)


def words_of(stream: Stream) -> Iterator[str]:
    """What the table of a stream has ruled or refused."""
    for told in stream.told:
        if told.ruling is not None:
            yield f"{told.ruling.irregularity} {told.ruling.rule} {told.ruling.outcome}"
        else:
            yield f"refused: {told.refusal}"


def _announce(stream: Stream) -> None:
    """Before the first card the dealer says that the deal begins: nothing else tells of it at this table."""
    if stream.table.view()["phase"] in BETWEEN_ROUNDS:
        stream.do("deal.start")


def _close_where_asked(stream: Stream, deed: Deed) -> None:
    """Before the next street's card the dealer closes the betting: without keys the table knows of no all-in."""
    if deed["ev"] in ("shoe.card", "card.turned", "hand.end") and _BETTING & (stream.prompt or {}).keys():
        stream.do("betting.closed")
