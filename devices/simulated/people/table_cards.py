"""The dealer's work with single cards: deal, burn, turn, take back, mix."""

from collections.abc import Generator
from typing import Any

from devices.simulated.people import motions
from devices.simulated.people.motions import Dealt, Held, Motion, Reply, Steps
from devices.simulated.people.work import Work

Prompt = dict[str, Any]


def deal_to(work: Work, zone: str, face: str) -> Dealt:
    """Deal one card to a zone: the one in hand, or the shoe's next.

    Returns whether it was dealt.
    """
    layout = work.layout
    held = layout.in_hand.pop() if layout.in_hand else (yield from draw(work))
    if held is None:
        return False
    if work.sense.waits_for_floor:  # the ruling is about this card: it stays in the hand
        layout.in_hand.append(held)
        return False
    if zone.startswith("seat:"):
        _to_seat(work, int(zone.removeprefix("seat:")), face)
    layout.put(zone, Held(held.card, held.deck, face))
    yield from work.do(motions.place(zone, held, face))
    return True


def _to_seat(work: Work, seat: int, face: str) -> None:
    if seat not in work.dealt_to:
        work.dealt_to.append(seat)
        work.players.live.add(seat)
    if face == "down":
        work.looked.discard(seat)  # there is a new card to look at


def first_seat(work: Work) -> int:
    """The seat that gets the first card: behind the button, or with the buck."""
    marked = work.sense.button or work.game.button or 0
    least = marked if work.game.marker == "buck" else marked + 1
    return next((seat for seat in work.game.seats if seat >= least), work.game.seats[0])


def draw(work: Work) -> Generator[Motion, Reply, Held | None]:
    """A card out of the shoe; None if it gives none. Waits a second at a locked gate."""
    phase = work.sense.phase
    reply = yield from work.do(motions.shoe("deal"))
    if reply.refused is not None:
        yield from work.do(motions.wait(1.0))
        return None
    work.undealt -= 1
    held = Held(reply.result["card"], reply.result.get("deck"), reply.result.get("face", "down"))
    if work.sense.phase in ("misdeal", "void") and phase != work.sense.phase:
        work.layout.in_hand.append(held)  # collected with the rest
        return None
    return held


def burn(work: Work, prompt: Prompt) -> Steps:
    """Deal one card to the burn pile."""
    yield from deal_to(work, "burn", "down")


def turn(work: Work, prompt: Prompt) -> Steps:
    """Turn up the cards of these zones: the board, the dealer's hand."""
    for zone in prompt["turn"]:
        yield from turn_up(work, zone)


def turn_up(work: Work, zone: str) -> Steps:
    """Turn every card of a zone face up."""
    lying = work.layout.zones.get(zone, [])
    work.layout.zones[zone] = [Held(held.card, held.deck, "up") for held in lying]
    yield from work.do(motions.on_zone(zone, "turn", face="up", all=True))


# -- putting right


def remove(work: Work, prompt: Prompt) -> Steps:
    """Take back the card that a ruling asks for; the next prompt says where it goes."""
    zone, layout = prompt["remove"], work.layout
    card = layout.marked.pop(zone, None)
    reply = yield from work.do(motions.on_zone(zone, "remove", card=card))
    if reply.refused is not None:
        return
    taken = Held(reply.result["card"], work.last_deck, reply.result.get("face", "down"))
    layout.take(zone, taken.card)
    if work.sense.outcome == "replace_with_first_burn":
        layout.put("burn", taken)
        yield from work.do(motions.place("burn", taken, "down"))
    else:
        layout.in_hand.append(taken)


def put_back(work: Work) -> Steps:
    """Take back the card of a mistake; it is the next card dealt if one is due."""
    zone = next(iter(work.layout.marked))
    yield from remove(work, {"remove": zone})
    if "deal" not in (work.sense.prompt or {}):
        work.layout.in_hand.clear()  # no card is due: it goes to the discards


def mix(work: Work, prompt: Prompt) -> Steps:
    """Take up these face-down cards and mix them: they are the next cards dealt."""
    for zone in prompt["mix"]:
        yield from remove(work, {"remove": zone})
    work.chance.shuffle(work.layout.in_hand)
