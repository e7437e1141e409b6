"""Adapters: devices with a protocol of their own.

The interface for makers; see docs/adapters.md.
"""

from devices.adapters.interface import Adapter, AdapterFault, AdapterStopped, At, NoSettings, Place, TableSide
from devices.adapters.lines import TextLine
from firmware_bridge.errors import FaultCode

__all__ = [
    "Adapter",
    "AdapterFault",
    "AdapterStopped",
    "At",
    "FaultCode",
    "NoSettings",
    "Place",
    "TableSide",
    "TextLine",
]
