"""`[page.webhook]`: where bookmarks are sent as they come up."""

import ipaddress
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from feltd.table.config.fields import FilePath, Section


def _address(text: str) -> str:
    try:
        url = urlsplit(text)
        host, _ = url.hostname, url.port
    except ValueError as fault:
        raise ValueError(f'"{text}" is no address: {fault}') from None
    if not host or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError(f'"{text}" is no address; write https://HOST/PATH')
    if url.username is not None or url.fragment:
        raise ValueError(f'"{text}" has a name, a password or a fragment; the signature says who sends')
    if url.scheme != "https" and not (url.scheme == "http" and _is_loopback(host)):
        raise ValueError(f'"{text}" must begin with https://; http:// is for a program on this machine (127.0.0.1)')
    return text


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Webhook(Section):
    """`[page.webhook]`: a system of cameras that is told each ruling and alarm as it comes."""

    url: Annotated[str, AfterValidator(_address)] = Field(
        description="where bookmarks are posted: https://, or http:// to this machine"
    )
    key_file: FilePath = Field(description="the file with the key that signs them, 32 bytes at least")
    ca_file: FilePath | None = Field(
        default=None, description="certificates, PEM, that the receiver's must come from; left out, the machine's own"
    )
