"""The limits of a page, as its table's file sets them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageLimits:
    """What visitors may take. An address is an IPv4 address, or the 64 leading bits of an IPv6 address.

    `connections`, `streams`: at once, of all together. `connects_per_address`: new connections a
    second, after the burst that may come at once. `requests_per_…`: a second, after the `burst_per_…` that may
    come at once. `at_once_per_…`: requests that are not answered yet. `seconds_to_ask`: from a connection, or from a
    request's first byte, to the request's last. `seconds_to_read`: for which an answer may wait for its reader.
    """

    connections: int
    connections_per_address: int
    connects_per_address: float
    connect_burst_per_address: int
    streams: int
    streams_per_address: int
    streams_per_person: int
    requests_per_address: float
    burst_per_address: int
    at_once_per_address: int
    requests_per_person: float
    burst_per_person: int
    at_once_per_person: int
    seconds_to_ask: float
    seconds_to_read: float
