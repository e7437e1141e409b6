"""When each mistake can be made, beyond the prompt's being the right one."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from devices.simulated.people.mistakes import Mistake
from devices.simulated.people.work import Work

Prompt: TypeAlias = dict[str, Any]

_FIRST_STREETS: Final = ("pre_flop", "third", "1")


def ripe(work: Work, mistake: Mistake, prompt: Prompt) -> bool:
    """Whether the mistake can be made right now, beyond the prompt's being the right one."""
    test = _RIPE.get(mistake)
    return test is None or test(work, prompt)


def seat_of(zone: str) -> int:
    """The seat of a zone `seat:3`."""
    return int(zone.removeprefix("seat:"))


def empty_place(work: Work) -> int | None:
    """A place at the table where nobody sits; None where there is none."""
    return next((n for n in range(1, 11) if n not in work.game.seats), None)


def held_hands(work: Work) -> list[int]:
    """The seats with cards before them."""
    return [seat for seat in work.game.seats if work.layout.names(f"seat:{seat}")]


def _to_seat(work: Work, prompt: Prompt) -> bool:
    return str(prompt["deal"]).startswith("seat:") and prompt.get("face") == "down" and not work.layout.in_hand


def _to_any_seat(work: Work, prompt: Prompt) -> bool:
    return str(prompt["deal"]).startswith("seat:") and not work.layout.in_hand


def _in_draw(work: Work, prompt: Prompt) -> bool:
    return work.sense.phase == "draw" and _to_seat(work, prompt)


def _in_deal(work: Work, prompt: Prompt) -> bool:
    return work.sense.phase != "draw" and _another_due(work, prompt)


def _before_draw(work: Work, prompt: Prompt) -> bool:
    return not work.exchanged and bool(work.players.round.acted)


def _before_last_street(work: Work, prompt: Prompt) -> bool:
    sense = work.sense
    return sense.phase == "betting" and sense.street != work.game.wagering.last_street


def _hand_empty(work: Work, prompt: Prompt) -> bool:
    return not work.layout.in_hand


def _depth_matters(work: Work, prompt: Prompt) -> bool:
    return work.game.least_cut > 1


def _face_down(work: Work, prompt: Prompt) -> bool:
    return prompt.get("face") == "down" and not work.layout.in_hand


def _last_of_pass(work: Work, prompt: Prompt) -> bool:
    """The first pass, and everybody but the one due has a card."""
    seat = seat_of(prompt["deal"]) if _to_seat(work, prompt) else None
    missing = [n for n in work.game.seats if n not in work.dealt_to]
    return seat is not None and missing == [seat] and len(work.dealt_to) > 2


def _another_due(work: Work, prompt: Prompt) -> bool:
    return _to_any_seat(work, prompt) and len(work.dealt_to) > 1


def _nobody_acted(work: Work, prompt: Prompt) -> bool:
    return work.sense.street in _FIRST_STREETS and not work.players.round.acted and not work.looked


def _empty_seat(work: Work, prompt: Prompt) -> bool:
    return _to_seat(work, prompt) and empty_place(work) is not None


def _cards_out(work: Work, prompt: Prompt) -> bool:
    return bool(work.house.wagers) and not work.layout.empty


def _two_hands(work: Work, prompt: Prompt) -> bool:
    return len(held_hands(work)) > 1 and not work.layout.in_hand


def _owes(work: Work, prompt: Prompt) -> bool:
    seat, owes = prompt["act"], prompt.get("owes") or 0
    return bool(1 < owes < work.players.stacks.get(seat, 0) // 2)


def _others_live(work: Work, prompt: Prompt) -> bool:
    return len(work.players.live) > 2


def _has_cards(work: Work, prompt: Prompt) -> bool:
    return bool(work.layout.names(f"seat:{prompt['act']}"))


def _shuffled_before(work: Work, prompt: Prompt) -> bool:
    return work.last_deck is not None and work.rounds > 0


_RIPE: Final[Mapping[Mistake, Callable[[Work, Prompt], bool]]] = MappingProxyType(
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
