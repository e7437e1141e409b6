"""Faults of wagers and decisions in games that the house banks."""

from feltd.books.moments.croupier import BOX_WAGER
from feltd.books.moments.fault import Register, needs
from feltd.books.moments.scene import Scene
from table_fsm.rulebook.irregularities import Irregularity

HOUSE_FAULTS = Register()


def _wagers_open(scene: Scene) -> int:
    """The first seat, while wagers may be made; raises CannotError."""
    scene.need_house()
    scene.need("wagers" in scene.prompt, "no wagers are made now")
    return _box(scene)


def _box(scene: Scene) -> int:
    """The first player's seat; raises CannotError."""
    return scene.other_seat(scene.seats, "there is no other box")


def _deal(scene: Scene) -> None:
    scene.do("deal.start")
    scene.first_card()


@HOUSE_FAULTS.add(Irregularity.WAGER_AFTER_DEAL, "more", "a player lays more in the ante box")
def more_ante(scene: Scene) -> None:
    scene.need_house()
    scene.need_round()
    scene.do("wager", seat=_box(scene), box="ante", cents=2 * BOX_WAGER)


@HOUSE_FAULTS.add(Irregularity.WAGER_AFTER_DEAL, "less", "a player takes the ante away")
def no_ante(scene: Scene) -> None:
    scene.need_house()
    scene.need_round()
    scene.do("wager", seat=_box(scene), box="ante", cents=0)


@HOUSE_FAULTS.add(Irregularity.WAGER_AFTER_DEAL, "trips", "a player lays trips")
def late_trips(scene: Scene) -> None:
    scene.need_house()
    scene.need_round()
    scene.do("wager", seat=_box(scene), box="trips", cents=BOX_WAGER)


@HOUSE_FAULTS.add(Irregularity.WAGER_INVALID, "trips-alone", "a player lays trips and nothing else")
def trips_alone(scene: Scene) -> None:
    scene.do("wager", seat=_wagers_open(scene), box="trips", cents=BOX_WAGER)
    _deal(scene)


@HOUSE_FAULTS.add(Irregularity.WAGER_INVALID, "unlike", "ante and blind are not equal")
def unlike(scene: Scene) -> None:
    seat = _wagers_open(scene)
    scene.do("wager", seat=seat, box="ante", cents=BOX_WAGER)
    scene.do("wager", seat=seat, box="blind", cents=2 * BOX_WAGER)
    _deal(scene)


@HOUSE_FAULTS.add(Irregularity.WAGER_INVALID, "minimum", "ante and blind are below the minimum")
def below_minimum(scene: Scene) -> None:
    seat = _wagers_open(scene)
    for box in ("ante", "blind"):
        scene.do("wager", seat=seat, box=box, cents=100)
    _deal(scene)


@HOUSE_FAULTS.add(Irregularity.WAGER_INVALID, "multiple", "a play wager of seven times the ante")
def wrong_multiple(scene: Scene) -> None:
    scene.need_house()
    scene.need("decide" in scene.prompt, "nobody is to decide")
    scene.do(
        "wager",
        seat=scene.other_seat(scene.prompt["decide"], "no other player is to decide"),
        box="play",
        cents=7 * BOX_WAGER,
    )


@HOUSE_FAULTS.add(Irregularity.WAGER_INVALID, "play", "a play wager comes from a player who is not to decide")
def play_wager(scene: Scene) -> None:
    scene.need_house()
    scene.need_round()
    deciding = scene.prompt.get("decide", ())
    without = [seat["seat"] for seat in scene.view["seats"] if not (seat["wagers"] and seat["wagers"]["play"])]
    others = [seat for seat in without if seat not in deciding]
    seat = scene.other_seat(others, "every other player has made a play wager, or is to decide")
    scene.do("wager", seat=seat, box="play", cents=scene.croupier.play_wager(seat))


@HOUSE_FAULTS.add(Irregularity.WAGER_INVALID, "second", "a player makes a second play wager")
def second_play(scene: Scene) -> None:
    scene.need_house()
    played = [seat["seat"] for seat in scene.view["seats"] if seat["wagers"] and seat["wagers"]["play"]]
    seat = scene.other_seat(played, "nobody has made a play wager")
    scene.do("wager", seat=seat, box="play", cents=4 * BOX_WAGER)
    scene.do("wager", seat=seat, box="play", cents=5 * BOX_WAGER)


@HOUSE_FAULTS.add(Irregularity.NO_DECISION, "", "a player does not decide in time", options=needs(decision_time=30))
def no_decision(scene: Scene) -> None:
    scene.need_house()
    scene.need("decide" in scene.prompt, "nobody is to decide")
    scene.do("tick", after=100.0)


@HOUSE_FAULTS.add(Irregularity.SETTLED_OUT_OF_ORDER, "", "a hand is turned up before the one whose turn it is")
def settled_out_of_order(scene: Scene) -> None:
    scene.need_house()
    due = scene.prompt.get("turn", ())
    hidden = [seat for seat in scene.live if scene.unspent(f"seat:{seat}") and f"seat:{seat}" not in due[:1]]
    scene.need(any(str(zone).startswith("seat:") for zone in due), "no hand is to be turned up")
    scene.stream.turn(f"seat:{scene.other_seat(hidden, 'no other hand is still to be turned up')}")
