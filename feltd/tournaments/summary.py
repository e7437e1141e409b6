"""A tournament's results as an Open Tournament Summary (OTS), which other poker programs read.

The format is https://ts-specs.handhistory.org: JSON, money in whole currency with decimals. It has one finish for a
player, so who shares a place stands at the first of its places, and who entered again is told by the entry's turn.
"""

from datetime import UTC, datetime
from typing import Any, Final

from feltd.tournaments.results import results
from floor_fsm.state.entries import ALIVE, Entries, Standing
from floor_fsm.state.floor import Time
from floor_fsm.state.money import pool_of
from floor_fsm.state.opening import opened
from floor_fsm.state.rebuys import Rebuys
from floor_fsm.tournament import Tournament

SPEC: Final = "1.1.5"
NO_CURRENCY: Final = "XXX"
"""ISO 4217 for none: a tournament's terms are in cents of the house's money and do not name it."""
_PLAYING: Final = frozenset(ALIVE)


def summary_of(tournament: Tournament, number: str, began: float, currency: str = NO_CURRENCY) -> dict[str, Any]:
    """The summary as JSON has it.

    `number`: the tournament's id; `began`: when it was made, in seconds since 1970. `still_playing` is true as long as
    a place may change.
    """
    parts = tournament.parts
    terms, entries = opened(parts), parts.of(Entries)
    clock = parts.of(Time).clock
    bought = parts.of(Rebuys).bought
    summary: dict[str, Any] = {
        "spec_version": SPEC,
        "site_name": "feltd",
        "network_name": "feltd",
        "tournament_number": number,
        "tournament_name": terms.name,
        "start_date_utc": _date(began),
        "end_date_utc": _date(began + tournament.t) if _is_over(tournament) else None,
        "currency": currency,
        "buyin_amount": terms.fee / 100,
        "fee_amount": terms.house / 100,
        "initial_stack": terms.stack,
        "type": "MTT" if len(terms.tables) > 1 else "STT",
        "flags": [],
        "speed": None if clock is None else {"type": "normal", "round_time": clock.structure.levels[0].seconds},
        "prize_pool": pool_of(parts) / 100,
        "player_count": entries.counted,
        "tournament_finishes_and_winnings": [
            {
                "player_name": _name(one.name, entries.by_number[one.entry].again),
                "finish_position": one.first,
                "still_playing": one.first is None or one.provisional,
                "prize": one.prize / 100,
            }
            for one in results(tournament)
            if one.standing is not Standing.WITHDRAWN
        ],
    }
    if terms.rebuy is not None:
        summary["rebuy_cost"] = (terms.rebuy.price + terms.rebuy.house) / 100
    if terms.add_on is not None:
        summary["addon_cost"] = (terms.add_on.price + terms.add_on.house) / 100
    if bought:
        summary["tournament_rebuys"] = [
            {
                "player_name": _name(entries.by_number[entry].name, entries.by_number[entry].again),
                "rebuys": one.rebuys,
                "addons": one.add_ons,
            }
            for entry, one in sorted(bought.items())
        ]
    return summary


def _name(name: str, again: int) -> str:
    return name if again == 1 else f"{name} ({again})"


def _is_over(tournament: Tournament) -> bool:
    left = [one for one in tournament.parts.of(Entries).by_number.values() if one.standing in _PLAYING]
    return tournament.parts.of(Entries).closed and len(left) <= 1


def _date(wall: float) -> str:
    return datetime.fromtimestamp(wall, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
