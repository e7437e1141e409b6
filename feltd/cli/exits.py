"""What the commands' exit codes mean."""

from collections.abc import Callable
from typing import Final, NoReturn

import click

from feltd.text.errors import FeltdError

FINE: Final = 0
PROBLEMS: Final = 1
"""What was looked at has faults: a drill failed, a table would not start, a journal was changed."""
USAGE: Final = 2
"""Wrong usage, or an input that cannot be read."""
AGAIN: Final = 75
"""Nothing ran, and it is worth another attempt: whoever started it starts it again (EX_TEMPFAIL)."""


def until_told(ctx: click.Context, work: Callable[[], object], *usage: type[FeltdError]) -> NoReturn:
    """Do the work of a process that runs until it is told to stop, and exit with FINE, or with PROBLEMS and the reason.

    `usage`: errors of the file that it was given; they are raised on, and end as wrong usage does.
    """
    try:
        work()
    except FeltdError as failure:
        if isinstance(failure, usage):
            raise
        click.echo(f"feltd: {failure}", err=True)
        ctx.exit(PROBLEMS)
    ctx.exit(FINE)
