"""The moments of a round, and which of them a book has."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

from feltd.books.moments.layout import Deed
from feltd.books.moments.setting import Setting
from feltd.books.moments.trace import Mark, Trace
from table_fsm.rulebook import Rulebook


class When(StrEnum):
    """Classes of moments: those of one class are alike but for the street or the pass."""

    BEFORE = "before the deal"
    FIRST_CARD = "the first card"
    DEAL = "in the deal"
    LAST_CARD = "the last card of the deal"
    OWED = "a street is owed"
    COMING = "a street is coming"
    OPEN = "betting open, nobody has acted"
    BEGUN = "betting has begun"
    ACTED = "all have acted"
    DRAW = "in the draw"
    SHOWDOWN = "at the showdown"
    SETTLED = "settled"
    BETWEEN = "between rounds"
    MISDEAL = "after a misdeal"
    BREAK = "in a break"
    HELD = "hand for hand"
    HEADS_UP = "heads up"
    ALL_IN = "one is all in"
    AGAIN = "after the same fault was put right"


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment that a clean stream has reached: what has happened up to it."""

    name: str
    words: str
    when: When
    setting: Setting
    done: tuple[Deed, ...] = ()
    twice: bool = False
    """The fault has happened here once and was put right, and happens again."""


@dataclass(frozen=True, slots=True)
class Absent:
    """A moment that the book does not have, and why."""

    name: str
    words: str
    when: When
    reason: str


AnyMoment = Moment | Absent


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads moments off a trace."""

    trace: Trace
    prefix: str = ""
    of: When | None = None
    """The class of all its moments, where they have one of their own."""
    said: str = ""

    def at(self, name: str, words: str, when: When, mark: Mark | None, reason: str) -> AnyMoment:
        """The moment at a mark; absent for `reason` where there is no mark."""
        name, words, when = self.prefix + name, self.said + words, self.of or when
        if mark is None:
            return Absent(name, words, when, reason)
        return Moment(name, words, when, self.trace.setting, self.trace.done[: mark.at])

    def first(self, name: str, words: str, when: When, fits: Callable[[Mark], bool], reason: str) -> AnyMoment:
        """The moment at the first mark that fits."""
        return self.at(name, words, when, self.trace.first(fits), reason)


def of_round(reader: Reader) -> Iterator[AnyMoment]:
    """The moments of a whole round, from the shuffle to the first card of the next."""
    yield from before_deal(reader)
    yield from of_deal(reader)
    for number in range(len(reader.trace.setting.book.streets)):
        yield from of_street(reader, number)
    yield from of_end(reader)


def before_deal(reader: Reader) -> Iterator[AnyMoment]:
    """Before the shuffle, the cut and the stakes."""
    book = reader.trace.setting.book
    yield reader.first("shuffle", "before the shuffle", When.BEFORE, _asks("shuffle"), "the pack is always shuffled")
    no_cut = "the book asks for no cut" if not book.cut.asked else "the clean stream has no cut"
    yield reader.first("cut", "before the cut", When.BEFORE, _asks("cut"), no_cut)
    no_stakes = "nothing is put in before the deal"
    stakes = _asks("post", "ante", "wagers")
    yield reader.first("stakes", "before blinds, antes or wagers", When.BEFORE, stakes, no_stakes)


def of_deal(reader: Reader) -> Iterator[AnyMoment]:
    """The first card, the second, each pass, and the last card of the deal."""
    until_bets = takewhile(lambda mark: not mark.round and mark.name not in _ASKED, reader.trace.marks)
    dealt = [mark for mark in until_bets if mark.zone and mark.phase in ("waiting", "dealing")]
    yield reader.at("deal.1", "before the first card", When.FIRST_CARD, dealt[0] if dealt else None, "no deal")
    second = dealt[1] if len(dealt) > 1 else None
    yield reader.at("deal.1b", "after the first card", When.DEAL, second, "the deal has one card")
    passes: dict[tuple[str, int], Mark] = {}
    for mark in dealt:
        kind = str(mark.zone).split(":")[0]
        passes.setdefault((kind, mark.held), mark)
    later = [(kind, held, mark) for (kind, held), mark in passes.items() if mark is not dealt[0] and mark is not second]
    for number, (kind, held, mark) in enumerate(later, 2):
        words = {"seat": f"before the players' card {held + 1}", "board": "before the board's card"}
        yield reader.at(f"deal.{number}", words.get(kind, f"before the dealer's card {held + 1}"), When.DEAL, mark, "")
    last = dealt[-1] if dealt else None
    yield reader.at("deal.last", "before the last card of the deal", When.LAST_CARD, last, "no deal")


_ASKED = ("act", "open", "decide")
_CARDS = ("burn", "deal", "turn", "draw", "give_up")


def of_street(reader: Reader, number: int) -> Iterator[AnyMoment]:
    """A street owed, coming, open, begun, and with all having acted."""
    street = reader.trace.setting.book.streets[number]
    name = street.name if not street.name.isdigit() else f"street{street.name}"
    here = [mark for mark in reader.trace.marks if not mark.round]
    bets = [mark for mark in here if mark.street == street.name and mark.name in _ASKED]
    start = here.index(bets[0]) if bets else 0
    cards: list[Mark] = []
    while start and here[start - 1].name in _CARDS:
        start -= 1
        cards.insert(0, here[start])
    if number:
        drawn = street.draw
        owed = When.DRAW if drawn else When.OWED
        coming = When.DRAW if drawn else When.COMING
        yield reader.at(f"{name}.owed", f"{name} is owed", owed, cards[0] if cards else None, "nothing comes")
        one = f"one card makes the {name}" if len(cards) < 2 else ""
        yield reader.at(f"{name}.next", f"{name}: after its first card", coming, cards[1] if not one else None, one)
        if len(cards) > 2:
            yield reader.at(f"{name}.last", f"{name}: before its last card", coming, cards[-1], "")
    none = f"nobody bets on the {name}"
    yield reader.at(f"{name}.open", f"{name}: open, nobody has acted", When.OPEN, bets[0] if bets else None, none)
    begun = bets[1] if len(bets) > 1 else None
    yield reader.at(f"{name}.begun", f"{name}: one player has acted", When.BEGUN, begun, "only one player may act")
    closing = reader.trace.first(lambda m: not m.round and m.name == "close" and m.street == street.name)
    house = "against the house the next cards end the decisions"
    yield reader.at(f"{name}.acted", f"{name}: all have acted", When.ACTED, closing, house)


def of_end(reader: Reader) -> Iterator[AnyMoment]:
    """The showdown, the settlement, between rounds, and the next round's first card."""
    marks = reader.trace.marks
    shows = [mark for mark in marks if not mark.round and mark.phase == "showdown"]
    uncalled = "nobody shows"
    yield reader.at("showdown", "at the showdown", When.SHOWDOWN, shows[0] if shows else None, uncalled)
    tabled = shows[1] if len(shows) > 1 else None
    yield reader.at("showdown.next", "one hand is tabled", When.SHOWDOWN, tabled, "only one hand is shown")
    settled = reader.trace.first(lambda mark: mark.name == "collect")
    yield reader.at("settled", "the pots can be pushed", When.SETTLED, settled, "nothing is settled")
    after = next((mark for mark in marks if mark.round == 1), None)
    yield reader.at("between", "between two rounds", When.BETWEEN, after, "no second round")
    second = next((mark for mark in marks if mark.round == 1 and mark.zone), None)
    yield reader.at("second.deal.1", "before the second round's first card", When.FIRST_CARD, second, "no second round")


def only(moments: Iterator[AnyMoment], names: Callable[[str], bool]) -> Iterator[AnyMoment]:
    """Those moments whose name is chosen."""
    return (moment for moment in moments if names(moment.name.split("/")[-1]))


def _asks(*names: str) -> Callable[[Mark], bool]:
    return lambda mark: mark.name in names and not mark.round


def by_name(moments: list[AnyMoment]) -> Mapping[str, AnyMoment]:
    """The moments by their names."""
    return {moment.name: moment for moment in moments}


Books = Mapping[str, Rulebook]
