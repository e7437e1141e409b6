"""CBOR as the protocol allows it (PROTOCOL.md, section 3): plain values, definite lengths, eight levels at most."""

from struct import pack, unpack

DEPTH_MAX = 8


class Malformed(Exception):
    """The bytes are no message that the protocol allows."""


def encode(value):
    """The bytes of a value: None, bool, int, float, str, bytes, list, tuple, dict, or a `Pairs`."""
    out = bytearray()
    _put(out, value)
    return bytes(out)


class Pairs:
    """A map whose keys keep their order, which a dict's do not on a small machine."""

    def __init__(self, *pairs):
        self.pairs = pairs


def _head(out, major, number):
    major <<= 5
    if number < 24:
        out.append(major | number)
        return
    for extra, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number >> (8 * size) == 0:
            out.append(major | extra)
            out += bytes((number >> (8 * at)) & 0xFF for at in range(size - 1, -1, -1))
            return
    raise ValueError("beyond 64 bits")


def _put(out, value):
    if value is None:
        out.append(0xF6)
    elif value is True or value is False:
        out.append(0xF5 if value else 0xF4)
    elif isinstance(value, int):
        _head(out, 0, value) if value >= 0 else _head(out, 1, -1 - value)
    elif isinstance(value, float):
        out.append(0xFB)
        out += pack(">d", value)
    elif isinstance(value, str):
        text = value.encode()
        _head(out, 3, len(text))
        out += text
    elif isinstance(value, (bytes, bytearray)):
        _head(out, 2, len(value))
        out += value
    elif isinstance(value, (list, tuple)):
        _head(out, 4, len(value))
        for item in value:
            _put(out, item)
    else:
        pairs = value.pairs if isinstance(value, Pairs) else tuple(value.items())
        _head(out, 5, len(pairs))
        for key, item in pairs:
            _put(out, key)
            _put(out, item)


def decode_message(data):
    """The message's map: small integers as keys. Raises Malformed."""
    reader = _Reader(data)
    value = reader.value(1)
    if reader.at != len(data):
        raise Malformed("bytes after the map")
    if not isinstance(value, dict) or not all(type(key) is int for key in value):
        raise Malformed("no map with integer keys")
    return value


def decode_row(data):
    """The values that stand one behind the other in a message of version 2. Raises Malformed."""
    reader = _Reader(data)
    values = []
    while reader.at != len(data):
        values.append(reader.value(2))  # as within the map of a message of version 1
    return values


class _Reader:
    def __init__(self, data):
        self._data = data
        self.at = 0

    def _take(self, count):
        end = self.at + count
        if end > len(self._data):
            raise Malformed("cut short")
        piece = self._data[self.at : end]
        self.at = end
        return piece

    def value(self, depth):
        first = self._take(1)[0]
        major, info = first >> 5, first & 31
        if major == 7:
            return self._simple(info)
        if info > 27:
            raise Malformed("an indefinite or reserved length")
        number = info if info < 24 else _number(self._take(1 << (info - 24)))
        if major < 2:
            if number >> 63:
                raise Malformed("an integer beyond 64 bits")
            return number if major == 0 else -1 - number
        if major == 2:
            return bytes(self._take(number))
        if major == 3:
            piece = self._take(number)
            if not _is_utf8(piece):
                raise Malformed("no UTF-8")
            return str(piece, "utf-8")
        if major == 6:
            raise Malformed("a tag")
        if depth > DEPTH_MAX:
            raise Malformed("nested too deep")
        if number > len(self._data):
            raise Malformed("cut short")
        return self._list(number, depth) if major == 4 else self._map(number, depth)

    def _list(self, count, depth):
        return [self.value(depth + 1) for _ in range(count)]

    def _map(self, count, depth):
        made = {}
        for _ in range(count):
            key = self.value(depth + 1)
            if type(key) not in (int, str):
                raise Malformed("a key that is neither integer nor text")
            if key in made:
                raise Malformed("a key twice")
            made[key] = self.value(depth + 1)
        return made

    def _simple(self, info):
        if info in (20, 21):
            return info == 21
        if info == 22:
            return None
        if info not in (25, 26, 27):
            raise Malformed("a simple value that is not allowed")
        raw = self._take(1 << (info - 24))
        # Judged by the bits: a board with single floats cannot hold every finite double.
        bits, mask = {25: (10, 0x1F), 26: (23, 0xFF), 27: (52, 0x7FF)}[info]
        if (_number(raw) >> bits) & mask == mask:
            raise Malformed("a number that is not finite")
        return _half(raw) if info == 25 else unpack(">f" if info == 26 else ">d", raw)[0]


def _is_utf8(data):
    """As the standard has it. MicroPython's own look lets halves of pairs and overlong letters pass."""
    at, end = 0, len(data)
    while at < end:
        first = data[at]
        at += 1
        if first < 0x80:
            continue
        more = 1 if first < 0xE0 else 2 if first < 0xF0 else 3
        if not 0xC2 <= first <= 0xF4 or end - at < more:
            return False
        low = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
        high = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
        if not low <= data[at] <= high or not all(0x80 <= byte <= 0xBF for byte in data[at + 1 : at + more]):
            return False
        at += more
    return True


def _number(raw):
    return int.from_bytes(raw, "big")


def _half(raw):
    bits = _number(raw)
    exponent, part = (bits >> 10) & 0x1F, bits & 0x3FF
    size = part * 2.0**-24 if exponent == 0 else (1024 + part) * 2.0 ** (exponent - 25)
    return -size if bits >> 15 else size
