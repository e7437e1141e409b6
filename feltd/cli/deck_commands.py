"""`feltd deck …`: packs of cards that are chips, enrolled, looked at, and taken out of play."""

from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from feltd.cli.exits import PROBLEMS

if TYPE_CHECKING:
    from feltd.table.packs.pack_list import PackList

DEFAULT_CONFIG: Final = Path("/etc/feltd/table.toml")
_TAKEN_UP: Final = "A table that runs takes it up within a second, and puts it on record."


def _spares(context: click.Context, option: click.Parameter, value: int | None) -> int | None:
    """So many spare cards, where a pack is whole. Raises click.BadParameter. The bound is loaded by who asks for it:
    every other command would load what knows the door."""
    from feltd.door.packs import SPARES_MOST

    return None if value is None else int(click.IntRange(0, SPARES_MOST).convert(value, option, context))


_config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=DEFAULT_CONFIG,
    show_default=True,
    help="The table's configuration: the list of packs is kept beside its record.",
)
_key_option = click.option(
    "--key",
    type=click.Path(path_type=Path),
    help="The record's sealing key, where the configuration leaves it to the service manager (credential:NAME).",
)
_reader_option = click.option(
    "--reader", required=True, help="The reader as pcscd names it, with or without the numbers at its end."
)
_socket_option = click.option("--socket", help="The socket of USB in which it is (1-1.2), where several have one name.")
_chips = click.argument("chips", type=click.File("r", errors="replace"), default="-")


@click.group(short_help="Enrol packs of cards that are chips.")
def deck() -> None:
    """Enrol packs of cards that are chips, and take them out of play.

    A reader that types what it reads, or any program, gives the chips' numbers: one a line, pairs of hexadecimal
    digits. The list is sealed with a key made of the record's. No command prints a card's number, and a terminal
    does not show what is typed meanwhile.
    """


@deck.command()
@click.argument("name")
@_chips
@click.option("--back", required=True, help="What the pack is called by: the colour of its back.")
@click.option("--cards", type=int, default=52, show_default=True, help="How many cards it has, without a joker.")
@click.option("--joker", is_flag=True, help="A joker is laid down last.")
@click.option(
    "--whole",
    type=int,
    callback=_spares,
    metavar="SPARES",
    help="All chips come first in any order, so many spare cards among them; then the line `order`, then each card.",
)
@_key_option
@_config_option
def enrol(
    name: str,
    chips: IO[str],
    back: str,
    cards: int,
    joker: bool,
    whole: int | None,
    key: Path | None,
    config: Path,
) -> None:
    """Enrol the pack NAME: lay its cards down one by one, suit by suit, from the ace up. Nothing is kept of a part.

    A retired pack is enrolled anew by its name. Then lay it once more, in order, and let `check` look.

    With --whole the reader sees the pack in piles first, so that a card too many, too few or of another pack is named
    before the first one is laid.

    \b
    Examples:
      feltd deck enrol red-1 --back red
      feltd deck enrol blue-1 --back blue chips.txt
      feltd deck enrol green-32 --back green --cards 32
      feltd deck enrol red-2 --back red --whole 2
    """
    from time import monotonic

    from feltd.cli.deck_lines import laid_at_terminal, numbers, one_a_second
    from feltd.door.packs import PackWanted, PackWork
    from feltd.table.packs.laying import Enrolling, EnrollingWhole
    from feltd.table.packs.pack_list import pack_of

    place = _Place(config, key)
    place.check_between_rounds()
    at_once = whole is not None
    wanted = PackWanted(PackWork.ENROL, name, back, cards, joker, whole=at_once, spares=whole or 0)
    laying = (EnrollingWhole if at_once else Enrolling)(place.read(), wanted, "")
    if at_once or chips.isatty():
        pack = laid_at_terminal(chips, laying, monotonic if chips.isatty() else one_a_second())
    else:
        pack = pack_of(name, back, list(numbers(chips)), laying.order)
    place.change(lambda packs: packs.with_pack(pack), waits=True)
    click.echo(f"{name}: {len(pack.cards)} cards enrolled, back {back}. {_TAKEN_UP}")
    file = getattr(chips, "name", None)  # of standard input it may be none, or a number
    if isinstance(file, str) and Path(file).is_file():
        click.echo(f"{file} still tells each card, in clear: shred -u it")


@deck.command("list")
@_key_option
@_config_option
def list_packs(key: Path | None, config: Path) -> None:
    """List the packs: name, back, how many cards, whether in use. Never a chip's number."""
    packs = _Place(config, key).read().packs
    if not packs:
        click.echo("no packs are enrolled: feltd deck enrol NAME --back COLOUR")
    for pack in packs:
        click.echo(f"{pack.name}  back {pack.back}  {len(pack.cards)} cards  {pack.state.words}")


@deck.command(
    epilog="Exit codes: 0 the whole pack and nothing else lies there; 1 it does not, or out of order; 2 no list."
)
@click.argument("name")
@_chips
@_key_option
@_config_option
@click.pass_context
def check(ctx: click.Context, name: str, chips: IO[str], key: Path | None, config: Path) -> None:
    """Hold the chips that lie on a reader, in any order, against the pack NAME: missing, twice, foreign, unknown.

    Of a pack that is laid in the order of enrolment it names the cards that lie elsewhere. Missing cards are named
    where they are few: else one card laid alone would be named by what is missing no more.
    """
    from feltd.cli.deck_lines import numbers
    from feltd.table.packs.pack_list import MISSING_MOST

    look = _Place(config, key).read().look(name, list(numbers(chips)))
    click.echo(f"{name}: {look.found} of {look.found + len(look.missing)} cards")
    if look.missing:
        named = len(look.missing) <= MISSING_MOST
        click.echo(f"missing: {' '.join(look.missing) if named else len(look.missing)}")
    if look.twice:
        click.echo(f"read twice: {look.twice}")
    for other, count in look.of_others.items():
        click.echo(f'of the pack "{other}": {count}; take them out')
    if look.unknown:
        click.echo(f"in no pack: {look.unknown}; take them out")
    if look.misplaced:
        click.echo(
            f"not where they were when they were enrolled: {' '.join(look.misplaced)}. If they lie in order now, two "
            "are exchanged by feltd deck swap; else retire the pack and enrol it anew"
        )
    if look.misplaced or not look.is_whole:
        ctx.exit(PROBLEMS)


@deck.command("replace")
@click.argument("name")
@click.argument("card")
@_chips
@_key_option
@_config_option
def replace_card(name: str, card: str, chips: IO[str], key: Path | None, config: Path) -> None:
    """Give one CARD (7h) of the pack NAME the chip of a spare card. The chip before is unknown from then on."""
    from feltd.cli.deck_lines import numbers
    from feltd.table.packs.pack_list import PackError

    laid = list(numbers(chips))
    if len(laid) != 1:
        raise PackError(f"{len(laid)} chips: lay the one spare card")
    _Place(config, key).change(lambda packs: packs.with_card(name, card, laid[0]))
    click.echo(f"{name}: {card} has the chip of the spare card. {_TAKEN_UP}")


@deck.command()
@click.argument("name")
@click.argument("card")
@click.argument("other")
@_key_option
@_config_option
def swap(name: str, card: str, other: str, key: Path | None, config: Path) -> None:
    """Exchange the chips of two cards of the pack NAME (5s 6s): they were laid the wrong way round."""
    _Place(config, key).change(lambda packs: packs.with_swap(name, card, other))
    click.echo(f"{name}: {card} and {other} have each other's chip. {_TAKEN_UP}")


@deck.command()
@click.argument("key", type=click.Path(path_type=Path))
@_reader_option
@_socket_option
@click.option("--cards", type=click.IntRange(1, 1000), default=52, show_default=True, help="How many chips get a key.")
def keys(key: Path, reader: str, socket: str | None, cards: int) -> None:
    """Give NTAG 424 DNA chips keys of their own at a reader over PC/SC: lay them down one after the other.

    KEY is a file with the 16 bytes that all their keys are made of: the key_file of the readers that let chips prove
    themselves (adapter pcsc-proving). Without it no such chip is ever a card again, and nobody can give it another key:
    keep a copy. A chip that has its key already stays as it is, so a pack may be laid twice.

    \b
    Examples:
      openssl rand -hex 16 > chips.key
      feltd deck keys chips.key --reader "ACS ACR122U PICC Interface"
    """
    from devices.adapters.interface import PcscName
    from devices.adapters.pcsc_proving import ProvingReader
    from feltd.cli.deck_keys import ReaderError, give_keys
    from feltd.table.config.key_files import read_key

    secret = read_key(key, ProvingReader.key_bytes)
    if (why := ProvingReader.weak_key(secret)) is not None:
        raise ReaderError(f"{key}: {why} (openssl rand -hex 16)")
    give_keys(PcscName(reader, socket), secret, cards, click.echo)


@deck.command()
@click.argument("zones", nargs=-1, required=True)
@_reader_option
@_socket_option
@_key_option
@_config_option
def stickers(zones: tuple[str, ...], reader: str, socket: str | None, key: Path | None, config: Path) -> None:
    """Read the stickers of the antennas of ZONES at a reader over PC/SC, before they are fixed: lay them in that order.

    What it prints are the words for settings.py of the reference firmware in C, and those for device.json of the one in
    MicroPython. A sticker is no card: its number is no secret. A chip that is a card of one of the table's packs is
    refused, retired ones too; where the table's file is not, or no pack is enrolled, none can be known, and it says so.

    \b
    Examples:
      feltd deck stickers seat:1 seat:2 seat:3 --reader "ACS ACR122U PICC Interface"
    """
    from devices.adapters.interface import PcscName
    from devices.drivers.reader import a_zone
    from feltd.cli.deck_keys import read_stickers
    from feltd.cli.deck_stickers import told

    try:
        wanted = [a_zone(zone) for zone in zones]
    except ValueError as fault:
        raise click.BadParameter(str(fault), param_hint="ZONES") from None
    if len(set(wanted)) < len(wanted):
        raise click.BadParameter("each zone has one sticker: name it once", param_hint="ZONES")
    is_card = _cards_of(config, key)
    for line in told(read_stickers(PcscName(reader, socket), wanted, is_card, _aside)):
        click.echo(line)


@deck.command()
@click.argument("reader")
@click.option(
    "--seconds", type=click.IntRange(2, 60), default=10, show_default=True, help="For how long the felt must lie still."
)
@_key_option
@_config_option
def antennas(reader: str, seconds: int, key: Path | None, config: Path) -> None:
    """Read the stickers of the antennas of READER, a device of the table, by these antennas, once they are fixed.

    Load settings without their numbers into it, stop feltd, and leave the felt empty: of each zone the one chip that
    lies there all the time is its sticker. A card of one of the table's packs, or two chips, are refused. What it
    prints are the words for settings.py of the reference firmware in C, and those for device.json of the one in
    MicroPython.

    \b
    Examples:
      feltd deck antennas reader:seats --key /etc/feltd/keys/journal.key
    """
    import asyncio

    from feltd.cli.deck_antennas import AntennasError, stickers_at
    from feltd.cli.deck_stickers import told
    from feltd.table.config.config import load_config
    from feltd.table.links.links import budget_of, connect_to
    from feltd.text.as_owner import as_owner_of
    from firmware_bridge.facts import LinkSpec
    from firmware_bridge.link import Link

    device = next((one for one in load_config(config).devices if one.name == reader), None)
    if device is None or device.wire_key is None:
        raise AntennasError(f'{config}: no device "{reader}" that speaks feltd\'s own wire: name a reader that does')
    with as_owner_of(device.wire_key.locate()):
        secret = device.wire_key.read()
    is_card = _cards_of(config, key)
    spec, connect, budget = LinkSpec(reader, device.role, secret, device.serial), connect_to(device), budget_of(device)
    make = lambda handler: Link(spec, connect, handler, budget=budget)  # noqa: E731 - how a link to it is made
    for line in told(asyncio.run(stickers_at(make, reader, seconds, is_card))):
        click.echo(line)


def _aside(words: str) -> None:
    """Say it beside what the command was asked for."""
    click.echo(words, err=True)


def _cards_of(config: Path, key: Path | None) -> Callable[[bytes], bool]:
    """Whether a chip's number is that of a card of the table's packs. Where none can be, it says so."""
    from feltd.cli.deck_stickers import NO_PACK

    source = click.get_current_context().get_parameter_source("config")
    if source is click.core.ParameterSource.DEFAULT and not config.exists():
        _aside(
            f"{config} is not here: cards are not told from stickers. Lay nothing of a pack, or give --config and --key"
        )
        return lambda number: False
    packs = _Place(config, key).read()
    if not packs.packs:
        _aside(NO_PACK)
    return lambda number: packs.holder(number) is not None


@deck.command()
@click.argument("name")
@click.argument("state", type=click.Choice(["use", "rest", "retire"]))
@_key_option
@_config_option
def put(name: str, state: str, key: Path | None, config: Path) -> None:
    """Put the pack NAME to use, to rest, or retire it for good. A resting pack's card on the felt is named a fault."""
    from feltd.door.packs import PackState

    states = {"use": PackState.IN_USE, "rest": PackState.RESTING, "retire": PackState.RETIRED}
    _Place(config, key).change(lambda packs: packs.with_state(name, states[state]))
    click.echo(f"{name}: {states[state].words}. {_TAKEN_UP}")


def _say_that_it_waits() -> None:
    click.echo("The table is in a round: the pack is enrolled at its end.", err=True)


class _Place:
    """The file of packs of a table, read and written with the right of its folder's owner."""

    def __init__(self, config: Path, key: Path | None) -> None:
        from feltd.table.config.config import load_config
        from feltd.table.config.key_files import read_key
        from feltd.table.packs.pack_file import PackShelf, packs_file_of

        journal = load_config(config).journal
        sealing_key = journal.sealing_key_file.read() if key is None else read_key(key)
        self._shelf = PackShelf(packs_file_of(journal.path), sealing_key)

    def read(self) -> "PackList":
        from feltd.text.as_owner import as_owner_of

        with as_owner_of(self._shelf.file):
            return self._shelf.read()

    def check_between_rounds(self) -> None:
        """Raise PackFileError while the table is in a round."""
        from feltd.table.packs.turns import between_rounds
        from feltd.text.as_owner import as_owner_of

        with as_owner_of(self._shelf.file), between_rounds(self._shelf.file):
            pass

    def change(self, change: "Callable[[PackList], PackList]", *, waits: bool = False) -> None:
        """Change the list as it is now: the page, or another command, may have changed it since it was read.

        `waits`: for the end of a round, so that 52 cards are not laid for nothing. Else raises PackFileError while the
        table is in one.
        """
        from feltd.table.packs.turns import between_rounds
        from feltd.text.as_owner import as_owner_of

        file = self._shelf.file
        wait = _say_that_it_waits if waits else None
        with as_owner_of(file), between_rounds(file, wait), self._shelf.alone(wait=True):
            self._shelf.write(change(self._shelf.read()))
