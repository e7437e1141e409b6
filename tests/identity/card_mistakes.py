"""What goes wrong with cards, shoe, cut and shuffle."""

from tests.identity.dealer import Steps, deal, lift, muck, shuffle, turn
from tests.identity.felt import BOARD, RANKS, SUITS, Felt
from tests.identity.streams import Raw
from tests.identity.words import FAULTS, ZONES


def any_card(felt: Felt) -> str:
    """A card of a full deck, and sometimes the joker."""
    return "Jo" if felt.chance.random() < 0.03 else felt.chance.choice(RANKS) + felt.chance.choice(SUITS)


def _lying(felt: Felt) -> str:
    """A zone with cards; any zone where there is none."""
    zones = felt.holding()
    return felt.chance.choice(zones) if zones else felt.chance.choice(ZONES)


def _likely_zone(felt: Felt) -> str:
    """Where a dealer might put a card by mistake."""
    free = [zone for zone in BOARD if zone not in felt.zones][:2]
    zones = [
        *(f"seat:{seat}" for seat in felt.seats),
        *free,
        *free,
        "burn",
        "burn",
        "dealer",
        f"seat:{felt.one_seat()}",
    ]
    return felt.chance.choice(zones)


# -- cards


def wrong_zone(felt: Felt) -> Steps:
    """A card is dealt to a place that was not due."""
    yield from deal(felt, _likely_zone(felt), felt.chance.choice(["down", "down", "up"]))


def wrong_face(felt: Felt) -> Steps:
    """A card comes with the wrong face."""
    prompt = felt.prompt or {}
    zone = prompt.get("deal") or ("burn" if "burn" in prompt else _likely_zone(felt))
    yield from deal(felt, zone, "down" if prompt.get("face") == "up" else "up")


def flashed(felt: Felt) -> Steps:
    """A card is dealt where it belongs, and is seen on its way."""
    zone = (felt.prompt or {}).get("deal")
    if zone is None:
        return
    yield from deal(felt, zone)
    yield from _seen(felt, zone)


def _seen(felt: Felt, zone: str) -> Steps:
    by = felt.chance.choice(["dealer", "dealer", "player", "shoe"])
    card = felt.zones[zone][-1].name if zone in felt.zones else any_card(felt)
    named = {"card": card} if felt.chance.random() < 0.8 else {}
    yield {"ev": "card.exposed", "zone": zone, "by": by, **named}


def exposed(felt: Felt) -> Steps:
    """A card is seen where it lies."""
    yield from _seen(felt, _lying(felt))


def top_seen(felt: Felt) -> Steps:
    """The next card of the pack is seen."""
    card = {"card": felt.pack[-1]} if felt.pack and felt.chance.random() < 0.8 else {}
    yield {"ev": "card.exposed", "zone": "shoe", "by": "shoe", **card}


def boxed(felt: Felt) -> Steps:
    """A card lies face up in the pack."""
    if not felt.habits.shoe:
        return
    name = felt.next_card()
    yield {"ev": "shoe.card", "card": name, "face": "up", "deck": felt.deck}
    zone = (felt.prompt or {}).get("deal") or _likely_zone(felt)
    if felt.chance.random() < 0.8:
        yield {"ev": "card.placed", "zone": zone, "card": name, "face": felt.chance.choice(["up", "down"])}
        felt.put(zone, name, up=True)


def other_card(felt: Felt) -> Steps:
    """The card that comes is one that is out already, a stranger, or has no name."""
    zone = (felt.prompt or {}).get("deal") or _likely_zone(felt)
    face = (felt.prompt or {}).get("face") or "down"
    yield from deal(felt, zone, face, name=felt.chance.choice([any_card(felt), any_card(felt), "Jo"]))


def out_of_nowhere(felt: Felt) -> Steps:
    """A card lies there that the shoe did not give."""
    zone = (felt.prompt or {}).get("deal") or _likely_zone(felt)
    yield from deal(felt, zone, (felt.prompt or {}).get("face") or "down", silent=True)


def left_in_mouth(felt: Felt) -> Steps:
    """A card leaves the shoe and comes to rest nowhere."""
    if not felt.habits.shoe:
        return
    yield {"ev": "shoe.card", "card": felt.next_card(), "deck": felt.deck}


def moved(felt: Felt) -> Steps:
    """A card wanders."""
    to = felt.chance.choice([_likely_zone(felt), "muck", "shoe", "burn", (felt.prompt or {}).get("deal")])
    yield from lift(felt, _lying(felt), to)


def removed(felt: Felt) -> Steps:
    """A card is taken away."""
    yield from lift(felt, _lying(felt))


def left_table(felt: Felt) -> Steps:
    """A card leaves the table."""
    zone = _lying(felt)
    where = {"zone": zone} if felt.chance.random() < 0.7 else {}
    yield {"ev": "card.left_table", **where, "by": felt.chance.choice(["dealer", "player"])}


def hand_mucked(felt: Felt) -> Steps:
    """A hand goes to the discards unasked."""
    yield from muck(felt, felt.one_seat())


def out_of_muck(felt: Felt) -> Steps:
    """A card comes back from the discards."""
    if not felt.muck:
        return
    name = felt.muck.pop()
    zone = f"seat:{felt.one_seat()}"
    if felt.chance.random() < 0.7:
        yield {"ev": "card.removed", "zone": "muck", "card": name}
    yield {"ev": "card.placed", "zone": zone, "card": name}
    felt.put(zone, name, up=False)


def turned(felt: Felt) -> Steps:
    """The cards of a place are turned up."""
    yield from turn(felt, _lying(felt))


def covered(felt: Felt) -> Steps:
    """A card is turned down."""
    yield {"ev": "card.turned", "zone": _lying(felt), "face": "down"}


def looked(felt: Felt) -> Steps:
    """A player looks at their cards."""
    yield {"ev": "hand.looked", "seat": felt.one_seat()}


def looked_and_wrong(felt: Felt) -> Steps:
    """Players have looked, and then a card goes wrong."""
    for seat in felt.seats:
        if f"seat:{seat}" in felt.zones and felt.chance.random() < 0.6:
            yield {"ev": "hand.looked", "seat": seat}
    yield from wrong_zone(felt)


def said_again(felt: Felt) -> Steps:
    """A reader says again what lies there already."""
    zone = _lying(felt)
    for card in felt.zones.get(zone, ())[-1:]:
        yield {"ev": "card.placed", "zone": zone, "card": card.name, "face": "up" if card.up else "down"}


def two_burns(felt: Felt) -> Steps:
    """One burn too many."""
    for _ in range(2):
        yield from deal(felt, "burn", felt.chance.choice(["down", "down", "up"]))


def no_burn(felt: Felt) -> Steps:
    """The board goes on without a burn, or too soon."""
    free = [zone for zone in BOARD if zone not in felt.zones]
    if free:
        yield from deal(felt, free[0], "up")


def whole_flop(felt: Felt) -> Steps:
    """All at once: a burn or none, and three or four cards of the board."""
    if felt.chance.random() < 0.7:
        yield from deal(felt, "burn")
    for zone in [zone for zone in BOARD if zone not in felt.zones][: felt.chance.choice([3, 4, 4, 5])]:
        yield from deal(felt, zone, "up")


# -- the shoe, the cut, the shuffle


def cut(felt: Felt) -> Steps:
    """A cut that is thin, shows cards, or is made by anybody."""
    chance = felt.chance
    by = chance.choice(["dealer", f"seat:{felt.one_seat()}"])
    if chance.random() < 0.3:
        yield {"ev": "cut.offered", "to": f"seat:{felt.one_seat()}"}
    depth = chance.choice([0, 1, 2, 4, 20, None])
    yield {"ev": "cut", "by": by, "exposed": chance.choice([0, 0, 1, 2]), **({} if depth is None else {"depth": depth})}


def not_done(felt: Felt) -> Steps:
    """The deal goes on with what is asked for left out: a cut, a shuffle, a check, posts."""
    if felt.phase in {"waiting", "cutting", "complete", "checking_cards"} and felt.seats:
        zone = "board:1" if felt.book == "act-2019-uth" else f"seat:{felt.chance.choice(felt.seats)}"
        yield from deal(felt, zone)


def shuffled(felt: Felt) -> Steps:
    """A shuffle at any time, of any pack, whole or not."""
    deck = felt.chance.choice(["blue", "red", felt.deck])
    count = felt.chance.choice([52, 52, 51, 53, 40])
    if felt.chance.random() < 0.5:
        yield from shuffle(felt, deck)
    else:
        yield {"ev": "shoe.shuffled", "deck": deck, "count": count}


def checked(felt: Felt) -> Steps:
    """A check that finds something, or nothing."""
    chance = felt.chance
    wrong: Raw = chance.choice(
        [{}, {"missing": ["As"]}, {"foreign": ["Jo"]}, {"duplicate": ["Kd"]}, {"missing": ["??"]}]
    )
    deck = chance.choice(["blue", "red", felt.deck])
    yield {"ev": "shoe.deck_checked", "deck": deck, "count": chance.choice([52, 52, 51, 53]), **wrong}


def deck_changed(felt: Felt) -> Steps:
    """New cards are brought."""
    yield {"ev": "deck.changed", "deck": felt.chance.choice(["blue", "red"])}


def stub_shuffled(felt: Felt) -> Steps:
    """The undealt cards are shuffled."""
    felt.chance.shuffle(felt.pack)
    yield {"ev": "stub.shuffled", **({"count": len(felt.pack)} if felt.chance.random() < 0.5 else {})}


def stub_gone(felt: Felt) -> Steps:
    """Most of the pack falls on the floor: a draw or a stud deal will run out of cards."""
    yield {"ev": "stub.shuffled", "count": felt.chance.randrange(6)}


def shoe_fault(felt: Felt) -> Steps:
    """The shoe fails."""
    kind = felt.chance.choice(FAULTS)
    felt.faults.append(kind)
    yield {"ev": "shoe.fault", "kind": kind, **({"deck": felt.deck} if felt.chance.random() < 0.5 else {})}


def shoe_cleared(felt: Felt) -> Steps:
    """The shoe says that a fault is gone."""
    yield {"ev": "shoe.cleared", "kind": felt.faults.pop() if felt.faults else felt.chance.choice(FAULTS)}
