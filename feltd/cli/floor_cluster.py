"""`feltd floor cluster`: the files of three servers that choose their primary themselves."""

from pathlib import Path

import click

FAILOVER = 30
"""As `feltd.floor.cluster` has it: what it loads no other command needs."""


@click.command(short_help="Write the files of three servers with Patroni and etcd.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--node", "nodes", multiple=True, help="NAME=ADDRESS of each; three or five.")
@click.option("--let", "lets", multiple=True, help="A network whose floords may sign in, as 10.20.0.0/24.")
@click.option(
    "--hold", is_flag=True, help="With no standby left acknowledge nothing; left out, one disk is enough then."
)
@click.option(
    "--failover",
    type=int,
    default=FAILOVER,
    show_default=True,
    help="Seconds until a primary that is silent is replaced.",
)
def cluster(folder: Path, nodes: tuple[str, ...], lets: tuple[str, ...], hold: bool, failover: int) -> None:
    """Write into FOLDER, which is not there yet, a folder for each node: what goes to /etc/etcd/floor and /etc/patroni.

    Debian's etcd-server and patroni run it. The authority beside them signs the nodes' certificates and nothing else.
    Keep the folder as safe as the casino's authority: it has the database's passwords.
    """
    from feltd.floor.cluster import Cluster, address_of, nodes_of, write_cluster

    wanted = Cluster(nodes_of(nodes), lets, hold, failover)
    write_cluster(folder, wanted)
    for node in wanted.nodes:
        click.echo(f"{folder / node.name}: for {node.address}")
    click.echo(f'in floor.toml: database = "{address_of(wanted, "/etc/feltd/floor/database.pem")}"')
