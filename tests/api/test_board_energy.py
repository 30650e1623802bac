"""The energy of virtual boards: currents of datasheets, held against figures that others published, and against what
the chips are known to do."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import airwire
from airwire.board.energy import BoardEnergy, PartEnergy
from airwire.explain.energy import board_energy

TABLE: Mapping[str, Any] = tomllib.loads(
    (Path(__file__).parents[2] / "crates/board/currents.toml").read_text(encoding="utf-8")
)
S = 10**12
MOST_OFF = 0.15
# USB boot mode at rest: what the Pico takes at 5 V (Pico datasheet, Table 3) and its RP2040 at 3.3 V (RP2040 datasheet,
# Table 637) give what its converter loses.
PICO_EFFICIENCY = (9.0 + 1.2 + 0.2) * 3.3 / (8.7 * 5)
# What IOVDD and USB_VDD take of it.
BESIDE_DVDD_MA = 1.2 + 0.2


def milliamperes(part: str, state: str, mhz: float = 0.0, awake: int = 0) -> float:
    """By the table, without any code of the package."""
    current = TABLE[part]["states"][state]

    def value(name: str) -> float:
        number, unit = current.get(name, "0 mA").split()
        return float(number) * {"uA": 1e-3, "mA": 1.0}[unit]

    return value("base") + mhz * (value("per_mhz") + awake * value("core_per_mhz"))


@pytest.mark.parametrize(("mhz", "published_ma"), [(50, 13.7), (100, 23.6), (150, 33.3)])
def test_two_cores_that_compute_take_what_the_datasheets_curve_says(mhz: float, published_ma: float) -> None:
    ours = milliamperes("rp2040", "running", mhz, awake=2) - BESIDE_DVDD_MA
    assert ours == pytest.approx(published_ma, rel=MOST_OFF)


@pytest.mark.parametrize(("state", "awake", "measured_ma"), [("asleep", 0, 19), ("running", 1, 23)])
def test_a_pico_takes_what_was_measured_at_its_usb_port(state: str, awake: int, measured_ma: float) -> None:
    at_usb = milliamperes("rp2040", state, 125, awake) * 3.3 / (5 * PICO_EFFICIENCY)
    assert at_usb == pytest.approx(measured_ma, rel=MOST_OFF)


@pytest.mark.parametrize(("state", "module_ma"), [("100 Mbit/s link", 135), ("10 Mbit/s link", 80)])
def test_a_module_with_a_w5500_takes_little_more_than_its_chip(state: str, module_ma: float) -> None:
    assert milliamperes("w5500", state) == pytest.approx(module_ma, rel=MOST_OFF)


def test_every_current_says_what_it_is_and_where_it_is_from() -> None:
    for part in TABLE.values():
        assert all(state["meaning"] and state["source"] for state in part["states"].values())


@pytest.fixture(scope="module")
def ran(firmware: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of boards with and without known currents."""
    folder = tmp_path_factory.mktemp("energy")
    echo = "pingpong_client"
    (folder / "suite.toml").write_text(
        f'[boards.polls]\nfirmware = "w5500-evb-pico/{echo}-lwip_raw.elf"\nskip = 1\nsamples = 40\n'
        'bounds = { energy = "<= 1 uJ" }\n'
        '[boards.waits]\nfirmware = "w5500-evb-pico/http_server-hardware.elf"\nmeasure = "latency"\n'
        'traffic = ["http to=board requests=3 rate=1"]\nbounds = { energy = "<= 1 J" }\n'
        f'[boards.uno]\nboard = "arduino-uno-w5100"\nfirmware = "arduino-uno-w5100/{echo}-small.elf"\nskip = 1\n'
        "samples = 5\n"
        + "".join(
            f'[boards.{chip}]\nboard = "goldilocks-1284p-{chip}"\n'
            f'firmware = "goldilocks-1284p-{chip}/{echo}-small.elf"\nskip = 1\nsamples = 5\n'
            for chip in ("w5100", "w5200")
        ),
        encoding="utf-8",
    )
    airwire.run(folder / "suite.toml", firmware=firmware, out=folder / "run")
    return folder / "run"


def energy_of(run: Path, name: str) -> BoardEnergy:
    (row,) = (row for row in airwire.rows_of_boards(airwire.load_run(run)) if row.path == name)
    assert row.target.energy is not None
    return row.target.energy


def milliamperes_of(part: PartEnergy) -> float:
    return part.coulombs * 1e3 / (sum(state.time_ps for state in part.states) / S)


def test_messages_one_after_the_other_take_power_for_as_long_as_they_last(ran: Path) -> None:
    found = energy_of(ran, "polls")
    assert found.message_j is not None and found.mean_a is not None
    (row,) = (row for row in airwire.rows_of_boards(airwire.load_run(ran)) if row.path == "polls")
    assert row.latency_ps is not None
    assert found.every_ps == pytest.approx(row.latency_ps["mean"], rel=0.05)
    # All of this board is at 3.3 V.
    assert found.message_j == pytest.approx(found.mean_a * 3.3 * found.every_ps / S)
    rp2040, w5500 = found.parts
    assert 128 < milliamperes_of(w5500) < 132
    asleep, running = (milliamperes("rp2040", state, 133, awake) for state, awake in (("asleep", 0), ("running", 1)))
    assert asleep < milliamperes_of(rp2040) <= running
    assert [sum(state.time_ps for state in part.states) for part in found.parts] == [found.time_ps] * 2


def test_a_board_that_waits_for_an_interrupt_sleeps_between_messages(ran: Path) -> None:
    found = energy_of(ran, "waits")
    assert found.every_ps == pytest.approx(S, rel=0.01)
    times = {state.state: state.time_ps for state in found.parts[0].states}
    assert times["asleep"] / found.time_ps > 0.99
    assert milliamperes_of(found.parts[0]) == pytest.approx(milliamperes("rp2040", "asleep", 133), rel=0.01)


def test_a_part_whose_currents_nobody_has_is_named(ran: Path) -> None:
    uno, w5100, w5200 = (energy_of(ran, name) for name in ("uno", "w5100", "w5200"))
    assert [part.part for part in uno.parts] == ["ATmega328P"] and list(uno.without) == ["the W5100"]
    # 5.2 mA at 8 MHz and 1.243 mA of the modules, at 16 MHz: it never sleeps.
    assert milliamperes_of(uno.parts[0]) == pytest.approx(2 * (5.2 + 1.243), rel=0.01)
    assert (w5100.message_j, list(w5100.without)) == (None, ["the ATmega1284P", "the W5100"])
    (row,) = (row for row in airwire.rows_of_boards(airwire.load_run(ran)) if row.path == "w5100")
    assert board_energy(row.target) == "no current is known of the ATmega1284P and the W5100"
    assert list(w5200.without) == ["the ATmega1284P"]
    # With a link of 100 Mbit/s, sending or not (W5200 datasheet 1.2.7, 7.3).
    assert milliamperes_of(w5200.parts[0]) == pytest.approx(160, rel=0.001)


def test_a_bound_on_the_energy_of_a_board_is_held_or_broken(ran: Path) -> None:
    rows = {row.path: row for row in airwire.rows_of_boards(airwire.load_run(ran))}
    (broken,), (held,) = rows["polls"].bounds, rows["waits"].bounds
    assert (broken.holds, held.holds) == (False, True)
    assert broken.measured == rows["polls"].target.energy_j


def test_the_manifest_has_the_energy_of_a_row(ran: Path) -> None:
    rows = json.loads((ran / "manifest.json").read_text())["rows"]
    assert rows[0]["energy"]["per"] == "message" and rows[0]["energy"]["messages"] > 1


def test_a_board_tells_what_it_took_since_it_was_started(firmware: Path) -> None:
    board = airwire.Board("w5500-evb-pico")
    board.load(firmware / "w5500-evb-pico/http_server-hardware.elf")
    report = board.run("3s")
    used = report.energy
    states = {state.state: state.time_ps for state in used.parts[1].states}
    # Negotiation takes 2 s, and begins anew where the driver resets the chip.
    assert 2 * S < states["no link"] < 3 * S
    assert sum(states.values()) == report.time_ps
    assert sum(share for _, share in used.shares()) == pytest.approx(1)
