"""Roles of people at the page, and what each may see and do."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Role(StrEnum):
    """The roles that a person can have at this table."""

    OBSERVER = "observer"
    SUPERVISOR = "supervisor"
    DIRECTOR = "director"
    SURVEILLANCE = "surveillance"
    TECHNICIAN = "technician"


class Right(StrEnum):
    """One thing that may be seen or done."""

    SEE = "see"
    """The table as anybody may see it, its rulings, devices, clocks and trends."""
    SEE_CARDS = "see_cards"
    """Cards that lay face down in rounds that are over."""
    ASK = "ask"
    """A decision that a badge at the table is to sign."""
    DECIDE = "decide"
    """Rulings: acknowledge, confirm, overrule, misdeal, void, play on, resume, have the deck checked."""
    SEAT = "seat"
    """Players in, out, away and back; stacks; penalties; a clock on a player."""
    TOURNAMENT = "tournament"
    """The tournament's clock, hand for hand, chip races."""
    WISH = "wish"
    """At the pit: what tables shall play. It needs two persons with this right."""
    EXPORT = "export"
    """A part of the record with its proof; finished hands; incident reports."""
    DEVICES = "devices"
    """Test mode, tests of lamps, keys and readers; keys and replaced devices."""
    APPROVE = "approve"
    """As the second of two people: another's step that takes two."""
    TOKENS = "tokens"
    """Tokens of one's own, by which programs ask the API."""


_EVERYBODY: Final = frozenset({Right.SEE})
_FLOOR: Final = _EVERYBODY | {
    Right.ASK, Right.DECIDE, Right.SEAT, Right.SEE_CARDS, Right.EXPORT, Right.APPROVE, Right.TOKENS,
}  # fmt: skip

RIGHTS: Final[Mapping[Role, frozenset[Right]]] = MappingProxyType(
    {
        Role.OBSERVER: _EVERYBODY | {Right.ASK},
        Role.SUPERVISOR: _FLOOR,
        Role.DIRECTOR: _FLOOR | {Right.TOURNAMENT, Right.WISH},
        Role.SURVEILLANCE: _EVERYBODY | {Right.ASK, Right.SEE_CARDS, Right.EXPORT, Right.TOKENS},
        Role.TECHNICIAN: _EVERYBODY | {Right.DEVICES, Right.APPROVE, Right.TOKENS},
    }
)
"""A technician sees no cards and decides nothing; surveillance sees everything and changes nothing by itself."""


def acts_as(role: Role, owner: Role) -> Role:
    """As which a token of `role` acts while its account has the role `owner`.

    Its own, where nobody takes it for more than its account is: the record names who decides by it.
    """
    return role if only_looks(role) or RIGHTS[role] <= RIGHTS[owner] else owner


def only_looks(role: Role) -> bool:
    """Whether a role changes nothing at the table by itself, as a screen on the wall does not."""
    return role is Role.OBSERVER
