"""The hands as files for a broadcast's program: JSON, and a page over nothing that loads itself anew."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Final

from feltd.broadcast.course import Held, Street
from feltd.broadcast.hands import BroadcastHand
from feltd.text.atomic_file import replace_atomically
from feltd.text.catalogue import say
from feltd.text.language import spoken
from feltd.text.words import phase_in_words, street_in_words

JSON_FILE: Final = "hands.json"
PAGE_FILE: Final = "hands.html"
_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_STYLE: Final = (
    "body{background:transparent;color:#fff;font:600 1.6rem/1.3 system-ui,'DejaVu Sans',sans-serif;margin:1rem}"
    "section{background:#171c1f;border-radius:.4rem;padding:.6rem .9rem;width:max-content}"
    "h1,td,th{font-size:1em;text-align:left;padding:.1em .5em}.folded{color:#b6c1bc}"
    "b{background:#fff;color:#1c2125;border-radius:.2em;padding:.05em .25em;margin-right:.15em}b.red{color:#b3261e}"
)


def write_files(folder: Path, hands: Iterable[BroadcastHand]) -> None:
    """Write both files, the newest hand first in the one and alone in the other. Raises OSError."""
    newest = sorted(hands, key=lambda hand: hand.round, reverse=True)
    owner = folder.stat()
    for name, text in ((JSON_FILE, as_json(newest)), (PAGE_FILE, as_page(newest[0] if newest else None))):
        replace_atomically(folder / name, text.encode(), owner)
        (folder / name).chmod(0o644)


def as_json(hands: Iterable[BroadcastHand]) -> str:
    """The hands as JSON: a list of objects with the fields of `BroadcastHand`."""
    return json.dumps([asdict(hand) for hand in hands], ensure_ascii=False, indent=1) + "\n"


def as_page(hand: BroadcastHand | None) -> str:
    """One hand as a page; an empty one where there is none yet."""
    body = "" if hand is None else "".join(_section(hand))
    return (
        f'<!doctype html><html lang="{spoken().value}"><head><meta charset="utf-8">'
        f'<meta http-equiv="refresh" content="5"><title>feltd</title><style>{_STYLE}</style></head>'
        f"<body>{body}</body></html>\n"
    )


def _section(hand: BroadcastHand) -> Iterator[str]:
    head = f"{hand.game}, {say('round {round}', round=hand.round)}"
    if hand.result not in (None, "complete"):
        head += f": {phase_in_words(hand.result, None)}"
    yield f"<section><h1>{escape(head)}</h1><table><tr><th></th>"
    yield from (f"<th>{_boards(street) or escape(street_in_words(street.name))}</th>" for street in hand.streets)
    yield "</tr>"
    yield from (_row(held, hand.streets) for held in hand.held)
    yield "</table></section>"


def _row(held: Held, streets: Iterable[Street]) -> str:
    cells = "".join(f"<td>{_shares(street, held.seat)}</td>" for street in streets)
    name = escape(say("seat {seat}", seat=held.seat))
    return f"<tr{' class=folded' if held.folded else ''}><td>{name} {_cards(held.cards)}</td>{cells}</tr>"


def _boards(street: Street) -> str:
    """The board, and the second one below it."""
    return "<br>".join(_cards(board) for board in (street.board, street.board2) if board)


def _shares(street: Street, seat: int) -> str:
    """What the hand is worth, on each board."""
    shares = (by_seat.get(seat) for by_seat in (street.equities, street.equities2))
    return "<br>".join(f"{100 * share:.0f} %" for share in shares if share is not None)


def _cards(names: Iterable[str | None]) -> str:
    return "".join(_card(name) for name in names)


def _card(name: str | None) -> str:
    if name is None or name[1:] not in _SUITS:
        return "<b>?</b>" if name is None else f"<b>{escape(name)}</b>"
    red = ' class="red"' if name[1] in "hd" else ""
    return f"<b{red}>{escape(name[0].replace('T', '10'))}{_SUITS[name[1]]}</b>"
