"""The beginning of a round: what must be in order before a card is dealt, and who is dealt in."""

from itertools import takewhile
from typing import TypeAlias

from table_fsm.core.core import Core
from table_fsm.core.standing import DeckRecord, SeatRecord
from table_fsm.errors import Refused
from table_fsm.events import DealStart, MarkerPlaced
from table_fsm.felt import SEAT_ZONE, clockwise
from table_fsm.outputs import Kind
from table_fsm.play import money
from table_fsm.play.betting import antes, stakes
from table_fsm.play.button import dead
from table_fsm.play.deck import cutting
from table_fsm.play.house import wagers
from table_fsm.play.tournament import clock, freeze_out, hand_for_hand, races
from table_fsm.poker.dealing import Deal
from table_fsm.rulebook.irregularities import Irregularity, Outcome
from table_fsm.rulebook.model import Street

_AT_START = {"noticed": "start"}
_DECK = {"pack": "deck"}
_DECK_MATTERS = frozenset(
    {
        Irregularity.DECK_UNCHECKED.value,
        Irregularity.SHORT_DECK.value,
        Irregularity.FOREIGN_CARD.value,
        Irregularity.DUPLICATE_CARD.value,
    }
)
Fault: TypeAlias = tuple[Irregularity, dict[str, str]]
"""What stands against a start, with its facts."""
_HELD_RACE = {"held": "race"}
_MARKERS = frozenset({"button", "buck", "start"})


def device_kind(device: str) -> str:
    """The kind of a device by its name: the word before ':' or '-'."""
    return device.replace("-", ":").split(":", 1)[0]


def needed_offline(core: Core) -> list[str]:
    """Devices that are offline and without which the book starts no round."""
    offline = core.standing.offline
    if not offline:
        return []
    needs = core.book.needs
    return [device for device in offline if device_kind(device) in needs]


def on_deal_start(core: Core, event: DealStart) -> None:
    """The dealer begins the deal: no more bets."""
    core.need_open()
    if core.in_round:
        raise Refused("a round is in progress: it ends with hand.end")
    _check_start(core, None, first_card=False)
    clock.deal_begins(core, "card")
    wagers.judge_wagers(core)
    core.round.deal_announced = True


def first_card(core: Core, deck: str | None) -> None:
    """The first card of a round leaves the shoe or comes to rest."""
    core.round.deck = deck if deck is not None else core.standing.last_shuffled
    _check_start(core, deck, first_card=True)
    wagers.judge_wagers(core)
    if core.collecting():
        return
    clock.deal_begins(core, "card")
    hand_for_hand.hand_begins(core)
    races.round_begins(core)
    standing = core.standing
    standing.round_number += 1
    standing.commenced = True
    if dead.used(core):
        dead.hand_begins(core)
    core.round.absent = {number for number, seat in standing.seats.items() if seat.away_since is not None}
    core.deck(deck).shuffled = False
    money.new_round(core)
    freeze_out.commence(core)
    core.round.ante = antes.due(core)
    core.round.started = True
    core.move("begin")


def _check_start(core: Core, deck: str | None, *, first_card: bool) -> None:
    money.judge_round(core)
    for irregularity, facts in _start_faults(core, deck, first_card=first_card):
        key = irregularity.value
        if key in core.round.start_ruled or _ruled_before(core, irregularity, deck):
            continue
        given = core.rule(irregularity, facts, deck=core.deck_key(deck) or None)
        if given is not None:
            core.round.start_ruled.add(key)
        if core.collecting():
            return


def _ruled_before(core: Core, irregularity: Irregularity, deck: str | None) -> bool:
    """A stop that stands is not ruled again because play goes on."""
    if irregularity is Irregularity.DECK_UNCHECKED:
        key = core.deck_key(deck)
        return any(p.irregularity in _DECK_MATTERS and (p.deck or "") == key for p in core.standing.pending)
    if irregularity is Irregularity.CUT_MISSING:
        return False
    return any(p.irregularity == irregularity.value and not p.beyond_round for p in core.standing.pending)


def _start_faults(core: Core, deck: str | None, *, first_card: bool) -> list[Fault]:
    """What stands against a start, the gravest first."""
    standing = core.standing
    records = _records(core, deck)
    faults: list[Fault] = []
    if standing.faults or standing.test_mode or needed_offline(core):
        faults.append((Irregularity.SHOE_UNAVAILABLE, _AT_START))
    if not any(record.checked and not record.fouled for record in records):
        replaced = "yes" if any(record.replaced_at is not None for record in records) else "no"
        faults.append((Irregularity.DECK_UNCHECKED, {"replaced": replaced}))
    if not any(record.shuffled for record in records):
        faults.append((Irregularity.NOT_SHUFFLED, _DECK))
    if (deal := too_few_players(core)) is not None:
        faults.append((Irregularity.TOO_FEW_PLAYERS, {"deal": deal}))
    if not first_card:
        return faults
    if core.standing.tournament.race is not None:
        faults.append((Irregularity.NOT_RELEASED, _HELD_RACE))
    if hand_for_hand.hand_held(core):
        faults.append((Irregularity.NOT_RELEASED, hand_for_hand.HELD_HAND))
    return faults + sorted(_first_card_faults(core, deck), key=lambda fault: not _ends_round(core, *fault))


def _first_card_faults(core: Core, deck: str | None) -> list[Fault]:
    book = core.book
    faults: list[Fault] = []
    if book.deck.packs > 1 and _same_pack_again(core, deck):
        faults.append((Irregularity.WRONG_DECK, {}))
    if book.button.used and _button_elsewhere(core):
        assert core.round.button_choice is not None
        faults.append((Irregularity.BUTTON_WRONG, _button_facts(core, core.round.button_choice[1])))
    return faults + cutting.faults(core)


def _ends_round(core: Core, irregularity: Irregularity, facts: dict[str, str]) -> bool:
    assert core.rulebook is not None
    return core.rulebook.row(irregularity, facts).outcome is Outcome.MISDEAL


def too_few_players(core: Core) -> str | None:
    """Whether there are too few players for a deal: the table's `first`, a `later` one, or of an `unbalanced` table."""
    standing, rules = core.standing, core.book.seats
    deal = "later" if standing.commenced else "first"
    if len(core.players()) < freeze_out.least_players(core):
        return deal
    if dead.must_halt(core):
        return "unbalanced"
    there = sum(not seat.leaving and (seat.away_since is None or _sent_away(seat)) for seat in standing.seats.values())
    short = not standing.commenced and rules.least_to_begin is not None and there < rules.least_to_begin
    return deal if short else None


def _sent_away(seat: SeatRecord) -> bool:
    """Whether the player had taken the seat, and the floor has sent them from it."""
    return seat.penalty is not None and not seat.penalty.away_before


def _records(core: Core, deck: str | None) -> list[DeckRecord]:
    """The pack about to be dealt; while that cannot be told, all that are known."""
    decks = core.standing.decks
    key = core.deck_key(deck)
    return list(decks.values()) if not key and "" not in decks else [core.deck(deck)]


def _same_pack_again(core: Core, deck: str | None) -> bool:
    standing = core.standing
    used = core.deck_key(deck)
    if not used or used != standing.last_deck:
        return False
    others = [(name, record) for name, record in standing.decks.items() if name and name != used]
    out_of_service = {fault.deck for fault in standing.faults}
    if not others:
        return True
    return any(record.checked and not record.fouled and name not in out_of_service for name, record in others)


def _button_elsewhere(core: Core) -> bool:
    seen = core.standing.button_seen
    expected = expected_button(core)
    if seen is None or expected is None or seen == expected:
        return False
    core.round.button_choice = (expected, seen)
    return True


def expected_button(core: Core) -> int | None:
    """The seat where the button should be; for the first round by the book's own rule where none was given."""
    if core.standing.button is not None:
        return core.standing.button
    players = core.players()
    if not players or core.book.button.first in {"as_opened", "drawn"}:
        return None
    return players[-1] if core.book.button.first == "right_of_dealer" else players[0]


def make_deal(core: Core, first_seat: int) -> Deal:
    """Who is dealt in, in what order. `first_seat`: who got the first card, which tells the button dealt by."""
    passes = passes_of(core.street)
    standing = core.standing
    seated = [number for number, seat in standing.seats.items() if not seat.leaving and not seat.waits]
    optional = {n for n in seated if standing.seats[n].newcomer}
    if core.book.seats.absent == "may_be_dealt_in":
        optional |= {n for n in seated if standing.seats[n].away_since is not None}
    button = button_dealt_by(core, first_seat, [seat for seat in seated if seat not in optional])
    ring = dealing_order(core, seated, button) if button is not None else sorted(seated)
    return Deal(ring, sum(passes), optional, passes=passes)


def passes_of(street: Street) -> tuple[int, ...]:
    """How many cards each seat gets together, pass by pass, on a street."""
    passes: list[int] = []
    for step in street.deal:
        if step.to == "seats":
            whole, rest = divmod(step.cards, step.at_a_time)
            passes += [step.at_a_time] * whole + [rest] * bool(rest)
    return tuple(passes)


def button_dealt_by(core: Core, first_seat: int, seats: list[int]) -> int | None:
    """By which button the dealer deals: the reported one, if the first card went to the first of its `seats`."""
    if core.round.button_choice is None:
        return expected_button(core)
    expected, seen = core.round.button_choice
    by_seen = dealing_order(core, seats, seen)
    return seen if by_seen and by_seen[0] == first_seat else expected


def dealing_order(core: Core, seats: list[int], marker: int) -> list[int]:
    """The order of the deal: behind the button, or from the buck on."""
    return clockwise(seats, marker if core.book.button.marker == "button" else marker - 1)


def _blind_order(core: Core, ring: list[int]) -> list[int]:
    """Who posts first, second, …: from behind the button on; between two the button first, where the book says so."""
    turned = len(ring) == 2 and core.book.button.heads_up == "button_posts_small_blind"
    return ring[::-1] if turned else ring


def blind_seats(core: Core, ring: list[int]) -> dict[int, int | None]:
    """Who owes which blind this round, in cents where the options say; empty in a game on antes."""
    if core.round.buyer is not None:
        return {core.round.buyer: core.round.posts.get(core.round.buyer)}
    ring = _blind_order(core, ring)
    level = stakes.of_deal(core)
    if level is not None and (level.blinds or not core.round.posts):
        blinds: list[int | None] = list(level.blinds)
    elif core.round.posts:  # the amounts are the dealer's to know: who posted says how many blinds there are
        posted = takewhile(core.round.posts.__contains__, ring)
        return {seat: core.round.posts[seat] for seat in posted}
    elif antes.in_use(core):
        return {}
    else:
        blinds = [None] * core.book.betting.blinds
    if core.standing.no_small_blind and len(blinds) > 1:
        blinds = blinds[1:]
    return dict(zip(ring, blinds, strict=False))


def on_marker_placed(core: Core, event: MarkerPlaced) -> None:
    """A marker came to rest before a seat."""
    if event.marker not in _MARKERS:
        raise Refused(f"marker {event.marker!r}: button, buck or start")
    if event.seat not in SEAT_ZONE:
        raise Refused(f"there is no seat {event.seat}: 1 to 10")
    if event.marker == "start":
        core.standing.start_marker = event.seat
        return
    core.standing.button_seen = event.seat
    if not core.standing.open or not core.book.button.used:
        return
    if core.in_round:
        _judge_button(core, event.seat)
    elif core.standing.button is None and core.book.button.first == "drawn":
        take_button(core, event.seat)


def take_button(core: Core, seat: int) -> None:
    """The button begins at a seat: by a draw, or because a person has put it there."""
    core.standing.button = seat
    if dead.used(core):
        dead.settle(core)
    else:
        core.out(Kind.BUTTON, {"seat": seat})


def _button_facts(core: Core, seen: int) -> dict[str, str]:
    moved = dead.place_of(core, seen) if dead.used(core) else "elsewhere"
    return {"moved": moved, "sufficient": core.round.actions.told}


def _judge_button(core: Core, seen: int) -> None:
    """The button is reported at a wrong seat while a round is on, until it may be on its way to the next one."""
    expected = core.round.button if core.round.button is not None else expected_button(core)
    key = Irregularity.BUTTON_WRONG.value
    early = core.rounds.phase in {"showdown", "settling"}
    if core.book.button.judged == "at_first_card" or early or expected in {None, seen} or key in core.round.start_ruled:
        return
    core.round.start_ruled.add(key)
    facts = _button_facts(core, seen)
    given = core.rule(Irregularity.BUTTON_WRONG, facts)
    if given is not None and given[1].outcome is Outcome.PLAY_ON:
        core.round.button_found = facts["moved"]
