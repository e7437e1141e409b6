"""The secrets of draws in one file that the casino's private key alone opens: a timer makes it without a person.

"feltd sealed draws 1 FINGERPRINT\\n", then a line for each tournament, by its id: "ID BOX\\n"
BOX: 80 bytes (`feltd.record.unseal_keys`) as hexadecimal digits, of the 32 bytes from which its secrets are made, under
the first 16 bytes of SHA-256("feltd draws of " ID) and the number 0: a box of another tournament does not open
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from feltd.custody.errors import CustodyError
from feltd.floor.draws import SECRETS, Chain, root_in
from feltd.floor.sealed_draws import FIRST, SEALED, boxes_in, files_in, mark_of, roots_of, unread, with_all
from feltd.record.unseal_keys import PrivateKey, PublicKey
from feltd.text.as_owner import as_owner_of
from feltd.text.atomic_file import write_new

DRAWS_OF_FLOORD: Final = Path("/var/lib/feltd-floor")
"""Where floord's unit keeps them."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The secrets of one tournament. `there`: the folder has them already, and they are the same."""

    tournament: str
    commitment: str
    there: bool = False


def seal_draws(folder: Path, into: Path, public: PublicKey) -> list[str]:
    """Seal the secrets in a folder into a file that is not there yet; return the tournaments. Raises CustodyError."""
    roots = roots_of(folder)
    if not roots:
        raise CustodyError("has no secrets of draws", str(folder), f"Name `draws` of floor.toml, or {DRAWS_OF_FLOORD}")
    _seal(roots, into, public)
    return list(roots)


def keep_draws(folder: Path, into: Path, line: str | None, most: int, now: float) -> str:
    """Seal the secrets in a folder, where no file has them yet, into one in `into`; return in words what was done.

    `line`: of the public key. `most`: files that stay, the newest. `now`: seconds since 1970. Raises CustodyError.
    """
    if line is None:
        return "nothing is sealed: `seal_draws_to` of floor.toml names no public key"
    public = _public(line)
    roots = roots_of(folder)
    if not roots:
        return "nothing is sealed: there are no secrets of draws"
    mark = mark_of(roots, public.fingerprint)
    file = into / f"draws-{datetime.fromtimestamp(now, UTC):%Y-%m-%dT%H%M%SZ}-{mark}{SEALED}"
    try:
        with as_owner_of(file):
            sealed = files_in(into)
            there = with_all(sealed, roots, public.fingerprint)
    except OSError as fault:
        raise unread(fault) from None
    if there:
        return f"nothing is sealed: {there[-1]} has all of them"
    _seal(roots, file, public)
    for old in sealed[: max(0, len(sealed) + 1 - most)]:
        old.unlink(missing_ok=True)
    return f"{file}: {', '.join(roots)}; {public.fingerprint} opens it"


def _public(line: str) -> PublicKey:
    try:
        return PublicKey.parse(line)
    except ValueError as fault:
        raise CustodyError(str(fault), "seal_draws_to of floor.toml", "Copy the line of `feltd record key`") from None


def _seal(roots: Mapping[str, bytes], into: Path, public: PublicKey) -> None:
    lines = [f"{name} {public.box(_context(name), 0, root).hex()}\n" for name, root in roots.items()]
    try:
        with as_owner_of(into):
            write_new(into, "".join([f"{FIRST}{public.fingerprint}\n", *lines]).encode())
    except OSError as fault:
        raise CustodyError(
            f"cannot be written: {fault.strerror}", str(into), "Nothing is written over: choose another place"
        ) from None


def open_draws(file: Path, key: PrivateKey, folder: Path | None) -> list[Opened]:
    """Open what was sealed; write it into a folder, over nothing that is there. Raises CustodyError.

    `folder`: None tries it alone. All of it is opened, and the folder looked at, before anything is written.
    """
    chains = {name: Chain(root) for name, root in _roots(file, key)}
    if folder is None:
        return [Opened(name, chain.commitment) for name, chain in chains.items()]
    try:
        with as_owner_of(folder / SECRETS):
            return _written(chains, folder)
    except (OSError, ValueError) as fault:
        words = fault.strerror if isinstance(fault, OSError) else str(fault)
        raise CustodyError(f"cannot be written: {words}", str(folder), "Name the folder of floord's draws") from None


def _written(chains: dict[str, Chain], folder: Path) -> list[Opened]:
    """Write what is not there. Raises CustodyError where others are there, OSError, ValueError."""
    there = {name for name in chains if (folder / f"{name}{SECRETS}").exists()}
    for name in there:
        if Chain(root_in(folder / f"{name}{SECRETS}")).commitment != chains[name].commitment:
            raise CustodyError(
                f"has other secrets of {name}", str(folder), "Nothing is written over: look which of them is told"
            )
    for name in chains.keys() - there:
        chains[name].write(folder / f"{name}{SECRETS}")
    return [Opened(name, chain.commitment, name in there) for name, chain in chains.items()]


def _roots(file: Path, key: PrivateKey) -> list[tuple[str, bytes]]:
    try:
        boxes = boxes_in(file)
    except OSError as fault:
        raise CustodyError(f"cannot be read: {fault.strerror}", str(file), "Name the file that was sealed") from None
    if boxes is None:
        raise CustodyError("no sealed secrets of draws", str(file), "Name the file that `feltd floor seal-draws` wrote")
    fingerprint, found = boxes
    if fingerprint != key.fingerprint:
        raise CustodyError(f"is sealed to {fingerprint}", str(file), "Give that pair's private key")
    roots = list[tuple[str, bytes]]()
    for line in found:
        root = key.open(_context(line[1]), 0, bytes.fromhex(line[2]))
        if root is None:
            raise CustodyError(f"does not open for {line[1]}", str(file), "It was changed: take another copy of it")
        roots.append((line[1], root))
    return roots


def _context(tournament: str) -> bytes:
    return hashlib.sha256(b"feltd draws of " + tournament.encode()).digest()[:16]
