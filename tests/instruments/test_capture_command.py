"""``airwire capture`` with sigrok-cli: the demo device, sessions again, and a stand-in that does what hardware does."""

from __future__ import annotations

import contextlib
import json
import os
import pty
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
from stand_in_sigrok import install, latencies_us

import airwire as package

Airwire = Callable[..., subprocess.CompletedProcess[str]]
PS_PER_US = 10**6
needs_sigrok = pytest.mark.skipif(shutil.which("sigrok-cli") is None, reason="sigrok-cli is not installed")


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put a sigrok-cli with the behaviour that a test names before all others."""

    def put(**does: Any) -> None:
        folder = install(tmp_path / "bin", **does)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return put


def captured(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(result.stdout)
    assert content["schema"] == "airwire.capture/1"
    return content


def test_it_runs_until_there_are_enough_pairs_and_keeps_the_capture(
    airwire: Airwire, stand_in: Callable[..., None], tmp_path: Path
) -> None:
    stand_in(messages=400, waits=True)
    content = captured(
        airwire(
            "capture", "--instrument", "sigrok:x", "--samples", "250", "--out", "12B.csv", "--rate", "1MHz", "--json"
        )
    )
    (capture,) = content["captures"]
    paired = capture["outcomes"]["paired"]
    assert paired >= 250 and capture["outcomes"]["missed"] <= 1
    assert (content["ended"], content["sample_rate_hz"], capture["payload_bytes"]) == ("enough", 1_000_000, 12)
    frame = package.analyze(tmp_path / "12B.csv", trigger="D0", done="D1").captures[0].samples
    latencies = frame.filter(frame["outcome"] == "paired")["latency_ps"].to_list()
    assert latencies == [us * PS_PER_US for us in latencies_us(paired)]


def test_it_reports_what_analyze_says_of_the_capture(
    airwire: Airwire, stand_in: Callable[..., None], tmp_path: Path
) -> None:
    stand_in(messages=300)
    said = airwire(
        "capture", "--instrument", "sigrok:x/a.sr", "--samples", "300", "--out", "a.vcd.gz", "--run-folder", "run"
    )
    assert said.returncode == 0, said.stderr
    of_capture = captured_part(said.stdout)
    of_analysis = captured_part(airwire("analyze", "a.vcd.gz", "--trigger", "D0", "--done", "D1").stdout)
    assert of_capture == of_analysis
    assert "Capture: a.vcd.gz\n" in said.stdout and "Run folder: run" in said.stdout
    assert package.load_run(tmp_path / "run").captures[0].outcomes["paired"] == 300


def captured_part(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(("Capture: ", "Run folder: "))]


@pytest.mark.parametrize(("messages", "kept"), [(40, 40), (0, None)])
def test_a_device_that_is_unplugged_leaves_what_it_told(
    airwire: Airwire, stand_in: Callable[..., None], tmp_path: Path, messages: int, kept: int | None
) -> None:
    stand_in(messages=messages, says="sr: fx2lafw: Device has been disconnected.")
    result = airwire("capture", "--instrument", "sigrok:fx2lafw", "--out", "a.csv", "--json")
    assert result.returncode == 2
    assert "sigrok:fx2lafw: the device was unplugged; plug it in again" in result.stderr
    assert (tmp_path / "a.csv").exists() == (kept is not None)
    if kept is not None:
        content = captured(result)
        assert content["ended"] == "gone" and content["captures"][0]["outcomes"]["paired"] == kept
        assert "what it told before is kept and analysed" in result.stderr
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".unfinished")] == []


def test_a_device_without_end_is_asked_in_pieces_whose_gaps_make_no_latency(
    airwire: Airwire, stand_in: Callable[..., None]
) -> None:
    stand_in(messages=300, continuous=False)
    content = captured(airwire("capture", "--instrument", "sigrok:x", "--samples", "800", "--out", "a.csv", "--json"))
    (capture,) = content["captures"]
    assert capture["outcomes"]["paired"] == 900
    assert sum(capture["outcomes"].values()) == 900, "the gaps take no message apart"
    assert capture["latency_ps"]["max"] == 149 * PS_PER_US


def test_pieces_and_messages_that_overtake_the_trigger_do_not_go_together(
    airwire: Airwire, stand_in: Callable[..., None], tmp_path: Path
) -> None:
    stand_in(messages=300, continuous=False)
    result = airwire("capture", "--instrument", "sigrok:x", "--pairing", "fifo", "--out", "a.csv")
    assert result.returncode == 2 and "--pairing fifo needs a capture without gaps" in result.stderr
    assert not (tmp_path / "a.csv").exists()


SAID = {
    "sr: fx2lafw: Failed to open device: LIBUSB_ERROR_ACCESS.": "this user may not open the device",
    "sr: serial-libsp: Error opening port (13): Permission denied.": "this user may not open the device",
    "sr: fx2lafw: Unable to claim USB interface. Another program or driver has already claimed it.": "another program",
    "No devices found.": "the driver finds no device; plug it in",
    "Failed to set device option 'samplerate': not applicable.": "the device does not sample at 7000000 Hz",
    "Something new.": "sigrok-cli ended: Something new; try it by itself: sigrok-cli --driver x --scan",
}


@pytest.mark.parametrize("said", SAID)
def test_what_sigrok_cli_complains_of_is_a_sentence(
    airwire: Airwire, stand_in: Callable[..., None], said: str, tmp_path: Path
) -> None:
    stand_in(says=said)
    result = airwire("capture", "--instrument", "sigrok:x", "--rate", "7MHz")
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("airwire: sigrok:x: ") and SAID[said] in result.stderr
    assert list((tmp_path).glob("captures")) == []


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--instrument", "scope"), "there is no instrument scope; there are sigrok"),
        (("--instrument", "sigrok"), "say which one: sigrok:DRIVER"),
        (("--instrument", "sigrok:x", "--trigger", "D1"), "--trigger and --done name the same channel, D1"),
        (("--instrument", "sigrok:x", "--done", "D9"), "there is no channel D9; it has D0, D1, D2"),
        (("--instrument", "sigrok:x", "--out", "a.sal"), "captures are written as .csv or .vcd"),
        (("--instrument", "sigrok:x", "--out", "kept.csv"), "kept.csv exists already; give --overwrite"),
        (("--instrument", "sigrok:x", "--rate", "24m"), "`24m` is no sample rate"),
        (("--instrument", "sigrok:a/x.sr", "--rate", "1MHz"), "a file has the rate that it was recorded with"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_is_written(
    airwire: Airwire, stand_in: Callable[..., None], tmp_path: Path, given: tuple[str, ...], says: str
) -> None:
    stand_in(messages=30)
    (tmp_path / "kept.csv").write_text("Time [s],mine\n")
    result = airwire("capture", *given)
    assert result.returncode == 2 and says in result.stderr, result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "kept.csv"]
    assert (tmp_path / "kept.csv").read_text() == "Time [s],mine\n"


def test_without_sigrok_cli_it_says_how_to_get_it(
    airwire: Airwire, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = airwire("capture", "--instrument", "sigrok:demo")
    assert result.returncode == 2 and "install it: apt-get install sigrok-cli" in result.stderr


def test_its_time_is_limited_and_fewer_pairs_are_said(airwire: Airwire, stand_in: Callable[..., None]) -> None:
    stand_in(messages=20, waits=True)
    result = airwire("capture", "--instrument", "sigrok:x", "--limit", "1500ms", "--out", "a.csv")
    assert result.returncode == 0
    assert "20 of 1000 pairs came in 1.5 s: 20 trigger and 20 done edges; name a longer --limit" in result.stderr


def test_without_a_pair_there_is_no_result_but_the_capture(
    airwire: Airwire, stand_in: Callable[..., None], tmp_path: Path
) -> None:
    stand_in(messages=20, waits=True)
    result = airwire("capture", "--instrument", "sigrok:x", "--done", "D2", "--limit", "1500ms", "--out", "a.csv")
    assert result.returncode == 2 and (tmp_path / "a.csv").exists()
    assert 'the done channel "D2" never rises from low to high' in result.stderr
    assert "Capture: a.csv" in result.stdout


def test_ctrl_c_keeps_and_analyses_what_was_captured(stand_in: Callable[..., None], tmp_path: Path) -> None:
    stand_in(messages=100_000, pause_s=0.002)
    process = subprocess.Popen(
        [sys.executable, "-m", "airwire.cli", "capture", "--instrument", "sigrok:x", "--out", "a.csv"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # As a terminal does, all in the foreground get the signal: the stand-in must not.
        process_group=0,
    )
    deadline = time.monotonic() + 30
    while not grown(tmp_path) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    printed, complaints = process.communicate(timeout=30)
    assert process.returncode == 130, complaints
    assert "stopped by Ctrl-C; 1 capture was begun and kept" in complaints and "Traceback" not in complaints
    assert "Capture: a.csv" in printed and re.search(r"a\.csv +\d+", printed)
    (capture,) = package.analyze(tmp_path / "a.csv", trigger="D0", done="D1").captures
    assert capture.outcomes["paired"] > 5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "bin"]


def grown(folder: Path) -> bool:
    """Whether the unfinished capture holds some messages; it is written in blocks."""
    return any(path.stat().st_size > 4096 for path in folder.glob(".unfinished*"))


def test_a_terminal_shows_the_pairs_so_far_with_percentiles(stand_in: Callable[..., None], tmp_path: Path) -> None:
    stand_in(messages=300, pause_s=0.002)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "airwire.cli",
            "capture",
            "--instrument",
            "sigrok:x",
            "--samples",
            "250",
            "--out",
            "a.csv",
        ],
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    # Linux reports the end of a terminal as an input/output error.
    with contextlib.suppress(OSError):
        while block := os.read(ours, 65536):
            shown += block
    os.close(ours)
    assert process.wait(30) == 0, shown
    assert re.search(rb"\d+ of 250 pairs, p50 1\d\d\S* us, p95 1\d\d\S* us, p99 1\d\d\S* us, \d s", shown), shown


@needs_sigrok
def test_the_demo_device_is_measured(airwire: Airwire, tmp_path: Path) -> None:
    line = ("capture", "--instrument", "sigrok:demo", "--trigger", "D0", "--done", "D3", "--samples", "50")
    result = airwire(*line, "--rate", "100kHz", "--json")
    content = captured(result)
    assert (content["ended"], content["sample_rate_hz"], result.returncode) == ("enough", 100_000, 0)
    (file,) = (tmp_path / "captures").iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}Z-sigrok-demo\.csv", file.name) and content["capture"] == f"captures/{file.name}"


@needs_sigrok
@pytest.mark.parametrize(("trigger", "done"), [("D0", "D3"), ("D6", "D3"), ("D2", "D0")])
def test_a_session_again_gives_what_our_own_reader_finds_in_it(
    airwire: Airwire, session: Path, trigger: str, done: str
) -> None:
    """libsigrok 0.5 dumps the first channels under the names of those that were asked for."""
    channels = ("--trigger", trigger, "--done", done)
    content = captured(
        airwire(
            "capture", "--instrument", f"sigrok:{session}", *channels, "--samples", "9999", "--out", "a.csv", "--json"
        )
    )
    own = json.loads(airwire("analyze", session, *channels, "--json").stdout)["captures"][0]
    (capture,) = content["captures"]
    assert content["ended"] == "end" and own["outcomes"]["paired"] > 100
    assert (capture["outcomes"], capture["latency_ps"]) == (own["outcomes"], own["latency_ps"])


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session of the demo device's eight channels at a rate whose period is no whole number of nanoseconds."""
    file = tmp_path_factory.mktemp("session") / "demo.sr"
    channels = ",".join(f"D{n}" for n in range(8))
    command = ["sigrok-cli", "--driver", "demo", "--config", "samplerate=3m", "--channels", channels]
    subprocess.run([*command, "--samples", "4000", "--output-file", str(file)], check=True, timeout=30)
    return file


@needs_sigrok
@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("no-such-driver", "sigrok has no driver no-such-driver; sigrok-cli -L lists the drivers"),
        ("fx2lafw:conn=250.250", "the driver finds no device; plug it in"),
        ("demo:nonsense=1", "the driver takes no option nonsense; leave it out"),
        ("./no-such.sr", "./no-such.sr: sigrok-cli cannot read this file"),
    ],
)
def test_the_real_sigrok_clis_complaints_are_known(airwire: Airwire, place: str, says: str) -> None:
    result = airwire("capture", "--instrument", f"sigrok:{place}")
    assert result.returncode == 2 and says in result.stderr and len(result.stderr.splitlines()) == 1, result.stderr
