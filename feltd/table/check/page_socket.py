"""What would keep a page from its Unix socket, and who reaches it there."""

import grp
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

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
    said = f"[page]: reached over {page.socket} alone, by "
    if page.socket_group is None or page.socket is None:
        return said + "its own user"
    said += f"the group {page.socket_group}"
    if _gives(page.socket.parent, page.socket_group):
        return said
    return (
        f"{said}; as a service only where its folder gives it to them: chgrp {page.socket_group} {page.socket.parent}; "
        f"chmod 2750 {page.socket.parent}"
    )


class OpenHere(Protocol):
    """What a page's section says of who reads without signing in."""

    @property
    def open_on_loopback(self) -> bool: ...
    @property
    def socket(self) -> Path | None: ...
    @property
    def proxies(self) -> Sequence[Any]: ...


def open_here_note(section: str, page: OpenHere) -> Iterator[str]:
    """Warn where a proxy that tells nothing of its visitors would have them pass for people at this machine."""
    if page.open_on_loopback and page.socket is None and not page.proxies:
        behind = "" if section == "pit" else "give the page socket or proxies, or "
        yield (
            f"[{section}] open_on_loopback: who comes from this machine reads the page without signing in, and so does "
            "everybody whom a proxy or a tunnel on it brings here by plain TCP (ssh -L, socat, a load balancer), "
            "or by HTTP/1.1 without a header of its own (nginx since 1.29.7, where nothing else is set). Where "
            f"there is one, {behind}leave open_on_loopback out"
        )


def _gives(folder: Path, group: str) -> bool:
    """Whether what is made in the folder is the group's."""
    try:
        found = folder.stat()
        return bool(found.st_mode & stat.S_ISGID) and found.st_gid == grp.getgrnam(group).gr_gid
    except (OSError, KeyError):
        return False  # a fault of its own


def _is_group(name: str) -> bool:
    try:
        grp.getgrnam(name)
    except KeyError:
        return False
    return True
