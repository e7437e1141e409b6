"""What one visitor of the page may take: the section `[page.limits]`."""

from typing import Annotated, Final

from pydantic import Field

from feltd.table.config.fields import Section

Count = Annotated[int, Field(ge=1, le=4096)]
Rate = Annotated[float, Field(ge=0.1, le=10_000.0)]
Seconds = Annotated[float, Field(ge=1.0, le=600.0)]


class Limits(Section):
    """`[page.limits]`: what one visitor of the page may take. An IPv6 address counts by its leading 64 bits."""

    connections: Annotated[int, Field(ge=4, le=8192)] = Field(default=512, description="connections at once, of all")
    connections_per_address: Count = Field(default=128, description="connections at once, of one address")
    connects_per_address: Rate = Field(default=20.0, description="new connections a second, of one address")
    connect_burst_per_address: Annotated[int, Field(ge=1, le=100_000)] = Field(
        default=400, description="new connections that may come at once, of one address"
    )
    streams: Annotated[int, Field(ge=2, le=4096)] = Field(default=256, description="streams at once, of all")
    streams_per_address: Count = Field(default=64, description="streams at once, of one address")
    streams_per_person: Count = Field(default=16, description="streams at once, of one account")
    requests_per_address: Rate = Field(default=50.0, description="requests a second of those not signed in")
    burst_per_address: Annotated[int, Field(ge=1, le=100_000)] = Field(
        default=500, description="requests of those not signed in that may come at once, of one address"
    )
    at_once_per_address: Count = Field(default=64, description="requests under way of those not signed in")
    requests_per_person: Rate = Field(default=20.0, description="requests a second, of one account")
    burst_per_person: Annotated[int, Field(ge=1, le=100_000)] = Field(
        default=200, description="requests that may come at once, of one account"
    )
    at_once_per_person: Count = Field(default=16, description="requests under way, of one account")
    seconds_to_ask: Seconds = Field(default=15.0, description="seconds in which a request must be whole")
    seconds_to_read: Seconds = Field(default=30.0, description="seconds for which an answer waits for its reader")


HALVES: Final = (
    ("connections_per_address", "connections"),
    ("streams", "connections"),
    ("streams_per_address", "streams"),
    ("streams_per_person", "streams"),
)
"""Limits of which the first may be half of the second at most: one visitor must leave room for others."""
