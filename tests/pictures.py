"""The pictures of the page in `docs/pictures`, made anew: `make pictures`. What they show is invented: a table with a
clock of its own, rounds dealt by a simulated dealer who errs, a jam in the middle of one of them.

Where a browser is missing it says so. The pictures are for eyes; nothing is compared with them.
"""

import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, expect, sync_playwright

from devices.simulated.direct import play_rounds
from devices.simulated.people.game import Game
from feltd.page.access.roles import Role
from feltd.simulated.games import FLOOR
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Badge, Event, ShoeCleared, ShoeFault, Supervisor, TableClose, TournamentClock
from table_fsm.outputs import Output
from table_fsm.view.shapes import TableView
from tests.browser.conftest import sign_in
from tests.browser.served import served
from tests.chromium import CHROMIUM, REMEDY
from tests.feltd.history_support import DEALER, OPTIONS
from tests.feltd.page_support import Page as TablePage
from tests.feltd.simulated_support import simulated_table
from tests.feltd.table_support import HOLDEM, tournament_opening
from tests.small_png import Frame, animated, small

WIDE: Final = {"width": 1200, "height": 820}
TABLET: Final = {"width": 768, "height": 1024}
ROUNDS: Final = 120
SECONDS_BETWEEN: Final = 120.0
"""About, until the next round."""
MOVING: Final = {"width": 1000, "height": 700}
PLAYS: Final = 3
"""Times that the moving picture plays: then it rests on its last frame, and distracts nobody who reads on."""
LARGEST_MOVING: Final = 250_000
LARGEST: Final = 80_000
"""Bytes of a picture, so that reading the documentation costs nobody anything."""


class _TurnReachedError(Exception):
    """The round has come as far as it is to be seen."""


def play(page: TablePage, *, rounds: int, mistakes: float, seed: int, until: Callable[[TableView], bool]) -> None:
    """Rounds of Hold'em in the table's own time, the last of them as far as `until` says of the public view."""
    bench = page.bench
    game = Game(
        rulebook=HOLDEM, floor=FLOOR, seats=(1, 2, 3, 5, 7, 8), decks=("blue",), rounds=rounds,
        mistake_rate=mistakes, button=5, seed=seed,
    )  # fmt: skip
    said: list[Output] = []
    bench.keeper.on_outputs(lambda _, outputs: said.extend(outputs))
    start, round_before = bench.clock.now(), -1
    late = 0.0
    bench.take(Badge, staff=DEALER, role="dealer")

    def apply(event: Event) -> list[dict[str, Any]]:
        nonlocal late, round_before
        said.clear()
        number = bench.keeper.table.round_number
        if number != round_before:
            round_before, late = number, late + SECONDS_BETWEEN * (0.5 + number % 7 / 7)
            bench.journal.flush_blocking()
        bench.time.pass_(max(0.0, start + late + event.t - bench.clock.now()))
        bench.keeper.deliver(Delivery("the table", lambda t: [replace(event, t=t)]))
        if number > rounds - 2 and until(bench.keeper.table.view()):
            raise _TurnReachedError
        return [output.to_dict() for output in said]

    try:
        play_rounds(game, apply, options=OPTIONS, button=game.button)
    except _TurnReachedError:
        return


def on_the_turn(view: TableView) -> bool:
    return view["street"] == "turn" and view["to_act"] is not None


@contextmanager
def browser() -> Iterator[Callable[[dict[str, int]], Page]]:
    if CHROMIUM is None:
        sys.exit(f"pictures: {REMEDY}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def tab(size: dict[str, int]) -> Page:
            context = chromium.new_context(
                locale="en-AU", timezone_id="UTC", reduced_motion="reduce", color_scheme="dark"
            )
            context.set_default_timeout(20_000)
            page = context.new_page()
            page.set_viewport_size(size)  # type: ignore[arg-type]  # a plain dict is what it takes
            return page

        yield tab
        chromium.close()


def of_a_table(folder: Path, tab: Callable[[dict[str, int]], Page], picture: Callable[[Page, str], None]) -> None:
    """The table with its cards and its alarm, the ruling opened, history, a round played again, trends."""
    with served(folder) as table:
        table.take(TableClose)
        table.do(lambda page: play(page, rounds=ROUNDS, mistakes=0.15, seed=11, until=on_the_turn))
        wide = tab(WIDE)
        sign_in(wide, table, Role.SUPERVISOR)
        table.take(Supervisor, decision="acknowledge", staff="S-1")
        expect(wide.locator("#live")).to_have_text("live")
        picture(wide, "table")
        table.take(ShoeFault, kind="jam")
        table.do(lambda page: page.bench.time.pass_(14.0))
        tablet = tab(TABLET)
        sign_in(tablet, table, Role.SUPERVISOR)
        tablet.locator("#rulings li.waits summary").first.click()
        expect(tablet.locator(".story li").first).to_be_visible()
        tablet.locator("#rulings-section").scroll_into_view_if_needed()
        tablet.get_by_role("button", name="Confirm").scroll_into_view_if_needed()
        picture(tablet, "ruling")
        table.take(ShoeCleared, kind="jam")
        for decision in ("acknowledge", "resume"):
            table.take(Supervisor, decision=decision, staff="S-1")
        wide.goto(f"{table.address}/history/round/{ROUNDS - 3}")
        steps = wide.locator("#steps li")
        expect(steps.first).to_be_visible()
        steps.nth(steps.count() * 3 // 4).get_by_role("button").click()
        picture(wide, "replay")
        wide.goto(f"{table.address}/trends")
        expect(wide.locator("#pictures img").last).to_have_js_property("complete", value=True)
        picture(wide, "trends")


def of_a_decision(
    folder: Path, tab: Callable[[dict[str, int]], Page], moving: Callable[[list[Frame], Page], None]
) -> None:
    """An alarm being decided: play, a jam, what to do, acknowledged, cleared, confirmed, play."""
    with served(folder) as table:
        table.take(TableClose)
        table.do(lambda page: play(page, rounds=12, mistakes=0.1, seed=11, until=on_the_turn))
        table.take(Supervisor, decision="acknowledge", staff="S-1")
        page = tab(MOVING)
        sign_in(page, table, Role.SUPERVISOR)
        band, frames = page.locator("#band"), list[Frame]()

        def frame(seconds: float) -> None:
            frames.append(Frame(page.screenshot(), seconds))

        expect(page.locator("#live")).to_have_text("live")
        expect(band).to_contain_text("NORMAL")
        frame(2.0)
        table.take(ShoeFault, kind="jam")
        expect(band).to_contain_text("STOPPED")
        expect(page.locator("#rulings li.waits")).to_be_visible()
        frame(3.0)
        acknowledge = page.get_by_role("button", name="Acknowledge all")
        acknowledge.click()
        expect(page.locator("#alarms")).to_contain_text("acknowledged")
        expect(acknowledge).to_be_hidden()
        table.take(ShoeCleared, kind="jam")
        confirm = page.locator("#rulings li.waits").get_by_role("button", name="Confirm")
        expect(page.locator("#rulings li.waits").get_by_role("button", name="Play on")).to_be_enabled()
        confirm.scroll_into_view_if_needed()
        confirm.hover()
        frame(3.0)
        confirm.click()
        page.get_by_label("Reason").fill("card freed in my sight")
        frame(2.5)
        page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
        expect(band).to_contain_text("NORMAL")
        expect(page.locator("#rulings li").first).to_contain_text("card freed in my sight")
        frame(4.0)
        moving(frames, page)


def of_a_tournament(folder: Path, tab: Callable[[dict[str, int]], Page], picture: Callable[[Page, str], None]) -> None:
    """The clock for the wall."""
    with served(folder, opened=tournament_opening()) as table:
        table.take(TournamentClock, running=True, elapsed=5 * 1200.0 + 421.0)
        wall = tab(WIDE)
        sign_in(wall, table, Role.OBSERVER)
        wall.goto(f"{table.address}/clock")
        expect(wall.locator("body")).to_have_class("untouched", timeout=10_000)
        picture(wall, "clock")


def of_devices(folder: Path, tab: Callable[[dict[str, int]], Page], picture: Callable[[Page, str], None]) -> None:
    """The technician's page, and the dealer's place at a simulated table."""
    with simulated_table(folder) as address:
        wide = tab(WIDE)
        wide.goto(f"{address}/devices")
        expect(wide.locator(".device .up")).to_have_count(9)
        expect(wide.locator("#live")).to_have_text("live")
        expect(wide.locator(".device").first).to_contain_text(re.compile(r"up\s*for [1-9]"), timeout=20_000)
        picture(wide, "devices")
        wide.goto(f"{address}/simulated")
        wide.get_by_role("button", name="Take over").click()
        expect(wide.locator("#whose")).to_have_text("You deal. The dealer waits.")
        picture(wide, "simulated")


def main(folder: Path) -> None:
    """Make them all."""
    folder.mkdir(parents=True, exist_ok=True)

    def picture(page: Page, name: str) -> None:
        file = folder / f"{name}.png"
        blank = page.context.new_page()
        file.write_bytes(small(page.screenshot(), blank))
        blank.close()
        size = file.stat().st_size
        sys.stdout.write(f"{file}: {size // 1000} kB\n")
        if size > LARGEST:
            sys.exit(f"{file}: more than {LARGEST // 1000} kB: show less")

    def moving(frames: list[Frame], page: Page) -> None:
        file = folder / "decided.png"
        blank = page.context.new_page()
        file.write_bytes(animated(frames, blank, plays=PLAYS))
        blank.close()
        size = file.stat().st_size
        sys.stdout.write(f"{file}: {size // 1000} kB\n")
        if size > LARGEST_MOVING:
            sys.exit(f"{file}: more than {LARGEST_MOVING // 1000} kB: show less")

    with tempfile.TemporaryDirectory(prefix="felt-") as scratch, browser() as tab:
        place = Path(scratch, "decision")
        place.mkdir()
        of_a_decision(place, tab, moving)
        for name, make in (("hall", of_a_table), ("tournament", of_a_tournament), ("table", of_devices)):
            place = Path(scratch, name)
            place.mkdir()
            make(place, tab, picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
