"""Rings, floors and arrows back up of a directed graph."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

Graph = Mapping[str, Collection[str]]
"""Each node with the nodes that its arrows lead to; every node is a key, and no arrow leads from a node to itself."""

EXACT_MAX: Final = 16
"""Rings up to this size are searched through for the fewest arrows back up; it takes 2**size steps."""


@dataclass(frozen=True, slots=True)
class BackUp:
    """The arrows that must go so that no ring is left."""

    arrows: tuple[tuple[str, str], ...]
    fewest: bool
    """Whether no fewer would do; not known where a ring has more than `EXACT_MAX` nodes."""


def without_loops(nodes: Collection[str], arrows: Collection[tuple[str, str]]) -> Graph:
    """The graph of these nodes and of the arrows between two of them."""
    graph: dict[str, set[str]] = {node: set() for node in sorted(nodes)}
    for start, end in arrows:
        if start != end and start in graph and end in graph:
            graph[start].add(end)
    return graph


def rings(graph: Graph) -> list[list[str]]:
    """The strongly connected components of more than one node, the largest first, each sorted."""
    found = [sorted(part) for part in _components(graph) if len(part) > 1]
    return sorted(found, key=lambda ring: (-len(ring), ring))


def floors(graph: Graph) -> int:
    """The number of nodes on the longest path, each ring counted as one; 0 without nodes."""
    height: dict[str, int] = {}
    for part in _components(graph):
        below = (height[end] for node in part for end in graph[node] if end not in part)
        level = 1 + max(below, default=0)
        height |= dict.fromkeys(part, level)
    return max(height.values(), default=0)


def back_up(graph: Graph) -> BackUp:
    """The fewest arrows that must go so that no ring is left."""
    found = rings(graph)
    arrows: list[tuple[str, str]] = []
    for ring in found:
        inside = without_loops(ring, [(start, end) for start in ring for end in graph[start]])
        arrows += _against(inside, _best_order(inside) if len(ring) <= EXACT_MAX else _good_order(inside))
    return BackUp(tuple(arrows), all(len(ring) <= EXACT_MAX for ring in found))


def _components(graph: Graph) -> list[frozenset[str]]:
    """All strongly connected components, each after those that its arrows lead to.

    Tarjan's algorithm (1972), without recursion.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    waiting: list[str] = []
    done: set[str] = set()
    components: list[frozenset[str]] = []

    def enter(node: str) -> tuple[str, Iterator[str]]:
        index[node] = low[node] = len(index)
        waiting.append(node)
        return node, iter(sorted(graph[node]))

    for root in graph:
        path = [] if root in index else [enter(root)]
        while path:
            node, ends = path[-1]
            end = next((end for end in ends if end not in done), None)
            if end is not None:
                if end in index:
                    low[node] = min(low[node], index[end])
                else:
                    path.append(enter(end))
                continue
            path.pop()
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[node])
            if low[node] == index[node]:
                cut = waiting.index(node)
                components.append(frozenset(waiting[cut:]))
                done.update(waiting[cut:])
                del waiting[cut:]
    return components


def _best_order(graph: Graph) -> list[str]:
    """An order of the nodes, the lowest first, with the fewest arrows back up.

    Dynamic programming over the sets of nodes that may stand below the others (Held and Karp 1962).
    """
    nodes = sorted(graph)
    number = {node: i for i, node in enumerate(nodes)}
    ends = [sum(1 << number[end] for end in graph[node]) for node in nodes]
    everything = (1 << len(nodes)) - 1
    cost = [0] + [len(nodes) ** 2] * everything
    topmost = [0] * (everything + 1)
    for below in range(everything):
        for i, its_ends in enumerate(ends):
            if below >> i & 1:
                continue
            with_it = below | 1 << i
            price = cost[below] + (its_ends & ~with_it).bit_count()
            if price < cost[with_it]:
                cost[with_it], topmost[with_it] = price, i
    order: list[str] = []
    rest = everything
    while rest:
        order.append(nodes[topmost[rest]])
        rest &= ~(1 << topmost[rest])
    return order[::-1]


def _good_order(graph: Graph) -> list[str]:
    """An order with few arrows back up: from any order, move single nodes while that helps."""
    order = sorted(graph, key=lambda node: (len(graph[node]), node))
    best = len(_against(graph, order))
    improved = True
    while improved:
        improved = False
        for node in list(order):
            rest = [other for other in order if other != node]
            places = ([*rest[:i], node, *rest[i:]] for i in range(len(order)))
            tried = min(places, key=lambda order: len(_against(graph, order)))
            if (count := len(_against(graph, tried))) < best:
                order, best, improved = tried, count, True
    return order


def _against(graph: Graph, order: list[str]) -> list[tuple[str, str]]:
    """The arrows from a node to one that stands above it."""
    place = {node: i for i, node in enumerate(order)}
    return [(start, end) for start in graph for end in sorted(graph[start]) if place[end] > place[start]]
