"""As much of udev's rules as feltd's use: which group and mode a device's node is given.

Understood: `==` and `!=` with `|`, `*`, `?` and `[…]`, by bytes as udev compares; the keys that stand in `_OWN` and
`_OF_A_PARENT`; GOTO and LABEL. Anything else is an error, so that a rule that says more is not read as if it said less.
"""

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_TOKEN: Final = re.compile(r'(\w+)(?:\{(\w+)\})?(==|!=|\+=|=)"([^"]*)"(?:, *|$)')
_TESTS: Final = ("==", "!=")
_OWN: Final = ("ACTION", "SUBSYSTEM", "KERNEL", "ENV", "ATTR", "SYMLINK")
_OF_A_PARENT: Final = ("SUBSYSTEMS", "ATTRS")


@dataclass(frozen=True)
class Node:
    """A device, or one of those above it."""

    kernel: str
    subsystem: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    """In /dev, made by rules of Debian's."""


def given(rules: str, node: Node, parents: Sequence[Node] = (), action: str = "add") -> dict[str, str]:
    """What the rules give the node of a device: GROUP, MODE and the like, the last word of each.

    `parents`: those above it, the nearest first.
    """
    found: dict[str, str] = {}
    wanted_label: str | None = None
    for line in rules.splitlines():
        if not line or line.startswith("#"):
            continue
        tokens = [match.groups("") for match in _TOKEN.finditer(line)]
        assert len(line) == sum(len(match[0]) for match in _TOKEN.finditer(line)), f"not understood: {line}"
        if wanted_label is not None:
            wanted_label = None if ("LABEL", "", "=", wanted_label) in tokens else wanted_label
            continue
        asked = [token for token in tokens if token[2] in _TESTS]
        if not _matches(asked, node, parents, action):
            continue
        for key, name, how, value in tokens:
            if key == "GOTO":
                wanted_label = value
            elif how not in _TESTS:
                found[f"{key}{name and '{' + name + '}'}"] = value
    return found


def _matches(asked: Sequence[tuple[str, ...]], node: Node, parents: Sequence[Node], action: str) -> bool:
    own = [one for one in asked if one[0] in _OWN]
    above = [(key.removesuffix("S"), *rest) for key, *rest in asked if key in _OF_A_PARENT]
    assert len(own) + len(above) == len(asked), f"not understood: {asked}"
    if not all(_has(node, one, action) for one in own):
        return False
    return not above or any(all(_has(level, one, action) for one in above) for level in (node, *parents))


def _has(node: Node, asked: tuple[str, ...], action: str) -> bool:
    key, name, how, value = asked
    if key == "SYMLINK":
        return any(_is_like(link, value) for link in node.links) == (how == "==")
    found = {
        "ACTION": action, "SUBSYSTEM": node.subsystem, "KERNEL": node.kernel,
        "ENV": node.environment.get(name), "ATTR": node.attributes.get(name),
    }[key]  # fmt: skip
    same = found is not None and _is_like(found, value)
    return same == (how == "==")


def _is_like(found: str, value: str) -> bool:
    return any(fnmatch.fnmatchcase(_bytes(found.rstrip()), _bytes(one)) for one in value.split("|"))


def _bytes(text: str) -> str:
    """A sign for each byte of it."""
    return text.encode().decode("latin-1")
