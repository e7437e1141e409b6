"""One good message of every kind of every role, and the table event it becomes: what MESSAGES.md promises."""

from dataclasses import dataclass
from typing import Any

from table_fsm import events as ev

ZONES = ("seat:3", "board:1", "muck", "shoe")
SETTINGS: dict[str, dict[str, Any]] = {
    "shoe": {"cut_sensor": True},
    "reader": {"zones": ZONES},
    "markers": {},
    "dropbox": {"float_areas": True},
    "keys": {"key_switch": "key-switch"},
    "badge": {},
    "indicators": {"lamps": ["play", "stop"]},
}


@dataclass(frozen=True)
class Good:
    """A message of a role and its event."""

    role: str
    body: dict[str, Any]
    event: ev.Event


T = 12.5
GOOD = (
    Good("shoe", {"ev": "shuffled", "deck": "blue", "count": 52}, ev.ShoeShuffled(t=T, deck="blue", count=52)),
    Good("shoe", {"ev": "shuffled"}, ev.ShoeShuffled(t=T)),
    Good(
        "shoe",
        {"ev": "card_out", "card": "As", "face": "down", "deck": "red"},
        ev.ShoeCard(t=T, card="As", face="down", deck="red"),
    ),
    Good("shoe", {"ev": "card_out", "card": None, "face": "up"}, ev.ShoeCard(t=T, face="up")),
    Good(
        "shoe",
        {"ev": "exposed", "card": "2c", "by": "dealer"},
        ev.CardExposed(t=T, zone="shoe", card="2c", by="dealer"),
    ),
    Good("shoe", {"ev": "fault", "kind": "jam", "deck": "blue"}, ev.ShoeFault(t=T, kind="jam", deck="blue")),
    Good("shoe", {"ev": "cleared", "kind": "jam"}, ev.ShoeCleared(t=T, kind="jam")),
    Good(
        "shoe",
        {"ev": "deck_checked", "deck": "blue", "count": 51, "missing": ["Td"], "foreign": ["Jo"], "duplicate": []},
        ev.ShoeDeckChecked(t=T, deck="blue", count=51, missing=["Td"], foreign=["Jo"]),
    ),
    Good("shoe", {"ev": "deck_changed", "deck": "red"}, ev.DeckChanged(t=T, deck="red")),
    Good("shoe", {"ev": "stub_shuffled", "count": 40}, ev.StubShuffled(t=T, count=40)),
    Good("shoe", {"ev": "cut", "by": "seat:4", "depth": 20}, ev.Cut(t=T, by="seat:4", depth=20)),
    Good(
        "reader",
        {"ev": "placed", "zone": "seat:3", "card": "Kh", "face": "down", "deck": "blue"},
        ev.CardPlaced(t=T, zone="seat:3", card="Kh", face="down", deck="blue"),
    ),
    Good(
        "reader",
        {"ev": "turned", "zone": "board:1", "card": "Kh", "face": "up"},
        ev.CardTurned(t=T, zone="board:1", card="Kh", face="up"),
    ),
    Good(
        "reader",
        {"ev": "exposed", "zone": "seat:3", "card": None, "by": "player"},
        ev.CardExposed(t=T, zone="seat:3", by="player"),
    ),
    Good("reader", {"ev": "removed", "zone": "seat:3", "card": "Kh"}, ev.CardRemoved(t=T, zone="seat:3", card="Kh")),
    Good(
        "reader",
        {"ev": "left_table", "zone": None, "card": "Kh", "by": "player"},
        ev.CardLeftTable(t=T, card="Kh", by="player"),
    ),
    Good("reader", {"ev": "looked", "zone": "seat:3"}, ev.HandLooked(t=T, seat=3)),
    Good("reader", {"ev": "mucked", "card": "4s", "face": "down"}, ev.CardPlaced(t=T, zone="muck", card="4s")),
    Good("markers", {"ev": "placed", "marker": "button", "seat": 5}, ev.MarkerPlaced(t=T, marker="button", seat=5)),
    Good("dropbox", {"ev": "chip", "cents": 500}, ev.DropboxChip(t=T, cents=500)),
    Good("dropbox", {"ev": "box", "present": True, "locked": False}, ev.DropboxState(t=T, present=True, locked=False)),
    Good("dropbox", {"ev": "float_commission", "cents": 100}, ev.FloatCommission(t=T, cents=100)),
    Good("dropbox", {"ev": "float_colour_change", "cents": 100}, ev.FloatColourChange(t=T, cents=100)),
    Good("keys", {"ev": "deal_start"}, ev.DealStart(t=T)),
    Good("keys", {"ev": "betting_closed", "ms": 77}, ev.BettingClosed(t=T)),
    Good("keys", {"ev": "hand_shown", "seat": 10}, ev.HandShown(t=T, seat=10)),
    Good("keys", {"ev": "hand_end", "x_scan": [1, 2]}, ev.HandEnd(t=T)),
    Good("keys", {"ev": "pot", "cents": 900, "pot": 2}, ev.Pot(t=T, cents=900, pot=2)),
    Good("keys", {"ev": "button_draw"}, ev.ButtonDraw(t=T)),
    Good("keys", {"ev": "run_twice"}, ev.RunTwice(t=T)),
    Good("keys", {"ev": "floor_called"}, ev.FloorCalled(t=T)),
    Good("keys", {"ev": "seat_in", "seat": 1}, ev.SeatIn(t=T, seat=1)),
    Good("keys", {"ev": "seat_out", "seat": 1}, ev.SeatOut(t=T, seat=1)),
    Good("keys", {"ev": "seat_away", "seat": 10}, ev.SeatAway(t=T, seat=10)),
    Good("keys", {"ev": "seat_back", "seat": 10}, ev.SeatBack(t=T, seat=10)),
    Good("keys", {"ev": "stack", "seat": 2, "cents": 0}, ev.Stack(t=T, seat=2, cents=0)),
    Good(
        "keys",
        {"ev": "action", "seat": 2, "action": "raise", "cents": 600},
        ev.Action(t=T, seat=2, action="raise", cents=600),
    ),
    Good("keys", {"ev": "action", "seat": 2, "action": "fold", "cents": None}, ev.Action(t=T, seat=2, action="fold")),
    Good(
        "keys",
        {"ev": "decision", "decision": "exclude", "staff": "s7", "seat": 2},
        ev.Supervisor(t=T, decision="exclude", staff="s7", seat=2),
    ),
    Good("keys", {"ev": "wager", "seat": 2, "box": "trips", "cents": 0}, ev.Wager(t=T, seat=2, box="trips", cents=0)),
    Good(
        "keys",
        {"ev": "wager", "seat": 2, "box": "ante", "cents": 90000, "marker": True},
        ev.Wager(t=T, seat=2, box="ante", cents=90000, marker=True),
    ),
    Good("keys", {"ev": "draw", "seat": 2, "count": 3}, ev.Draw(t=T, seat=2, count=3)),
    Good("keys", {"ev": "clock_called", "seat": 2, "by": "seat:9"}, ev.ClockCalled(t=T, seat=2, by="seat:9")),
    Good("keys", {"ev": "clock_start", "seat": 2}, ev.ClockStart(t=T, seat=2)),
    Good("keys", {"ev": "clock_stop", "seat": 2}, ev.ClockStop(t=T, seat=2)),
    Good(
        "keys",
        {"ev": "decision", "decision": "overrule", "staff": "S-7", "ruling": 4, "outcome": "play_on", "reason": "a\tb"},
        ev.Supervisor(t=T, decision="overrule", staff="S-7", ruling=4, outcome="play_on", reason="a b"),
    ),
    Good("keys", {"ev": "decision", "decision": "resume"}, ev.Supervisor(t=T, decision="resume", staff="key-switch")),
    Good("keys", {"ev": "penalty", "seat": 2, "hands": 3}, ev.Penalty(t=T, seat=2, hands=3)),
    Good("keys", {"ev": "shuffled", "deck": "blue"}, ev.ShoeShuffled(t=T, deck="blue")),
    Good("keys", {"ev": "stub_shuffled"}, ev.StubShuffled(t=T)),
    Good("keys", {"ev": "deck_checked", "count": 52}, ev.ShoeDeckChecked(t=T, count=52)),
    Good("keys", {"ev": "deck_changed"}, ev.DeckChanged(t=T)),
    Good("keys", {"ev": "cut", "depth": 1, "exposed": 1}, ev.Cut(t=T, depth=1, exposed=1)),
    Good("keys", {"ev": "cut_offered", "seat": 6}, ev.CutOffered(t=T, to="seat:6")),
    Good(
        "keys",
        {"ev": "tournament_clock", "running": True, "elapsed": 90.5},
        ev.TournamentClock(t=T, running=True, elapsed=90.5),
    ),
    Good("keys", {"ev": "hand_for_hand", "on": True}, ev.TournamentHandForHand(t=T, on=True)),
    Good("keys", {"ev": "tournament_go"}, ev.TournamentGo(t=T)),
    Good(
        "keys",
        {"ev": "race_start", "chip": 25, "new_chip": 100, "odd": {"3": 2, "5": 1}, "last": [5]},
        ev.RaceStart(t=T, chip=25, new_chip=100, odd={"3": 2, "5": 1}, last=[5]),
    ),
    Good("keys", {"ev": "test_mode", "on": True}, ev.TestMode(t=T, on=True)),
    Good("badge", {"ev": "badge", "staff": "S-7", "role": "inspector"}, ev.Badge(t=T, staff="S-7", role="inspector")),
)
"""Every kind at least once."""
