"""Who deals at a simulated table, and when: book after book, the tour first, visitors between."""

from dataclasses import replace
from typing import Final

from devices.simulated.errors import ControlError, CroupierStuckError, OrderRefused
from devices.simulated.people.dealer import Dealer
from devices.simulated.people.game import Game
from devices.simulated.things.equipment import Equipment
from feltd.simulated.errors import SimulationError
from feltd.simulated.feed import OutputFeed
from feltd.simulated.plan import Plan, game_of, opening_options
from feltd.simulated.staff import acknowledge, devices_up, open_table, seat_again, tidy
from feltd.simulated.takeover import Takeover
from feltd.simulated.tour import STOPS, Tour
from feltd.table.daemon.assembly import Daemon

ROUNDS_IN_TURN: Final = 4
"""Rounds under one rulebook before the next has its turn."""


async def play(plan: Plan, equipment: Equipment, daemon: Daemon, place: Takeover) -> None:
    """One rulebook after the other, each for some rounds."""
    feed = OutputFeed(daemon)
    await devices_up(daemon)
    await tidy(equipment, daemon)
    if place.tour is not None:
        await _guide(plan, place.tour, equipment, daemon, feed, place)
        place.tour = None
        await tidy(equipment, daemon)
    left, turn = plan.rounds, 0
    while left is None or left > 0:
        book = plan.books[turn % len(plan.books)]
        alone = len(plan.books) == 1
        rounds = left if alone else ROUNDS_IN_TURN if left is None else min(left, ROUNDS_IN_TURN)
        game = replace(game_of(plan, book, rounds), seed=plan.seed + turn)
        await open_table(equipment, daemon, game, opening_options(plan, book))
        try:
            await _deal(plan, game, equipment, daemon, feed, place)
        except (OrderRefused, ControlError) as fault:
            raise SimulationError(f"the simulated dealer cannot go on: {fault}") from fault
        left = None if left is None else left - (rounds or left)
        turn += 1
        await tidy(equipment, daemon)


async def _guide(
    plan: Plan, tour: Tour, equipment: Equipment, daemon: Daemon, feed: OutputFeed, place: Takeover
) -> None:
    """A round for each stop of the tour, under the first rulebook; it ends early where somebody sits down to deal."""
    book = plan.books[0]
    for number, stop in enumerate(STOPS, 1):
        kinds = () if stop.mistake is None else (stop.mistake,)
        game = replace(game_of(replace(plan, mistakes=1.0), book, 1), kinds=kinds, seed=plan.seed + number)
        if number == 1:
            await open_table(equipment, daemon, game, opening_options(plan, book))
        feed.start_again()
        tour.begin(number)
        try:
            if await place.deal(Dealer(game, equipment, feed, pace=1 / plan.pace, sleep=tour.rest)):
                return
        except (OrderRefused, ControlError) as fault:
            raise SimulationError(f"the simulated dealer cannot go on: {fault}") from fault
        await tidy(equipment, daemon)
        await acknowledge(equipment)


async def _deal(
    plan: Plan, game: Game, equipment: Equipment, daemon: Daemon, feed: OutputFeed, place: Takeover
) -> None:
    """The rounds of one rulebook: by a dealer, and after each visit to the dealer's place by another one."""
    visits = 0
    while game.rounds is None or game.rounds > 0:
        feed.start_again()
        dealer = Dealer(game, equipment, feed, pace=1 / plan.pace if plan.pace else 0.0)
        try:
            visited = await place.deal(dealer)
            visits += visited
            if not visited:
                return
        except CroupierStuckError:
            if not visits:
                raise
            visits -= 1  # whoever was there left the table in a state that no dealer leaves: the round is ended
        if game.rounds is not None:
            game = replace(game, rounds=game.rounds - dealer.croupier.rounds)
        await tidy(equipment, daemon)
        await seat_again(equipment, daemon, game)
