"""The files `uplink.toml`, `floor.toml` and `pit.toml`: one section each, every fault told with its line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    Strict,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from feltd.custody.certificates import Own
from feltd.posting.addresses import is_loopback, web_address
from feltd.record.weak_keys import parse_public_key
from feltd.text.errors import FeltdError
from feltd.text.page_address import page_address
from feltd.text.page_roles import PageRole
from feltd.text.zone import known_zone
from toml_text.faults import Places, Problem
from toml_text.lines import locate
from toml_text.schema import schema_faults
from toml_text.syntax import TomlSyntaxError, read_toml

PORT: Final = 7443
_S = TypeVar("_S", bound=BaseModel)


class SettingsError(FeltdError):
    """A file of settings that has faults, or cannot be read. `problems` has each with file, line and key."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def _path(value: Any, info: ValidationInfo) -> Any:
    if not isinstance(value, str):
        return value
    if not value:
        raise ValueError("must not be empty: give a path")
    folder: Path = (info.context or {})["folder"]
    return folder / value


def _address(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        parts = urlsplit(value)
        usable = parts.scheme == "wss" and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f'"{value}" is no address of a floor: write wss://floor.example:{PORT}')
    return value


FilePath = Annotated[Path, BeforeValidator(_path, json_schema_input_type=str)]
FloorPublicKey = Annotated[bytes, PlainValidator(parse_public_key, json_schema_input_type=str)]
_Address = Annotated[str, BeforeValidator(_address, json_schema_input_type=str)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    certificate: FilePath = Field(description="this side's certificate, PEM")
    key: FilePath = Field(description="the certificate's private key, PEM")
    authority: FilePath = Field(description="the certificate of the casino's authority, PEM")

    @property
    def own(self) -> Own:
        """The files for TLS."""
        return Own(self.certificate, self.key, self.authority)


class UplinkSettings(_Section):
    """`[uplink]` of uplink.toml."""

    table: FilePath = Field(description="the socket of the table's door")
    show_code: bool = Field(
        default=False,
        description="true: without a certificate its display shows a code, which a person says at the floor",
    )
    floors: Annotated[tuple[_Address, ...], Strict(strict=False), Field(min_length=1, max_length=8)] = Field(
        description="the floor's addresses, tried one after the other"
    )


class FloorWebhook(BaseModel):
    """`[floor.webhook]`: a program that is told each ruling, alarm and decision of every table."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    url: Annotated[str, AfterValidator(web_address)] = Field(
        description="where they are posted: https://, or http:// to this machine"
    )
    key_file: FilePath = Field(description="the file with the key that signs them, 32 bytes at least")
    ca_file: FilePath | None = Field(
        default=None, description="certificates, PEM, that the receiver's must come from; left out, the machine's own"
    )


class FloorMqtt(BaseModel):
    """`[floor.mqtt]`: a broker that has each table's state, for displays and house automation."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    host: Annotated[str, Field(min_length=1)] = Field(description="the broker")
    port: Annotated[int, Field(ge=1, le=65535)] = Field(default=8883, description="its port")
    tls: bool = Field(default=True, description="false speaks in clear: to a broker on this machine alone")
    ca_file: FilePath | None = Field(
        default=None, description="certificates, PEM, that the broker's must come from; left out, the machine's own"
    )
    user: Annotated[str, Field(min_length=1)] | None = Field(default=None, description="its account for floord")
    password_file: FilePath | None = Field(default=None, description="the file with the account's password")
    prefix: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")] = Field(
        default="feltd", description="what every topic of state begins with"
    )
    discovery: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,40}$")] = Field(
        default="homeassistant", description="what Home Assistant's topics begin with; empty tells it nothing"
    )

    @model_validator(mode="after")
    def _require_tls(self) -> Self:
        if not self.tls and not is_loopback(self.host):
            raise ValueError("tls = false is for a broker on this machine (127.0.0.1): others could read and change it")
        return self


class FloorSettings(_Section):
    """`[floor]` of floor.toml."""

    host: Annotated[str, Field(min_length=1)] = Field(default="0.0.0.0", description="the address to listen at")  # noqa: S104 - tables are on other machines
    port: Annotated[int, Field(ge=0, le=65535)] = Field(default=PORT, description="the port to listen at")
    socket: FilePath | None = Field(default=None, description="the socket for the pit page; left out, there is none")
    pit: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="the user the pit page runs as; left out, floord's own"
    )
    disk: FilePath | None = Field(
        default=None,
        description="a folder on the database's disk, where it is this machine's: above 80 % the pit page says so",
    )
    prove_at: Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")] = Field(
        default="04:00", description="when everything that is kept is proved each night, by this machine's clock"
    )
    tournament_books: FilePath | None = Field(
        default=None,
        description="a folder with tournament books of your own (TOML), beside those that come with feltd; "
        "pit.toml names the same one",
    )
    draws: FilePath | None = Field(
        default=None,
        description="the folder of the secrets of tournaments' draws; left out, the one that systemd keeps for floord; "
        "without it too, each is told at the director's desk",
    )
    seal_draws_to: Annotated[str, Field(pattern=r"^feltd-unseal-public 1 \S+ \S+$")] | None = Field(
        default=None,
        description="the line of the public key to which the secrets of draws are sealed each hour in which there are "
        "new ones; left out, nobody seals them",
    )
    sealed_draws: FilePath = Field(
        default=Path("/var/lib/feltd-floor-draws"),
        description="the folder into which `feltd floor keep-draws` seals them: where it lacks secrets for two hours, "
        "the pit page and the log say so",
    )
    names_days: Annotated[int, Field(ge=1, le=3650)] | None = Field(
        default=None,
        description="days after which names of a tournament that is over are erased; left out, a person erases them",
    )
    waiting_hours: Annotated[int, Field(ge=1, le=720)] = Field(
        default=24,
        description="hours after which the name of somebody who waits for no cash game any more is erased",
    )
    receipts: FilePath | None = Field(
        default=None,
        description="the file with the key that signs receipts for tables' records; left out, they get none",
    )
    issuer: FilePath | None = Field(
        default=None, description="the certificate of the floor's own issuer, PEM; left out, no table enrols by a code"
    )
    issuer_key: FilePath | None = Field(default=None, description="the issuer's private key, PEM")
    signing_key: FilePath | None = Field(
        default=None, description="the floor's own key, which signs what goes to tables; left out, nothing is signed"
    )
    signing_keys: Annotated[tuple[FloorPublicKey, ...], Strict(strict=False), Field(max_length=8)] = Field(
        default=(),
        description="the public halves of the signing_key of the other floords of this database, as `feltd floor "
        "signing-key` prints them: what no known key has signed is not sent for another floord",
    )
    webhook: FloorWebhook | None = None
    mqtt: FloorMqtt | None = None
    database: Annotated[str, Field(min_length=1)] = Field(description="the database, postgresql://role@/database")

    promotions: FilePath | None = Field(
        default=None,
        description="the file in which floord keeps which promotion of a standby it has seen last, so that after "
        "a start too it writes to no server that was primary before; left out, it knows what the servers say",
    )

    @model_validator(mode="after")
    def _require_both(self) -> Self:
        if (self.issuer is None) != (self.issuer_key is None):
            raise ValueError("give both, issuer and issuer_key, or neither")
        return self


class PitSettings(BaseModel):
    """`[pit]` of pit.toml: the pit page."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[str, Field(min_length=1, max_length=80)] = Field(default="Pit", description="the pit's, for people")
    floor: FilePath = Field(description="floord's socket")
    folder: FilePath = Field(description="the folder of the page's own files; the accounts are in accounts.json there")
    host: Annotated[str, Field(min_length=1)] = Field(default="127.0.0.1", description="the address it listens on")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(default=8090, description="the TCP port it listens on")
    certificate: FilePath | None = Field(default=None, description="the page's certificate, PEM; left out, its own")
    certificate_key: FilePath | None = Field(default=None, description="the certificate's private key, PEM")
    address: Annotated[str, AfterValidator(page_address)] | None = Field(
        default=None, description="the page's address as browsers show it, https://NAME: security keys work there alone"
    )
    idle_minutes: Annotated[int, Field(ge=1, le=720)] = Field(
        default=15, description="minutes without a touch after which the page only looks"
    )
    open_on_loopback: bool = Field(
        default=False, description="true lets anybody on this machine look without signing in"
    )
    second_factor: Annotated[tuple[PageRole, ...], Strict(strict=False)] = Field(
        default=(), description="the roles that do nothing at the page without a second factor; left out, none"
    )
    zone: Annotated[str, AfterValidator(known_zone)] | None = Field(
        default=None, description="the zone of the times; left out, the server's"
    )
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] | None = Field(
        default=None, description="the currency of buy-ins and prizes (ISO 4217); left out, amounts name none"
    )
    tournament_books: FilePath | None = Field(
        default=None,
        description="a folder with tournament books of your own (TOML), beside those that come with feltd; the one "
        "that floor.toml names",
    )
    screens: Literal["full", "short", "number"] | None = Field(
        default=None,
        description="how players are named on a tournament's seat screen, which then nobody has to sign in to; "
        "left out, it is for who has signed in, with numbers of entries",
    )

    @model_validator(mode="after")
    def _require_both(self) -> Self:
        if (self.certificate is None) != (self.certificate_key is None):
            raise ValueError("give both, certificate and certificate_key, or neither")
        return self

    @property
    def shown_name(self) -> str:
        """The pit's name, for people."""
        return self.name

    @property
    def accounts_file(self) -> Path:
        """The file with the accounts of the page."""
        return self.folder / "accounts.json"

    @property
    def proxies(self) -> tuple[Any, ...]:
        """None: nothing stands in front of a pit page."""
        return ()

    @property
    def socket(self) -> Path | None:
        """None, for the same reason."""
        return None

    @property
    def devices(self) -> tuple[Any, ...]:
        """None: no badge counts here."""
        return ()


def pit_settings(file: Path) -> PitSettings:
    """Read pit.toml. Raises SettingsError."""
    return read_settings(PitSettings, "pit", file)


def uplink_settings(file: Path) -> UplinkSettings:
    """Read uplink.toml. Raises SettingsError."""
    return read_settings(UplinkSettings, "uplink", file)


def floor_settings(file: Path) -> FloorSettings:
    """Read floor.toml. Raises SettingsError."""
    return read_settings(FloorSettings, "floor", file)


def read_settings(kind: type[_S], section: str, file: Path) -> _S:
    """Read a file of one section; a relative path in it counts from its folder. Raises SettingsError."""
    try:
        text = file.read_text(encoding="utf-8")
        document = read_toml(text)
    except OSError as fault:
        raise SettingsError([Problem(str(file), None, "", f"cannot be read: {fault.strerror}")]) from None
    except UnicodeDecodeError as fault:
        words = f"no UTF-8 text: byte {fault.start} cannot be read"
        raise SettingsError([Problem(str(file), None, "", words)]) from None
    except TomlSyntaxError as fault:
        raise SettingsError([Problem(str(file), fault.line, "", str(fault))]) from None
    places = Places(str(file), locate(text))
    problems = [places.problem((key,), f"is no section of this file, which has [{section}]") for key in document]
    problems = [problem for problem in problems if problem.key != section]
    content = document.get(section)
    if not isinstance(content, dict):
        problems.append(places.problem((section,), f"the section [{section}] is missing"))
    else:
        try:
            settings = kind.model_validate(content, context={"folder": file.parent})
            if not problems:
                return settings
        except ValidationError as faults:
            found = schema_faults(kind, content, faults)
            problems += [places.problem((section, *fault.path), fault.what) for fault in found]
    raise SettingsError(problems)
