"""Where posts may go: over TLS, or to a program on this machine."""

import ipaddress
from urllib.parse import urlsplit


def web_address(text: str) -> str:
    """The text, where posts may go there. Raises ValueError with why not, and the remedy."""
    try:
        url = urlsplit(text)
        host, _ = url.hostname, url.port
    except ValueError as fault:
        raise ValueError(f'"{text}" is no address: {fault}') from None
    if not host or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError(f'"{text}" is no address; write https://HOST/PATH')
    if url.username is not None or url.fragment:
        raise ValueError(f'"{text}" has a name, a password or a fragment; the signature says who sends')
    if url.scheme != "https" and not (url.scheme == "http" and is_loopback(host)):
        raise ValueError(f'"{text}" must begin with https://; http:// is for a program on this machine (127.0.0.1)')
    return text


def is_loopback(host: str) -> bool:
    """Whether this is the machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
