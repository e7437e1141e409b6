"""A screenshot as a PNG of at most 256 colours: a third of the size, and for pages of flat colours the same to the eye.

Format: PNG, third edition (W3C, 2025), colour type 3.
"""

import base64
import struct
import zlib
from collections import Counter

from playwright.sync_api import Page

MOST: int = 256
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


def small(png: bytes, blank: Page) -> bytes:
    """The same picture with the commonest colours alone. `blank`: an empty tab, whose browser reads the picture."""
    width, height, told = blank.evaluate(_PIXELS, base64.b64encode(png).decode())
    data = base64.b64decode(told)
    pixels = [data[at : at + 3] for at in range(0, len(data), 4)]
    palette = [colour for colour, _ in Counter(pixels).most_common(MOST)]
    nearest = {colour: min(range(len(palette)), key=lambda at: _far(palette[at], colour)) for colour in set(pixels)}
    rows = (bytes(nearest[pixel] for pixel in pixels[at : at + width]) for at in range(0, width * height, width))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", b"".join(palette)),
            _chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows), 9)),
            _chunk(b"IEND", b""),
        )
    )


def _far(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
