"""When each mistake can be made, beyond the prompt's being the right one."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from devices.simulated.people.mistakes import Mistake

if TYPE_CHECKING:
    from devices.simulated.people.croupier import Croupier

Prompt: TypeAlias = dict[str, Any]

_FIRST_STREETS: Final = ("pre_flop", "third", "1")


def ripe(croupier: "Croupier", mistake: Mistake, prompt: Prompt) -> bool:
    """Whether the mistake can be made right now, beyond the prompt's being the right one."""
    test = _RIPE.get(mistake)
    return test is None or test(croupier, prompt)


def seat_of(zone: str) -> int:
    """The seat of a zone `seat:3`."""
    return int(zone.removeprefix("seat:"))


def empty_place(croupier: "Croupier") -> int | None:
    """A place at the table where nobody sits; None where there is none."""
    return next((n for n in range(1, 11) if n not in croupier.game.seats), None)


def held_hands(croupier: "Croupier") -> list[int]:
    """The seats with cards before them."""
    return [seat for seat in croupier.game.seats if croupier.layout.names(f"seat:{seat}")]


def _to_seat(croupier: "Croupier", prompt: Prompt) -> bool:
    return str(prompt["deal"]).startswith("seat:") and prompt.get("face") == "down" and not croupier.layout.in_hand


def _to_any_seat(croupier: "Croupier", prompt: Prompt) -> bool:
    return str(prompt["deal"]).startswith("seat:") and not croupier.layout.in_hand


def _in_draw(croupier: "Croupier", prompt: Prompt) -> bool:
    return croupier.sense.phase == "draw" and _to_seat(croupier, prompt)


def _in_deal(croupier: "Croupier", prompt: Prompt) -> bool:
    return croupier.sense.phase != "draw" and _another_due(croupier, prompt)


def _before_draw(croupier: "Croupier", prompt: Prompt) -> bool:
    return not croupier.exchanged and bool(croupier.players.round.acted)


def _before_last_street(croupier: "Croupier", prompt: Prompt) -> bool:
    sense = croupier.sense
    return sense.phase == "betting" and sense.street != croupier.game.wagering.last_street


def _hand_empty(croupier: "Croupier", prompt: Prompt) -> bool:
    return not croupier.layout.in_hand


def _depth_matters(croupier: "Croupier", prompt: Prompt) -> bool:
    return croupier.game.least_cut > 1


def _face_down(croupier: "Croupier", prompt: Prompt) -> bool:
    return prompt.get("face") == "down" and not croupier.layout.in_hand


def _last_of_pass(croupier: "Croupier", prompt: Prompt) -> bool:
    """The first pass, and everybody but the one due has a card."""
    seat = seat_of(prompt["deal"]) if _to_seat(croupier, prompt) else None
    missing = [n for n in croupier.game.seats if n not in croupier.dealt_to]
    return seat is not None and missing == [seat] and len(croupier.dealt_to) > 2


def _another_due(croupier: "Croupier", prompt: Prompt) -> bool:
    return _to_any_seat(croupier, prompt) and len(croupier.dealt_to) > 1


def _nobody_acted(croupier: "Croupier", prompt: Prompt) -> bool:
    return croupier.sense.street in _FIRST_STREETS and not croupier.players.round.acted and not croupier.looked


def _empty_seat(croupier: "Croupier", prompt: Prompt) -> bool:
    return _to_seat(croupier, prompt) and empty_place(croupier) is not None


def _cards_out(croupier: "Croupier", prompt: Prompt) -> bool:
    return bool(croupier.house.wagers) and not croupier.layout.empty


def _two_hands(croupier: "Croupier", prompt: Prompt) -> bool:
    return len(held_hands(croupier)) > 1 and not croupier.layout.in_hand


def _owes(croupier: "Croupier", prompt: Prompt) -> bool:
    seat, owes = prompt["act"], prompt.get("owes") or 0
    return bool(1 < owes < croupier.players.stacks.get(seat, 0) // 2)


def _others_live(croupier: "Croupier", prompt: Prompt) -> bool:
    return len(croupier.players.live) > 2


def _has_cards(croupier: "Croupier", prompt: Prompt) -> bool:
    return bool(croupier.layout.names(f"seat:{prompt['act']}"))


def _shuffled_before(croupier: "Croupier", prompt: Prompt) -> bool:
    return croupier.last_deck is not None and croupier.rounds > 0


_RIPE: Final[Mapping[Mistake, Callable[["Croupier", Prompt], bool]]] = MappingProxyType(
    {
        Mistake.THIN_CUT: _depth_matters,
        Mistake.FLASH_CARD: _face_down,
        Mistake.DEAL_FACE_UP: _face_down,
        Mistake.BOXED_CARD: _hand_empty,
        Mistake.DEAL_OUT_OF_TURN: _in_deal,
        Mistake.MISS_PLAYER: _last_of_pass,
        Mistake.EXTRA_CARD: _nobody_acted,
        Mistake.THREE_CARDS: _another_due,
        Mistake.EXTRA_HAND: _empty_seat,
        Mistake.MIX_CARDS: _two_hands,
        Mistake.LATE_WAGER: _cards_out,
        Mistake.STREET_BEFORE_CLOSE: _before_last_street,
        Mistake.FLASH_REPLACEMENT: _in_draw,
        Mistake.REPLACEMENT_OUT_OF_TURN: _in_draw,
        Mistake.REPLACEMENT_BEFORE_DRAW: _before_draw,
        Mistake.FLOP_BEFORE_CLOSE: _before_last_street,
        Mistake.ACT_OUT_OF_TURN: _others_live,
        Mistake.BET_BETWEEN: _owes,
        Mistake.SHORT_CALL: _owes,
        Mistake.CHECK_FACING_BET: _owes,
        Mistake.PLAYER_SHOWS_CARD: _has_cards,
        Mistake.NO_SHUFFLE: _shuffled_before,
        Mistake.SAME_DECK_AGAIN: _shuffled_before,
    }
)
