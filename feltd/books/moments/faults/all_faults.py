"""Every fault of every irregularity, in the order of the irregularities."""

from collections.abc import Mapping
from typing import Final

from feltd.books.moments.fault import Fault
from feltd.books.moments.faults.betting import BETTING
from feltd.books.moments.faults.board import BOARD_FAULTS
from feltd.books.moments.faults.deal import DEAL
from feltd.books.moments.faults.house import HOUSE_FAULTS
from feltd.books.moments.faults.pack import PACK
from feltd.books.moments.faults.table import TABLE
from table_fsm.rulebook.irregularities import Irregularity

_PLACE: Final = {irregularity: at for at, irregularity in enumerate(Irregularity)}
FAULTS: Final[tuple[Fault, ...]] = tuple(
    sorted(
        (fault for register in (PACK, DEAL, BOARD_FAULTS, BETTING, HOUSE_FAULTS, TABLE) for fault in register.faults),
        key=lambda fault: _PLACE[fault.irregularity],
    )
)
"""Every fault. Two faults of one irregularity stand in the order in which their module has them."""
BY_KEY: Final[Mapping[str, Fault]] = {fault.key: fault for fault in FAULTS}
WITHOUT: Final = tuple(sorted(set(Irregularity) - {fault.irregularity for fault in FAULTS}))
"""Irregularities that nothing here brings about: none, or a test fails."""
