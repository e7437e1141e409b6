"""What goes wrong in the betting; and people, clocks, equipment and the tournament, which come unasked."""

from tests.identity.dealer import Steps, deal, key, obey, shuffle
from tests.identity.felt import SEATS, Felt
from tests.identity.streams import Raw
from tests.identity.words import ACTIONS, DECISIONS, DEVICES, ELAPSED, OUTCOMES, ROLES

# -- betting


def out_of_turn(felt: Felt) -> Steps:
    """Anybody does anything, for any amount."""
    yield from key(felt, felt.one_seat(), felt.chance.choice(ACTIONS), _amount(felt))


def _amount(felt: Felt) -> int | None:
    owes, unit = (felt.prompt or {}).get("owes") or 0, felt.unit
    return felt.chance.choice([
        None, owes, owes, owes // 2, owes + unit // 2, owes + unit - 1, owes + unit, owes + 2 * unit, owes + felt.pot,
        owes + 50 * unit, unit // 2, unit, unit - 1, 2 * unit, 1, 0,
    ])  # fmt: skip


def odd_action(felt: Felt) -> Steps:
    """Who is to act does something else."""
    seat = (felt.prompt or {}).get("act")
    if seat is not None:
        yield from key(felt, seat, felt.chance.choice(ACTIONS), _amount(felt))


def odd_bet(felt: Felt) -> Steps:
    """Who is to act puts in an amount that may be wrong."""
    seat, owes = (felt.prompt or {}).get("act"), (felt.prompt or {}).get("owes") or 0
    if seat is not None:
        yield from key(felt, seat, felt.chance.choice(["raise", "all_in", "call"] if owes else ["bet"]), _amount(felt))


def raising(felt: Felt) -> Steps:
    """Raises without end."""
    for _ in range(felt.chance.randrange(3, 7)):
        prompt = felt.prompt or {}
        if prompt.get("act") is None:
            return
        owes = prompt.get("owes") or 0
        yield from key(
            felt, prompt["act"], "raise" if owes else "bet", owes + felt.unit * felt.chance.choice([1, 1, 2])
        )


def all_in(felt: Felt) -> Steps:
    """One after the other puts in all they have."""
    for _ in range(felt.chance.randrange(2, 6)):
        prompt = felt.prompt or {}
        if prompt.get("act") is None:
            return
        cents = felt.unit * felt.chance.randrange(1, 40)
        yield from key(felt, prompt["act"], felt.chance.choice(["all_in", "all_in", "call", "fold"]), cents)


def folds_down(felt: Felt) -> Steps:
    """One after the other folds."""
    for _ in range(felt.chance.randrange(1, 6)):
        prompt = felt.prompt or {}
        if prompt.get("act") is None:
            return
        yield from key(felt, prompt["act"], "fold")


def closed(felt: Felt) -> Steps:
    """The betting is closed at any time."""
    yield {"ev": "betting.closed"}


def wager(felt: Felt) -> Steps:
    """Chips in a box of a house-banked game, at any time."""
    box, least = felt.chance.choice(["ante", "blind", "trips", "play", "play"]), felt.options.get("table_min") or 500
    cents = least * felt.chance.choice([0, 1, 1, 2, 3, 4, 5]) // felt.chance.choice([1, 1, 1, 2])
    yield {"ev": "wager", "seat": felt.one_seat(), "box": box, "cents": cents}


def draw(felt: Felt) -> Steps:
    """Somebody draws at any time."""
    yield {"ev": "draw", "seat": felt.one_seat(), "count": felt.chance.randrange(6)}


def run_twice(felt: Felt) -> Steps:
    """The players agree on a second board."""
    yield {"ev": "run_twice"}


# -- clocks, people, equipment


def clock(felt: Felt) -> Steps:
    """A clock on a player, that may run out."""
    chance, seat = felt.chance, (felt.prompt or {}).get("act") or felt.one_seat()
    if chance.random() < 0.6:
        by = chance.choice(["dealer", "supervisor", "director", f"seat:{felt.one_seat()}"])
        yield {"ev": "clock.called", "seat": seat, "by": by}
        if by.startswith("seat") and chance.random() < 0.6:
            yield {"ev": "supervisor", "decision": "confirm", "staff": "s1"}
    else:
        yield {"ev": "clock.start", "seat": seat}
    for _ in range(chance.randrange(4)):
        felt.t += chance.choice([1, 5, 20, 30, 95])
        yield {"ev": "tick"}
    if chance.random() < 0.3:
        yield {"ev": "clock.stop", "seat": seat}


def clock_on_who_acts(felt: Felt) -> Steps:
    """A clock on the player to act, who does not; so often as a bank may be left."""
    seat = (felt.prompt or {}).get("act")
    if seat is None:
        return
    yield {"ev": felt.chance.choice(["clock.called", "clock.start"]), "seat": seat}
    for seconds in (31, 31, 65):
        felt.t += seconds
        yield {"ev": "tick"}


def time_bank(felt: Felt) -> Steps:
    """A time bank is pushed."""
    yield from key(felt, (felt.prompt or {}).get("act") or felt.one_seat(), "time_bank")


def time(felt: Felt) -> Steps:
    """Much time passes."""
    felt.t += felt.chance.choice([10, 31, 61, 95, 600, 1900])
    yield {"ev": "tick"}


def supervisor(felt: Felt) -> Steps:
    """A supervisor decides unasked."""
    chance = felt.chance
    decision: Raw = {"ev": "supervisor", "decision": chance.choice(DECISIONS), "staff": "s1"}
    if chance.random() < 0.6:
        decision["ruling"] = max(0, felt.ruling - chance.choice([0, 0, 0, 1, 2]))
    if decision["decision"] == "overrule":
        decision["outcome"] = chance.choice(OUTCOMES)
    if chance.random() < 0.2:
        decision["reason"] = "seen otherwise"
    yield decision


def overrule(felt: Felt) -> Steps:
    """The last ruling is overruled, with any outcome."""
    if felt.ruling:
        outcome = felt.chance.choice(OUTCOMES)
        yield {"ev": "supervisor", "decision": "overrule", "staff": "s1", "ruling": felt.ruling, "outcome": outcome}


def badge(felt: Felt) -> Steps:
    """A badge is shown."""
    yield {"ev": "badge", "staff": "s2", "role": felt.chance.choice(ROLES)}


def floor(felt: Felt) -> Steps:
    """Somebody calls the floor."""
    yield {"ev": "floor.called", "by": felt.chance.choice(["dealer", f"seat:{felt.one_seat()}"])}


def device(felt: Felt) -> Steps:
    """A device goes, and most often comes back."""
    device = felt.chance.choice(DEVICES)
    yield {"ev": "device.state", "device": device, "online": False, "reason": "unplugged"}
    if felt.chance.random() < 0.9:
        yield {"ev": "device.state", "device": device, "online": True}


def test_mode(felt: Felt) -> Steps:
    """Play goes on while devices are being tested."""
    yield {"ev": "test.mode", "on": True}
    yield from obey(felt)
    yield {"ev": "test.mode", "on": False}


def box(felt: Felt) -> Steps:
    """Chips, commission, or the drop box itself."""
    chance = felt.chance
    yield chance.choice([
        {"ev": "dropbox.chip", "cents": chance.choice([100, 500, 2500])},
        {"ev": "float.commission", "cents": chance.choice([100, 500, 2500])},
        {"ev": "float.colour_change", "cents": chance.choice([100, 500, 2500])},
        {"ev": "dropbox.state", "present": chance.random() < 0.7, "locked": chance.random() < 0.7},
        {"ev": "pot", "cents": chance.randrange(0, 50000), "pot": chance.choice([1, 2, 3])},
    ])  # fmt: skip


# -- seats and the tournament


def seat(felt: Felt) -> Steps:
    """Players come, go, step away and come back."""
    ev = felt.chance.choice(["seat.in", "seat.out", "seat.away", "seat.back", "seat.back", "seat.in"])
    yield {"ev": ev, "seat": felt.chance.choice(SEATS) if ev == "seat.in" else felt.one_seat()}


def stack(felt: Felt) -> Steps:
    """Every stack is counted."""
    for seat in felt.seats:
        yield {"ev": "stack", "seat": seat, "cents": felt.unit * felt.chance.randrange(0, 60)}


def penalty(felt: Felt) -> Steps:
    """A penalty is imposed."""
    number = felt.chance.choice([0, 1, 1, 2])
    yield {"ev": "penalty", "seat": felt.one_seat(), felt.chance.choice(["hands", "orbits"]): number}


def marker(felt: Felt) -> Steps:
    """A marker is put anywhere."""
    marker = felt.chance.choice(["button", "button", "buck", "start"])
    yield {"ev": "marker.placed", "marker": marker, "seat": felt.one_seat()}


def tournament(felt: Felt) -> Steps:
    """The director works clock, hand for hand, or the draw for the button."""
    chance = felt.chance
    yield chance.choice([
        {"ev": "tournament.clock", "running": chance.random() < 0.8, "elapsed": chance.choice(ELAPSED)},
        {"ev": "tournament.hand_for_hand", "on": chance.random() < 0.6},
        {"ev": "tournament.hand_for_hand", "on": False},
        {"ev": "tournament.go"},
        {"ev": "button.draw"},
    ])  # fmt: skip


def race(felt: Felt) -> Steps:
    """A chip race begins."""
    chance = felt.chance
    odd = {str(seat): chance.randrange(1, 8) for seat in felt.seats if chance.random() < 0.6}
    last = [seat for seat in felt.seats if chance.random() < 0.1]
    yield {"ev": "race.start", "chip": 25, "new_chip": 100, "odd": odd, "last": last}


def race_left(felt: Felt) -> Steps:
    """A chip race begins between two rounds, and a round is dealt before it is over."""
    if felt.phase not in {"waiting", "cutting", "complete"} or len(felt.seats) < 2:
        return
    yield {"ev": "race.start", "chip": 25, "new_chip": 100, "odd": {str(seat): 3 for seat in felt.seats[:3]}}
    yield from shuffle(felt, None)
    yield from deal(felt, f"seat:{felt.chance.choice(felt.seats)}")


def race_card(felt: Felt) -> Steps:
    """A card is dealt for a race, asked or not."""
    yield from deal(felt, f"race:{felt.one_seat()}", felt.chance.choice(["up", "up", "down"]))


def early_end(felt: Felt) -> Steps:
    """The round, or the table, is ended or begun too soon."""
    yield {"ev": felt.chance.choice(["hand.end", "deal.start", "table.close"])}
