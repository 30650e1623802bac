"""Logic 2 behind the interface: a server of the tests' own speaks its protocol, and what it captures is known.

The server is made of the stubs that the official package brings along. It sees a message each 10 ms, with a latency of
1 ms and 1 us more for each; while nobody captures, messages go on.
"""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from airwire import Capture, analyze
from airwire.instruments import saleae
from airwire.instruments.base import InstrumentError, Wanted
from airwire.instruments.measurement import measure

grpc = pytest.importorskip("grpc", reason="logic2-automation is not installed")
saleae_pb2 = pytest.importorskip("saleae.grpc.saleae_pb2", reason="logic2-automation is not installed")
saleae_pb2_grpc = pytest.importorskip("saleae.grpc.saleae_pb2_grpc", reason="logic2-automation is not installed")

INTERVAL_US, LATENCY_US, CHANNELS = 10_000, 1_000, 8
EPOCH = datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC)


@dataclass
class Logic2(saleae_pb2_grpc.ManagerServicer):  # type: ignore[misc, name-defined]
    """What Logic 2 answers, as far as it is asked here."""

    devices: int = 1
    version: int = 1
    fails_at: int = 0
    """The number of the capture while which the analyser is unplugged."""
    begun: float = field(default_factory=time.monotonic)
    asked: list[Any] = field(default_factory=list)
    _captures: dict[int, list[float]] = field(default_factory=dict)

    def GetAppInfo(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's names
        version = saleae_pb2.Version(major=self.version, minor=0, patch=0)
        return saleae_pb2.GetAppInfoReply(app_info=saleae_pb2.AppInfo(api_version=version, application_version="2.4"))

    def GetDevices(self, request: Any, context: Any) -> Any:  # noqa: N802
        found = [
            saleae_pb2.Device(device_id=f"{n}", device_type=saleae_pb2.DEVICE_TYPE_LOGIC_PRO_8)
            for n in range(self.devices)
        ]
        return saleae_pb2.GetDevicesReply(devices=found)

    def StartCapture(self, request: Any, context: Any) -> Any:  # noqa: N802
        device = request.logic_device_configuration
        if any(channel >= CHANNELS for channel in device.logic_channels.digital_channels):
            context.abort(
                grpc.StatusCode.ABORTED, f"{saleae_pb2.ERROR_CODE_INVALID_REQUEST}: Digital channel is out of range."
            )
        self.asked.append(request)
        now = time.monotonic() - self.begun
        seconds = request.capture_configuration.timed_capture_mode.duration_seconds
        self._captures[len(self.asked)] = [now, now + seconds]
        return saleae_pb2.StartCaptureReply(capture_info=saleae_pb2.CaptureInfo(capture_id=len(self.asked)))

    def WaitCapture(self, request: Any, context: Any) -> Any:  # noqa: N802
        if request.capture_id == self.fails_at:
            context.abort(grpc.StatusCode.ABORTED, f"{saleae_pb2.ERROR_CODE_DEVICE_ERROR}: Device disconnected.")
        return saleae_pb2.WaitCaptureReply()

    def StopCapture(self, request: Any, context: Any) -> Any:  # noqa: N802
        if request.capture_id != self.fails_at:
            self._captures[request.capture_id][1] = time.monotonic() - self.begun
        return self.WaitCapture(request, context) and saleae_pb2.StopCaptureReply()

    def ExportRawDataCsv(self, request: Any, context: Any) -> Any:  # noqa: N802
        channels = sorted(request.logic_channels.digital_channels)
        assert request.iso8601_timestamp and len(channels) == 2
        begin, end = (round(second * 10**6) for second in self._captures[request.capture_id])
        edges = [(at, row) for at, row in _levels(end) if begin < at < end]
        before = [row for at, row in _levels(begin + 1) if at <= begin][-1:] or [(0, 0)]
        rows = [(begin, before[0]), *edges, (end, (edges or [(0, before[0])])[-1][1])]
        lines = [f"Time [s],Channel {channels[0]},Channel {channels[1]}"]
        # The trigger is on the channel with the higher number.
        lines += [f"{_date(at)},{done},{trigger}" for at, (trigger, done) in rows]
        (Path(request.directory) / "digital.csv").write_text("\n".join(lines) + "\n")
        return saleae_pb2.ExportRawDataCsvReply()

    def CloseCapture(self, request: Any, context: Any) -> Any:  # noqa: N802
        del self._captures[request.capture_id]
        return saleae_pb2.CloseCaptureReply()


def _levels(end_us: int) -> Iterator[tuple[int, tuple[int, int]]]:
    for n in range(end_us // INTERVAL_US + 1):
        trigger, done = n * INTERVAL_US, n * INTERVAL_US + LATENCY_US + n
        yield from ((trigger, (1, 0)), (trigger + 50, (0, 0)), (done, (0, 1)), (done + 30, (0, 0)))


def _date(us: int) -> str:
    return (EPOCH + timedelta(microseconds=us)).isoformat(timespec="microseconds").replace("+", "000+")


@pytest.fixture
def serve() -> Iterator[Callable[[Logic2], int]]:
    """Serve a Logic 2 at a port of this computer."""
    servers = []

    def begin(logic2: Logic2) -> int:
        server = grpc.server(ThreadPoolExecutor(4))
        saleae_pb2_grpc.add_ManagerServicer_to_server(logic2, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        servers.append(server)
        return int(port)

    yield begin
    for server in servers:
        server.stop(None).wait(5)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short pieces, and no long waiting for a server that is not there."""
    monkeypatch.setattr(saleae, "_FIRST_PIECE_S", 0.1)
    monkeypatch.setattr(saleae, "_CONNECT_S", 0.2)


def instrument(port: int, trigger: str = "D5", done: str = "Channel 2") -> saleae.Saleae:
    return saleae.Saleae(str(port), Wanted(trigger, done, 50_000_000))


def test_pieces_are_joined_at_their_dates_and_no_message_is_taken_apart(
    serve: Callable[[Logic2], int], quick: None, tmp_path: Path
) -> None:
    logic2 = Logic2()
    file = tmp_path / "a.csv"

    def analysed(path: Path) -> Capture:
        return analyze(path, trigger="D5", done="Channel 2", findings=False).captures[0]

    measured = measure(
        instrument(serve(logic2)),
        file,
        samples=50,
        limit_ps=10**13,
        count=lambda path: analysed(path).outcomes["paired"],
    )
    assert (measured.ending, measured.sample_rate_hz) == ("enough", 50_000_000)
    capture = analysed(file)
    assert capture.outcomes["paired"] >= 50 and sum(capture.outcomes.values()) == capture.outcomes["paired"]
    triggers = capture.samples["trigger_ps"].to_list()
    # Message n has a latency of 1 ms and n us: which messages they are shows that the dates are kept across gaps.
    numbers = [latency // 10**6 - LATENCY_US for latency in capture.samples["latency_ps"].to_list()]
    assert [(trigger - triggers[0]) // (INTERVAL_US * 10**6) for trigger in triggers] == [
        n - numbers[0] for n in numbers
    ]
    durations = [one.capture_configuration.timed_capture_mode.duration_seconds for one in logic2.asked]
    assert durations[:3] == [0.1, 0.2, 0.4]
    device = logic2.asked[0].logic_device_configuration
    assert (list(device.logic_channels.digital_channels), device.digital_sample_rate) == ([2, 5], 50_000_000)


def test_the_time_limit_keeps_the_piece_that_is_under_way(serve: Callable[[Logic2], int], tmp_path: Path) -> None:
    made = measure(
        instrument(serve(Logic2())), tmp_path / "a.csv", samples=50, limit_ps=3 * 10**11, count=lambda _file: 0
    )
    assert made.ending == "limit" and 20 <= made.pairs.paired <= 40


def test_an_analyser_that_is_unplugged_leaves_the_pieces_before(
    serve: Callable[[Logic2], int], quick: None, tmp_path: Path
) -> None:
    logic2 = Logic2(fails_at=2)
    made = measure(instrument(serve(logic2)), tmp_path / "a.csv", samples=50, limit_ps=10**13, count=lambda _file: 0)
    assert made.ending == "gone" and 5 <= made.pairs.paired <= 12 and (tmp_path / "a.csv").exists()
    assert str(made.error).startswith("saleae: the analyser cannot go on (Device disconnected)")


def test_a_logic_2_that_is_closed_leaves_the_pieces_before(quick: None, tmp_path: Path) -> None:
    server = grpc.server(ThreadPoolExecutor(4))
    saleae_pb2_grpc.add_ManagerServicer_to_server(Logic2(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    closes = lambda pairs, _seconds: server.stop(None) if pairs.paired else None  # noqa: E731
    made = measure(
        instrument(port), tmp_path / "a.csv", samples=50, limit_ps=10**13, count=lambda _file: 0, progress=closes
    )
    server.stop(None).wait(5)
    assert (made.ending, str(made.error)) == ("gone", "saleae: Logic 2 was closed, or answers no more; start it again")
    assert made.pairs.paired > 4 and (tmp_path / "a.csv").exists()


@pytest.mark.parametrize(
    ("logic2", "trigger", "says"),
    [
        (Logic2(devices=0), "0", "Logic 2 has no analyser; plug one in"),
        (Logic2(), "12", "Logic 2 refuses the capture (Digital channel is out of range); check --trigger, --done"),
        (Logic2(version=7), "0", "speaks another version of its automation interface; update Logic 2"),
    ],
)
def test_what_logic_2_refuses_is_a_sentence(
    serve: Callable[[Logic2], int], tmp_path: Path, logic2: Logic2, trigger: str, says: str
) -> None:
    with pytest.raises(InstrumentError) as refused:
        measure(
            instrument(serve(logic2), trigger), tmp_path / "a.csv", samples=5, limit_ps=10**12, count=lambda _file: 0
        )
    assert str(refused.value).startswith("saleae: ") and says in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_channel_that_is_closed_before_grpc_watches_it_prints_nothing(
    serve: Callable[[Logic2], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # gRPC's thread comes late, as on a busy machine: what it watches is closed by then.
    channels = import_module("grpc._channel")
    watch, over = channels._poll_connectivity, threading.Event()

    def late(*words: Any) -> None:
        time.sleep(0.2)
        try:
            watch(*words)
        finally:
            over.set()

    monkeypatch.setattr(channels, "_poll_connectivity", late)
    with pytest.raises(InstrumentError, match="speaks another version"):
        instrument(serve(Logic2(version=7))).start()
    assert over.wait(5)
    # What a thread raises becomes a warning once it has ended, and warnings are errors.
    time.sleep(0.05)


def test_without_logic_2_it_says_what_to_start(quick: None, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(InstrumentError, match=f"does not answer at 127.0.0.1:{port}; start it, and switch on"):
            instrument(port).start()


@pytest.mark.parametrize(("place", "trigger"), [("x", "0"), ("", "A0"), ("", "-1")])
def test_what_is_no_port_or_channel_is_refused(place: str, trigger: str) -> None:
    with pytest.raises(InstrumentError, match=r"is no port|there is no channel"):
        saleae.Saleae(place, Wanted(trigger, "1")).start()


def test_the_command_measures_with_it(
    airwire: Callable[..., subprocess.CompletedProcess[str]], serve: Callable[[Logic2], int]
) -> None:
    port = serve(Logic2())
    line = ("capture", "--instrument", f"saleae:{port}", "--trigger", "D1", "--done", "D0", "--samples", "50", "--json")
    result = airwire(*line)
    assert result.returncode == 0, result.stderr
    content = json.loads(result.stdout)
    assert content["ended"] == "enough" and content["captures"][0]["outcomes"]["paired"] >= 50
    assert result.stderr == ""
