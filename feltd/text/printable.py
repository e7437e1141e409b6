"""Text of somebody else's, so that a terminal shows it and does nothing else."""

import unicodedata


def printable(text: str) -> str:
    """The text on one line, with each character that does not print as JSON escapes it (`\\u001b`).

    Without it a name in a forged record clears the screen and writes what it likes there.
    """
    return "".join(
        letter if letter.isprintable() or unicodedata.category(letter) == "Zs" else _escaped(letter) for letter in text
    )


def _escaped(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
