"""What is at fault with `[page.webhook]` on this machine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from feltd.table.config.webhook import Webhook
from toml_text.lines import KeyPath

LEAST_KEY: Final = 32
"""Bytes of a key."""
_OTHERS: Final = 0o007


def webhook_faults(webhook: Webhook) -> Iterator[tuple[KeyPath, str]]:
    """The faults of its files. They are not read: they are the page's, and the check may run as another user."""
    yield from _key_faults(webhook.key_file)
    if webhook.ca_file is not None and not webhook.ca_file.is_file():
        yield ("page", "webhook", "ca_file"), f"there is no file {webhook.ca_file}"


def _key_faults(file: Path) -> Iterator[tuple[KeyPath, str]]:
    place: KeyPath = ("page", "webhook", "key_file")
    try:
        state = file.stat()
    except OSError as fault:
        yield place, f"{file}: {fault.strerror}; make it: openssl rand -hex -out {file} 32"
        return
    if not file.is_file():
        yield place, f"{file} is no file"
    elif state.st_size < LEAST_KEY:
        yield place, f"{file} is shorter than {LEAST_KEY} bytes; make a key: openssl rand -hex -out {file} 32"
    elif state.st_mode & _OTHERS:
        yield place, f"everybody on this machine may read {file}; chmod o= {file}"
