"""Saleae's analysers, through Logic 2 and its automation interface (the package ``logic2-automation``).

Logic 2 shows nothing of a capture before it has ended. So it is asked for timed captures, each twice as long as the one
before, and exports each as CSV, which the core reads. Between two of them it sees nothing: ``without_gap`` cuts them so
that no message is taken apart. Leaves out analogue channels, and Logic 2 on another computer: it exports to its disk.
"""

from __future__ import annotations

import socket
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

from airwire._core import AirwireError
from airwire.capture.analysis import read_edges
from airwire.instruments.base import (
    PS_PER_S,
    Change,
    Chunk,
    Instrument,
    InstrumentError,
    InstrumentGoneError,
    Wanted,
    needed_module,
    without_gap,
)
from airwire.scratch import ScratchFolder

DEFAULT_PORT = 10430
"""Where Logic 2 listens (its Preferences, Automation)."""
DEFAULT_RATE_HZ = 25_000_000
"""A rate that Logic 8, Logic Pro 8 and Logic Pro 16 have with two channels."""
_CONNECT_S = 3.0
_FIRST_PIECE_S = 1.0
_LONGEST_PIECE_S = 60.0
_PREFIXES = ("channel", "ch", "d")


class Saleae(Instrument):
    """``saleae``, or ``saleae:PORT`` where Logic 2 listens elsewhere."""

    def __init__(self, place: str, wanted: Wanted) -> None:
        super().__init__(place, wanted)
        self._channels = (_channel(wanted.trigger), _channel(wanted.done))
        self._piece_s = _FIRST_PIECE_S
        self._piece_ends = 0.0
        self._end_ps = 0
        self._first_start_ps: int | None = None
        self._automation: Any = None
        self._manager: Any = None
        self._capture: Any = None

    @property
    def is_continuous(self) -> bool:
        """Logic 2 is asked for one capture after the other."""
        return False

    @property
    def sample_rate_hz(self) -> int:
        """As it was asked of Logic 2."""
        return self.wanted.sample_rate_hz or DEFAULT_RATE_HZ

    def start(self) -> None:
        """Connect to Logic 2, see whether it has an analyser, and start the first capture."""
        if self.place and not self.place.isdecimal():
            raise InstrumentError(f"saleae:{self.place}: `{self.place}` is no port; write saleae, or saleae:10430")
        self._automation = needed_module("saleae.automation", "logic2-automation", "saleae", "saleae")
        # What reads the exports is loaded before the first capture, so that the gap behind it is short.
        import_module("polars")
        self._see_whether_anything_answers()
        _say_nothing_of_closed_channels()
        with self._refusals(InstrumentError):
            self._manager = self._automation.Manager.connect(port=self._port, connect_timeout_seconds=_CONNECT_S)
            if not self._manager.get_devices():
                raise InstrumentError(
                    "saleae: Logic 2 has no analyser; plug one in, and wait until Logic 2 shows it as connected"
                )
            self._start_piece()

    @property
    def _port(self) -> int:
        return int(self.place or DEFAULT_PORT)

    def _see_whether_anything_answers(self) -> None:
        """Refuse a silent port before gRPC does: a thread of its own may print a traceback when it gives up."""
        try:
            socket.create_connection(("127.0.0.1", self._port), _CONNECT_S).close()
        except (OSError, OverflowError):
            raise InstrumentError(f"saleae: {self._nobody_there()}") from None

    def _nobody_there(self) -> str:
        return (
            f"Logic 2 does not answer at 127.0.0.1:{self._port}; start it, and switch on the automation server in its "
            "Preferences"
        )

    def _start_piece(self) -> None:
        automation = self._automation
        self._capture = self._manager.start_capture(
            device_configuration=automation.LogicDeviceConfiguration(
                enabled_digital_channels=sorted(self._channels), digital_sample_rate=self.sample_rate_hz
            ),
            capture_configuration=automation.CaptureConfiguration(
                capture_mode=automation.TimedCaptureMode(duration_seconds=self._piece_s)
            ),
        )
        self._piece_ends = time.monotonic() + self._piece_s

    def read(self, timeout_s: float) -> Chunk | None:
        """A piece once it is whole; nothing until then."""
        left_s = self._piece_ends - time.monotonic()
        if left_s > 0:
            time.sleep(min(left_s, timeout_s))
            return Chunk((), 0)
        with self._refusals(InstrumentGoneError):
            self._capture.wait()
            piece = self._exported()
            self._piece_s = min(2 * self._piece_s, _LONGEST_PIECE_S)
            self._start_piece()
        return piece

    def stop(self) -> Sequence[Chunk]:
        """Stop the capture that is under way, and take what it has seen."""
        chunks: list[Chunk] = []
        if self._manager is not None:
            with suppress(InstrumentError, AirwireError), self._refusals(InstrumentGoneError):
                if self._capture is not None:
                    self._capture.stop()
                    chunks.append(self._exported())
            with suppress(Exception):
                self._manager.close()
        self._manager = None
        return chunks

    def _exported(self) -> Chunk:
        """The capture, which has ended, as a piece; it is closed in Logic 2."""
        capture, self._capture = self._capture, None
        with ScratchFolder("airwire-") as folder:
            return self._read(capture, folder)

    def _read(self, capture: Any, folder: Path) -> Chunk:
        capture.export_raw_data_csv(str(folder), digital_channels=sorted(self._channels), iso8601_timestamp=True)
        capture.close()
        edges = read_edges(folder / "digital.csv", [str(channel) for channel in self._channels])
        # A computer's clock may be set back meanwhile.
        offset_ps = max(self._offset_ps(edges.start), self._end_ps)
        changes = [Change(offset_ps + time_ps, trigger, done) for time_ps, trigger, done in edges.frame.iter_rows()]
        end_ps = self._end_ps = offset_ps + edges.end_ps
        return Chunk(without_gap(changes, end_ps), end_ps)

    def _offset_ps(self, start: str | None) -> int:
        """When a piece began after the first one, by the dates in the exports."""
        if start is None:
            raise InstrumentError("saleae: Logic 2 exported no dates; install Logic 2 of version 2.4 or later")
        second, _, fraction = start.rstrip("Z").partition(".")
        seconds = int(datetime.fromisoformat(f"{second}+00:00").timestamp())
        begun_ps = seconds * PS_PER_S + int(fraction[:12].ljust(12, "0"))
        self._first_start_ps = begun_ps if self._first_start_ps is None else self._first_start_ps
        return begun_ps - self._first_start_ps

    @contextmanager
    def _refusals(self, error: type[InstrumentError]) -> Iterator[None]:
        """What Logic 2 and its package raise, as one sentence."""
        try:
            yield
        except AirwireError as refused:
            raise error(str(refused)) from None
        except Exception as raised:
            words = self._words(raised, error)
            if words is None:
                raise
            raise error(f"saleae: {words}") from None

    def _words(self, raised: Exception, error: type[InstrumentError]) -> str | None:
        said = str(raised).strip().rstrip(".") or type(raised).__name__
        known = {
            "MissingDeviceError": "the analyser is gone; plug it in again",
            "DeviceError": f"the analyser cannot go on ({said}); plug it into a port of its own, or lower --rate",
            "OutOfMemoryError": "Logic 2 has no room for the capture; lower --rate, or raise its buffer",
            "InvalidRequestError": f"Logic 2 refuses the capture ({said}); check --trigger, --done and --rate",
            "IncompatibleApiVersionError": "Logic 2 speaks another version of its automation interface; update Logic 2",
            "ExportError": f"Logic 2 cannot export the capture ({said}); see whether its disk has room",
        }.get(type(raised).__name__)
        if known is None and isinstance(raised, self._automation.SaleaeError):
            return f"Logic 2 failed ({said}); see its window, and try again"
        return known or self._no_answer(raised, error)

    def _no_answer(self, raised: Exception, error: type[InstrumentError]) -> str | None:
        grpc = needed_module("grpc", "grpcio", "saleae", "saleae")
        if not isinstance(raised, grpc.RpcError):
            return None
        if error is InstrumentGoneError:
            return "Logic 2 was closed, or answers no more; start it again"
        if raised.code() is grpc.StatusCode.UNAVAILABLE:
            return self._nobody_there()
        return f"what answers at 127.0.0.1:{self._port} is not Logic 2; name its port: saleae:PORT"


def _channel(name: str) -> int:
    """The number of a channel: ``0``, ``D0`` and ``Channel 0`` are the same."""
    digits = name.strip().lower()
    for prefix in _PREFIXES:
        digits = digits.removeprefix(prefix)
    if not digits.strip().isdecimal():
        raise InstrumentError(f"saleae: there is no channel {name}; Logic 2 has channels 0, 1, 2 ... (or D0, D1, D2)")
    return int(digits)


@cache
def _say_nothing_of_closed_channels() -> None:
    """gRPC watches a channel in a thread of its own, which prints a traceback when the channel is closed meanwhile.

    The official package closes it at once where it refuses to go on. What other threads raise is told as before.
    """
    tell = threading.excepthook

    def without_them(raised: threading.ExceptHookArgs) -> None:
        if not (issubclass(raised.exc_type, ValueError) and _is_of_watch(raised.exc_traceback)):
            tell(raised)

    threading.excepthook = without_them


def _is_of_watch(trace: TracebackType | None) -> bool:
    """Whether it was raised in gRPC's watch over a channel."""
    return any(frame.f_code.co_name == "_poll_connectivity" for frame, _ in traceback.walk_tb(trace))
