"""What would keep a page from listening at its address."""

import errno
import socket
from collections.abc import Iterator

from feltd.table.check.ports import user_name
from toml_text.lines import KeyPath


def listening_faults(section: str, host: str, port: int) -> Iterator[tuple[KeyPath, str]]:
    """Try the address of a page whose file has it in `section`; nothing listens there when this is over."""
    try:
        [(family, kind, protocol, _, address), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        opened = socket.socket(family, kind, protocol)
    except OSError as fault:
        if fault.errno != errno.EAFNOSUPPORT:  # the table's own sandbox: it has no network, and its page looks itself
            yield (section, "host"), f'"{host}" is no address: {fault.strerror}'
        return
    with opened as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen(1)
        except PermissionError:
            yield (section, "port"), f"{port}: {user_name()} may not listen on ports below 1024; choose another"
        except OSError as fault:
            taken = fault.errno == errno.EADDRINUSE
            key = "port" if taken else "host"
            words = (
                f"{port} is taken on {host}: another program listens there" if taken else f"{host}: {fault.strerror}"
            )
            yield (section, key), words
