"""Devices on the board's pins: each group is a device, a station is its link."""

from dataclasses import dataclass

from devices.pins.board import Board
from devices.pins.dropbox import DropboxGroup
from devices.pins.factories import prepare
from devices.pins.facts import Pins
from devices.pins.gate import GateGroup
from devices.pins.groups import Group
from devices.pins.keys import KeysGroup
from devices.pins.lamps import LampsGroup
from devices.pins.markers import MarkersGroup
from devices.pins.station import PinStation
from feltd.table.links.bridge import Bridge


@dataclass(frozen=True, slots=True)
class PinPlace:
    """A group's place at the table, in the form of a device's configuration.

    `place`: the lines, for people.
    """

    name: str
    role: str
    place: str
    serial: None = None


def pin_groups(pins: Pins | None) -> list[Group]:
    """The groups that a configuration asks for."""
    if pins is None:
        return []
    groups: list[Group] = []
    if pins.keys:
        groups.append(KeysGroup(pins))
    if pins.lamps or pins.buzzer is not None:
        groups.append(LampsGroup(pins))
    if pins.markers:
        groups.append(MarkersGroup(pins))
    if pins.dropbox is not None:
        groups.append(DropboxGroup(pins, pins.dropbox))
    if pins.gate is not None:
        groups.append(GateGroup(pins.gate))
    return groups


def add_stations(bridge: Bridge, pins: Pins | None, groups: list[Group]) -> None:
    """Give each group its place at the table."""
    if pins is None:
        return
    prepare(pins.factory)
    board = Board(pins.factory, pins.chip)
    for group in groups:
        lines = ", ".join(str(line) for line in group.lines)
        chip = "" if pins.chip is None else f" {pins.chip}"
        where = f"{pins.factory}{chip}, lines {lines}"
        bridge.add(PinPlace(group.name, group.role, where), group.driver(), PinStation(group, board, bridge))
