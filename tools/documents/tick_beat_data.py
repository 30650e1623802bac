"""The figures behind ``docs/explanation/tick-beat.md``: what the captures hold, and what the models say of them.

``tick_beat.py`` writes the page from them, ``tick_beat_figures.py`` draws its pictures. Nothing here writes a file.
Of the published captures only those of 12 B and 1024 B are used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from pathlib import Path

import airwire

MS = 1_000_000_000
TICK_PS = 10 * MS
SAMPLES = 20_000
SEED = 1
PAYLOADS = (12, 1024)
CLEARLY = 1.10
"""Two medians are told apart where one is at least this many times the other."""
PLAUSIBLE_PPM = 30
"""Crystals differ by less; a fitted tick that drifts more has followed something else."""
EXPLAINED = 0.95
"""The share of a capture that the model must explain for its tick phase to be shown."""


@dataclass(frozen=True)
class Subject:
    """A link as it was published: which model and settings it is, and its captures by payload."""

    label: str
    link: str
    captures: Mapping[int, str]
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_tick(self) -> bool:
        """Whether the sending task looks for its trigger once a tick."""
        return self.link.startswith("esp")

    @property
    def board(self) -> str:
        """The board that sends."""
        return "ESP32-C6" if self.link in ("esp32-802154", "esp32c6-websocket") else "ESP32"

    @property
    def woken(self) -> Mapping[str, str]:
        """The settings with which an interrupt wakes the task."""
        return {**self.settings, "tick": "none"} if self.has_tick else self.settings


_LONG_RANGE = {"rate": "LR-250k", "neighbours": "3", "neighbour_busy": "5.5 ms"}
BLIND = Subject(
    "802.15.4",
    "esp32-802154",
    {12: "esp-802154/12B-FaF.csv", 1024: "esp-802154/1024B-FaF.csv"},
    {"ack": "off"},
)
ACKED = Subject(
    "802.15.4 acknowledged",
    "esp32-802154",
    {12: "esp-802154/12B-ACK.csv", 1024: "esp-802154/1024B-ACK.csv"},
)
ESP_NOW = Subject("ESP-NOW", "espnow", {12: "espnow/12B.csv", 1024: "espnow/1024B.csv"})
LONG_RANGE = Subject(
    "ESP-NOW long range", "espnow", {12: "espnow/LR-12B.csv", 1024: "espnow/LR-1024B.csv"}, _LONG_RANGE
)
WEBSOCKET = Subject(
    "WebSocket ESP32",
    "esp32-websocket",
    {12: "esp-websockets/12B.csv", 1024: "esp-websockets/1024B.csv"},
    {"nodelay": "on"},
)
WEBSOCKET_C6 = Subject("WebSocket ESP32-C6", "esp32c6-websocket", {12: "esp-websockets/C6-12B.csv"}, {"nodelay": "on"})
TCP = Subject(
    "TCP without power save",
    "esp32-wifi-tcp",
    {12: "esp-tcp/12B-modified.csv", 1024: "esp-tcp/1024B-modified.csv"},
    {"power_save": "none"},
)
SPP = Subject("Bluetooth SPP", "esp32-spp", {12: "esp32-spp/12B.csv", 1024: "esp32-spp/1024B.csv"})
BLUEDROID = Subject(
    "BLE Bluedroid", "esp32-bluedroid-ble", {12: "esp32-ble/12B-sc.csv", 1024: "esp32-ble/1024B-sc.csv"}
)
NIMBLE = Subject(
    "BLE NimBLE default",
    "esp32-nimble-ble",
    {12: "esp32-nimble/12B-sc-defaults.csv", 1024: "esp32-nimble/1024B-sc-defaults.csv"},
)
NIMBLE_TUNED = Subject(
    "BLE NimBLE tuned",
    "esp32-nimble-ble",
    {12: "esp32-nimble/12B-sc-hci-fix.csv", 1024: "esp32-nimble/1024B-sc-hci-fix.csv"},
    {"connection_interval": "30 ms", "data_length": "251"},
)
NRF52840 = Subject("BLE nRF52840", "nrf52840-ble", {12: "nrf58240/12B-sc-2.csv", 1024: "nrf58240/1024B-sc-2.csv"})
UDP = Subject("UDP with power save", "esp32-wifi-udp", {12: "esp-udp/12B.csv", 1024: "esp-udp/1024B.csv"})
PI = Subject(
    "WebSocket Pi 4",
    "pi4-websocket",
    {12: "rpi-node/12B-wifi.csv", 1024: "rpi-node/1024B-wifi.csv"},
    {"network": "wifi"},
)
SUBJECTS = (
    Subject(
        "nRF24 at 250 kbit/s",
        "nrf24",
        {12: "nrf24/256kbps-12B-padded.csv", 1024: "nrf24/256kbps-1024B.csv"},
        {"rate": "250k"},
    ),
    *(BLIND, ACKED, ESP_NOW, LONG_RANGE, WEBSOCKET, WEBSOCKET_C6, TCP, SPP, BLUEDROID, NIMBLE, NIMBLE_TUNED, UDP),
    Subject(
        "TCP with power save",
        "esp32-wifi-tcp",
        {12: "esp-tcp/12B.csv", 1024: "esp-tcp/1024B.csv"},
        {"receiver_tick": "10 ms"},
    ),
    NRF52840,
    Subject("HC-05 at 57600 baud", "hc05", {12: "hc-05/57600-12B.csv", 1024: "hc-05/57600-1024B.csv"}),
    Subject(
        "HC-05 at 460800 baud",
        "hc05",
        {12: "hc-05/460800-12B.csv", 1024: "hc-05/460800-1024B.csv"},
        {"baud": "460800"},
    ),
    Subject("SiK", "sik", {12: "sik/packet-size-logs/12B-250ms-trigger.csv"}),
    Subject(
        "LoRa SF7 at 250 kHz",
        "lora",
        {12: "rfm95/250k-SF128-12B.csv", 1024: "rfm95/250k-SF128-1024B.csv"},
        {"sf": "7", "bandwidth": "250 kHz"},
    ),
    PI,
)
ODD_INTERVAL = Subject("BLE nRF52840 at an odd interval", "nrf52840-ble", {12: "nrf58240/12B-sc-notify.csv"})
OTHER_RUNS = (
    ODD_INTERVAL,
    Subject(
        "802.15.4 with driver in RAM",
        "esp32-802154",
        {1024: "esp-802154/1024B-throughput-opt.csv"},
        {"throughput_option": "on"},
    ),
    Subject("Bluetooth SPP in 64 B writes", "esp32-spp", {1024: "esp32-spp/1024B-64B-chunks.csv"}, {"write": "64"}),
    Subject("Bluetooth SPP in 32 B writes", "esp32-spp", {1024: "esp32-spp/1024B-32B-chunks.csv"}, {"write": "32"}),
)
"""Runs that no ranking needs, but whose phases the page tells of."""
BEATS = (
    (ESP_NOW, 12, "tick"),
    (BLIND, 12, "tick"),
    (TCP, 12, "tick"),
    (NIMBLE, 12, "connection"),
    (BLUEDROID, 12, "connection"),
    (NIMBLE_TUNED, 12, "connection"),
    (UDP, 12, "beacon"),
)


@dataclass(frozen=True)
class Row:
    """A line of the ranking: quantiles ``p5`` to ``p95`` as captured, phase-free, and woken by an interrupt."""

    subject: Subject
    captured: Mapping[str, float]
    this_run_median_ps: float
    phase_free: Mapping[str, float]
    woken: Mapping[str, float]

    def medians(self) -> tuple[float, float, float]:
        """The medians in the order captured, phase-free, woken."""
        return self.captured["p50"], self.phase_free["p50"], self.woken["p50"]


@dataclass(frozen=True)
class TickRun:
    """Where the tick stood in one capture: for each message sent, the wait until the next tick."""

    subject: Subject
    payload_bytes: int
    interval_ps: float
    trigger_ps: Sequence[int]
    wait_ps: Sequence[float]
    creep_ps: float
    """By how much the wait grows from one trigger to the next."""

    @property
    def label(self) -> str:
        """The link and payload."""
        return f"{self.subject.label}, {self.payload_bytes} B"

    @property
    def covered_ps(self) -> float:
        """How much of the tick the run met."""
        return min(abs(self.creep_ps) * (len(self.trigger_ps) - 1), TICK_PS)

    @property
    def ppm(self) -> float:
        """The clocks of board and generator against each other."""
        return self.creep_ps / self.interval_ps * 1e6


@dataclass(frozen=True)
class Beat:
    """How many phases of a gate a steady trigger meets, and how far they are apart."""

    subject: Subject
    interval_us: int
    gate: str
    gate_us: int

    @property
    def phases(self) -> tuple[int, int]:
        """The number of phases and their distance in microseconds."""
        return phases_met(self.interval_us, self.gate_us)


@dataclass(frozen=True)
class Story:
    """All that the page tells."""

    captures: Mapping[str, airwire.Capture]
    rows: Mapping[int, Sequence[Row]]
    tick_runs: Sequence[TickRun]
    untold: Sequence[str]
    beats: Sequence[Beat]
    air_ps: Mapping[str, float]
    """The time on the air of 12 B, by the label of a link with a tick."""
    assumed_firmware: str
    """What the model of ESP-NOW takes its firmware to need."""
    fast_tick_median_ps: float
    """Of the same link with a tick of 1 ms."""

    def bounds_ps(self, subject: Subject) -> tuple[float, float]:
        """Between which the phase-free median of 12 B lies, whatever the firmware and the wait of a frozen run took."""
        half = TICK_PS / 2
        return half + self.air_ps[subject.label], half + self.row(subject, 12).captured["p50"]

    def row(self, subject: Subject, payload_bytes: int) -> Row:
        """The line of a link."""
        return next(row for row in self.rows[payload_bytes] if row.subject is subject)

    def tick_run(self, subject: Subject, payload_bytes: int) -> TickRun:
        """The ticks of a run."""
        return next(run for run in self.tick_runs if (run.subject, run.payload_bytes) == (subject, payload_bytes))


def phases_met(interval_us: int, gate_us: int) -> tuple[int, int]:
    """How many phases of a gate a trigger at a steady interval meets, and their distance (both clocks perfect)."""
    step = gcd(interval_us, gate_us)
    return gate_us // step, step


def triggers_to_come_round(creep_ps: float, gate_ps: int = TICK_PS) -> int:
    """After how many triggers a creeping phase has met the whole gate."""
    return round(gate_ps / abs(creep_ps))


def tell(folder: Path) -> Story:
    """Everything, from the captures in ``folder`` and the models."""
    runs = [(subject, size, path) for subject in (*SUBJECTS, *OTHER_RUNS) for size, path in subject.captures.items()]
    analysis = airwire.analyze([folder / path for _, _, path in runs], intervals=False, findings=False)
    if analysis.errors:
        raise SystemExit(analysis.errors[0].message)
    by_path = {Path(capture.path).relative_to(folder).as_posix(): capture for capture in analysis.captures}
    explained = {
        path: airwire.explain_capture(
            folder / path, subject.link, settings=subject.settings, payload_bytes=size, seed=SEED, samples=0
        )
        for subject, size, path in runs
    }
    ticks, untold = [], []
    for subject, size, path in runs:
        if subject.has_tick:
            run = _tick_run(subject, size, by_path[path], explained[path]) or _crossing(subject, size, folder / path)
            if run is None:
                untold.append(f"{subject.label}, {size} B")
            else:
                ticks.append(run)
    fast = airwire.simulate(
        [(BLIND.link, 12, {**BLIND.settings, "tick": "1 ms"})], samples=SAMPLES, seed=SEED, spans=0
    )[0]
    return Story(
        captures=by_path,
        rows={size: _rows(size, by_path, explained) for size in PAYLOADS},
        tick_runs=ticks,
        untold=untold,
        beats=[_beat(subject, size, gate, by_path) for subject, size, gate in BEATS],
        air_ps={subject.label: _air_ps(subject) for subject in SUBJECTS if subject.has_tick},
        assumed_firmware=_constant(ESP_NOW.link, "firmware"),
        fast_tick_median_ps=quantiles(fast)["p50"],
    )


def quantiles(capture: airwire.Capture) -> Mapping[str, float]:
    """The quantiles of a capture in which messages arrived."""
    assert capture.latency_ps is not None, f"{capture.path}: no message arrived"
    return capture.latency_ps


def _air_ps(subject: Subject) -> float:
    stages = airwire.link_budget(subject.link, 12, settings=subject.settings).stages
    return sum(stage.ps for stage in stages if stage.kind == "air")


def _constant(link: str, name: str) -> str:
    constants = next(known.constants for known in airwire.links() if known.name == link)
    return next(str(constant.value) for constant in constants if constant.name == name)


def _rows(
    size: int, captures: Mapping[str, airwire.Capture], explained: Mapping[str, airwire.CaptureExplanation]
) -> list[Row]:
    subjects = [subject for subject in SUBJECTS if size in subject.captures]
    free, woken = (
        airwire.simulate(requests, samples=SAMPLES, seed=SEED, spans=0)
        for requests in (
            [(subject.link, size, subject.settings) for subject in subjects],
            [(subject.link, size, subject.woken) for subject in subjects],
        )
    )
    rows = []
    for subject, unphased, interrupt in zip(subjects, free, woken, strict=True):
        path = subject.captures[size]
        median = explained[path].model_median_ps
        rows.append(Row(subject, quantiles(captures[path]), median, quantiles(unphased), quantiles(interrupt)))
    return sorted(rows, key=lambda row: row.phase_free["p50"])


def _triggers(capture: airwire.Capture) -> list[int]:
    samples = capture.samples
    times: list[int] = samples.filter(samples["outcome"] != "glitch")["trigger_ps"].to_list()
    return times


def _tick_run(
    subject: Subject, size: int, capture: airwire.Capture, explained: airwire.CaptureExplanation
) -> TickRun | None:
    """The ticks as the model was fitted to them, if the capture tells them."""
    tick = next(gate for gate in explained.phases if gate.gate == "tick")
    # A longer gate takes the tick's place, but for a neighbour's beacons: these hold up few messages.
    hidden = any(gate.period_ps > tick.period_ps and "neighbour" not in gate.gate for gate in explained.phases)
    if hidden or explained.explained_share < EXPLAINED or abs(tick.drift_ppb) > PLAUSIBLE_PPM * 1000:
        return None
    period = tick.period_ps * (1 + tick.drift_ppb / 1e9)
    times = _triggers(capture)
    interval = (times[-1] - times[0]) / (len(times) - 1)
    waits = [-(time - tick.phase_ps) % period for time in times]
    creep = -(interval + period / 2) % period - period / 2
    return TickRun(subject, size, interval, times, waits, creep)


def _crossing(subject: Subject, size: int, path: Path) -> TickRun | None:
    """The ticks of a run in which latency falls once by a whole tick, which tells where the tick stood."""
    capture = airwire.analyze(path, intervals=False).captures[0]
    for finding in capture.findings:
        found = finding.period_ps is not None and abs(finding.period_ps / TICK_PS - 1) < PLAUSIBLE_PPM / 1e6
        if found and "crossing_at_ps" in finding.evidence:
            times = _triggers(capture)
            interval = (times[-1] - times[0]) / (len(times) - 1)
            creep = float(finding.evidence["drift_per_trigger_ps"])
            crossed = float(finding.evidence["crossing_at_ps"])
            waits = [(time - times[0] - crossed) / interval * creep % TICK_PS for time in times]
            return TickRun(subject, size, interval, times, waits, creep)
    return None


def _beat(subject: Subject, size: int, gate: str, captures: Mapping[str, airwire.Capture]) -> Beat:
    times = _triggers(captures[subject.captures[size]])
    interval_us = round((times[-1] - times[0]) / (len(times) - 1) / MS) * 1000
    gates = airwire.link_budget(subject.link, size, settings=subject.settings).gates
    found = next(clock for clock in gates if gate in clock.name)
    return Beat(subject, interval_us, found.name, found.period_ps // 1_000_000)
