"""A board beside its virtual twin. A virtual board in real time stands in the place of the real one; what differs is
changed behind the twin's back: the verdict names it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from test_serve import served, wait_for

Airwire = Callable[..., subprocess.CompletedProcess[str]]
IMAGE = "w5500-evb-pico/pingpong_server-hardware.elf"


SLOW = ("wiznet_int=off", "wiznet_poll_us=20000")
"""So slow that it does not matter how busy this machine is."""


def beside_its_twin(
    airwire: Airwire, firmware: Path, folder: Path, behind: Sequence[str], told: Sequence[str] = ()
) -> tuple[int, dict[str, Any]]:
    """What the twin says of a board that runs with settings ``behind`` its back, where it is ``told`` others."""
    log = folder / "serve.log"
    settings, own = ([word for one in of for word in ("--set", one)] for of in (behind, told))
    with served(firmware, log, *settings, "--forward", "0:5000", name=IMAGE):
        content = wait_for(log, "ready at")
        address = content.split(" leads to port 5000")[0].split()[-1].removeprefix("http://").rstrip("/")
        done = airwire(
            "twin",
            firmware / IMAGE,
            "--address",
            address,
            "--samples",
            "100",
            "--out",
            "run",
            "--report",
            "twin.html",
            "--json",
            *own,
        )
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, found


def test_a_twin_explains_the_board_that_is_as_its_image_says(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    code, found = beside_its_twin(airwire, firmware, tmp_path, behind=SLOW, told=SLOW)

    assert (code, found["agrees"], found["suspects"]) == (0, True, []), found["verdict"]
    kinds = [part["kind"] for part in found["parts"]]
    assert {"bus", "cpu", "chip", "wire", "gate", "computer"} <= set(kinds)
    total = sum(part["ps"] for part in found["parts"]) + found["open_ps"]
    assert total == pytest.approx(found["real"]["latency_ps"]["p50"])
    page = (tmp_path / "twin.html").read_text()
    assert f"<p class='result' id='result'>{found['verdict'].split(':')[0]}" in page, (
        "the report begins with the verdict"
    )
    picture = page[page.index("id='picture'") : page.index("id='rows'")]
    assert all(f"<span>{name}</span>" in picture for name in ("the bus to the chip", "this computer", "stays open"))


@pytest.mark.parametrize(
    ("behind", "cause", "setting", "value"),
    [
        pytest.param(("spi_hz=100 kHz",), "bus", "spi_hz", "100 kHz", marks=pytest.mark.slow),
        (SLOW, "gate", "wiznet_poll_us", "20000"),
    ],
)
def test_the_verdict_names_what_was_changed_behind_the_twins_back(
    airwire: Airwire, firmware: Path, tmp_path: Path, behind: tuple[str, ...], cause: str, setting: str, value: str
) -> None:
    code, found = beside_its_twin(airwire, firmware, tmp_path, behind)

    assert (code, found["agrees"]) == (1, False)
    first = found["suspects"][0]
    assert (first["cause"], first["change"][setting]) == (cause, value), found["verdict"]
    assert first["after_ps"] > 5 * max(first["before_ps"], 1e6)


def test_a_board_that_is_not_there_is_one_sentence(airwire: Airwire, firmware: Path) -> None:
    done = airwire("twin", firmware / IMAGE, "--address", "127.0.0.1:1")

    assert done.returncode == 2 and "connection refused at 127.0.0.1:1" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_image_that_asks_nothing_has_no_twin(airwire: Airwire, firmware: Path) -> None:
    done = airwire("twin", firmware / "w5500-evb-pico/gpio_handlers.elf", "--address", "127.0.0.1")

    assert done.returncode == 2 and "has no twin: " in done.stderr
