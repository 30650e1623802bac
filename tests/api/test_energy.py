"""Energy and battery life: held against currents that others measured, and against what can be computed by hand."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

import pytest

import airwire
from airwire.link.energy import Energy, amperes, energy_of, has_currents, parse_battery

TABLE: dict[str, Any] = tomllib.loads(
    (resources.files("airwire.link") / "params" / "currents.toml").read_text(encoding="utf-8")
)


def energy(link: str, payload_bytes: int, **settings: str) -> Energy:
    found = energy_of(link, payload_bytes, settings)
    assert found is not None
    return found


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


def test_a_message_over_lora_is_its_time_on_the_air_times_the_transmitters_current() -> None:
    # 41.22 ms on the air at SF7 and 125 kHz (LoRa modem designer's guide, AN1200.13), 3.3 V.
    air_j = 41.22e-3 * amperes(TABLE["lora"]["states"]["transmit"]["value"]) * 3.3
    assert energy("lora", 12).message_j == pytest.approx(air_j, rel=0.01)


def test_a_longer_connection_interval_takes_less_and_the_events_are_what_it_saves() -> None:
    short, long = (energy("nrf52840-ble", 12, connection_interval=f"{ms} ms") for ms in (30, 60))
    sleep = amperes(TABLE["nrf52840-ble"]["sleep"]["value"])
    assert (short.between_a - sleep) / (long.between_a - sleep) == pytest.approx(2)
    assert short.message_j == pytest.approx(long.message_j)


def test_a_battery_lasts_as_its_charge_over_the_mean_current() -> None:
    one = Energy("a chip", message_j=3e-3, between_a=1e-6, supply_volts=3.0)
    # 1 mC every 10 s and 1 uA between: 101 uA on average; 2400 mAh are 8640 As.
    assert one.mean_a(10 * 10**12) == pytest.approx(101e-6)
    assert one.battery_s(parse_battery("2400mAh"), 10 * 10**12) == pytest.approx(8640 / 101e-6)


def test_every_current_has_its_source_and_every_stage_is_the_links() -> None:
    for link, entry in TABLE.items():
        assert has_currents(link)
        for one in (entry["sleep"], *entry["states"].values()):
            assert one["source"] and one["meaning"]
            assert amperes(one["value"]) > 0
        names = {stage.name for stage in airwire.link_budget(link, 12).stages}
        assert set(entry["stages"]) <= names | {"sender wakes up and reaches the access point"}
        assert set(entry["stages"].values()) <= set(entry["states"])


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
        assert one.battery_s == pytest.approx(energy("lora", 12, **one.changed).battery_s(8640, 10**12))
