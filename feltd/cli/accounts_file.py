"""Where the accounts of a table, or of the pit, are: what the commands about people have in common.

A file of accounts may be named itself: for a board that has not started yet, or whose card is in this computer.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import click

from feltd.page.access.roles import Role

if TYPE_CHECKING:
    from feltd.page.access.accounts import AccountBook

PIT_FILE: Final = "pit.toml"
ACCOUNTS_FILE: Final = "accounts.json"
DEFAULT_CONFIG: Final = Path("/etc/feltd/table.toml")


class Place(Protocol):
    """What has accounts: a table, or the pit."""

    @property
    def shown_name(self) -> str:
        """Its name, for people."""

    @property
    def accounts_file(self) -> Path:
        """Where they are kept."""

    @property
    def devices(self) -> "Sequence[Any]":
        """Devices whose settings may list badges."""


@dataclass(frozen=True, slots=True)
class Alone:
    """A file of accounts by itself."""

    accounts_file: Path
    shown_name: str = "feltd"
    devices: tuple[()] = ()


config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=DEFAULT_CONFIG,
    show_default=True,
    help="The table's configuration, or the pit page's pit.toml: it says where the accounts are kept. Or that file "
    "itself, accounts.json, for a board that has not started.",
)
role_option = click.option(
    "--role", type=click.Choice([role.value for role in Role]), required=True, help="What the person is at this table."
)


def place_of(config: Path) -> Place:
    """Return what a file of settings is of. Raises FeltdError where it cannot be read."""
    from feltd.custody.settings import pit_settings
    from feltd.table.config.config import load_config

    if config.name == ACCOUNTS_FILE:
        return Alone(config)
    return pit_settings(config) if config.name == PIT_FILE else load_config(config)


@contextmanager
def accounts_of(table: Place) -> "Iterator[AccountBook]":
    """The accounts of a table; where root runs this, as the user whose they are."""
    from feltd.page.access.accounts import AccountBook
    from feltd.text.as_owner import as_owner_of

    with as_owner_of(table.accounts_file):
        yield AccountBook(table.accounts_file)
