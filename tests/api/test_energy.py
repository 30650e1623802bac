"""Energy and battery life: held against currents that others measured, and against what can be computed by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import airwire
from airwire.link.energy import Energy, parse_battery

CURRENTS = Path(__file__).parents[2] / "crates" / "links" / "currents.toml"
TABLE: dict[str, Any] = tomllib.loads(CURRENTS.read_text(encoding="utf-8"))
S = 10**12


def energy(link: str, payload_bytes: int, **settings: str) -> Energy:
    found = airwire.link_budget(link, payload_bytes, settings).energy
    assert found is not None
    return found


def amperes(current: dict[str, str]) -> float:
    number, unit = current["value"].split()
    return float(number) * {"uA": 1e-6, "mA": 1e-3}[unit]


@pytest.mark.parametrize(
    ("power_save", "measured_ma"),
    # github.com/tobymurray/esp32-mqtt-sntp, README: a board that is connected and at rest.
    [("min", 45), ("max", 41)],
)
def test_an_esp32_that_saves_power_takes_what_was_measured(power_save: str, measured_ma: float) -> None:
    assert energy("esp32-wifi-udp", 128, power_save=power_save).between_a * 1e3 == pytest.approx(measured_ma, rel=0.15)


def test_an_esp32_that_listens_all_the_time_takes_less_than_a_whole_board() -> None:
    """129 mA were measured: the datasheet's receiver has its processor at rest (docs/explanation/energy.md)."""
    assert 0.7 < energy("esp32-wifi-udp", 128, power_save="none").between_a * 1e3 / 129 < 1


def test_a_pico_w_takes_what_was_published_with_its_power_save_and_without() -> None:
    """36 mA idle without power save; 2 mA with PM2 at a DTIM period of 2 (docs/explanation/fidelity-cyw43.md)."""
    assert energy("pico-w", 128, power_save="off").between_a * 1e3 == pytest.approx(36, rel=0.15)
    asleep = energy("pico-w", 128, power_save="on", dtim_period="2")
    assert asleep.between_a * 1e3 == pytest.approx(2, rel=0.15)


def test_an_empty_connection_event_of_the_nrf_is_the_air_alone() -> None:
    """Others measured 600 uA at 7.5 ms and 40 uA at 200 ms (github.com/espruino/Espruino/issues/2635): 4.4 uC an event.

    Ours has neither the start of the crystal and the radio nor the processor: less than half of it.
    """
    short, long = (energy("nrf52840-ble", 12, connection_interval=f"{ms} ms") for ms in (7.5, 200))
    event_as = (short.between_a - long.between_a) / (1 / 7.5e-3 - 1 / 200e-3)
    assert 0.4 < event_as / 4.4e-6 < 0.5


def test_a_message_over_lora_is_its_time_on_the_air_times_the_transmitters_current() -> None:
    # 41.22 ms on the air at SF7 and 125 kHz (LoRa modem designer's guide, AN1200.13), 3.3 V.
    air_j = 41.22e-3 * amperes(TABLE["lora"]["states"]["transmit"]) * 3.3
    assert energy("lora", 12).message_j == pytest.approx(air_j, rel=0.01)


def test_a_frame_that_an_access_point_repeats_is_sent_once_by_the_sender() -> None:
    """128 B at MCS 7: half of what is on the air, at 180 mA in place of the 97.5 mA of a receiver."""
    budget = airwire.link_budget("esp32-wifi-udp", 128, {"power_save": "none"})
    (air_ps,) = (stage.ps for stage in budget.stages if stage.name == "frames on the air")
    assert budget.energy is not None
    assert budget.energy.message_j == pytest.approx(air_ps / S / 2 * (0.180 - 0.0975) * 3.3)


def test_a_longer_connection_interval_takes_less_and_the_events_are_what_it_saves() -> None:
    short, long = (energy("nrf52840-ble", 12, connection_interval=f"{ms} ms") for ms in (30, 60))
    sleep = amperes(TABLE["nrf52840-ble"]["sleep"])
    assert (short.between_a - sleep) / (long.between_a - sleep) == pytest.approx(2)
    assert short.message_j == pytest.approx(long.message_j)


def test_a_battery_lasts_as_its_charge_over_the_mean_current() -> None:
    one = Energy("a chip", message_j=3e-3, between_a=1e-6, supply_volts=3.0)
    # 1 mC every 10 s and 1 uA between: 101 uA on average; 2400 mAh are 8640 As.
    assert one.mean_a(10 * S) == pytest.approx(101e-6)
    assert one.battery_s(parse_battery("2400mAh"), 10 * S) == pytest.approx(8640 / 101e-6)
    assert one.with_interval_j(10 * S) == pytest.approx(101e-6 * 3 * 10)


def test_every_current_has_its_source_and_every_stage_is_the_links() -> None:
    for link, entry in TABLE.items():
        for one in (entry["sleep"], *entry["states"].values()):
            assert one["source"] and one["meaning"]
            assert amperes(one) > 0
        names = {stage.name for stage in airwire.link_budget(link, 12).stages}
        assert set(entry["stages"]) <= names | {"sender wakes up and reaches the access point"}
        assert set(entry.get("shares", ())) <= set(entry["stages"])
        assert set(entry["stages"].values()) <= set(entry["states"])


def test_a_run_tells_what_its_messages_took_at_the_schedule_that_it_had(tmp_path: Path) -> None:
    suite = tmp_path / "battery.toml"
    suite.write_text(
        '[links.lora]\npayloads = [12]\nsamples = 50\ntrigger = { kind = "fixed", period = "10 s" }\n'
        'bounds = { energy = "<= 5 mJ" }\n[links.uart]\npayloads = [12]\nsamples = 50\n',
        encoding="utf-8",
    )
    ran = airwire.run(suite, out=tmp_path / "run")
    lora, uart = airwire.rows_of_links(ran)
    expected = energy("lora", 12).with_interval_j(10 * S)
    assert lora.target.every_ps == 10 * S
    assert lora.target.energy_j == pytest.approx(expected)
    assert uart.target.energy is None and uart.target.energy_j is None
    (bound,) = lora.bounds
    assert (bound.quantity, bound.unit, bound.holds) == ("energy", "J", False)
    assert bound.measured == pytest.approx(expected) and bound.limit == 5e-3
    (again, _) = airwire.rows_of_links(airwire.load_run(tmp_path / "run"))
    assert (again.target.energy, again.target.every_ps) == (lora.target.energy, lora.target.every_ps)


def test_a_bound_on_the_energy_of_a_link_without_currents_is_refused(tmp_path: Path) -> None:
    suite = tmp_path / "uart.toml"
    suite.write_text('[links.uart]\npayloads = [12]\nbounds = { energy = "<= 5 mJ" }\n', encoding="utf-8")
    with pytest.raises(airwire.AirwireError, match=r"uart.toml:3: links.uart.bounds.energy: .* has no such figure"):
        airwire.run(suite, out=tmp_path / "run")


@pytest.mark.parametrize("text", ["2400", "mAh", "-5mAh", "0mAh", "2400 mA"])
def test_what_is_no_charge_is_refused(text: str) -> None:
    with pytest.raises(airwire.AirwireError, match="no charge of a battery"):
        parse_battery(text)


def test_a_battery_takes_an_interval_and_a_duty_cycle_refuses_what_is_on_the_air_for_longer() -> None:
    with pytest.raises(airwire.AirwireError, match="give every as well"):
        airwire.choose(12, p95="2s", battery="2400mAh")
    found = airwire.choose(12, p95="2s", every="1s", duty_cycle=0.01, battery="2400mAh", only=["lora"], samples=200)
    assert found.accepted
    for one in found.accepted:
        assert one.duty is not None and one.duty <= 0.01
        assert one.battery_s == pytest.approx(energy("lora", 12, **one.changed).battery_s(8640, S))
