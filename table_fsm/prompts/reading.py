"""Prompts read back from JSON: from the journal, or from another program."""

from collections.abc import Mapping
from typing import Final

from table_fsm.prompts.types import (
    Act,
    Ante,
    Burn,
    CheckPack,
    Close,
    Collect,
    Cut,
    Deal,
    DealMixed,
    Decide,
    DrawCards,
    DrawForButton,
    GiveUp,
    MixFlop,
    MoveButton,
    MoveToBurn,
    Open,
    Post,
    Prompt,
    Remove,
    ReturnBet,
    Show,
    Shuffle,
    ShuffleStub,
    Turn,
    Wagers,
    Wait,
    WaitReason,
)

_REASONS: Final = frozenset(reason.value for reason in WaitReason)


def prompt_from_dict(data: Mapping[str, object]) -> Prompt:
    """Return the prompt whose `to_json` is `data`. Raises ValueError if there is none."""
    prompt = _read(data)
    if prompt is None or prompt.to_json() != data:
        raise ValueError(f"this is no prompt: {dict(data)}")
    return prompt


def _read(data: Mapping[str, object]) -> Prompt | None:
    """Return the prompt that the keys speak of; it need not have all of them."""
    for reader in (_of_cards, _of_pack, _before_deal, _of_play):
        if (found := reader(data)) is not None:
            return found
    return None


def _of_cards(data: Mapping[str, object]) -> Prompt | None:
    match data:
        case {"deal": "board"}:
            return DealMixed()
        case {"deal": str(zone), "face": "down"}:
            return Deal(zone, "down")
        case {"deal": str(zone), "face": "up"}:
            return Deal(zone, "up")
        case {"burn": int(count)}:
            return Burn(count)
        case {"remove": str(zone)}:
            return Remove(zone)
        case {"turn": [*zones]}:
            return Turn(tuple(map(str, zones)))
        case {"move": str(zone), "to": "burn"}:
            return MoveToBurn(zone)
        case {"mix": [*zones]}:
            return MixFlop(tuple(map(str, zones)))
        case _:
            return None


def _of_pack(data: Mapping[str, object]) -> Prompt | None:
    match data:
        case {"check": str() | None as deck}:
            return CheckPack(deck)
        case {"shuffle": str() | None as deck}:
            return Shuffle(deck)
        case {"shuffle_stub": True}:
            return ShuffleStub()
        case {"cut": True, "by": str(seat)}:
            return Cut(seat)
        case {"cut": True}:
            return Cut()
        case _:
            return None


def _before_deal(data: Mapping[str, object]) -> Prompt | None:
    match data:
        case {"move": "button", "to": int(seat)}:
            return MoveButton(seat)
        case {"draw": "button"}:
            return DrawForButton()
        case {"wagers": True}:
            return Wagers()
        case {"post": {**amounts}}:
            return Post(_by_seat(amounts))
        case {"ante": {**amounts}}:
            return Ante(_by_seat(amounts))
        case _:
            return None


def _of_play(data: Mapping[str, object]) -> Prompt | None:
    match data:
        case {"open": "low_card" | "high_card" | "high_hand" | "low_hand" as cards}:
            return Open(cards)
        case {"act": int(seat), "owes": int() | None as owes}:
            return Act(seat, owes, "check" not in data, _seats(data.get("check_beats", [])), _return_bet(data))
        case {"close": "betting"}:
            return Close(_return_bet(data))
        case {"decide": seats}:
            return Decide(_seats(seats))
        case {"draw": int(seat)}:
            return DrawCards(seat)
        case {"give_up": seats, "count": int(count)}:
            return GiveUp(_seats(seats), count)
        case {"show": seats}:
            return Show(_seats(seats), "by_key" in data)
        case {"collect": True}:
            return Collect()
        case {"wait": str(reason)} if reason in _REASONS:
            return Wait(WaitReason(reason))
        case _:
            return None


def _seats(seats: object) -> tuple[int, ...]:
    return tuple(seat for seat in seats if isinstance(seat, int)) if isinstance(seats, list) else ()


def _by_seat(amounts: object) -> dict[int, int | None]:
    found = amounts if isinstance(amounts, dict) else {}
    return {int(seat): cents for seat, cents in found.items() if isinstance(cents, int | None)}


def _return_bet(data: Mapping[str, object]) -> ReturnBet | None:
    seats = _by_seat(data.get("return_bet"))
    return ReturnBet(*next(iter(seats.items()))) if seats else None
