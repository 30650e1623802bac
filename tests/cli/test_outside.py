"""Causes that are seen from outside, named by a probe of peers whose cause is known.

``python -m benches.outside`` counts many runs.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from airwire import AirwireError, _core
from airwire.explain.address.run import address_verdict
from airwire.explain.link.run import explain_run
from airwire.explain.verdict import Verdict
from airwire.model import rows_of_addresses
from airwire.runs.probe import probe

PEERS = Path(__file__).resolve().parents[1] / "outside_peers.py"
MICROPYTHON = Path(sys.executable).parent / "micropython"


@contextmanager
def peer(kind: str, ms: float = 0, program: Path = Path(sys.executable)) -> Iterator[int]:
    """A peer of that kind; gives its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    process = subprocess.Popen([str(program), str(PEERS), kind, str(port), str(ms)])
    try:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        yield port
    finally:
        process.kill()
        process.wait()


def verdict_of(port: int, folder: Path, samples: int, dither: str = "0s") -> Verdict:
    """What is said of a peer after so many messages."""
    options = {"first_number": "100", "dither": dither}
    analysis = probe("pingpong", f"127.0.0.1:{port}", options=options, samples=samples, out=folder)
    (row,) = rows_of_addresses(analysis)
    return address_verdict(row)


def quiet_verdict(
    port: int, folder: Path, samples: int, dither: str, *, noise: Sequence[str] = ("nothing",)
) -> Verdict:
    """What is said after the first of up to five runs that the delays of a busy machine do not drown.

    ``noise``: the kinds of verdicts that such delays make. Any other ends the search, whether it is right or not.
    """
    for number in range(5):
        verdict = verdict_of(port, folder / str(number), samples, dither)
        if verdict.kind not in noise:
            break
    return verdict


def test_a_poll_is_named_with_its_period_where_the_probe_dithers(tmp_path: Path) -> None:
    with peer("poll", 20) as port:
        verdict = quiet_verdict(port, tmp_path, 80, "25ms")
    assert verdict.kind == "poll_period", verdict.text
    assert verdict.line.startswith(f"{round(100 * verdict.share)} % waits for the board's next poll or tick, every 20")
    assert "that proves the period." in verdict.text
    assert verdict.change == "wake on the event", "polling more often brings less than the gain of the line"
    assert verdict.gain is not None and verdict.gain.factor > 1.1


def test_without_a_dither_a_poll_is_left_open_and_the_test_that_tells_is_named(tmp_path: Path) -> None:
    """Chance delays of a busy machine may tell as a dither does, too."""
    with peer("poll", 20) as port:
        verdict = quiet_verdict(port, tmp_path, 40, "0s", noise=("nothing", "poll_period"))
    assert verdict.kind == "poll_or_timer", verdict.text
    assert "probe pingpong with --set dither=" in verdict.line


def test_a_sleep_for_each_question_is_a_timer_of_the_peer(tmp_path: Path) -> None:
    with peer("hold", 20) as port:
        verdict = quiet_verdict(port, tmp_path, 40, "25ms")
    assert verdict.kind == "own_timer", verdict.text


def test_an_answer_in_two_writes_waits_for_this_computers_delayed_acknowledgement(tmp_path: Path) -> None:
    with peer("pieces") as port:
        verdict = verdict_of(port, tmp_path / "run", 30)
    assert verdict.kind == "nagle", verdict.text
    assert "delayed acknowledgement of 40 ms" in verdict.line and "TCP_NODELAY" in verdict.line


def test_a_micropython_that_polls_is_named(tmp_path: Path) -> None:
    if not MICROPYTHON.exists():
        pytest.skip("MicroPython is not installed: tests/firmware/python/requirements.txt")
    with peer("poll", 20, MICROPYTHON) as port:
        verdict = quiet_verdict(port, tmp_path, 80, "25ms")
    assert verdict.kind == "poll_period", verdict.text


def test_a_peer_that_answers_at_once_has_no_cause(tmp_path: Path) -> None:
    with peer("prompt") as port:
        for number, dither in enumerate(("0s", "3ms")):
            verdict = verdict_of(port, tmp_path / str(number), 150, dither)
            assert verdict.kind in ("own", "nothing"), verdict.text


def test_a_file_that_is_no_recording_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "wire.pcapng"
    file.write_bytes(b"\n\r\r\nno")
    with pytest.raises(AirwireError, match=r"wire\.pcapng: is no recording of packets"):
        _core.packet_report(file)


def test_a_recording_of_somebody_else_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with peer("prompt") as port:
        analysis = probe("pingpong", f"127.0.0.1:{port}", samples=20, out=tmp_path / "run")
    file = tmp_path / "wire.pcap"
    # The head of a pcap file of Ethernet, without a packet.
    file.write_bytes(bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000"))
    with pytest.raises(AirwireError, match=r"holds no TCP segment of 127\.0\.0\.1"):
        explain_run(analysis, packets=file)


RECORDS = "import sys; from airwire import _core; _core.PacketRecorder(sys.argv[1], '127.0.0.1').stop()"
WITHOUT_RIGHT = ["setpriv", "--bounding-set", "-net_raw"] if os.geteuid() == 0 else []


def may_record(folder: Path) -> bool:
    """Whether this user may record packets."""
    try:
        _core.PacketRecorder(folder / "try.pcapng", "127.0.0.1").stop()
    except AirwireError:
        return False
    return True


def test_packets_that_are_recorded_meanwhile_stand_in_the_run_folder_and_decide(
    airwire: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    if not may_record(tmp_path):
        pytest.skip("this user may not record packets: root reads everything")
    asked = ("--set", "first_number=100", "--samples", "30", "--json")
    with peer("pieces", 41) as port:
        line = ("probe", "pingpong", f"127.0.0.1:{port}", *asked)
        recorded = json.loads(airwire(*line, "--out", "recorded", "--packets").stdout)["target"]
    assert recorded["verdicts"][0]["kind"] == "pieces", recorded["verdict"]
    assert (tmp_path / "recorded" / "wire" / "probe-pingpong.pcapng").is_file()
    explained = json.loads(airwire("explain", "recorded", "--json").stdout)
    assert explained["rows"][0]["verdicts"] == recorded["verdicts"]
    found = _core.packet_report(tmp_path / "recorded" / "wire" / "probe-pingpong.pcapng", "127.0.0.1")
    # Loopback shows each packet twice, and a recording has it once.
    assert sum(found["repeated"]) == 0 and found["segments"] >= 90


def test_who_may_not_record_packets_is_told_in_a_sentence(tmp_path: Path) -> None:
    command = [*WITHOUT_RIGHT, sys.executable, "-c", RECORDS, str(tmp_path / "a.pcapng")]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 1 and not (tmp_path / "a.pcapng").exists()
    assert "packets cannot be recorded by this user: run as root, give the Python program CAP_NET_RAW" in told.stderr
