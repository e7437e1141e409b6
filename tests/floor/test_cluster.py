"""The files of a cluster: each node's own, no secret that others read, nothing of the casino's authority."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography import x509

from feltd.cli import cli
from feltd.cli.exits import FINE
from feltd.cli.floor_cluster import FAILOVER as TYPED
from feltd.custody.certificates import context_of_floor
from feltd.custody.errors import CertificateWrongError, CustodyError
from feltd.floor.cluster import FAILOVER, Cluster, Node, Places, nodes_of, write_cluster
from tests.floor.tls_support import casino, own

WORDS = ("db1=10.20.0.5", "db2=10.20.0.6,10.21.0.6", "db3=10.20.0.7")


def written(folder: Path, **wanted: object) -> dict[str, dict[str, object]]:
    """Each node's Patroni file."""
    nodes = nodes_of(WORDS)
    write_cluster(folder, Cluster(nodes, **wanted))  # type: ignore[arg-type]
    return {node.name: json.loads((folder / node.name / "patroni" / "config.yml").read_text()) for node in nodes}


def test_each_node_has_its_own_addresses_and_the_same_words(tmp_path: Path) -> None:
    asked = ["floor", "cluster", str(tmp_path / "made"), "--hold", *(f"--node={word}" for word in WORDS)]
    told = CliRunner().invoke(cli, asked)
    assert told.exit_code == FINE, told.output
    assert "feltd-floor@10.20.0.5,10.20.0.6,10.20.0.7/floor?sslmode=verify-full" in told.output
    found = [json.loads((tmp_path / "made" / f"db{n}" / "patroni" / "config.yml").read_text()) for n in (1, 2, 3)]
    assert [one["name"] for one in found] == ["db1", "db2", "db3"]
    assert len({json.dumps(one["postgresql"]["authentication"]) for one in found}) == 1
    assert len({one["postgresql"]["authentication"]["superuser"]["password"] for one in found}) == 1
    dcs = found[0]["bootstrap"]["dcs"]
    assert dcs["synchronous_mode"] is dcs["synchronous_mode_strict"] is True
    assert dcs["loop_wait"] + 2 * dcs["retry_timeout"] <= dcs["ttl"] == FAILOVER == TYPED, "Patroni's own rule"
    assert dcs["primary_start_timeout"] == 0, "one whose log has no room left would keep the lead"
    etcd = (tmp_path / "made" / "db2" / "etcd" / "etcd.env").read_text()
    assert "ETCD_LISTEN_PEER_URLS=https://10.20.0.6:2380\n" in etcd
    assert "db1=https://10.20.0.5:2380,db2=https://10.20.0.6:2380,db3=https://10.20.0.7:2380\n" in etcd
    assert "ETCD_CLIENT_CERT_AUTH=true\nETCD_PEER_CLIENT_CERT_AUTH=true" in etcd


def test_who_may_sign_in_is_named_by_address_and_over_tls_alone(tmp_path: Path) -> None:
    found = written(tmp_path / "made", lets=("10.30.0.0/24",))
    lines = found["db1"]["postgresql"]["pg_hba"]  # type: ignore[index]
    assert lines[0] == "local all all peer"
    assert all(line.startswith("hostssl ") and line.endswith(" scram-sha-256") for line in lines[1:])
    assert "hostssl replication feltd_standby 10.21.0.6/32 scram-sha-256" in lines
    assert lines[-1] == "hostssl floor feltd-floor 10.30.0.0/24 scram-sha-256"


def test_nobody_else_reads_the_files_and_no_nodes_key_lies_about(tmp_path: Path) -> None:
    written(tmp_path / "made")
    files = [one for one in (tmp_path / "made").rglob("*") if one.is_file() and one.suffix != ".pem"]
    assert {file.stat().st_mode & 0o077 for file in files} == {0}
    assert {one.name for one in (tmp_path / "made").iterdir()} == {
        "authority.pem",
        "authority.key",
        "db1",
        "db2",
        "db3",
    }
    shown = x509.load_pem_x509_certificate((tmp_path / "made" / "db2" / "etcd" / "node.pem").read_bytes())
    names = shown.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(one.value) for one in names] == ["10.20.0.6", "10.21.0.6"]


def test_a_nodes_certificate_is_none_of_the_casinos(tmp_path: Path) -> None:
    """Else each table's would open etcd, and each node's would be a table's."""
    written(tmp_path / "made")
    keys = casino(tmp_path / "casino", "7")
    assert (keys / "authority.pem").read_bytes() != (tmp_path / "made" / "authority.pem").read_bytes()
    mixed = own(tmp_path / "made", "x")
    with pytest.raises(CertificateWrongError):
        context_of_floor(mixed)


@pytest.mark.parametrize(
    "words",
    [
        ("db1=10.0.0.1", "db2=10.0.0.2"),
        ("db1=10.0.0.1", "db2=10.0.0.2", "db3=10.0.0.3", "db4=10.0.0.4"),
        ("db1=10.0.0.1", "db1=10.0.0.2", "db3=10.0.0.3"),
        ("db1=10.0.0.1", "db2=10.0.0.1", "db3=10.0.0.3"),
        ("db1=10.0.0.1", "db2=here", "db3=10.0.0.3"),
        ("db1=10.0.0.1", "../x=10.0.0.2", "db3=10.0.0.3"),
        ("db1=10.0.0.1", "DB2=10.0.0.2", "db3=10.0.0.3"),
        ("db1", "db2", "db3"),
    ],
)
def test_what_is_no_cluster_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(CustodyError, match="--node"):
        nodes_of(words)


def test_nothing_is_written_over_and_a_failover_that_patroni_does_not_take_is_named(tmp_path: Path) -> None:
    with pytest.raises(CustodyError, match="cannot be made"):
        written(tmp_path)
    with pytest.raises(CustodyError, match="Patroni takes 20 at least"):
        written(tmp_path / "made", failover=19)
    assert not (tmp_path / "made").exists()


def test_places_are_each_nodes_own_where_several_are_on_one_machine() -> None:
    places = Places(data="/srv/{node}/data").of(Node("db3", "10.0.0.3"))
    assert (places.data, places.run) == ("/srv/db3/data", Places().run)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_takes_what_starts_patroni_anew_where_a_clock_was_set(tmp_path: Path) -> None:
    written(tmp_path / "made")
    units = tmp_path / "made" / "db1" / "systemd"
    assert {one.name for one in units.iterdir()} == {"feltd-cluster-clock.timer", "feltd-cluster-clock.service"}
    command = ["systemd-analyze", "verify", *map(str, units.iterdir())]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    assert [line for line in said.splitlines() if "feltd-cluster" in line] == []
