"""Whether bytes of somebody else's are text in UTF-8."""


def is_utf8(line: bytes) -> bool:
    """Whether they can be read as UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
