"""Questions that state and book answer alone: no subject of the game is needed for them."""

from table_fsm.core.core import Core
from table_fsm.felt import Face


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


def counted_stack(core: Core, seat: int) -> int | None:
    """The player's stack before this hand, in cents, where it was counted since the last one."""
    record = core.standing.seats.get(seat)
    if record is None or record.counted_in_round:
        return None
    before = core.standing.round_number - (1 if core.in_round else 0)
    return record.stack if record.counted_after == before else None


def next_to_players(core: Core) -> bool:
    """Whether the street after the one in progress begins with cards to the players."""
    following = core.round.street + 1
    return following < len(core.book.streets) and core.book.streets[following].own_cards > 0


def on_last_street(core: Core) -> bool:
    """Whether the street in progress is the book's last, and gives each player a card."""
    return core.round.street > 0 and core.round.street + 1 == len(core.book.streets) and core.street.own_cards > 0


def face_due(core: Core, seat: int, number: int) -> Face | None:
    """How the seat's card of that number lies in the deal in progress, the first being 1; None beyond the deal."""
    faces = core.street.faces
    if not 1 <= number <= len(faces):
        return None
    if core.round.street == 0 and seat in core.round.stud.closed:
        return "up" if number == 1 else "down"
    return faces[number - 1]


def next_face(core: Core, seat: int) -> Face:
    """How the next card to this seat lies."""
    deal = core.round.deals.current
    return face_due(core, seat, deal.dealt.get(seat, 0) + 1 if deal is not None else 1) or "down"


def looks_matter(core: Core) -> bool:
    """Whether a player's look at their cards can be one at the cards of this deal: not where they all lie open."""
    return core.round.street == 0 or "down" in core.street.faces


def during(core: Core) -> str:
    """The fact `during`: the initial "deal", which lasts until betting has begun, or "later"."""
    betting = core.round.betting
    later = (betting is not None and betting.begun) or core.round.street > 0
    return "later" if later else "deal"


def cards_before(core: Core, street: int) -> int:
    """Communal cards on the board when that street's are complete."""
    return sum([step.communal_cards for step in core.book.streets[: street + 1]])


def first_lies(core: Core) -> bool:
    """Whether the communal cards that belong to the initial deal, where the book has any, show."""
    return core.round.board.shown >= cards_before(core, 0)


def cards_of_a_hand(core: Core) -> tuple[int, int]:
    """How many cards of their own each player tables, and how many lie in the centre for all."""
    streets = core.book.streets
    own, shared = sum([street.own_cards for street in streets]), sum([street.communal_cards for street in streets])
    communal = core.round.stud.communal
    return own - communal, shared + communal


def boxed_facts(core: Core, before: int = 0) -> dict[str, str]:
    """Where in the round a card lies face up in the pack. `before`: cards at the shoe's mouth that go before it."""
    round_ = core.round
    if next_to_players(core) and round_.betting is not None and round_.betting.open and first_deal_over(core):
        return {"during": "later", "place": "other" if before else "first"}
    if not core.in_round or core.book.banked == "house":
        return {"during": "later", "place": "other"}
    if core.rounds.phase != "dealing":
        return {"during": during(core), "place": "other"}
    first = not before and (round_.deals.current is None or not round_.deals.current.begun)
    return {"during": during(core), "place": "first" if first else "next"}


def first_deal_over(core: Core) -> bool:
    betting = core.round.betting
    return core.round.street > 0 or (betting is not None and betting.begun)


def deal_open(core: Core) -> bool:
    """Whether a deal to the players goes on, or can still be put right: it lasts until betting has begun."""
    betting = core.round.betting
    if core.rounds.phase == "dealing":
        return True
    return (betting is None or not betting.begun) and (core.round.street == 0 or core.street.own_cards > 0)
