"""``airwire tune``: what it writes is what it measured, and what cannot be searched is refused in one sentence."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import airwire as package
from artefacts import NO_COMPILER

Airwire = Callable[..., subprocess.CompletedProcess[str]]
SUITE = Path(__file__).resolve().parents[2] / "suites" / "published.toml"
LORA = ("tune", "lora", "--payload", "12B", "--goal", "min p95", "--cache", "cache", "--samples", "200")
OWN_FILE = """\
#ifndef LWIPOPTS_H
#define LWIPOPTS_H
#define NO_SYS 1
#define TCP_MSS 1460
#define TCP_WND (3 * TCP_MSS) /* small */
#define PBUF_POOL_SIZE 40
#define MEM_SIZE (16 * 1024)
#endif
"""


def parsed(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert result.returncode == 0, result.stderr
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def without_folders(content: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name != "files"}


def refused(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 2, result.stdout
    assert len(result.stderr.splitlines()) == 1
    return result.stderr


def test_the_answer_is_the_best_of_all_combinations(airwire: Airwire) -> None:
    told = parsed(
        airwire(*LORA, "--knob", "sf=6,7,8,9", "--knob", "bandwidth=125 kHz,500 kHz", "--out", "out", "--json")
    )
    assert told["schema"] == "airwire.tune/1"
    means = {}
    for sf in ("7", "8", "9"):
        for bandwidth in ("125 kHz", "500 kHz"):
            means[sf, bandwidth] = package.link_budget("lora", 12, {"sf": sf, "bandwidth": bandwidth}).total_ps
    changed = {knob["name"]: knob["after"] for knob in told["knobs"]}
    assert min(means, key=lambda one: means[one]) == (changed["sf"], changed["bandwidth"])
    # A spreading factor of 6 takes the implicit header (SX1276 datasheet, 4.1.1.2), which may not change here.
    assert told["refused"] == 2
    assert told["measured"] == 6
    assert told["after"]["figures"]["p95"] < told["before"]["figures"]["p95"]


def test_a_value_that_the_link_does_not_take_is_told(airwire: Airwire) -> None:
    done = airwire(*LORA, "--knob", "sf=7,99", "--out", "out")
    said = " ".join(done.stdout.split())
    assert "No candidate with sf 99 could be measured: sf is 99, but it takes a whole number from 6 to 12." in said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("lora.toml", "--board", "pico"), "is a suite, which says that itself, and has no use for board"),
        (("lora.toml", "--firmware", "."), "lora is a row of a link, and has no use for firmware"),
        (("image.elf", "--payload", "12B", "--traffic", "ping to=board"), "is an image, and has no use for payload"),
        (("capture.csv",), "this is no suite, as it is no TOML"),
    ],
)
def test_what_a_target_has_no_use_for_is_refused(
    airwire: Airwire, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    (tmp_path / "lora.toml").write_text("payloads = [12]\n[links.lora]\n", encoding="utf-8")
    (tmp_path / "image.elf").write_bytes(b"\x7fELF")
    (tmp_path / "capture.csv").write_text("Time [s],D0,D1\n0,0,0\n", encoding="utf-8")
    assert told in refused(airwire("tune", *words, "--cache", "cache"))


def test_the_written_suite_gives_what_was_told(airwire: Airwire) -> None:
    told = parsed(airwire(*LORA, "--budget", "24", "--set", "loss_site=office", "--out", "out", "--json"))
    run = parsed(airwire("run", "out/tuned.toml", "--out", "run", "--json"))
    values = {row["metric"]: row["value"] for row in run["rows"]}
    assert values["latency_p50"] == pytest.approx(told["after"]["figures"]["p50"], rel=0.01), values


def test_a_seed_gives_the_same_whatever_the_workers_and_a_second_run_measures_nothing(airwire: Airwire) -> None:
    goals = ("--goal", "min airtime", "--budget", "24", "--seed", "7")
    one = parsed(airwire(*LORA, *goals, "--workers", "1", "--out", "one", "--json"))
    (again,) = [airwire(*LORA, *goals, "--workers", "2", "--out", "again")]
    assert re.search(r"; 0 of these measurements now", again.stdout), again.stdout
    fresh = ("tune", *LORA[1:-4], "--cache", "other", "--samples", "200")
    two = parsed(airwire(*fresh, *goals, "--workers", "2", "--out", "two", "--json"))
    assert without_folders(one) == without_folders(two)


def test_bounds_hold_for_the_answer_and_not_for_all(airwire: Airwire, tmp_path: Path) -> None:
    bounds = ("--subject-to", "airtime<=20ms", "--subject-to", "loss<=5%")
    told = parsed(airwire(*LORA, *bounds, "--budget", "40", "--out", "out", "--json"))
    assert told["after"]["figures"]["airtime"] <= 20e9
    candidates = json.loads((tmp_path / "out" / "candidates.json").read_text(encoding="utf-8"))["candidates"]
    assert any(one["figures"].get("airtime", 0) > 20e9 for one in candidates)


def test_the_report_draws_every_candidate_and_is_the_same_each_time(airwire: Airwire, tmp_path: Path) -> None:
    pages = []
    for name in ("a", "b"):
        done = airwire(*LORA, "--budget", "16", "--out", name, "--report", f"{name}.html")
        assert done.returncode == 0, done.stderr
        pages.append((tmp_path / f"{name}.html").read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
    assert "Pareto picture" in pages[0]
    assert "What each knob is worth" in pages[0]
    assert "data-figure='pareto'" in pages[0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--budget", "0"), "the budget is 0 candidates"),
        (("--goal", "max througput"), "the nearest is throughput"),
        (("--goal", "max p95"), "write `min p95`"),
        (("--goal", "min ram"), "lora, 128 B has no ram"),
        (("--knob", "sff=7"), "the nearest is sf"),
        (("--subject-to", "p95=5ms"), "write a figure, <= or >=, and a limit"),
        (("--subject-to", "p95<=5"), "p95<=5"),
        (("--subject-to", "p95<=1us", "--goal", "min p95", "--samples", "100"), "keeps p95<=1us; the nearest has p95"),
        (("--set", "sff=7"), "sff"),
        (("--lwipopts", "absent.h"), "absent.h"),
        (("--traffic", "ping to=board"), "lora is a link, and has no use for traffic; leave it out"),
        (("--board", "pico"), "has no use for board"),
        (("--impair", "loss=1%"), "has no use for impair"),
        (("--firmware", "."), "has no use for firmware"),
        (("--only", "lora"), "has no use for only"),
    ],
)
def test_what_cannot_be_searched_is_refused(airwire: Airwire, words: tuple[str, ...], told: str) -> None:
    assert told in refused(airwire("tune", "lora", "--budget", "8", "--cache", "cache", *words))


def test_a_suite_is_told_to_name_one_entry_and_an_unknown_one_has_a_neighbour(airwire: Airwire) -> None:
    assert "name it with --only" in refused(airwire("tune", "published"))
    assert "the nearest is pingpong" in refused(airwire("tune", "published", "--only", "pingpnog"))


def test_without_a_compiler_it_is_said_what_to_install(firmware: Path, tmp_path: Path) -> None:
    image = firmware / "ideal-mac" / "sink-lwip_raw-default.elf"
    words = ["--board", "ideal-mac", "--traffic", "bulk to=board:9 time=1s", "--cache", str(tmp_path / "cache")]
    command = [str(Path(sys.executable).with_name("airwire")), "tune", str(image), *words]
    done = subprocess.run(command, env={**os.environ, "PATH": "/nowhere"}, capture_output=True, text=True, check=False)
    assert "arm-none-eabi-gcc is not on this machine" in refused(done)


def test_an_image_without_traffic_is_asked_for_it(airwire: Airwire, firmware: Path) -> None:
    image = firmware / "w5500-evb-pico" / "ping-lwip_raw.elf"
    assert "give its traffic" in refused(airwire("tune", image))


def test_settings_of_a_driver_are_tuned_by_its_figure(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    """Without an interrupt the wait is even over the poll period: the shortest is best, and takes most energy."""
    told = parsed(
        airwire(
            "tune",
            firmware / "w5500-evb-pico" / "ping-lwip_raw.elf",
            "--traffic",
            "ping to=board count=200 interval=13.7183ms",
            "--set",
            "wiznet_int=off",
            "--knob",
            "wiznet_poll_us=250,5000,20000",
            "--goal",
            "min mean",
            "--cache",
            "cache",
            "--impair",
            "delay=0.1ms",
            "--board",
            "w5500-evb-pico",
            "--out",
            "out",
            "--json",
        )
    )
    (knob,) = told["knobs"]
    assert knob["after"] == "250"
    found = json.loads((tmp_path / "out" / "candidates.json").read_text())["candidates"]
    energy = {one["values"]["wiznet_poll_us"]: one["figures"]["energy"] for one in found}
    assert energy["250"] > energy["1000"] > energy["5000"] > energy["20000"]


@pytest.fixture
def compiler() -> None:
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip(NO_COMPILER)


@pytest.mark.usefixtures("compiler")
def test_a_file_that_lwip_refuses_or_the_compiler_cannot_read_is_told(
    airwire: Airwire, firmware: Path, tmp_path: Path
) -> None:
    words = ("tune", SUITE, "--only", "options-default", "--firmware", firmware, "--cache", "cache", "--workers", "1")
    own = tmp_path / "mine.h"
    own.write_text(OWN_FILE.replace("(3 * TCP_MSS)", "(60 * TCP_MSS)"), encoding="utf-8")
    assert "TCP_WND must fit in an u16_t" in refused(airwire(*words, "--lwipopts", own))
    own.write_text(OWN_FILE.replace("#define NO_SYS 1", '#include "nowhere.h"'), encoding="utf-8")
    assert f"{own}:3: nowhere.h" in refused(airwire(*words, "--lwipopts", own))
    own.write_text("#define LWIP_IPV6 1\n", encoding="utf-8")
    assert "it sets none of the options" in refused(airwire(*words, "--lwipopts", own))


def test_ctrl_c_keeps_what_was_measured_and_the_next_run_goes_on(tmp_path: Path) -> None:
    words = ["tune", "lora", "--payload", "1KiB", "--samples", "20000", "--cache", "cache", "--goal", "min p95"]
    command = [str(Path(sys.executable).with_name("airwire")), *words]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while len(list((tmp_path / "cache").glob("measured/*.json"))) < 9 and time.monotonic() < until:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=120)
    assert running.returncode == 130, errors
    assert "the same command goes on from there" in errors


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_the_published_tuning_is_beaten_with_less_memory(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    """The wire's payload is 1460 of 1538 bytes of 100 Mbit/s; the published options are those of seven by hand."""
    row = parsed(
        airwire("run", SUITE, "--only", "options-tuned", "--only", "options-default", "--firmware", firmware, "--json")
    )
    published = next(one["value"] for one in row["rows"] if one["row"] == "options-tuned")
    default, tuned = (ram_of(firmware / "ideal-mac" / f"sink-lwip_raw-{name}.elf") for name in ("default", "published"))
    bound = ("--subject-to", f"ram<={tuned}B")
    words = ("--only", "options-default", "--firmware", firmware, "--budget", "60", "--out", "out", "--json")
    found = parsed(airwire("tune", SUITE, *words, *bound, "--cache", "cache"))
    figures = found["after"]["figures"]
    assert figures["throughput"] >= 0.95 * 1e8 * 1460 / 1538
    assert figures["throughput"] >= published
    assert figures["ram"] - default <= (tuned - default) / 2
    # The written file makes the same image: it is built in the place of the firmware's own.
    assert "#define TCP_MSS 1460" in (tmp_path / "out" / "lwipopts.h").read_text(encoding="utf-8")


def ram_of(image: Path) -> int:
    """All of the RAM of an image, as the cross compiler's tool has it."""
    told = subprocess.run(["arm-none-eabi-size", "-A", image], capture_output=True, text=True, check=True).stdout
    sections = re.findall(r"^\.\S+\s+(\d+)\s+(\d+)", told, re.MULTILINE)
    return sum(int(size) for size, address in sections if 0x2000_0000 <= int(address) < 0x4000_0000)
