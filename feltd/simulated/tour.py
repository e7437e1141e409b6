"""The tour of a simulated table: five mistakes, one after the other, each ruling held in view until it is read.

Before a mistake the dealer is quick. When the table rules, the dealer's hands rest until somebody at the page has read
it, or for a while where nobody looks. Then the simulated supervisor does what the table asks for, so that the cause
ends, and the round goes on quickly to its end.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias, cast

from devices.simulated.people.mistakes import Mistake
from table_fsm.events import Event
from table_fsm.felt import IN_PLAY, AlarmKind
from table_fsm.outputs import Output
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.view.shapes import TableView

READ_WITHIN: Final = 45.0
"""Seconds after which a ruling is held no longer, where nobody looks at the tour."""
SETTLED_AFTER: Final = 5.0
"""Seconds for which what was decided can be seen, before the round goes on."""
QUICK: Final = 30.0
"""How many times faster than hands the dealer is where there is nothing to see."""
LOOK_EVERY: Final = 0.05
_Said: TypeAlias = dict[str, Any] | None


class Stage(StrEnum):
    """How far one stop of the tour is."""

    COMING = "coming"
    """The dealer deals, and the mistake comes in a moment."""
    HELD = "held"
    """The table has ruled; the dealer waits until the ruling is read."""
    DECIDED = "decided"
    """The supervisor does what the table asks for."""
    OVER = "over"
    """The round goes on to its end."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One mistake of the tour.

    `title`: what happens; `shows`: what to look at. `kinds`: the rulings and alarms that it is there for.
    `mistake`: the dealer's own; `order`: else what befalls a device in the middle of a deal, by its name.
    `undone`: what undoes it once it is read, where nobody decides; the supervisor acknowledges the alarm then.
    """

    title: str
    shows: str
    kinds: frozenset[Irregularity | AlarmKind]
    mistake: Mistake | None = None
    device: str = ""
    order: dict[str, Any] | None = None
    undone: dict[str, Any] | None = None


STOPS: Final = (
    Stop(
        "The dealer flashes a card",
        "A card that lies face down was seen on its way. The table names the clause and says what becomes of the card.",
        frozenset({Irregularity.HOLE_EXPOSED}),
        Mistake.FLASH_CARD,
    ),
    Stop(
        "The dealer deals out of turn",
        "The next card came to the wrong seat. The readers in the mats saw where it lies, and the table says how to "
        "put it right.",
        frozenset({Irregularity.PLAYER_MISSED, Irregularity.DEALT_OUT_OF_TURN}),
        Mistake.DEAL_OUT_OF_TURN,
    ),
    Stop(
        "Somebody pulls the shoe's plug",
        "Without the shoe nobody knows which cards come. The table stops and asks for a person.",
        frozenset({Irregularity.SHOE_UNAVAILABLE, AlarmKind.DEVICE_OFFLINE}),
        device="shoe",
        order={"do": "unplug"},
        undone={"do": "reboot"},
    ),
    Stop(
        "The shoe jams",
        "The shoe reports a jam in the middle of the deal. An alarm stays until the cause has ended and a person has "
        "acknowledged it.",
        frozenset({Irregularity.SHOE_MALFUNCTION}),
        Mistake.SHOE_JAM,
    ),
    Stop(
        "Somebody opens the drop box",
        "The box is unlocked while chips are in play. The table stops until it is shut and a person has decided.",
        frozenset({Irregularity.DROPBOX_UNSAFE}),
        device="dropbox",
        order={"do": "box", "present": True, "locked": False},
    ),
)


class Tour:
    """Where the tour is. Belongs to the loop.

    `view`: the table's state; `befall`: gives a device an order; `acknowledge`: the supervisor acknowledges the alarms.
    """

    def __init__(
        self,
        pace: float,
        view: Callable[[], TableView],
        befall: Callable[[str, dict[str, Any]], Awaitable[None]],
        acknowledge: Callable[[], Awaitable[None]],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`pace`: of the dealer, where there is something to see."""
        self.number = 0
        """Of the stop, from 1; 0 before the first."""
        self.stage = Stage.OVER
        self.ruling: dict[str, Any] | None = None
        self._pace = pace
        self._view = view
        self._befall = befall
        self._acknowledge = acknowledge
        self._clock = clock
        self._sleep = sleep
        self._read = asyncio.Event()
        self._since = 0.0
        self._looked = -READ_WITHIN
        self._befallen = False

    @property
    def stop(self) -> Stop:
        """The stop that the tour is at."""
        return STOPS[self.number - 1]

    def begin(self, number: int) -> None:
        """Come to a stop, from 1."""
        self.number, self.stage, self.ruling, self._befallen = number, Stage.COMING, None, False
        self._read.clear()

    def look(self) -> None:
        """Somebody looks at the tour."""
        self._looked = self._clock()

    def go_on(self, number: int) -> None:
        """The ruling of this stop was read. A late press, of the stop before, must not pass over the next one."""
        if number == self.number:
            self._read.set()

    def hear(self, _event: Event, outputs: Sequence[Output]) -> None:
        """See whether the table rules on what this stop is about."""
        if self.stage is not Stage.COMING or not self.number:
            return
        for said in (output.to_dict() for output in outputs):
            ruling, alarm = cast("_Said", said.get("ruling")), cast("_Said", said.get("alarm"))
            if (ruling and ruling["irregularity"] in self.stop.kinds) or (alarm and alarm["kind"] in self.stop.kinds):
                self.ruling, self.stage = ruling, Stage.HELD
                return

    async def rest(self, seconds: float) -> None:
        """Rest as a dealer does between two motions: `seconds` at `pace`."""
        match self.stage:
            case Stage.COMING:
                await self._sleep(seconds * self._pace / QUICK)
                await self._let_it_befall()
            case Stage.DECIDED:
                await self._sleep(seconds)
                if self._clock() - self._since >= SETTLED_AFTER and not self._view()["pending"]:
                    self.stage = Stage.OVER
            case Stage.OVER:
                await self._sleep(seconds * self._pace / QUICK)
            case Stage.HELD:
                pass
        if self.stage is Stage.HELD:
            await self._until_read()

    async def _let_it_befall(self) -> None:
        """In the middle of a deal, have happen what this stop is about, if it is no mistake of the dealer's."""
        order = self.stop.order
        if self.stage is Stage.COMING and order is not None and not self._befallen and self._in_deal():
            self._befallen = True
            await self._befall(self.stop.device, order)
            await self._until_ruled()

    def _in_deal(self) -> bool:
        view = self._view()
        return view["phase"] in IN_PLAY and sum(seat["cards"] for seat in view["seats"]) >= len(view["seats"])

    async def _until_ruled(self) -> None:
        end = self._clock() + READ_WITHIN
        while self.stage is Stage.COMING and self._clock() < end:
            await self._sleep(LOOK_EVERY)

    async def _until_read(self) -> None:
        end = self._clock() + READ_WITHIN
        try:
            while not self._read.is_set() and self._clock() < max(end, self._looked + READ_WITHIN):
                await self._sleep(LOOK_EVERY)
        finally:  # a visitor who takes over finds the table whole
            if self.stop.undone is not None:
                await self._befall(self.stop.device, self.stop.undone)
        self.stage, self._since = Stage.DECIDED, self._clock()
        if self.stop.undone is not None:
            await self._until_over()
            await self._acknowledge()
            self._since = self._clock()

    async def _until_over(self) -> None:
        """Wait until the cause of this stop's alarms has ended."""
        end = self._clock() + READ_WITHIN
        while self._clock() < end and any(
            alarm["kind"] in self.stop.kinds and not alarm["over"] for alarm in self._view()["alarms"]
        ):
            await self._sleep(LOOK_EVERY)
