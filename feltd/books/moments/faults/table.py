"""Faults of the button, the players, the drop box and the commission."""

from feltd.books.moments.fault import Register, needs
from feltd.books.moments.scene import Scene
from table_fsm.rulebook.irregularities import Irregularity

TABLE = Register()
NO_BOX = "the table has no drop box"


@TABLE.add(Irregularity.BUTTON_WRONG, "", "the button lies at the wrong seat")
def wrong_button(scene: Scene) -> None:
    scene.need(scene.book.button.used, "the game has no button")
    wrong = next(seat for seat in scene.seats if seat != scene.view["button"])
    scene.do("marker.placed", marker=scene.book.button.marker, seat=wrong)
    if not scene.in_round and next(iter(scene.prompt), "") not in ("shuffle", "cut", "check"):
        scene.first_card()


@TABLE.add(Irregularity.TOO_FEW_PLAYERS, "", "players leave until too few are there, and the deal begins")
def too_few(scene: Scene) -> None:
    least = scene.book.seats.least_players
    scene.need(least > 1, "the game can be played by one player")
    for seat in scene.seats[least - 1 :]:
        scene.do("seat.out", seat=seat)


@TABLE.add(Irregularity.TOO_FEW_PLAYERS, "dealt", "players leave until too few are there, and a card is dealt")
def dealt_to_too_few(scene: Scene) -> None:
    scene.need_ready()
    scene.need("cut" not in scene.prompt, "the cards are to be cut first")
    too_few(scene)
    scene.deal(f"seat:{scene.seats[0]}")


@TABLE.add(
    Irregularity.COMMISSION_MISMATCH,
    "chip",
    "a chip goes into the drop box that is not due",
    options=needs(commission="none"),
)
def chip_not_due(scene: Scene) -> None:
    scene.need(scene.book.box.used, NO_BOX)
    scene.do("dropbox.chip", cents=500)


@TABLE.add(
    Irregularity.COMMISSION_MISMATCH,
    "undropped",
    "the round ends, and the commission was not dropped",
    options=needs(commission="one"),
)
def not_dropped(scene: Scene) -> None:
    scene.need("collect" in scene.prompt, "the pots are not pushed yet")
    scene.goes_on()


@TABLE.add(
    Irregularity.COMMISSION_MISMATCH,
    "rake",
    "the round ends, and the rake was not dropped",
    options=needs(rake_percent=5),
)
def rake_not_dropped(scene: Scene) -> None:
    not_dropped(scene)


@TABLE.add(Irregularity.DROPBOX_UNSAFE, "unlocked", "the drop box is unlocked")
def box_unlocked(scene: Scene) -> None:
    scene.need(scene.book.box.used, NO_BOX)
    scene.do("dropbox.state", present=True, locked=False)


@TABLE.add(Irregularity.DROPBOX_UNSAFE, "missing", "the drop box is taken away")
def box_missing(scene: Scene) -> None:
    scene.need(scene.book.box.used, NO_BOX)
    scene.do("dropbox.state", present=False, locked=False)


@TABLE.add(
    Irregularity.COLOUR_CHANGE_UNWITNESSED,
    "",
    "commission is changed up with nobody there to see it",
    options=needs(commission_handling="float"),
)
def unwitnessed(scene: Scene) -> None:
    scene.do("float.commission", cents=500)
    scene.do("float.colour_change", cents=500)
