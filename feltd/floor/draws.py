"""The secrets of tournaments' draws: a file for each tournament, of floord's own user, and nowhere else before a draw.

Whoever knows a secret early can choose whom to let in, so the director has none: floord makes a chain of them when the
draws are committed to, and tells one with each draw. The database does not have them either: it is read, backed up and
copied by others. Without the file the director gives seats by hand, with who and why.
"""

import logging
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from feltd.door.commands import CommandRefused
from feltd.text.atomic_file import replace_atomically
from floor_fsm.drawing import commitment_of, secrets_of
from floor_fsm.lines import KINDS
from floor_fsm.messages.draw import DrawCommitted, Keeper

DRAWS: Final = 10_000
"""Of one tournament: each late seat is one, each table that breaks by a draw, each redraw."""
SECRETS: Final = ".secrets"
"""How the name of a tournament's file ends."""
_BYTES: Final = 32
_log = logging.getLogger("feltd.floor")


class Chain:
    """The secrets of one tournament, in their order."""

    def __init__(self, root: bytes) -> None:
        self._root: Final = root
        made = secrets_of(root, DRAWS)
        self.commitment: Final = commitment_of(made[0])
        told = [self.commitment, *(secret.hex() for secret in made)]
        self._behind: Final = {
            before: (number, secret) for number, (before, secret) in enumerate(zip(told, made, strict=False))
        }

    def __repr__(self) -> str:
        return f"Chain({self.commitment!r})"

    def next(self, told: str) -> str | None:
        """The secret behind the commitment or the secret that was told last; None where there is none."""
        found = self._behind.get(told)
        return None if found is None else found[1].hex()

    def left(self, told: str) -> int:
        """How many secrets are behind it."""
        found = self._behind.get(told)
        return 0 if found is None else DRAWS - found[0]

    def write(self, file: Path) -> None:
        """Keep it, readable by this user alone. Raises OSError."""
        replace_atomically(file, f"{self._root.hex()}\n".encode(), os.stat(file.parent))


class Draws:
    """The secrets of all tournaments. `folder`: of floord's own user."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self._chains: dict[str, Chain] = {}

    def make(self) -> Chain:
        """New secrets, kept nowhere yet."""
        return Chain(secrets.token_bytes(_BYTES))

    def keep(self, tournament: str, chain: Chain) -> None:
        """Keep a tournament's secrets, in the place of those that were never committed to. Raises CommandRefused."""
        try:
            chain.write(self._file(tournament))
        except OSError as fault:
            words = f"the draws' secrets cannot be kept in {self.folder}: {fault.strerror}: see `draws` in floor.toml"
            raise CommandRefused(words) from None
        self._chains[tournament] = chain

    def of(self, tournament: str) -> Chain | None:
        """A tournament's secrets; None where this floord has none of it. Raises CommandRefused."""
        if tournament not in self._chains:
            file = self._file(tournament)
            try:
                root = root_in(file)
            except FileNotFoundError:
                return None
            except (OSError, ValueError):
                raise CommandRefused(f"{file} cannot be read: give the seats by hand, or put the file back") from None
            self._chains[tournament] = Chain(root)
        return self._chains[tournament]

    def _file(self, tournament: str) -> Path:
        return self.folder / f"{tournament}{SECRETS}"


def root_in(file: Path) -> bytes:
    """What a tournament's secrets are made from, of its file. Raises OSError, ValueError, which never quote it."""
    try:
        root = bytes.fromhex(file.read_text(encoding="ascii"))
    except ValueError:
        root = b""
    if len(root) != _BYTES:
        raise ValueError(f"{file.name} does not have {2 * _BYTES} hexadecimal digits")
    return root


def draws_in(folder: Path | None, environment: Mapping[str, str]) -> Draws | None:
    """The secrets in a folder; where none is named, in that which systemd keeps for floord's own state.

    None where there is neither: then a director makes the secrets, and knows the seats of every list beforehand.
    """
    first, _, _ = environment.get("STATE_DIRECTORY", "").partition(":")
    if folder is None and not first:
        return None
    return Draws(Path(first) if folder is None else folder)


def warn_where_unsealed(draws: Draws | None, to: str | None) -> None:
    """Say in the log that there are secrets which nobody seals: where this disk is lost, no draw goes on.

    `to`: the line of the public key to which a timer seals them.
    """
    if draws is not None and to is None and any(draws.folder.glob(f"*{SECRETS}")):
        _log.warning(
            "the secrets of draws in %s are sealed nowhere: name a public key in floor.toml (seal_draws_to), "
            "and enable feltd-floor-draws.timer",
            draws.folder,
        )


def wants_secret(event: Mapping[str, Any]) -> bool:
    """Whether an event tells the secret of a draw, and lacks it."""
    kind = KINDS.get(str(event.get("ev")))
    return kind is not None and "secret" in kind.model_fields and "secret" not in event


def is_commitment(event: Mapping[str, Any]) -> bool:
    """Whether an event commits to the draws."""
    return event.get("ev") == DrawCommitted.ev


def committed(event: Mapping[str, Any], chain: Chain | None) -> Mapping[str, Any]:
    """The event with who keeps the secrets, whatever it says of that itself.

    `chain`: the floor's new ones, to which it commits; None: the director's own.
    """
    if chain is None:
        return {**event, "kept_by": Keeper.DIRECTOR.value}
    return {**event, "commitment": chain.commitment, "kept_by": Keeper.FLOOR.value}


NO_OTHER_COMMITMENT: Final = (
    "the floor keeps the secrets of draws, and nobody commits to their own: leave the commitment out, and it makes one"
)
