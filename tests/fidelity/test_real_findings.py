"""Periods, combs and steps that are known to be in real captures, from the links' own documents."""

from __future__ import annotations

from pathlib import Path

import pytest

import airwire

# Path, period in milliseconds, tolerance, and where the period is known from.
GATES = [
    ("esp-udp/12B.csv", 102.4, 0.01),
    ("esp-udp/1024B.csv", 102.4, 0.01),
    ("esp-tcp/12B.csv", 102.4, 0.01),
    ("esp-tcp/1024B.csv", 102.4, 0.01),
    ("esp32-ble/12B-sc.csv", 15.0, 0.005),
    ("esp32-ble/12B-cs.csv", 15.0, 0.005),
    ("esp32-nimble/12B-sc-hci-fix.csv", 30.0, 0.005),
    ("esp32-nimble/12B-cs-hci-fix.csv", 30.0, 0.005),
    ("esp32-nimble/12B-sc-override-conn-params.csv", 30.0, 0.005),
    ("nrf58240/12B-sc-notify.csv", 30.0, 0.005),
    ("nrf58240/12B-sc-2.csv", 30.0, 0.005),
    ("nrf58240/1024B-sc.csv", 30.0, 0.005),
    ("nrf58240/early-results/12B-sc-4.csv", 50.0, 0.005),
    ("nrf58240/early-results/12B-cs-3.csv", 50.0, 0.005),
    ("sik/packet-size-logs/12B-250ms-trigger.csv", 115.65, 0.01),
    ("sik/trigger-logs/12B-250ms-trigger.sal", 115.65, 0.01),
]


def findings(path: Path, kind: str, **options: str) -> list[airwire.Finding]:
    analysis = airwire.analyze(path, intervals=False, **options)  # type: ignore[arg-type]
    return [finding for finding in analysis.captures[0].findings if finding.kind == kind]


@pytest.mark.parametrize(("path", "period_ms", "tolerance_ms"), GATES)
def test_a_known_gate_is_found(real_captures: Path, path: str, period_ms: float, tolerance_ms: float) -> None:
    gate = findings(real_captures / path, "gate")[0]
    assert gate.period_ps is not None
    assert abs(gate.period_ps / 1e9 - period_ms) < tolerance_ms
    assert gate.evidence["coherence_done"] > 0.9
    assert gate.evidence["coherence_trigger"] < 0.1


@pytest.mark.parametrize(
    "path", ["12B-sc-defaults.csv", "12B-sc2-defaults.csv", "12B-cs-defaults.csv", "12B-cs2-defaults.csv"]
)
def test_the_default_nimble_interval_is_named_although_the_trigger_hides_it(real_captures: Path, path: str) -> None:
    gate = findings(real_captures / "esp32-nimble" / path, "gate")[0]
    assert gate.period_ps is not None
    assert abs(gate.period_ps / 1e9 - 50.0) < 0.01
    assert findings(real_captures / "esp32-nimble" / path, "frozen_phase")


def test_the_tick_that_the_tuned_tcp_run_crosses_is_named(real_captures: Path) -> None:
    gate = findings(real_captures / "esp-tcp/12B-modified.csv", "gate")[0]
    assert gate.period_ps is not None
    assert abs(gate.period_ps / 1e9 - 10.0) < 0.01


@pytest.mark.parametrize(
    "path",
    [
        "esp-802154/12B-FaF.csv",
        "esp-802154/12B-ACK.csv",
        "esp-802154/1024B-FaF.csv",
        "espnow/12B.csv",
        "esp-websockets/12B.csv",
    ],
)
def test_a_tick_that_the_run_never_crosses_is_a_frozen_phase_without_a_period(real_captures: Path, path: str) -> None:
    frozen = findings(real_captures / path, "frozen_phase")[0]
    assert frozen.period_ps is None
    assert 10_000_000_000 in [round(period) for period in frozen.evidence["candidate_periods_ps"]]
    assert not findings(real_captures / path, "gate")


def test_a_named_tick_says_how_little_of_it_was_seen(real_captures: Path) -> None:
    frozen = findings(real_captures / "espnow/12B.csv", "frozen_phase", gate="10 ms")[0]
    assert frozen.period_ps == 10_000_000_000
    assert "If the gate is 10 ms, this run saw" in frozen.sentence
    assert 100e6 < frozen.evidence["covered_ps"] < 200e6


def test_hardware_retries_are_a_comb(real_captures: Path) -> None:
    comb = findings(real_captures / "nrf24/256kbps-1024B.csv", "comb")[0]
    assert comb.period_ps is not None
    assert abs(comb.period_ps / 1e9 - 1.375) < 0.005


@pytest.mark.parametrize(("baud", "character_us"), [(115200, 86.7), (230400, 43.3), (460800, 21.4)])
def test_dma_with_an_idle_line_has_two_steps_a_character_apart(
    real_captures: Path, baud: int, character_us: float
) -> None:
    steps = findings(real_captures / f"uart_tests/baudrate-12B-logs/{baud}-dma.csv", "steps")[0]
    distance_us = steps.evidence["distances_ps"][0] / 1e6
    # The idle character costs about one microsecond less than it lasts.
    assert abs(distance_us - (character_us - 1.1)) < 0.8
    assert abs(steps.evidence["shares"][0] - 0.25) < 0.02


@pytest.mark.parametrize(("path", "lost"), [("250k-SF128-12B.csv", 1), ("250k-SF128-1024B.csv", 20)])
def test_losses_are_told_from_latency_under_both_rules(real_captures: Path, path: str, lost: int) -> None:
    strict = findings(real_captures / "rfm95" / path, "loss_as_latency")[0]
    assert strict.evidence["missed"] == lost
    analysis = airwire.analyze(real_captures / "rfm95" / path, pairing="published")
    hidden = [finding for finding in analysis.captures[0].findings if finding.kind == "loss_as_latency"]
    assert hidden[0].evidence["hidden_losses"] >= lost - 1


@pytest.mark.parametrize("path", ["nrf24/256kbps-1024B.csv", "rfm95/64k5-SF2048-4o6-12B.csv"])
def test_a_message_that_the_recording_cuts_off_is_not_called_lost(real_captures: Path, path: str) -> None:
    capture = airwire.analyze(real_captures / path).captures[0]
    assert capture.outcomes["missed"] == 1
    assert "loss_as_latency" not in [finding.kind for finding in capture.findings]


def test_doubled_trigger_edges_are_glitches(real_captures: Path) -> None:
    capture = airwire.analyze(real_captures / "rfm95/64k5-SF2048-4o6-1024B.csv").captures[0]
    assert (capture.outcomes["paired"], capture.outcomes["glitch"]) == (55, 55)


def test_a_background_scan_is_a_burst(real_captures: Path) -> None:
    burst = findings(real_captures / "rpi-node/12B-wifi.csv", "bursts")[0]
    assert burst.evidence["slow_in_bursts"] >= 12


@pytest.mark.parametrize(
    "path",
    ["rfm95/250k-SF128-12B.csv", "gpio_tests/ll-o3.csv", "uart_tests/packet-size-tests/921600-1024B.csv"],
)
def test_a_near_constant_link_has_no_pattern(real_captures: Path, path: str) -> None:
    kinds = {finding.kind for finding in airwire.analyze(real_captures / path).captures[0].findings}
    assert kinds <= {"loss_as_latency"}
