"""The croupier's work with single cards: dealing, burning, turning, and taking back what went wrong."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from devices.simulated.people import motions, wagers
from devices.simulated.people.motions import Dealt, Held, Motion, Reply, Steps

if TYPE_CHECKING:
    from devices.simulated.people.croupier import Croupier

Prompt = dict[str, Any]


def deal(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The next card, where the table wants it."""
    zone = prompt["deal"] if prompt["deal"] != "board" else croupier.layout.free_on_board()
    if croupier.layout.empty and not croupier.draws_button and not zone.startswith("race:"):
        yield from wagers.announce(croupier)
    yield from deal_to(croupier, zone, prompt.get("face") or "down")


def deal_unasked(croupier: "Croupier") -> Steps:
    """Straight to the deal, whatever the table asks for: blinds, no more bets, the first card."""
    yield from wagers.post_unasked(croupier)
    yield from wagers.announce(croupier)
    yield from deal_to(croupier, f"seat:{first_seat(croupier)}", "down")


def deal_to(croupier: "Croupier", zone: str, face: str) -> Dealt:
    """One card to a zone: the one in hand, if a ruling gave it back, else the shoe's next. Says whether it came."""
    layout = croupier.layout
    held = layout.in_hand.pop() if layout.in_hand else (yield from draw(croupier))
    if held is None:
        return False
    if croupier.sense.waits_for_floor:  # the card itself is the matter: it stays in the hand
        layout.in_hand.append(held)
        return False
    if zone.startswith("seat:"):
        _to_seat(croupier, int(zone.removeprefix("seat:")), face)
    layout.put(zone, Held(held.card, held.deck, face))
    yield from croupier.do(motions.place(zone, held, face))
    return True


def _to_seat(croupier: "Croupier", seat: int, face: str) -> None:
    if seat not in croupier.dealt_to:
        croupier.dealt_to.append(seat)
        croupier.players.live.add(seat)
    if face == "down":
        croupier.looked.discard(seat)  # there is something new to look at


def first_seat(croupier: "Croupier") -> int:
    """The seat that gets the first card: behind the button, or with the buck."""
    marked = croupier.sense.button or croupier.game.button or 0
    least = marked if croupier.game.marker == "buck" else marked + 1
    return next((seat for seat in croupier.game.seats if seat >= least), croupier.game.seats[0])


def draw(croupier: "Croupier") -> Generator[Motion, Reply, Held | None]:
    """A card out of the shoe. None where it gives none; a locked gate is waited for."""
    phase = croupier.sense.phase
    reply = yield from croupier.do(motions.shoe("deal"))
    if reply.refused is not None:
        yield from croupier.do(motions.wait(1.0))
        return None
    croupier.undealt -= 1
    held = Held(reply.result["card"], reply.result.get("deck"), reply.result.get("face", "down"))
    if croupier.sense.phase in ("misdeal", "void") and phase != croupier.sense.phase:
        croupier.layout.in_hand.append(held)  # collected with the rest
        return None
    return held


def burn(croupier: "Croupier", prompt: Prompt) -> Steps:
    """One card to the burn pile."""
    yield from deal_to(croupier, "burn", "down")


def turn(croupier: "Croupier", prompt: Prompt) -> Steps:
    """Cards that lie face down are turned up: the board, the dealer's hand."""
    for zone in prompt["turn"]:
        yield from turn_up(croupier, zone)


def turn_up(croupier: "Croupier", zone: str) -> Steps:
    """Every card of a zone face up."""
    lying = croupier.layout.zones.get(zone, [])
    croupier.layout.zones[zone] = [Held(held.card, held.deck, "up") for held in lying]
    yield from croupier.do(motions.on_zone(zone, "turn", face="up", all=True))


def move(croupier: "Croupier", prompt: Prompt) -> Steps:
    """A marker moves, unless nobody has seen that it stands wrong; or a card of the board goes to the burns."""
    if prompt.get("to") == "burn":
        yield from remove(croupier, {"remove": prompt["move"]})
        yield from burn(croupier, prompt)
        return
    if croupier.button_unnoticed:
        croupier.button_unnoticed = False
        yield from deal_unasked(croupier)
        return
    yield from croupier.do(motions.marker(prompt["move"], prompt["to"]))


# -- putting right


def remove(croupier: "Croupier", prompt: Prompt) -> Steps:
    """Take back the card a ruling asks back; where it goes the next prompt says."""
    zone, layout = prompt["remove"], croupier.layout
    card = layout.marked.pop(zone, None)
    reply = yield from croupier.do(motions.on_zone(zone, "remove", card=card))
    if reply.refused is not None:
        return
    taken = Held(reply.result["card"], croupier.last_deck, reply.result.get("face", "down"))
    layout.take(zone, taken.card)
    if croupier.sense.outcome == "replace_with_first_burn":
        layout.put("burn", taken)
        yield from croupier.do(motions.place("burn", taken, "down"))
    else:
        layout.in_hand.append(taken)


def put_back(croupier: "Croupier") -> Steps:
    """The card that went wrong comes back into the hand, and is the next that is dealt where one is due."""
    zone = next(iter(croupier.layout.marked))
    yield from remove(croupier, {"remove": zone})
    if "deal" not in (croupier.sense.prompt or {}):
        croupier.layout.in_hand.clear()  # it belongs to nobody: among the discards


def mix(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The floor takes up these cards face down and mixes them: the next ones that are dealt are of them."""
    for zone in prompt["mix"]:
        yield from remove(croupier, {"remove": zone})
    croupier.chance.shuffle(croupier.layout.in_hand)
