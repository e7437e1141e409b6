"""Read an order: what a hand does to a simulated device, as a JSON object `{"do": name, …}`.

Orders belong to the simulation, between the dealer and the devices' control sockets; they are not part of the wire.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from devices.simulated.errors import OrderRefused


@dataclass(frozen=True, slots=True)
class Carried:
    """The result of an order: the events' bodies to report, in order, and the answer."""

    bodies: tuple[dict[str, Any], ...] = ()
    reply: dict[str, Any] = field(default_factory=dict)


def text_of(order: Mapping[str, Any], key: str, allowed: Collection[str] | None = None) -> str:
    """A text in an order. Raises OrderRefused."""
    value = order.get(key)
    if not isinstance(value, str) or (allowed is not None and value not in allowed):
        wanted = f"one of {', '.join(allowed)}" if allowed is not None else "a text"
        raise OrderRefused(f"order {order.get('do')!r}: {key} must be {wanted}")
    return value


def optional_text(order: Mapping[str, Any], key: str) -> str | None:
    """A text in an order, or None. Raises OrderRefused."""
    return None if order.get(key) is None else text_of(order, key)


def number_of(order: Mapping[str, Any], key: str) -> int:
    """A whole number in an order. Raises OrderRefused."""
    value = order.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise OrderRefused(f"order {order.get('do')!r}: {key} must be a whole number")
    return value


def cards_of(order: Mapping[str, Any], key: str) -> list[str]:
    """A list of cards in an order; missing, an empty one. Raises OrderRefused."""
    value = order.get(key, [])
    if not isinstance(value, list) or not all(isinstance(card, str) for card in value):
        raise OrderRefused(f"order {order.get('do')!r}: {key} must be a list of cards")
    return list(value)


def without_nulls(**fields: Any) -> dict[str, Any]:
    """A body without its null fields; a null `card` stays, because it is an answer."""
    return {key: value for key, value in fields.items() if value is not None or key == "card"}
