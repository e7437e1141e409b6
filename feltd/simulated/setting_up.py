"""The files of a simulated table: its configuration, its keys and its accounts."""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from devices.simulated.people.game import Game
from devices.simulated.people.staff_cards import STAFF_CARDS, STAFF_PINS
from devices.simulated.things.chips import chip_of, number_of
from devices.simulated.things.equipment import Equipment
from devices.simulated.things.pack import FULL_PACK
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.table.config.config import TableConfig
from feltd.table.keeper.badge_pins import pins_file_of, put_pin
from feltd.table.packs.pack_file import PackShelf, packs_file_of
from feltd.table.packs.pack_list import laying_order, pack_of

PLAYER: Final = "director"
"""The account of a simulated table for whoever wants to do everything that is the floor's."""
_MASTER_KEY_BYTES: Final = 32


def let_in(file: Path) -> str:
    """Make an account of each role for the simulated table; return their common password.

    Each start makes a new password.
    """
    accounts, password = AccountBook(file), secrets.token_urlsafe(9)
    for name in (PLAYER, *others()):
        if accounts.get(name) is None:
            accounts.add(name, Role(name), password)
        else:
            accounts.change(name, password=password)
    return password


def others() -> list[str]:
    """The accounts beside the first, each named after its role: to see what each of them sees."""
    return sorted(role.value for role in Role if role.value != PLAYER)


def enrol(config: TableConfig, decks: Sequence[str]) -> None:
    """Enrol the packs of a table whose cards are chips, where it has none: as `feltd deck enrol` does, card by card."""
    shelf = PackShelf(packs_file_of(config.journal.path), config.journal.sealing_key_file.read())
    packs = shelf.read()
    if packs.packs:
        return
    order = laying_order(len(FULL_PACK))
    for deck in decks:
        numbers = [number_of(chip_of(card, deck)) for card in order]
        packs = packs.with_pack(pack_of(f"{deck}-1", deck, numbers, order))
    shelf.write(packs)


def write_config(equipment: Equipment, game: Game, options: Mapping[str, Any], host: str, port: int) -> Path:
    """The table's file, as a person would write it: `feltd check` and `feltd run` take it too."""
    folder = equipment.folder
    sealing = folder / "journal.key"
    if not sealing.exists():
        sealing.touch(mode=0o600)
        sealing.write_text(secrets.token_bytes(_MASTER_KEY_BYTES).hex() + "\n", encoding="ascii")
    journal = folder / "table.journal"
    _give_pins(journal, bytes.fromhex(sealing.read_text(encoding="ascii")))
    lines = [
        "[table]",
        'name = "Simulated table"',
        "badge_pins = true",
        f'rulebook = "{game.rulebook}"',
        f"seats = {list(game.seats)}",
    ]
    lines += [f"button = {game.button}"] if game.button is not None else []
    lines += ["[table.options]", *(f"{name} = {_toml(value)}" for name, value in options.items())]
    for device in equipment.devices:
        lines += ["[[device]]", f'name = "{device.name}"', f'role = "{device.role}"', f'port = "{device.port_link}"']
        lines += [f'key_file = "{device.key_file}"']
        settings = equipment.settings(device.name)
        zones = settings.get("zones")
        lines += [f"settings.zones = {_toml(list(zones))}"] if zones else []
        lines += [f"settings.{name} = false" for name in ("names", "look", "faces") if settings.get(name) is False]
        if device.role == "badge":
            cards = ", ".join(f'"{card}" = "{role.value}"' for role, card in STAFF_CARDS.items())
            lines += [f"settings.staff = {{ {cards} }}", "settings.keypad = true"]
    lines += ["[page]", f'host = "{host}"', f"port = {port}", "open_on_loopback = true"]
    lines += ["[floor]", 'may = ["acknowledge", "confirm", "overrule", "play_on"]']
    lines += ["[journal]", f'path = "{journal}"', f'sealing_key_file = "{sealing}"']
    file = folder / "table.toml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _give_pins(journal: Path, sealing_key: bytes) -> None:
    """Give each card that signs its PIN, where none has one: a person may have set another since."""
    file = pins_file_of(journal)
    if file.exists():
        return
    for card, pin in STAFF_PINS.items():
        put_pin(file, sealing_key, card, pin)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value).replace("'", '"')
