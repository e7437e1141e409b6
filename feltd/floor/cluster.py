"""The files of three servers that choose their primary themselves: Debian's etcd and Patroni, a folder for each node.

An authority of the cluster's own signs what the nodes show each other: a table's certificate, which the casino's own
authority has signed, opens nothing here.
"""

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from feltd.custody.errors import CustodyError
from feltd.floor.authority import AUTHORITY, make_authority, make_certificate

NODES: Final = (3, 5)
"""So many nodes: an even number bears no more losses than the odd one before it."""
FAILOVER: Final = 30
"""Seconds after which a primary that says nothing is replaced."""
SHORTEST_FAILOVER: Final = 20
"""Patroni takes no shorter one."""
DAYS: Final = 825
SQL_PORT: Final = 5432
API_PORT: Final = 8008
CLIENT_PORT: Final = 2379
PEER_PORT: Final = 2380
SCOPE: Final = "floor"
CLOCK_UNITS: Final = {
    "feltd-cluster-clock.timer": """\
# Debian 12's Patroni (3.0.2) waits for its next turn by the clock of the day. Where that is put back by an hour on the
# primary, it waits for an hour: it is the leader no more, the others see it alive, and nothing is acknowledged.
[Unit]
Description=Start Patroni anew where somebody has set the clock

[Timer]
OnClockChange=true
Unit=feltd-cluster-clock.service

[Install]
WantedBy=timers.target
""",
    "feltd-cluster-clock.service": """\
[Unit]
Description=Patroni begins a new turn after the clock was set

[Service]
Type=oneshot
ExecStart=/usr/bin/systemctl try-restart patroni.service
""",
}
"""What systemd runs beside Patroni on each node, by file."""


@dataclass(frozen=True, slots=True)
class Node:
    """A machine. `address`: an IP address that the others reach; `also`: further ones that its calls may come from."""

    name: str
    address: str
    also: tuple[str, ...] = ()

    @property
    def addresses(self) -> tuple[str, ...]:
        """All of them."""
        return (self.address, *self.also)


@dataclass(frozen=True, slots=True)
class Places:
    """Where things lie on a node. `{node}` is the node's name, for several nodes on one machine."""

    etcd: str = "/etc/etcd/floor"
    etcd_data: str = "/var/lib/etcd/floor"
    patroni: str = "/etc/patroni"
    data: str = "/var/lib/postgresql/15/floor"
    programs: str = "/usr/lib/postgresql/15/bin"
    run: str = "/run/postgresql"

    def of(self, node: Node) -> "Places":
        """Of one node."""
        return Places(*(getattr(self, name).replace("{node}", node.name) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is wanted. `hold`: with no standby left nothing is acknowledged; else the primary's own disk is enough then.

    `lets`: networks whose floords and people may sign in, such as 10.20.0.0/24. `failover`: seconds.
    """

    nodes: tuple[Node, ...]
    lets: tuple[str, ...] = ()
    hold: bool = False
    failover: int = FAILOVER
    places: Places = Places()


def nodes_of(words: Sequence[str]) -> tuple[Node, ...]:
    """Nodes as typed, `db1=10.20.0.5` or `db1=10.20.0.5,10.21.0.5`. Raises CustodyError."""
    nodes = []
    for word in words:
        name, _, typed = word.partition("=")
        address, *also = typed.split(",")
        try:
            for one in (address, *also):
                ip_address(one)
        except ValueError:
            raise CustodyError(
                f'"{word}" is no node', "--node", "Write a name and its IP address: db1=10.20.0.5"
            ) from None
        if not name.isidentifier() or not name.isascii() or name != name.lower():
            raise CustodyError(f'"{name}" is no name of a node', "--node", "Write a to z, 0 to 9 and _, a letter first")
        nodes.append(Node(name, address, tuple(also)))
    if len(nodes) not in NODES or len({one.name for one in nodes}) + len({one.address for one in nodes}) < 2 * len(
        nodes
    ):
        raise CustodyError(
            f"{len(nodes)} nodes", "--node", f"Name {' or '.join(map(str, NODES))}, each with its own name and address"
        )
    return tuple(nodes)


def write_cluster(folder: Path, cluster: Cluster) -> None:
    """Write a folder for each node into `folder`, which is not there yet, and the cluster's own authority beside them.

    Raises CustodyError, CertificateWrongError.
    """
    if cluster.failover < SHORTEST_FAILOVER:
        raise CustodyError(
            f"{cluster.failover} seconds are too short", "--failover", f"Patroni takes {SHORTEST_FAILOVER} at least"
        )
    _make(folder)
    make_authority(folder)
    words = {name: secrets.token_urlsafe(24) for name in ("owner", "replication", "rewind", "api", "token")}
    for node in cluster.nodes:
        make_certificate(folder, node.name, days=DAYS, hosts=node.addresses, calls_too=True)
        places = cluster.places.of(node)
        for part, text, name in (
            ("etcd", _etcd(cluster, node, places, words["token"]), "etcd.env"),
            ("patroni", json.dumps(_patroni(cluster, node, places, words), indent=2), "config.yml"),
        ):
            _make(folder / node.name, exist_ok=True)
            _make(folder / node.name / part)
            _write(folder / node.name / part / name, f"{text}\n")
            for file, as_ in (
                (f"{AUTHORITY}.pem",) * 2,
                (f"{node.name}.pem", "node.pem"),
                (f"{node.name}.key", "node.key"),
            ):
                _write(folder / node.name / part / as_, (folder / file).read_text(encoding="ascii"))
        _make(folder / node.name / "systemd")
        for name, text in CLOCK_UNITS.items():
            _write(folder / node.name / "systemd" / name, text)
        for file in (f"{node.name}.pem", f"{node.name}.key"):
            (folder / file).unlink()


def address_of(cluster: Cluster, authority: str) -> str:
    """floord's address of the database. `authority`: where its machine has the cluster's authority."""
    hosts = ",".join(node.address for node in cluster.nodes)
    return f"postgresql://feltd-floor@{hosts}/floor?sslmode=verify-full&sslrootcert={authority}"


def _etcd(cluster: Cluster, node: Node, places: Places, token: str) -> str:
    client, peer = f"https://{node.address}:{CLIENT_PORT}", f"https://{node.address}:{PEER_PORT}"
    told: Mapping[str, str] = {
        "NAME": node.name,
        "DATA_DIR": places.etcd_data,
        "LISTEN_CLIENT_URLS": client,
        "ADVERTISE_CLIENT_URLS": client,
        "LISTEN_PEER_URLS": peer,
        "INITIAL_ADVERTISE_PEER_URLS": peer,
        "INITIAL_CLUSTER": ",".join(f"{one.name}=https://{one.address}:{PEER_PORT}" for one in cluster.nodes),
        "INITIAL_CLUSTER_TOKEN": token,
        "INITIAL_CLUSTER_STATE": "new",
        "STRICT_RECONFIG_CHECK": "true",
        "ENABLE_V2": "true",
        # A casino's disk syncs in milliseconds and sometimes in a second: etcd's own 1000 would elect anew each time.
        "ELECTION_TIMEOUT": "3000",
        "HEARTBEAT_INTERVAL": "300",
        **{
            f"{prefix}{key}": f"{places.etcd}/{file}"
            for prefix in ("", "PEER_")
            for key, file in (
                ("TRUSTED_CA_FILE", f"{AUTHORITY}.pem"),
                ("CERT_FILE", "node.pem"),
                ("KEY_FILE", "node.key"),
            )
        },
        "CLIENT_CERT_AUTH": "true",
        "PEER_CLIENT_CERT_AUTH": "true",
    }
    return "\n".join(f"ETCD_{key}={value}" for key, value in told.items())


def _patroni(cluster: Cluster, node: Node, places: Places, words: Mapping[str, str]) -> dict[str, Any]:
    mine = {"cert": f"{places.patroni}/node.pem", "key": f"{places.patroni}/node.key"}
    authority = f"{places.patroni}/{AUTHORITY}.pem"
    loop = max(1, cluster.failover // 6)
    names = {"superuser": "postgres", "replication": "feltd_standby", "rewind": "feltd_rewind"}
    passwords = {"superuser": words["owner"], "replication": words["replication"], "rewind": words["rewind"]}
    tls = {"sslmode": "verify-full", "sslrootcert": authority}
    return {
        "scope": SCOPE,
        "name": node.name,
        "restapi": {
            "listen": f"{node.address}:{API_PORT}",
            "connect_address": f"{node.address}:{API_PORT}",
            "certfile": mine["cert"],
            "keyfile": mine["key"],
            "cafile": authority,
            "verify_client": "optional",
            "authentication": {"username": "patroni", "password": words["api"]},
        },
        "ctl": {"cacert": authority, "certfile": mine["cert"], "keyfile": mine["key"]},
        # Not etcd3: a primary that stood still takes the lead back there, from a newer one (patroni#2689; Debian 12 has
        # 3.0.2), and what the newer one acknowledged is rewound. Here it takes it only where it has it.
        "etcd": {
            "hosts": [f"{one.address}:{CLIENT_PORT}" for one in cluster.nodes],
            "protocol": "https",
            "cacert": authority,
            **mine,
        },
        "bootstrap": {
            "dcs": {
                "ttl": cluster.failover,
                "loop_wait": loop,
                "retry_timeout": (cluster.failover - loop) // 2,
                "maximum_lag_on_failover": 0,
                # Else a PostgreSQL that ended by itself, as where its log has no room left, keeps the lead while
                # Patroni starts it again and again. One that starts, and ends as it is promoted, keeps it still.
                "primary_start_timeout": 0,
                "synchronous_mode": True,
                "synchronous_mode_strict": cluster.hold,
                "postgresql": {
                    "use_pg_rewind": True,
                    "use_slots": True,
                    "parameters": {
                        "wal_log_hints": "on",
                        "max_connections": 100,
                        "max_slot_wal_keep_size": "50GB",
                        "password_encryption": "scram-sha-256",
                    },
                },
            },
            "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"],
        },
        "postgresql": {
            "listen": f"{node.address}:{SQL_PORT}",
            "connect_address": f"{node.address}:{SQL_PORT}",
            "use_unix_socket": True,
            "data_dir": places.data,
            "bin_dir": places.programs,
            "pgpass": f"{places.data}.pgpass",
            "authentication": {role: {"username": names[role], "password": passwords[role], **tls} for role in names},
            "parameters": {
                "unix_socket_directories": places.run,
                "ssl": "on",
                "ssl_cert_file": mine["cert"],
                "ssl_key_file": mine["key"],
            },
            "pg_hba": [
                "local all all peer",
                *(
                    f"hostssl {what} {who} {address}/{ip_address(address).max_prefixlen} scram-sha-256"
                    for one in cluster.nodes
                    for address in one.addresses
                    for what, who in (
                        ("replication", names["replication"]),
                        ("all", f"{names['superuser']},{names['rewind']}"),
                        ("floor", "feltd-floor"),
                    )
                ),
                *(f"hostssl floor feltd-floor {network} scram-sha-256" for network in cluster.lets),
            ],
        },
    }


def _make(folder: Path, *, exist_ok: bool = False) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=exist_ok)
    except OSError as fault:
        raise CustodyError(
            f"cannot be made: {fault.strerror}", str(folder), "Name a folder that is not there yet, with room beside it"
        ) from None


def _write(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as writer:
        writer.write(text)
