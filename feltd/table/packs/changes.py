"""What has changed between two lists of packs, as the record tells it: names, and no chip's number. Pure."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from feltd.door.packs import PackState
from feltd.table.packs.pack_list import MISSING_MOST, Pack, PackList

Change: TypeAlias = Mapping[str, str | int]


def changes(before: PackList, after: PackList) -> Iterator[Change]:
    """Each change; `which` names the cards that have another chip where they are few."""
    known = {pack.name: pack for pack in before.packs}
    for pack in after.packs:
        old = known.pop(pack.name, None)
        if old is None or (old.state is PackState.RETIRED and pack.state is not PackState.RETIRED):
            yield {"pack": pack.name, "change": "enrolled", "back": pack.back, "cards": len(pack.cards)}
            continue
        other = _other_chips(old, pack)
        if other:
            which = {"which": " ".join(other)} if len(other) <= MISSING_MOST else {}
            yield {"pack": pack.name, "change": "replaced", "cards": len(other), **which}
        if pack.state is not old.state:
            yield {"pack": pack.name, "change": "put", "state": pack.state.value}
    for name in known:
        yield {"pack": name, "change": "gone"}


def _other_chips(old: Pack, new: Pack) -> list[str]:
    before = {card: number for number, card in old.cards.items()}
    return sorted(card for number, card in new.cards.items() if before.get(card) != number)
