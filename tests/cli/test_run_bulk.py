"""``airwire run`` with bulk transfers: what bounds each, against figures that follow from somewhere else."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from board_suites import run_rows, write

from artefacts import REPOSITORY, locked

Airwire = Callable[..., subprocess.CompletedProcess[str]]
Row = dict[str, Any]

OPTIONS = REPOSITORY / "build" / "test-options"
"""Images with single options of lwIP, which stay from session to session: what has not changed is not built again."""
IN = 'traffic = [{ kind = "bulk", to = "board:9", time = "1s", interval = "100ms" }]'
OUT = 'traffic = [{ kind = "bulk", to = "board:19", send = "0 B", interval = "100ms" }]'
FAR = 'network = { cable = { impair = "delay=0.5ms" } }'
MEASURE = 'measure = "bulk"\nsamples = 6\nlimit = "8 s"'
LONGER = MEASURE.replace("samples = 6", "samples = 9")

WORK_NS, MORE_WORK_NS = 200, 300
"""What the processor does with each byte, beyond what firmware has to do: so that it is the limit."""


def received_by(image: str, settings: str = "") -> str:
    """What an image on the fast controller takes in from a PC half a millisecond away."""
    return f'board = "ideal-mac"\nfirmware = "ideal-mac/{image}.elf"\n{settings}\n{FAR}\n{IN}\n'


# lwIP's own settings have TCP_MSS 536 and a TCP_WND of four of them; the published ones 1460 and eleven.
WINDOW = received_by("sink-lwip_raw-default")
PROCESSOR = received_by("sink-lwip_raw-published", f'settings = {{ byte_work_ns = "{WORK_NS} ns" }}')
ROWS = f"""
[boards.window]
{WINDOW}{MEASURE}
[boards.window-long]
{WINDOW}{LONGER}
[boards.window-farther]
same_but = "window"
network = {{ cable = {{ impair = "delay=1ms" }} }}
[boards.processor]
{PROCESSOR}{MEASURE}
[boards.processor-long]
{PROCESSOR}{LONGER}
[boards.processor-slow]
same_but = "processor"
settings = {{ byte_work_ns = "{MORE_WORK_NS} ns" }}
[boards.processor-near]
same_but = "processor"
network = {{ cable = {{ impair = "delay=0.25ms" }} }}
[boards.cable]
same_but = "processor"
network = {{ cable = {{ speed = "10 Mbit/s" }} }}
[boards.bus]
firmware = "w5500-evb-pico/streams-hardware.elf"
settings = {{ spi_hz = "8 MHz" }}
{IN}
{MEASURE}
[boards.bus-fast]
same_but = "bus"
settings = {{ spi_hz = "16 MHz" }}
[boards.bus-far]
same_but = "bus"
network = {{ cable = {{ impair = "delay=0.1ms" }} }}
[boards.bus-w5100]
same_but = "bus"
board = "pico-w5100"
firmware = "pico-w5100/streams-hardware.elf"
[boards.bus-slow]
same_but = "bus-w5100"
settings = {{ spi_hz = "2 MHz" }}
[boards.out]
firmware = "w5500-evb-pico/streams-hardware.elf"
{FAR}
{OUT}
{MEASURE}
[boards.out-near]
same_but = "out"
network = {{}}
[boards.lossy]
firmware = "w5500-evb-pico/streams-lwip_raw.elf"
network = {{ cable = {{ impair = "loss=3%" }} }}
{IN}
{MEASURE}
"""


@pytest.fixture(scope="module")
def run_folder(firmware: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Row]]:
    """The rows, run once: their folder and their JSON."""
    return run_rows(tmp_path_factory.mktemp("bulk"), ROWS, firmware)


@pytest.fixture(scope="module")
def rows(run_folder: tuple[Path, dict[str, Row]]) -> dict[str, Row]:
    return run_folder[1]


def rate(row: Row) -> float:
    """What passed while the row was traced: its own figure counts what the PC put into its buffer."""
    found: float = row["bulk"]["payload_bits_per_second"]
    return found


def first(row: Row) -> Row:
    found: Row = row["causes"][0]
    return found


def test_a_full_window_is_named_with_the_bound_that_window_and_round_trip_give(rows: dict[str, Row]) -> None:
    row, bulk = rows["window"], rows["window"]["bulk"]
    assert first(row)["cause"] == "receive_window"
    assert (bulk["sender"], bulk["stack"], bulk["segment_bytes"]) == ("pc", "firmware", 536)
    assert bulk["window_bytes"] == bulk["under_way_bytes"] == 4 * 536
    assert " waits for the board's window of 2144 B: raise TCP_WND, and TCP_MSS from 536; " in row["verdict"]
    assert " 2144 B a round trip of " in row["verdict"] and "of the wait is delay of the cable" in row["verdict"]
    bound = 8 * 2144 / bulk["round_trip_ps"] * 1e12
    assert 0.9 * bound < rate(row) <= bound
    # The PC's own account of what was in its way has the same.
    assert bulk["limits"]["receive_window"] == pytest.approx(bulk["window_full_share"], abs=0.1)
    assert row["floor"] is None and "Floor" not in row["verdict"]


def test_a_longer_way_slows_a_full_window_down_as_the_round_trip_says(rows: dict[str, Row]) -> None:
    near, far = rows["window"], rows["window-farther"]
    assert first(far)["cause"] == "receive_window" and first(far)["ps"] > first(near)["ps"]
    # Half a millisecond more each way.
    trip = near["bulk"]["round_trip_ps"]
    assert far["bulk"]["round_trip_ps"] == pytest.approx(trip + 1e9, rel=0.02)
    assert rate(far) == pytest.approx(rate(near) * trip / (trip + 1e9), rel=0.03)


@pytest.mark.slow
def test_the_option_that_is_named_helps_and_another_does_not(
    airwire: Airwire, firmware: Path, rows: dict[str, Row], tmp_path: Path
) -> None:
    images = options(firmware, ("TCP_WND", "TCP_SND_BUF"))
    row = f'board = "ideal-mac"\n{FAR}\n{IN}\n{MEASURE}\n'
    text = "".join(f'[boards.{name}]\nfirmware = "{image.name}"\n{row}' for name, image in images.items())
    done = airwire("run", write(tmp_path, text), "--firmware", OPTIONS, "--out", "run", "--json")
    assert done.returncode == 0, done.stderr
    found = {row["row"]: row for row in json.loads(done.stdout)["boards"]}
    assert rate(found["TCP_WND"]) > 2 * rate(rows["window"])
    assert rate(found["TCP_SND_BUF"]) == pytest.approx(rate(rows["window"]), rel=1e-3)


def options(firmware: Path, names: tuple[str, ...]) -> dict[str, Path]:
    """The sink by lwIP's defaults with one option as published each."""
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("arm-none-eabi-gcc is not on this machine (Debian: gcc-arm-none-eabi)")
    built = OPTIONS
    configure = ["cmake", "-S", str(REPOSITORY / "firmware"), "-B", str(built), "-G", "Ninja"]
    configure += ["-DCMAKE_TOOLCHAIN_FILE=cmake/arm-none-eabi.cmake"]
    configure += [f"-DBOARD_DIR={firmware / 'ideal-mac' / 'generated'}"]
    images = {name: built / f"sink-lwip_raw-with-{name}.elf" for name in names}
    build = ["cmake", "--build", str(built), "--target", *(one.stem for one in images.values())]
    with locked(built):
        for command in (configure, build):
            subprocess.run(command, env=tools, check=True, capture_output=True)
    return images


def test_a_processor_at_its_limit_is_named_although_the_window_is_full(rows: dict[str, Row]) -> None:
    row = rows["processor"]
    assert row["bulk"]["window_full_share"] > 0.8
    # What stands for the work of another processor is a loop that looks at the clock.
    assert first(row)["cause"] == "busy_wait" and "waits for the clock in " in row["verdict"]
    # More of the declared work costs just that on each byte of a frame, 1514 for 1460 of payload; half the way nothing.
    more_ns = 8e9 / rate(rows["processor-slow"]) - 8e9 / rate(row)
    assert more_ns == pytest.approx((MORE_WORK_NS - WORK_NS) * 1514 / 1460, rel=0.05)
    assert rate(rows["processor-near"]) == pytest.approx(rate(row), rel=0.03)
    assert rate(row) > 1.5 * rate(rows["window"])


def test_the_processors_share_is_that_of_its_idle_counter(
    rows: dict[str, Row], run_folder: tuple[Path, dict[str, Row]]
) -> None:
    for name in ("window", "processor"):
        # The start is the same in both, so that the difference is transfer alone.
        short, long = rows[name], rows[f"{name}-long"]
        worked = [row["end_ps"] * row["counts"]["busy_share_core0"] for row in (short, long)]
        busy = (worked[1] - worked[0]) / (long["end_ps"] - short["end_ps"])
        awake = (pl.col("cause") == "cpu") | (pl.col("subject") == "clock")
        traced = stages(run_folder[0], name).filter(awake).select(pl.col("share").sum()).item()
        assert traced == pytest.approx(busy, rel=0.05), name


def stages(folder: Path, name: str) -> pl.DataFrame:
    """The share of each stage of a row in all that was traced of it."""
    spans = pl.read_parquet(folder / "spans" / "*.parquet").filter(pl.col("run") == name)
    length = (pl.col("end_ps") - pl.col("start_ps")).sum()
    whole = spans.select(length).item()
    return (
        spans.group_by("cause", "site", "subject", "detail")
        .agg((length / whole).alias("share"))
        .sort("share", descending=True)
    )


def test_the_stages_of_an_interval_fill_it_to_the_picosecond(run_folder: tuple[Path, dict[str, Row]]) -> None:
    folder, rows = run_folder
    spans = pl.read_parquet(folder / "spans" / "*.parquet")
    samples = pl.read_parquet(folder / "samples" / "*.parquet")
    length = (pl.col("end_ps") - pl.col("start_ps")).sum().alias("ps")
    totals = spans.group_by("run", "index").agg(length).join(samples, on=["run", "index"])
    assert set(totals["run"]) == set(rows)
    assert totals["ps"].to_list() == totals["latency_ps"].to_list()
    unexplained = spans.filter(pl.col("cause") == "empirical").select(length).item() or 0
    assert unexplained < 1e-3 * spans.select(length).item()


def test_the_bus_is_named_with_its_ceiling(rows: dict[str, Row]) -> None:
    row, bulk = rows["bus"], rows["bus"]["bulk"]
    assert first(row)["cause"] == "bus" and bulk["stack"] == "chip"
    assert ": raise SCK to 33.3 MHz; " in row["verdict"]
    assert "The chip takes 33.3 MHz, at which SPI carries at most " in row["verdict"]
    # A segment of 1460 B costs its header of 3 B and some registers; SCK is what the divider of 133 MHz gives.
    assert 1 + 3 / 1460 < bulk["bus_bytes_per_payload_byte"] < 1.05
    assert bulk["bus_ceiling_bits_per_second"] == pytest.approx(133e6 / 18 / bulk["bus_bytes_per_payload_byte"])
    assert 0.85 < rate(row) / bulk["bus_ceiling_bits_per_second"] < 1
    assert f"SPI ceiling {bulk['bus_ceiling_bits_per_second'] / 1e6:.3f} Mbit/s (SCK 7.39 MHz, 1.0" in row["verdict"]
    fast = rows["bus-fast"]
    ceilings = fast["bulk"]["bus_ceiling_bits_per_second"] / bulk["bus_ceiling_bits_per_second"]
    assert ceilings == pytest.approx(18 / 10, rel=0.01) and rate(fast) / rate(row) == pytest.approx(ceilings, rel=0.06)
    assert rate(rows["bus-far"]) == pytest.approx(rate(row), rel=0.01)


def test_a_w5100_moves_four_bytes_for_each(rows: dict[str, Row]) -> None:
    # Datasheet 6.3.2: opcode, two bytes of address, one byte of data.
    assert rows["bus-w5100"]["bulk"]["bus_bytes_per_payload_byte"] == pytest.approx(4, abs=0.15)
    assert first(rows["bus-w5100"])["cause"] == "bus"


def test_a_board_so_slow_that_intervals_pass_without_a_byte_is_explained_as_well(
    rows: dict[str, Row], run_folder: tuple[Path, dict[str, Row]]
) -> None:
    """The PC's buffer takes a block at a time, and the board is busy with it for several intervals."""
    samples = pl.read_parquet(run_folder[0] / "samples" / "*.parquet").filter(pl.col("run") == "bus-slow")
    assert samples.filter(pl.col("payload_bytes") == 0).height >= 2
    assert first(rows["bus-slow"])["cause"] == "bus" and rows["bus-slow"]["bulk"]["window_bytes"] == 2048


def test_a_slow_cable_is_full(rows: dict[str, Row]) -> None:
    row = rows["cable"]
    assert first(row)["cause"] == "wire" and "is the full cable of 10.00 Mbit/s" in row["verdict"]
    # 38 bytes around each frame: preamble, header, check sequence, gap (IEEE 802.3); 40 of IPv4 and TCP.
    assert 0.93 < rate(row) / (10e6 * 1460 / 1538) <= 1


def test_a_board_that_sends_waits_for_acknowledgements(rows: dict[str, Row]) -> None:
    far, near = rows["out"], rows["out-near"]
    waited = next(cause for cause in far["causes"] if cause["cause"] == "send_buffer")
    assert far["bulk"]["sender"] == "board" and far["bulk"]["under_way_bytes"] == 4096
    assert "waits for acknowledgements with 4096 B under way" in far["verdict"]
    assert (
        waited["change"] == "give the socket more send memory"
        and "Sn_TXBUF_SIZE" in far["verdict"]
        and waited["ps"] > 0.3e11
    )
    assert rate(far) <= 8 * 4096 / far["bulk"]["round_trip_ps"] * 1e12
    # Without the delay that wait is gone, and what it took is there for SPI.
    assert first(near)["cause"] == "bus" and rate(near) > 1.6 * rate(far)
    assert "waits for acknowledgements" not in near["verdict"]


def test_what_is_lost_is_named(rows: dict[str, Row]) -> None:
    assert rows["lossy"]["bulk"]["repeated_segments"] > 0
    assert "is silence until the PC sends again" in rows["lossy"]["verdict"]


def test_the_report_says_the_same(airwire: Airwire, run_folder: tuple[Path, dict[str, Row]], tmp_path: Path) -> None:
    folder, rows = run_folder
    done = airwire("report", folder, "--out", tmp_path / "report.html")
    assert done.returncode == 0, done.stderr
    page = unescape(re.sub(r"<[^>]+>", "", (tmp_path / "report.html").read_text())).replace("\xa0", " ")
    for name in ("window", "processor", "bus", "out"):
        said = rows[name]["verdicts"][0]
        for sentence in (said["line"], *said["details"]):
            assert sentence.replace(" -> ", " → ") in page, (name, sentence)
    explained = json.loads(airwire("explain", folder, "--json").stdout)["rows"]
    assert {row["row"]: row["sentence"] for row in explained} == {name: row["verdict"] for name, row in rows.items()}
