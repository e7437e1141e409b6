"""The file `witness.toml`, every fault told with its line."""

import re
from pathlib import Path
from typing import Annotated, Any, Final, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from feltd.custody.settings import FilePath, read_settings
from feltd.record.signed_heads import parse_key
from feltd.text.errors import JournalExportInvalid
from feltd.witness.wire import PORT, on_this_machine

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def _key(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return parse_key(value)
        except JournalExportInvalid:
            raise ValueError("is no first key: it has 64 hexadecimal digits, as `feltd check` says it") from None
    return value


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ValueError("is no name of a table: letters, digits, dots, hyphens and underscores, 64 at most")
    return value


def _server(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f'"{value}" is no address of a server of time stamps: write https://stamps.example/tsr')
    return value


_Server = Annotated[str, AfterValidator(_server)]
_FirstKey = Annotated[bytes, BeforeValidator(_key, json_schema_input_type=str)]
_Name = Annotated[str, AfterValidator(_name)]


class WitnessSettings(BaseModel):
    """`[witness]` of witness.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    folder: FilePath = Field(description="where heads and alarms are kept")
    host: Annotated[str, Field(min_length=1)] = Field(default="127.0.0.1", description="the address to listen at")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(default=PORT, description="the port to listen at")
    certificate: FilePath | None = Field(default=None, description="the witness's certificate, PEM")
    key: FilePath | None = Field(default=None, description="the certificate's private key, PEM")
    silent_after: Annotated[float, Field(ge=15, le=86400)] = Field(
        default=60.0, description="seconds without a word of a table that are alarmed"
    )
    heads_alone: bool | None = Field(
        default=None,
        description="only a new head that the table's key has signed is a sign of life; each table then needs "
        "[journal] witness or sign_at_rest_seconds; left out, that counts for each table that has signed at rest",
    )
    time_stamps: _Server | None = Field(default=None, description="a server of RFC 3161; left out, none is asked")
    stamp_every: Annotated[float, Field(ge=60, le=86400)] = Field(
        default=3600.0, description="seconds between two time stamps of a table's newest head"
    )
    tables: dict[_Name, _FirstKey] = Field(min_length=1, description="by table: the first key of its record")

    @model_validator(mode="after")
    def _judged_together(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("give `certificate` and `key`, or neither")
        if self.certificate is None and not on_this_machine(self.host):
            raise ValueError("`host` is reached from other machines: give `certificate` and `key`")
        if len(set(self.tables.values())) < len(self.tables):
            raise ValueError("two tables have one first key: each record has its own")
        return self


def witness_settings(file: Path) -> WitnessSettings:
    """Read witness.toml. Raises SettingsError."""
    return read_settings(WitnessSettings, "witness", file)
