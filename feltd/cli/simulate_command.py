"""`feltd simulate`."""

from math import isfinite
from pathlib import Path
from typing import Any

import click

from feltd.cli.books import complete_book
from feltd.cli.exits import PROBLEMS
from table_fsm.felt import Built


class FiniteRange(click.FloatRange):
    """A range of numbers that refuses "nan".

    click lets it through, because it is neither below nor above a bound.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is no number.", param, ctx)
        return number


@click.command(
    short_help="See it play, with simulated devices.",
    epilog="Exit codes: 0 stopped in good order (Ctrl-C, or after --rounds); 1 stopped by a failure; 2 wrong usage.",
)
@click.option(
    "--book",
    "books",
    multiple=True,
    default=("tas-2018-holdem", "act-2019-uth", "act-2001-stud7", "act-2001-draw"),
    show_default=True,
    shell_complete=complete_book,
    help="A rulebook to play by; several take turns.",
)
@click.option("--seed", type=int, help="Deal and err the same way each time.")
@click.option(
    "--mistakes",
    type=FiniteRange(0, 1),
    default=1.0,
    show_default=True,
    help="In which share of the rounds something goes wrong.",
)
@click.option("--rounds", type=click.IntRange(1), help="Stop after so many rounds.")
@click.option(
    "--pace",
    type=FiniteRange(0.1, 1000),
    default=2.0,
    show_default=True,
    help="How many times faster than a dealer's hands.",
)
@click.option(
    "--tour/--no-tour",
    default=None,
    help="Begin with five mistakes, one after the other, each ruling held in view until it is read. Left out: with the "
    "tour, unless --mistakes or --rounds is given.",
)
@click.option(
    "--built",
    type=click.Choice([built.value.replace("_", "-") for built in Built]),
    default="full",
    show_default=True,
    help="With what the table is built. It plays those books that such a table can judge, and no tour.",
)
@click.option(
    "--chips",
    is_flag=True,
    help="Cards are told by the numbers of their chips, of two packs that are enrolled. By hand a phone, a copy or a "
    "new pack can be laid then. No tour.",
)
@click.option(
    "--faces/--no-faces",
    default=True,
    show_default=True,
    help="Whether the readers know which side of a card is up, as those of a table from parts do not. Without, the "
    "dealer keys each hand that lies open. It plays those books that such a table can judge, and no tour.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address of the page.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="The port of the page; 0 takes any."
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep journal and keys here, and go on from what is there. Without it they last as long as the table.",
)
def simulate(  # noqa: PLR0913 - one for each option
    books: tuple[str, ...],
    seed: int | None,
    mistakes: float,
    rounds: int | None,
    pace: float,
    tour: bool | None,
    built: str,
    chips: bool,
    faces: bool,
    host: str,
    port: int,
    folder: Path | None,
) -> None:
    """Run a whole table with simulated devices, and a dealer who errs now and then, and show it on a page.

    The devices are programs of their own and speak the real protocol over pseudo-terminals; the daemon cannot tell them
    from hardware. The page's address is printed. Ctrl-C ends it all.

    \b
    Examples:
      feltd simulate
      feltd simulate --book star-2025-holdem --seed 7 --mistakes 1
      feltd simulate --no-tour --pace 30
      feltd simulate --built board-only --book onyx-cash
      feltd simulate --chips
      feltd simulate --no-faces
      feltd simulate --rounds 20 --mistakes 0 --pace 100
    """
    from feltd.simulated.errors import UnknownBookError
    from feltd.simulated.simulate import simulate as play
    from feltd.text.errors import FeltdError

    asked = click.get_current_context().get_parameter_source
    left_out = {name for name in ("mistakes", "rounds", "books") if asked(name) is click.core.ParameterSource.DEFAULT}
    if tour is None:
        tour = built == "full" and not chips and faces and {"mistakes", "rounds"} <= left_out
    try:
        play(
            books=books, seed=seed, mistakes=mistakes, rounds=rounds, pace=pace, host=host, port=port, folder=folder,
            tour=tour, built=Built(built.replace("-", "_")), chips=chips, faces=faces, any_book="books" in left_out,
        )  # fmt: skip
    except UnknownBookError as failure:
        raise click.UsageError(str(failure)) from None
    except FeltdError as failure:
        click.echo(f"feltd: {failure}", err=True)
        raise click.exceptions.Exit(PROBLEMS) from None
