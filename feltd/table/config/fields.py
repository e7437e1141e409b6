"""The building blocks of the sections of a table's configuration."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    Strict,
    ValidationInfo,
)

from feltd.record.receipts import parse_floor_key
from feltd.record.unseal_keys import PublicKey
from feltd.record.weak_keys import parse_public_key
from feltd.table.config.key_files import KeyFile
from feltd.text.page_address import page_address
from feltd.text.zone import known_zone


class Section(BaseModel):
    """A table of the file: immutable; an unknown key is a fault, and a number is no text."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, arbitrary_types_allowed=True
    )


def _path(value: Any, info: ValidationInfo) -> Any:
    if not isinstance(value, str):
        return value
    if not value:
        raise ValueError("must not be empty: give a path")
    return _folder(info) / Path(value).expanduser()


def _key_file(value: Any, info: ValidationInfo) -> Any:
    return KeyFile.parse(value, _folder(info)) if isinstance(value, str) else value


def _folder(info: ValidationInfo) -> Path:
    folder = (info.context or {}).get("folder", Path())
    return folder if isinstance(folder, Path) else Path(folder)


def _network(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return ip_network(value)
    except ValueError:
        raise ValueError(f'"{value}" is no address and no network: write 10.0.0.2, 10.0.0.0/24 or fd00::2') from None


def _unsealing_key(value: Any) -> PublicKey:
    return PublicKey.parse(value if isinstance(value, str) else "")


def _receipt_key(text: str) -> str:
    parse_floor_key(text)
    return text


Text = Annotated[str, Field(min_length=1)]
FilePath = Annotated[Path, BeforeValidator(_path, json_schema_input_type=str)]
KeyPlace = Annotated[KeyFile, BeforeValidator(_key_file, json_schema_input_type=str)]
Network = Annotated[IPv4Network | IPv6Network, BeforeValidator(_network, json_schema_input_type=str)]
PageAddress = Annotated[str, AfterValidator(page_address)]
Zone = Annotated[str, AfterValidator(known_zone)]
ReceiptKeyText = Annotated[str, AfterValidator(_receipt_key)]
"""A floor's public key for receipts, 64 hexadecimal digits."""
UnsealingKey = Annotated[PublicKey, PlainValidator(_unsealing_key, json_schema_input_type=str)]
FloorKey = Annotated[bytes, PlainValidator(parse_public_key, json_schema_input_type=str)]
Seat = Annotated[int, Strict(), Field(ge=1, le=10)]
Loose = Strict(strict=False)  # TOML has lists and texts where we keep tuples and enums
