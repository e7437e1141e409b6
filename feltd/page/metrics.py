"""Counts and states for Prometheus, read at the moment they are asked for. No card, no name of a person."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from feltd.door import TableCounters, TableState

_LINK_COUNTERS: Mapping[str, str] = {
    "events": "Events received",
    "frames": "Frames received",
    "bad_frames": "Frames that were none",
    "resynchronised_bytes": "Bytes dropped to find the next frame",
    "stale_frames": "Sound frames that have no place in the session",
    "pauses": "Times that reading stopped because a device sent more than is read of one",
    "retransmissions": "Events received again and dropped",
    "authentication_failures": "Frames that did not authenticate",
    "reconnects": "Sessions after the first",
    "faults": "Messages that break the rules",
}


@dataclass(frozen=True, slots=True)
class PageCounters:
    """What the page counts of its visitors. `refused`: by limit."""

    connections: int
    streams: int
    refused: Mapping[str, int]


class _Collector(Collector):
    def __init__(self, state: TableState, counters: TableCounters, page: PageCounters) -> None:
        self._state = state
        self._counters = counters
        self._page = page

    def collect(self) -> Iterator[Metric]:
        page = self._page
        yield _gauge("feltd_page_connections", "Connections of browsers", page.connections)
        yield _gauge("feltd_page_streams", "Streams that browsers follow", page.streams)
        yield _counted("feltd_page_refused", "Refused or taken back by a limit of the page", "limit", page.refused)
        counters = self._counters
        yield _counted("feltd_events", "Events taken", "event", counters.events)
        yield _counted("feltd_outputs", "Answers of the table", "kind", counters.outputs)
        yield _counted("feltd_rulings", "Rulings given", "irregularity", counters.rulings)
        yield CounterMetricFamily("feltd_refused", "Events that could not be", value=counters.refused)
        text = "What the page asked of the table and the table did not look at"
        yield _counted("feltd_door_refused", text, "why", counters.door_refused)
        yield _gauge("feltd_round", "Number of the round", counters.round)
        stopped = self._state.stopped is not None or self._state.put_back
        yield _gauge("feltd_play_stopped", "1 while the record cannot be kept, or was put back", stopped)
        yield from self._links()
        yield from self._journal()
        yield _gauge("feltd_loop_lag_seconds", "How late the loop ran last", counters.loop_lag)
        yield _gauge(
            "feltd_loop_lag_worst_seconds", "How late it ran at worst in the last minute", counters.worst_loop_lag
        )

    def _links(self) -> Iterator[Metric]:
        devices = self._state.devices
        up = GaugeMetricFamily("feltd_link_up", "1 while the link is up", labels=["device"])
        trip = GaugeMetricFamily("feltd_link_round_trip_seconds", "Last round trip", labels=["device"])
        for device in devices:
            up.add_metric([device.name], device.up)
            if device.round_trip_ms is not None:
                trip.add_metric([device.name], device.round_trip_ms / 1000)
        yield up
        yield trip
        disabled = GaugeMetricFamily(
            "feltd_input_disabled", "1 while an input on a pin is stuck or chatters", labels=["device", "input"]
        )
        for name, inputs in self._counters.disabled_inputs.items():
            for pin in inputs:
                disabled.add_metric([name, pin], 1)
        yield disabled
        for key, text in _LINK_COUNTERS.items():
            counter = CounterMetricFamily(f"feltd_link_{key}", text, labels=["device"])
            for device in devices:
                counter.add_metric([device.name], getattr(device, key))
            yield counter

    def _journal(self) -> Iterator[Metric]:
        journal = self._state.journal
        yield _gauge("feltd_journal_running", "1 while the journal takes entries", journal.state == "running")
        yield _gauge("feltd_journal_backlog", "Entries taken and not yet synced", journal.backlog)
        yield _gauge("feltd_journal_waiting", "Deliveries of devices not yet taken", journal.waiting)
        yield _gauge("feltd_journal_entries", "Number of the last entry", journal.appended)
        yield CounterMetricFamily("feltd_journal_commits", "Commits", value=journal.commits)
        yield _gauge("feltd_journal_last_commit_seconds", "Duration of the last", journal.last_commit_ms / 1000)
        yield _gauge("feltd_journal_longest_commit_seconds", "Of the longest", journal.longest_commit_ms / 1000)


def _gauge(name: str, text: str, value: Any) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=float(value))


def _counted(name: str, text: str, label: str, counts: Mapping[str, int]) -> CounterMetricFamily:
    family = CounterMetricFamily(name, text, labels=[label])
    for key, count in sorted(counts.items()):
        family.add_metric([key], count)
    return family


def metrics_text(state: TableState, counters: TableCounters, page: PageCounters) -> bytes:
    """The metrics of a table and its page in Prometheus' text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(state, counters, page))
    return generate_latest(registry)
