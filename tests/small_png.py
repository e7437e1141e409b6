"""Screenshots as a PNG of at most 256 colours: a third of the size, and for pages of flat colours the same to the eye;
several as one that moves.

Format: PNG, third edition (W3C, 2025), colour type 3; its animation too.
"""

import base64
import struct
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from playwright.sync_api import Page

MOST: int = 256
_HEAD = b"\x89PNG\r\n\x1a\n"
_PIXELS = """async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const drawn = canvas.getContext("2d");
    drawn.drawImage(image, 0, 0);
    const data = drawn.getImageData(0, 0, image.width, image.height).data;
    const parts = [];
    for (let at = 0; at < data.length; at += 32768) parts.push(String.fromCharCode(...data.subarray(at, at + 32768)));
    return [image.width, image.height, btoa(parts.join(""))];
}"""


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture of an animation: a PNG, and the seconds for which it is seen."""

    png: bytes
    seconds: float


@dataclass(frozen=True, slots=True)
class _Pixels:
    """A decoded picture: three bytes for each pixel."""

    width: int
    height: int
    colours: list[bytes]


def small(png: bytes, blank: Page) -> bytes:
    """The same picture with the commonest colours alone. `blank`: an empty tab, whose browser reads the picture."""
    picture = _read(png, blank)
    palette, [indices] = _indexed([picture])
    return _HEAD + b"".join(
        (
            _header(picture, palette),
            _chunk(b"IDAT", _packed(indices, picture.width)),
            _chunk(b"IEND", b""),
        )
    )


def animated(frames: Sequence[Frame], blank: Page, *, plays: int) -> bytes:
    """An animated PNG of these pictures, all of one size, played so many times. The first is what a reader sees that
    knows no animation. `blank`: as of `small`."""
    pictures = [_read(frame.png, blank) for frame in frames]
    palette, all_indices = _indexed(pictures)
    first, width = pictures[0], pictures[0].width
    parts = [_header(first, palette), _chunk(b"acTL", struct.pack(">II", len(frames), plays))]
    number, shown = 0, all_indices[0]
    for frame, indices in zip(frames, all_indices, strict=True):
        x, y, wide, high = (0, 0, width, first.height) if number == 0 else _changed(shown, indices, width)
        shown = indices
        delay = round(frame.seconds * 1000)
        parts.append(_chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, wide, high, x, y, delay, 1000, 0, 0)))
        part = b"".join(indices[row * width + x : row * width + x + wide] for row in range(y, y + high))
        if number == 0:
            parts.append(_chunk(b"IDAT", _packed(part, wide)))
            number += 1
        else:
            parts.append(_chunk(b"fdAT", struct.pack(">I", number + 1) + _packed(part, wide)))
            number += 2
    return _HEAD + b"".join([*parts, _chunk(b"IEND", b"")])


def _changed(before: bytes, after: bytes, width: int) -> tuple[int, int, int, int]:
    """The rectangle in which two pictures differ: left, top, width, height; a pixel where they are the same."""
    rows = [at for at in range(0, len(after), width) if before[at : at + width] != after[at : at + width]]
    if not rows:
        return 0, 0, 1, 1
    pairs = [(before[at : at + width], after[at : at + width]) for at in rows]
    columns = [at for at in range(width) if any(one[at] != other[at] for one, other in pairs)]
    top, left = rows[0] // width, columns[0]
    return left, top, columns[-1] - left + 1, rows[-1] // width - top + 1


def _read(png: bytes, blank: Page) -> _Pixels:
    width, height, told = blank.evaluate(_PIXELS, base64.b64encode(png).decode())
    data = base64.b64decode(told)
    return _Pixels(width, height, [data[at : at + 3] for at in range(0, len(data), 4)])


def _indexed(pictures: Sequence[_Pixels]) -> tuple[list[bytes], list[bytes]]:
    """A palette of the commonest colours of all, and each picture by its indices."""
    counts = sum((Counter(picture.colours) for picture in pictures), Counter[bytes]())
    palette = [colour for colour, _ in counts.most_common(MOST)]
    nearest = {colour: min(range(len(palette)), key=lambda at: _far(palette[at], colour)) for colour in counts}
    return palette, [bytes(nearest[colour] for colour in picture.colours) for picture in pictures]


def _header(picture: _Pixels, palette: list[bytes]) -> bytes:
    size = struct.pack(">IIBBBBB", picture.width, picture.height, 8, 3, 0, 0, 0)
    return _chunk(b"IHDR", size) + _chunk(b"PLTE", b"".join(palette))


def _packed(indices: bytes, width: int) -> bytes:
    return zlib.compress(b"".join(b"\0" + indices[at : at + width] for at in range(0, len(indices), width)), 9)


def _far(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
