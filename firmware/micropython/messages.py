"""The messages (PROTOCOL.md, section 3): what the host may send, checked; what the device sends, put together."""

from plain_cbor import Malformed, Pairs, decode_message, decode_row, encode

HELLO, WELCOME, EVENT, ACK, COMMAND, RESULT, POST = 1, 2, 3, 4, 5, 6, 7
PING, PONG, STATUS, STATE_READ, STATE, CLOSE = 8, 9, 10, 11, 12, 13
NEXT, REFUSAL = 14, 15  # of version 2

BAD_FRAME, MALFORMED = 2, 3  # close reasons that a device has

_NUMBER_MAX = 0xFFFFFFFF


def message(version, kind, *values):
    """The bytes of a message: its kind, then these values; in version 1 under the keys 1, 2, 3, …"""
    if version == 1:
        return encode(Pairs((0, kind), *enumerate(values, 1)))
    return bytes((kind,)) + b"".join([encode(value) for value in values])


def refusal(version, number, code, text):
    """The result of a command that was not done."""
    if version == 1:
        return encode(Pairs((0, RESULT), (1, number), (3, code), (4, text)))
    return message(version, REFUSAL, number, code, text)


def event_of(version, kept):
    """The bytes of an event that is kept as a message of version 1: in version 2 without its name."""
    if version == 1:
        return kept
    sequence = kept[14]  # its first byte; how many follow is what CBOR says in it
    at = 16 + (0 if sequence < 24 else 1 << (sequence - 24))
    return bytes((EVENT,)) + kept[at:]


def from_host(data, version=1, hello_boot=None):
    """Kind and values of a message from the host. Raises Malformed.

    `hello_boot`: the boot id in the session's hello, which an acknowledgement of version 2 leaves out.
    """
    if version == 1:
        m = decode_message(data)
    else:
        m = dict(enumerate(decode_row(data[1:]), 1))
        m[0] = data[0] if data else None
    kind = m.get(0)
    if version > 1 and kind == ACK:
        boot_id = _boot_id(m[2]) if 2 in m else hello_boot
        return kind, boot_id, _number(m.get(1), 1)
    if kind == WELCOME:
        if version > 1:
            _number(m.get(3), 2048, 8192)
        if 2 not in m:
            raise Malformed("no resume point")
        point = m[2]
        if point is not None:
            if not isinstance(point, list) or len(point) != 2:
                raise Malformed("no resume point")
            point = (_boot_id(point[0]), _number(point[1], 1))
        return kind, _number(m.get(1), 1, 256), point
    if kind == ACK:
        return kind, _boot_id(m.get(1)), _number(m.get(2), 1)
    if kind == COMMAND:
        return kind, _number(m.get(1), 1), _name(m.get(2)), _opaque(m.get(3))
    if kind == POST:
        return kind, _name(m.get(1)), _opaque(m.get(2))
    if kind == PING:
        return kind, _number(m.get(1), 0)
    if kind == STATE_READ:
        return kind, _number(m.get(1), 1)
    if kind == CLOSE:
        return kind, _number(m.get(1), 1), _text(m.get(2))
    raise Malformed("an unknown kind")


def _number(value, low, high=_NUMBER_MAX):
    if type(value) is not int or not low <= value <= high:
        raise Malformed("no number within its limits")
    return value


def _boot_id(value):
    if not isinstance(value, bytes) or len(value) != 8:
        raise Malformed("no boot id")
    return value


def _name(value):
    if not isinstance(value, str) or not 1 <= len(value.encode()) <= 32 or not all(" " <= c <= "~" for c in value):
        raise Malformed("no name")
    return value


def _text(value):
    if not isinstance(value, str) or len(value.encode()) > 128:
        raise Malformed("no text")
    return value


def _opaque(value):
    if not isinstance(value, dict):
        raise Malformed("no map")
    _check_keys(value)
    return value


def _check_keys(value):
    if isinstance(value, list):
        for item in value:
            _check_keys(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str) or not 1 <= len(key.encode()) <= 32:
                raise Malformed("a key that is no text of 1 to 32 bytes")
            _check_keys(item)
