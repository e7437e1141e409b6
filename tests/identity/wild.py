"""Events of any kind with any fields, right and wrong, and now and then a line that is no event."""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from tests.identity import words
from tests.identity.card_mistakes import any_card
from tests.identity.felt import Felt
from tests.identity.streams import Raw

FIELDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "table.close": (),
        "seat.in": ("seat",),
        "seat.out": ("seat",),
        "seat.away": ("seat",),
        "seat.back": ("seat",),
        "stack": ("seat", "cents"),
        "penalty": ("seat", "hands", "orbits"),
        "badge": ("staff", "role"),
        "supervisor": ("decision", "staff", "ruling", "outcome"),
        "device.state": ("device", "online"),
        "test.mode": ("on",),
        "tick": (),
        "shoe.deck_checked": ("count", "deck", "missing", "foreign", "duplicate"),
        "deck.changed": ("deck",),
        "shoe.shuffled": ("deck", "count"),
        "cut": ("by", "depth", "exposed"),
        "cut.offered": ("to",),
        "shoe.card": ("card", "face", "deck"),
        "shoe.fault": ("kind", "deck"),
        "shoe.cleared": ("kind", "deck"),
        "card.placed": ("zone", "card", "face", "deck"),
        "card.turned": ("zone", "card", "face"),
        "card.exposed": ("zone", "card", "by"),
        "card.removed": ("zone", "card"),
        "card.left_table": ("zone", "card", "by"),
        "stub.shuffled": ("count",),
        "hand.looked": ("seat",),
        "marker.placed": ("marker", "seat"),
        "button.draw": (),
        "deal.start": (),
        "wager": ("seat", "box", "cents"),
        "action": ("seat", "action", "cents"),
        "betting.closed": (),
        "draw": ("seat", "count"),
        "run_twice": (),
        "floor.called": ("by",),
        "clock.called": ("seat", "by"),
        "clock.start": ("seat",),
        "clock.stop": ("seat",),
        "pot": ("cents", "pot"),
        "hand.end": (),
        "dropbox.chip": ("cents",),
        "dropbox.state": ("present", "locked"),
        "float.commission": ("cents",),
        "float.colour_change": ("cents",),
        "tournament.clock": ("running", "elapsed"),
        "tournament.hand_for_hand": ("on",),
        "tournament.go": (),
        "tournament.field": ("entrants", "remaining"),
        "tournament.moves": ("comes", "goes", "waits"),
        "seat.entry": ("seat", "entry", "nth", "cents", "rebuys", "add_ons"),
        "seat.conduct": ("seat", "entry", "order", "left", "imposed", "banks", "absent"),
        "tournament.placed": ("entry", "first", "last"),
        "tournament.race": ("chip", "new_chip"),
        "race.start": ("chip", "new_chip", "odd", "last"),
    }
)
"""The fields of each event, and of each the ones that may be left out as well: `table.open` has a maker of its own."""

_NEEDED: Final = frozenset(
    {"seat", "staff", "role", "decision", "device", "online", "on", "kind", "zone", "marker", "box", "action", "to"}
    | {"present", "locked", "running", "elapsed", "chip", "new_chip", "odd", "entrants", "remaining", "entry"}
)

VALUES: Final[Mapping[str, tuple[Any, ...]]] = MappingProxyType(
    {
        "staff": ("s1",),
        "role": (*words.ROLES, "clown"),
        "decision": (*words.DECISIONS, "guess"),
        "ruling": (0, 1, 2, 3, 99),
        "outcome": words.OUTCOMES,
        "device": words.DEVICES,
        "count": (52, 52, 51, 53, 0, 2, 5, -1),
        "missing": ([], ["As"], ["??"]),
        "foreign": ([], ["Jo"]),
        "duplicate": ([], ["Kd"]),
        "deck": ("blue", "red", "green", ""),
        "by": ("dealer", "player", "shoe", "seat:2", "seat:11", "supervisor", "nobody"),
        "to": ("seat:1", "seat:3", "seat:99"),
        "depth": (0, 1, 20, -3),
        "exposed": (0, 0, 1),
        "face": ("down", "up", "sideways"),
        "kind": (*words.FAULTS, "hiccups"),
        "marker": ("button", "buck", "start", "hat"),
        "box": ("ante", "blind", "trips", "play", "hat"),
        "action": (*words.ACTIONS, "sing"),
        "cents": (0, 1, 100, 200, 250, 300, 500, 1000, 5000, 100000, -5),
        "hands": (0, 1, 3, -1),
        "orbits": (1, 2),
        "pot": (1, 2, 0),
        "elapsed": (0.0, 1200.0, 9000.0, -1.0),
        "entrants": (80, 9, 1),
        "remaining": (23, 9, 2, -1),
        "comes": ([], [5], [6, 7], [99]),
        "goes": ([], [2], [1, 3]),
        "waits": (None, 5, 0),
        "entry": (1, 2, 3, 17, 0),
        "nth": (1, 2, 0),
        "rebuys": (0, 1, -1),
        "add_ons": (0, 1),
        "first": (1, 4, 9, 0),
        "chip": (25, 100, 0),
        "new_chip": (100, 500, 25),
        "odd": ({}, {"1": 2, "2": 3}, {"3": 1, "1": 7, "4": 4}, {"9": -1}),
        "last": ([], [1], [2, 9], 4, 9),
        "zone": (*words.ZONES, "seat:11", "nowhere"),
    }
)
GARBAGE: Final = (
    "",
    "{",
    "[]",
    "null",
    '{"t": "soon"}',
    '{"t": 1, "ev": 3}',
    '{"ev": "tick"}',
    '{"t": NaN, "ev": "x"}',
)


def wild(felt: Felt) -> Raw:
    """An event of any kind."""
    chance = felt.chance
    ev = chance.choice(tuple(FIELDS))
    if ev == "shoe.card" and not felt.habits.shoe:
        ev = "tick"
    raw: Raw = {"ev": ev}
    for name in FIELDS[ev]:
        if name in _NEEDED or name == "cents" or chance.random() < 0.6:
            raw[name] = _value(felt, name)
    if chance.random() < 0.02:
        raw[chance.choice([*raw, "more"])] = chance.choice([None, 1, "x", [], 1.5, True])
    return raw


def garbage(felt: Felt) -> str:
    """A line that is no event, or one of a kind that nobody knows."""
    if felt.chance.random() < 0.3:
        return json.dumps({"t": felt.t, "ev": "no.such_event"})
    return felt.chance.choice(GARBAGE)


def _value(felt: Felt, name: str) -> Any:
    chance = felt.chance
    special: Mapping[str, Callable[[], Any]] = {
        "seat": lambda: felt.one_seat() if chance.random() < 0.9 else chance.choice([0, 11, -1]),
        "card": lambda: any_card(felt) if chance.random() < 0.95 else "Zz",
    }
    if name in special:
        return special[name]()
    if name == "zone" and felt.zones and chance.random() < 0.6:
        return chance.choice(felt.holding())
    return chance.choice(VALUES[name]) if name in VALUES else chance.random() < 0.5
