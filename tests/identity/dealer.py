"""A dealer who does what the table's prompt asks."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from tests.identity.felt import BOARD, SEATS, Felt
from tests.identity.streams import Raw

Steps: TypeAlias = Iterator[Raw]
Prompt: TypeAlias = dict[str, Any]

DECISIONS: Final = ("play_on", "play_on", "play_on", "confirm", "resume", "misdeal", "void", "acknowledge")
PLAY_MULTIPLES: Final = ((4, 3, 4), (2,), (1,))
"""What most players of a house-banked game put in, by how far the board has been turned."""


def deal(felt: Felt, zone: str, face: str = "down", *, name: str | None = None, silent: bool = False) -> Steps:
    """A card out of the shoe, to a zone. `name`: another than the next one. `silent`: the shoe does not tell."""
    drawn = felt.next_card()
    card = name or drawn
    deck = {"deck": felt.deck} if felt.chance.random() < 0.95 else {}
    if felt.habits.shoe and not silent:
        yield {"ev": "shoe.card", **({"card": card} if felt.habits.shoe_reads else {}), **deck}
    up = face == "up"
    yield {"ev": "card.placed", "zone": zone, **felt.named(card, up=up), "face": face, **deck}
    felt.put(zone, card, up=up)


def turn(felt: Felt, zone: str) -> Steps:
    """Every face-down card of a zone is turned up."""
    for card in list(felt.zones.get(zone, ())):
        if not card.up:
            card.up = True
            yield {"ev": "card.turned", "zone": zone, "card": card.name}


def lift(felt: Felt, zone: str, to: str | None = None) -> Steps:
    """The last card of a zone leaves it, and comes to rest in another, if any."""
    if zone not in felt.zones:
        yield {"ev": "card.removed", "zone": zone}
        return
    name = felt.take(zone)
    yield {"ev": "card.removed", "zone": zone, **felt.named(name, up=False)}
    if to is not None:
        yield {"ev": "card.placed", "zone": to, **felt.named(name, up=False)}
        felt.put(to, name, up=False)


def muck(felt: Felt, seat: int) -> Steps:
    """A hand goes to the discards."""
    zone = f"seat:{seat}"
    while zone in felt.zones:
        yield from lift(felt, zone, "muck" if felt.chance.random() < 0.7 else None)


def key(felt: Felt, seat: int, action: str, cents: int | None = None) -> Steps:
    """A key of the keypad."""
    if cents:
        felt.pot += cents
    yield {"ev": "action", "seat": seat, "action": action, **({"cents": cents} if cents is not None else {})}


def obey(felt: Felt) -> Steps:
    """Do what is asked."""
    prompt = felt.prompt
    if not prompt:
        yield from _idle(felt)
        return
    word = next(iter(prompt))
    do = ASKED.get(word)
    if do is None:
        yield {"ev": "tick"}
        return
    yield from do(felt, prompt)


def _idle(felt: Felt) -> Steps:
    if felt.phase == "closed":
        yield {"ev": "tick"}
    elif felt.phase in {"dealing", "betting", "draw"} and felt.chance.random() < 0.5:
        yield {"ev": "betting.closed"}
    else:
        yield from end_hand(felt)


# -- between two rounds


def _check(felt: Felt, prompt: Prompt) -> Steps:
    if felt.chance.random() < 0.4:
        yield {"ev": "badge", "staff": "s1", "role": felt.chance.choice(["supervisor", "inspector", "surveillance"])}
    yield check_deck(felt, prompt["check"])


def check_deck(felt: Felt, deck: str | None) -> Raw:
    """A full check that finds the deck whole."""
    count = (felt.options.get("deck") or 52) + bool(felt.options.get("joker"))
    return {"ev": "shoe.deck_checked", "count": count, **({"deck": deck} if deck else {"deck": felt.deck})}


def shuffle(felt: Felt, deck: str | None) -> Steps:
    """A deck is shuffled, and all is well with it."""
    felt.deck = deck or felt.deck
    count = check_deck(felt, None)["count"] if felt.chance.random() < 0.8 else None
    felt.shuffle()
    yield {"ev": "shoe.shuffled", "deck": felt.deck, **({"count": count} if count is not None else {})}


def _shuffle(felt: Felt, prompt: Prompt) -> Steps:
    deck = prompt["shuffle"]
    if felt.habits.two_packs and deck is None:
        deck = "red" if felt.deck == "blue" else "blue"
    yield from shuffle(felt, deck)


def _cut(felt: Felt, prompt: Prompt) -> Steps:
    by = prompt.get("by", "dealer")
    if by != "dealer" and felt.chance.random() < 0.6:
        yield {"ev": "cut.offered", "to": by}
    yield {"ev": "cut", "by": by, "depth": felt.chance.randrange(5, 27)}


def _wagers(felt: Felt, prompt: Prompt) -> Steps:
    chance, least = felt.chance, felt.options.get("table_min") or 500
    for seat in felt.seats:
        if chance.random() < 0.9:
            ante = least * chance.choice([1, 1, 2, 5])
            for box in ("ante", "blind"):
                yield {"ev": "wager", "seat": seat, "box": box, "cents": ante}
            if chance.random() < 0.4:
                yield {"ev": "wager", "seat": seat, "box": "trips", "cents": least * chance.choice([1, 2])}
    yield {"ev": "deal.start"}


def _move(felt: Felt, prompt: Prompt) -> Steps:
    if isinstance(prompt["to"], int):
        yield {"ev": "marker.placed", "marker": prompt["move"], "seat": prompt["to"]}
        return
    yield from lift(felt, prompt["move"], prompt["to"])


def _post(word: str) -> Callable[[Felt, Prompt], Steps]:
    def post(felt: Felt, prompt: Prompt) -> Steps:
        for seat, cents in prompt[word].items():
            amount = felt.unit if cents is None else cents
            yield from key(felt, int(seat), word, amount)
        if felt.chance.random() < 0.2:
            yield {"ev": "deal.start"}

    return post


def _wait(felt: Felt, prompt: Prompt) -> Steps:
    chance = felt.chance
    if prompt["wait"] == "go":
        yield {"ev": "tournament.go"}
    elif prompt["wait"] == "players":
        free = [seat for seat in SEATS if seat not in felt.seats]
        if free and chance.random() < 0.6:
            yield {"ev": "seat.in", "seat": chance.choice(free)}
        else:
            yield {"ev": "seat.back", "seat": felt.one_seat()}
    else:
        yield from decide(felt)


def decide(felt: Felt) -> Steps:
    """A supervisor comes, sees what is wrong, and decides."""
    chance = felt.chance
    while felt.faults:
        yield {"ev": "shoe.cleared", "kind": felt.faults.pop()}
    if chance.random() < 0.3:
        yield {"ev": "badge", "staff": "s1", "role": chance.choice(["supervisor", "director", "inspector"])}
    if chance.random() < 0.2:
        yield {"ev": "dropbox.state", "present": True, "locked": True}
    if chance.random() < 0.4:
        yield {"ev": "supervisor", "decision": "acknowledge", "staff": "s1"}
    if chance.random() < 0.2:
        yield check_deck(felt, None)
    decision: Raw = {"ev": "supervisor", "decision": chance.choice(DECISIONS), "staff": "s1"}
    if chance.random() < 0.4:
        waiting = [pending["id"] for pending in felt.view.get("pending", ())] or [felt.ruling]
        decision["ruling"] = chance.choice(waiting)
    yield decision


# -- cards


def _deal(felt: Felt, prompt: Prompt) -> Steps:
    zone = prompt["deal"]
    if zone == "board":
        zone = next((zone for zone in BOARD if zone not in felt.zones), BOARD[-1])
    if felt.phase == "waiting" and felt.chance.random() < 0.1:
        yield {"ev": "deal.start"}
    yield from deal(felt, zone, prompt.get("face") or "down")


def _burn(felt: Felt, prompt: Prompt) -> Steps:
    yield from deal(felt, "burn")


def _draw(felt: Felt, prompt: Prompt) -> Steps:
    if prompt["draw"] == "button":
        if felt.chance.random() < 0.2:
            yield {"ev": "marker.placed", "marker": "button", "seat": felt.one_seat()}
        else:
            yield {"ev": "button.draw"}
        return
    seat, count = prompt["draw"], felt.chance.choice([0, 1, 1, 2, 2, 3, 3, 4, 5])
    yield {"ev": "draw", "seat": seat, "count": count}
    for _ in range(count):
        if f"seat:{seat}" in felt.zones:
            yield from lift(felt, f"seat:{seat}", "muck" if felt.chance.random() < 0.5 else None)


def _remove(felt: Felt, prompt: Prompt) -> Steps:
    yield from lift(felt, prompt["remove"], felt.chance.choice(["muck", None, None, "shoe"]))


def _mix(felt: Felt, prompt: Prompt) -> Steps:
    """Of the cards of an overdealt flop the floor draws at random."""
    zones = [zone for zone in prompt["mix"] if zone in felt.zones]
    for zone in zones:
        yield from lift(felt, zone)
    for zone in prompt["mix"][:3]:
        yield from deal(felt, zone, "up", silent=True)


def _shuffle_stub(felt: Felt, prompt: Prompt) -> Steps:
    felt.pack += felt.muck
    felt.muck.clear()
    felt.chance.shuffle(felt.pack)
    yield {"ev": "stub.shuffled", **({"count": len(felt.pack)} if felt.chance.random() < 0.5 else {})}


def _turn(felt: Felt, prompt: Prompt) -> Steps:
    zones = [zone for zone in prompt["turn"] if any(not card.up for card in felt.zones.get(zone, ()))]
    for zone in zones:
        yield from turn(felt, zone)
    if not zones:
        yield from end_hand(felt)


# -- betting


def _act(felt: Felt, prompt: Prompt) -> Steps:
    chance, seat, owes = felt.chance, prompt["act"], prompt.get("owes") or 0
    if not felt.habits.keypad:
        if chance.random() < 0.1:
            yield from muck(felt, seat)
        yield {"ev": "betting.closed"}
        return
    roll = chance.random()
    if roll < felt.habits.folds and (owes or chance.random() < 0.2):
        yield from key(felt, seat, "fold")
        if chance.random() < 0.8:
            yield from muck(felt, seat)
    elif roll < felt.habits.folds + felt.habits.bets or (not owes and prompt.get("check") is False):
        yield from key(felt, seat, *_bet(felt, owes))
    elif owes:
        yield from key(felt, seat, "call", owes)
    else:
        yield from key(felt, seat, "check")


def _bet(felt: Felt, owes: int) -> tuple[str, int]:
    chance, unit = felt.chance, felt.unit
    if chance.random() < 0.15:
        return "all_in", max(1, chance.choice([owes, owes + unit, owes // 2, owes + 7 * unit, unit, 20 * unit]))
    more = chance.choice([unit, unit, unit, 2 * unit, owes, max(felt.pot, unit), max(felt.pot // 2, unit), 3 * unit])
    return ("raise" if owes else "bet"), max(1, owes + max(more, unit))


def _open(felt: Felt, prompt: Prompt) -> Steps:
    yield from key(felt, felt.one_seat(), felt.chance.choice(["bet", "bet", "check"]), felt.unit)


def _close(felt: Felt, prompt: Prompt) -> Steps:
    yield {"ev": "betting.closed"}


def _decide(felt: Felt, prompt: Prompt) -> Steps:
    """Play wagers of a house-banked game."""
    chance, seat = felt.chance, prompt["decide"][0]
    turned = sum(card.up for zone in BOARD for card in felt.zones.get(zone, ()))
    if not felt.habits.keypad or chance.random() < 0.05:
        yield {"ev": "betting.closed"}
        return
    boxes = next((s["wagers"] for s in felt.view.get("seats", ()) if s["seat"] == seat and s.get("wagers")), None)
    ante = (boxes or {}).get("ante") or felt.options.get("table_min") or 500
    multiple = chance.choice(PLAY_MULTIPLES[0 if not turned else 1 if turned < 5 else 2])
    if chance.random() < 0.45:
        if chance.random() < 0.7:
            yield {"ev": "wager", "seat": seat, "box": "play", "cents": ante * multiple}
        else:
            yield from key(felt, seat, "bet", ante * multiple)
    elif turned == 5 or chance.random() < felt.habits.folds:
        yield from key(felt, seat, "fold")
        if chance.random() < 0.5:
            yield from muck(felt, seat)
    else:
        yield from key(felt, seat, "check")


# -- the end


def _show(felt: Felt, prompt: Prompt) -> Steps:
    due = [seat for seat in prompt["show"] if seat not in felt.shown]
    if not due:
        yield from end_hand(felt)
        return
    felt.shown.add(due[0])
    if felt.phase == "showdown" and felt.chance.random() < 0.12:
        yield from muck(felt, due[0])
    else:
        yield from turn(felt, f"seat:{due[0]}")


def _collect(felt: Felt, prompt: Prompt) -> Steps:
    yield from end_hand(felt)


def end_hand(felt: Felt) -> Steps:
    """Pots are counted, commission is taken, the round ends, the cards are collected."""
    chance = felt.chance
    felt.commission_said, felt.commission_due = False, 0
    if chance.random() < 0.5:
        yield {"ev": "pot", "cents": felt.pot or felt.unit * 3}
        if chance.random() < 0.2:
            yield {"ev": "pot", "cents": felt.unit * chance.randrange(1, 30), "pot": 2}
    if felt.commission_said and felt.commission_due > 0:
        handling = felt.options.get("commission_handling", "drop")
        yield {"ev": "float.commission" if handling == "float" else "dropbox.chip", "cents": felt.commission_due}
        if handling == "float":
            yield {"ev": "badge", "staff": "s1", "role": "supervisor"}
            yield {"ev": "float.colour_change", "cents": felt.commission_due}
            yield {"ev": "dropbox.chip", "cents": felt.commission_due}
    yield {"ev": "hand.end"}
    if chance.random() < 0.1:
        for zone in felt.holding():
            yield from lift(felt, zone, chance.choice([None, "muck", "shoe"]))
    felt.clear()
    if felt.button is not None and chance.random() < 0.5:
        marker = "buck" if felt.book.startswith("act-2001") else "button"
        yield {"ev": "marker.placed", "marker": marker, "seat": felt.button}


ASKED: Final[Mapping[str, Callable[[Felt, Prompt], Steps]]] = MappingProxyType(
    {
        "wait": _wait,
        "check": _check,
        "shuffle": _shuffle,
        "cut": _cut,
        "wagers": _wagers,
        "move": _move,
        "post": _post("post"),
        "ante": _post("ante"),
        "deal": _deal,
        "burn": _burn,
        "draw": _draw,
        "remove": _remove,
        "mix": _mix,
        "shuffle_stub": _shuffle_stub,
        "turn": _turn,
        "act": _act,
        "open": _open,
        "close": _close,
        "decide": _decide,
        "show": _show,
        "collect": _collect,
    }
)
"""What to do, by the first key of the prompt."""
