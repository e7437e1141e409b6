"""To the same fault a second time: the first one put right, and another card, player or box."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from feltd.books.moments.croupier import StuckError
from feltd.books.moments.fault import Make
from feltd.books.moments.layout import Deed
from feltd.books.moments.scene import CannotError, Scene

_MOST_STEPS: Final = 60
_NOT_COME: Final = "the round does not come to such a moment again"
_NOT_RIGHT: Final = "what was wrong the first time is not put right"
_RULED: Final = "the table rules on what puts the first fault right"
_NO_OTHER: Final = "there is no other card, player or box for a second time"
_BETTING: Final = ("act", "open", "close")
_TELLS_APART: Final[Mapping[str, str]] = {
    "card.exposed": "card",
    "card.left_table": "card",
    "card.turned": "card",
    "wager": "seat",
    "seat.out": "seat",
}
"""By event, the field in which the second fault must differ from the first."""
_TAKEN: Final = frozenset({"card.removed", "card.left_table"})
_OF_SEAT_DUE: Final = frozenset({"action", "clock.called", "clock.start", "card.placed"})
"""Events of faults that the seat makes which is due to act, or that come to the seat which is due a card."""


def to_the_same_again(scene: Scene, make: Make) -> Sequence[Deed]:
    """Let the fault happen, have it put right, and play on to such a moment of the round again.

    What the first fault concerned is spent: the scene picks other cards and seats for the second. A shuffle gives all
    of them back. Returns the first fault's deeds, none if the cards were shuffled since. Raises CannotError.
    """
    stream = scene.stream
    ruled, place, wagers = len(stream.rulings), _place(scene), _wagers(scene)
    due, at = _seat_due(scene), len(stream.done)
    make(scene)
    scene.need(len(stream.rulings) > ruled, "it was not ruled on the first time")
    faulty = stream.done[at:]
    of_seat = any(deed["ev"] in _OF_SEAT_DUE for deed in faulty)
    why_not = _NOT_COME
    for _ in range(_MOST_STEPS):
        since = stream.done[at:]
        scene.need(not any(deed["ev"] == "hand.end" for deed in since), why_not)
        anew = _is_shuffled(since[len(faulty) :])
        scene.spend(() if anew else faulty, due if of_seat and not anew else ())
        if _place(scene) == place:
            _put_right(scene, () if anew else faulty, wagers)
        same_seat = of_seat and set(_seat_due(scene)) & scene.spent_seats
        if _place(scene) == place and not same_seat:
            if _is_right(scene):
                return () if anew else faulty
            why_not = _NOT_RIGHT
        _step(scene)
    raise CannotError(why_not)


def need_another(scene: Scene, first: Sequence[Deed], second: Sequence[Deed]) -> None:
    """Raise CannotError where both faults show the same card, or concern the same box or player."""
    for ev, field in _TELLS_APART.items():
        had, has = ({deed.get(field) for deed in deeds if deed["ev"] == ev} for deeds in (first, second))
        scene.need(not had & has, _NO_OTHER)


def _place(scene: Scene) -> tuple[Any, ...]:
    """What must be alike for two moments to be alike."""
    view = scene.view
    asked = next(iter(scene.prompt), "")
    return asked, view["phase"], view["street"], asked in _BETTING and _has_anybody_acted(scene)


def _has_anybody_acted(scene: Scene) -> bool:
    for deed in reversed(scene.stream.done):
        if deed["ev"] in ("betting.closed", "draw", "shoe.shuffled"):
            return False
        if deed["ev"] == "action" and deed["action"] not in ("post", "ante"):
            return True
    return False


def _is_shuffled(deeds: Sequence[Deed]) -> bool:
    return any(deed["ev"] == "shoe.shuffled" for deed in deeds)


def _seat_due(scene: Scene) -> tuple[int, ...]:
    """The seat that is due a card, or to act."""
    prompt = scene.prompt
    zone = str(prompt.get("deal", ""))
    if zone.startswith("seat:"):
        return (int(zone.removeprefix("seat:")),)
    return (prompt["act"],) if "act" in prompt else ()


def _step(scene: Scene) -> None:
    try:
        scene.croupier.step()
    except StuckError as stuck:
        raise CannotError(f"play does not go on after the first time: {stuck}") from None


# -- what is put right beside what the table asks for


def _put_right(scene: Scene, faulty: Sequence[Deed], wagers: Mapping[tuple[int, str], int]) -> None:
    """What the first fault left wrong, as a person has it put right who was called; raises CannotError."""
    ruled = len(scene.stream.rulings)
    for deed in faulty:
        _put_back(scene, deed, wagers)
    if not _is_dealt_right(scene) or _is_lacking(scene, faulty):
        for deed in reversed(faulty):
            _take_back(scene, deed)
        if "deal" not in scene.prompt:
            scene.stream.layout.in_hand.clear()
    scene.need(len(scene.stream.rulings) == ruled, _RULED)


def _put_back(scene: Scene, deed: Deed, wagers: Mapping[tuple[int, str], int]) -> None:
    """Chips back to what lay there, and a device back in order."""
    match deed["ev"]:
        case "wager":
            box = deed["seat"], deed["box"]
            if _wagers(scene).get(box, 0) != wagers.get(box, 0):
                scene.do("wager", seat=box[0], box=box[1], cents=wagers.get(box, 0))
        case "device.state" if not deed["online"] and not scene.stream.shoe_answers:
            scene.do("device.state", device=deed["device"], online=True)


def _take_back(scene: Scene, deed: Deed) -> None:
    """A card from where the fault has put it, or back to where it was taken from."""
    card, zone = deed.get("card"), deed.get("zone")
    layout = scene.stream.layout
    if deed["ev"] == "card.placed" and card in layout.names(deed["zone"]):
        scene.do("card.removed", zone=zone, card=card)
    elif deed["ev"] in _TAKEN and not any(card in layout.names(other) for other in layout.zones):
        scene.do("card.placed", zone=zone, card=card, face="down", deck=scene.stream.deck)


def _wagers(scene: Scene) -> dict[tuple[int, str], int]:
    """What lies in each box."""
    return {
        (seat["seat"], box): cents
        for seat in scene.view["seats"]
        for box, cents in (seat["wagers"] or {}).items()
    }  # fmt: skip


def _is_right(scene: Scene) -> bool:
    """Whether every player has as many cards as at such a moment of a clean round, and the dealer none in hand."""
    if not _is_dealt_right(scene) or scene.stream.layout.in_hand:
        return False
    if scene.prompt.get("deal") is None or _is_later_street(scene):
        return True
    due, held = _seat_due(scene), _held(scene)
    if not due or due[0] not in held:
        return True
    ring = list(held)
    first = ring.index(scene.first_seat()) if scene.first_seat() in held else 0
    ring = ring[first:] + ring[:first]
    place = ring.index(due[0])
    before, after = ([held[seat] for seat in part] for part in (ring[:place], ring[place + 1 :]))
    return min(before, default=99) > held[due[0]] >= max(after, default=0)


def _is_lacking(scene: Scene, faulty: Sequence[Deed]) -> bool:
    """Whether a card that the fault took from a player lies nowhere while cards are dealt."""
    layout = scene.stream.layout
    taken = [deed["card"] for deed in faulty if deed["ev"] in _TAKEN and str(deed.get("zone")).startswith("seat:")]
    lying = {card for zone in layout.zones for card in layout.names(zone)}
    return "deal" in scene.prompt and bool(set(taken) - lying)


def _is_dealt_right(scene: Scene) -> bool:
    """Whether cards lie before players alone, and nobody has one too many."""
    if not set(scene.stream.layout.seats()) <= set(scene.seats):
        return False
    held = _held(scene)
    if not held or scene.view["phase"] == "draw":
        return True
    due = _seat_due(scene) if "deal" in scene.prompt else ()
    if due and due[0] in held:
        return max(held.values()) <= held[due[0]] + _most_at_once(scene)
    return scene.view["phase"] in ("waiting", "dealing") or len(set(held.values())) <= 1


def _held(scene: Scene) -> dict[int, int]:
    """How many cards each player of the deal has; after the deal, each in the round.

    Without those who wait for the burn that replaces a card of theirs.
    """
    seats = scene.in_deal if scene.view["phase"] in ("waiting", "dealing") else scene.live
    waiting = _waiting_for_burn(scene)
    return {seat: len(scene.stream.layout.at(f"seat:{seat}")) for seat in seats if seat not in waiting}


def _waiting_for_burn(scene: Scene) -> set[int]:
    """Players a card of whose was laid on the burn pile."""
    done = scene.stream.done
    pairs = pairwise(done)
    laid = [taken for taken, put in pairs if taken["ev"] == "card.removed" and put.get("zone") == "burn"]
    return {int(deed["zone"][5:]) for deed in laid if deed["zone"].startswith("seat:")}


def _is_later_street(scene: Scene) -> bool:
    return scene.view["street"] not in (None, scene.book.streets[0].name)


def _most_at_once(scene: Scene) -> int:
    """The most cards that a player of the game gets at once."""
    return max(step.at_a_time for street in scene.book.streets for step in street.deal)
