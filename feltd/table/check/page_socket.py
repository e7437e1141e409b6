"""What would keep a page from its Unix socket, and who reaches it there."""

import grp
from collections.abc import Iterator

from feltd.table.config.config import Page
from toml_text.lines import KeyPath


def page_socket_faults(page: Page) -> Iterator[tuple[KeyPath, str]]:
    """Name what is wrong with a page's socket, if it has one."""
    if page.socket is None:
        return
    if page.address is None:
        yield (
            ("page", "socket"),
            f"{page.socket} is for a proxy: write in address where browsers find it, https://NAME; cookies need it",
        )
    if page.certificate is not None:
        yield ("page", "certificate"), "the page speaks no TLS over its socket: give the certificate to the proxy"
    if not page.socket.parent.is_dir():
        yield ("page", "socket"), f"{page.socket.parent} is no folder: make it, or let systemd (RuntimeDirectory=)"
    if page.socket_group is not None and not _is_group(page.socket_group):
        yield ("page", "socket_group"), f'there is no group "{page.socket_group}" on this machine'


def page_socket_note(page: Page) -> str:
    """Say who reaches the page over its socket."""
    who = "its own user" if page.socket_group is None else f"the group {page.socket_group}"
    return f"[page]: reached over {page.socket} alone, by {who}"


def _is_group(name: str) -> bool:
    try:
        grp.getgrnam(name)
    except KeyError:
        return False
    return True
