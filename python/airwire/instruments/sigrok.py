"""Every analyser that sigrok drives, and every file that it reads, through ``sigrok-cli`` as a process of its own.

It streams a value change dump: the one of sigrok-cli's outputs that grows with the edges, not with the samples. So a
line that rests costs nothing, and memory stays bounded: where this side is slow, sigrok-cli waits at the pipe.
A device that cannot sample without end is asked again and again for as much as it stores.
"""

from __future__ import annotations

import queue
import re
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader
from typing import cast

from airwire.instruments.base import (
    PS_PER_S,
    Change,
    Chunk,
    Instrument,
    InstrumentError,
    InstrumentGoneError,
    Wanted,
    without_gap,
)
from airwire.instruments.sigrok_errors import is_not_continuous, sentence
from airwire.instruments.vcd_stream import VcdStream

PROGRAM = "sigrok-cli"
_BLOCK_BYTES = 1 << 16
_MOST_BLOCKS = 64
_MOST_SAID_BYTES = 1 << 14
# More than the devices store that have to be asked for a number of samples; they stop where their memory ends.
_PIECE_SAMPLES = 1_000_000
_MOST_PIECE_CHANGES = 2 * _PIECE_SAMPLES
# How long sigrok-cli may take to end once it is told to.
_GRACE_S = 3.0
# A key for a process that is gone is an error then, and no signal that would end this one.
_NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)
# Some devices take seconds, as they get their firmware first.
_SHOW_S = 30.0
_NOT_INSTALLED = (
    f"{PROGRAM} is not installed, or not in PATH; install it: apt-get install sigrok-cli (as root), or sigrok.org"
)
_CHANNELS_OF_DEVICE = re.compile(r"with \d+ channels?: (.+)$", re.MULTILINE)
_CHANNEL_OF_FILE = re.compile(r"^- (.+): logic$", re.MULTILINE)


class Sigrok(Instrument):
    """``sigrok:DRIVER``, with ``:conn=...`` behind it as sigrok-cli has it, or ``sigrok:FILE`` for a file again."""

    def __init__(self, place: str, wanted: Wanted) -> None:
        super().__init__(place, wanted)
        # No driver has such a sign in its name.
        self._is_file = any(sign in place.partition(":")[0] for sign in "/.")
        self._in_pieces = False
        self._piece: list[Change] = []
        self._piece_begun = 0.0
        self._begun = 0.0
        self._end_ps = 0
        self._has_told = False
        self._channels: list[str] = []
        self._process: _SigrokCli | None = None
        self._stream = VcdStream(wanted.trigger, wanted.done)
        self._rate_hz: int | None = None

    @property
    def is_continuous(self) -> bool:
        """Whether the device samples without end; known once it was started."""
        return not self._in_pieces

    @property
    def sample_rate_hz(self) -> int | None:
        """As the device says it, once it has told something."""
        return self._stream.rate_hz or self._rate_hz or self.wanted.sample_rate_hz

    def start(self) -> None:
        """Ask for the channels, and start to measure. What keeps sigrok-cli from that shows with the first read."""
        if self._is_file and self.wanted.sample_rate_hz is not None:
            raise InstrumentError(f"{self.place}: a file has the rate that it was recorded with; leave --rate out")
        self._channels = self._up_to_both(self._listed())
        self._begun = time.monotonic()
        self._launch()

    def _listed(self) -> list[str]:
        """The channels of the device, in its order."""
        try:
            shown = subprocess.run(
                [PROGRAM, *self._source(), "--show"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_SHOW_S,
                process_group=0,
            )
        except OSError:
            raise InstrumentError(_NOT_INSTALLED) from None
        except subprocess.TimeoutExpired:
            raise InstrumentError(
                f"sigrok:{self.place}: the device does not answer; unplug it, plug it in, and try again"
            ) from None
        text = shown.stdout.decode(errors="replace")
        of_file, of_device = _CHANNEL_OF_FILE.findall(text), _CHANNELS_OF_DEVICE.search(text)
        if shown.returncode != 0 or not (of_file or of_device):
            said = shown.stderr.decode(errors="replace")[:_MOST_SAID_BYTES]
            raise InstrumentError(sentence(self.place, said, self.wanted, self._is_file))
        return of_file if of_device is None else of_device[1].split()

    def _up_to_both(self, listed: list[str]) -> list[str]:
        """Both channels, with those before them: libsigrok 0.5 dumps as many channels as are enabled, and always the
        first ones, whatever their names."""
        for name in (self.wanted.trigger, self.wanted.done):
            if name not in listed:
                raise InstrumentError(f"sigrok:{self.place}: there is no channel {name}; it has {', '.join(listed)}")
        return listed[: 1 + max(map(listed.index, (self.wanted.trigger, self.wanted.done)))]

    def _launch(self) -> None:
        self._stream = VcdStream(self.wanted.trigger, self.wanted.done)
        self._piece_begun = time.monotonic()
        self._process = _SigrokCli(self._arguments())

    def _arguments(self) -> list[str]:
        rate_hz = self.wanted.sample_rate_hz
        arguments = [*self._source(), "--channels", ",".join(self._channels), "--output-format", "vcd"]
        if self._is_file:
            return arguments
        amount = ["--samples", str(_PIECE_SAMPLES)] if self._in_pieces else ["--continuous"]
        return [*arguments, *amount, *(["--config", f"samplerate={rate_hz}"] if rate_hz is not None else [])]

    def _source(self) -> list[str]:
        return ["--input-file", self.place] if self._is_file else ["--driver", self.place]

    def read(self, timeout_s: float) -> Chunk | None:
        """What sigrok-cli wrote, as it comes; of a device that is asked in pieces, a piece when it is whole."""
        process = self._process
        if process is None:
            return None
        try:
            block = process.blocks.get(timeout=timeout_s)
        except queue.Empty:
            return Chunk((), 0 if self._in_pieces else self._stream.end_ps)
        if block:
            return self._taken(self._stream.feed(block))
        return self._ended(process)

    def _taken(self, changes: list[Change]) -> Chunk:
        self._rate_hz = self._stream.rate_hz or self._rate_hz
        self._has_told = self._has_told or bool(changes)
        if not self._in_pieces:
            return Chunk(changes, self._stream.end_ps)
        if len(self._piece) < _MOST_PIECE_CHANGES:
            self._piece += changes
        return Chunk((), 0)

    def _ended(self, process: _SigrokCli) -> Chunk | None:
        code, said = process.end()
        if self._is_file and code == 0:
            self._process = None
            return None
        if not self._has_told and not self._in_pieces and is_not_continuous(said):
            self._in_pieces = True
            self._launch()
            return Chunk((), 0)
        if self._in_pieces and code == 0 and self._stream.end_ps:
            whole = self._whole_piece()
            self._launch()
            return whole
        self._process = None
        error = InstrumentGoneError if self._has_told else InstrumentError
        raise error(sentence(self.place, said, self.wanted, self._is_file))

    def _whole_piece(self) -> Chunk:
        """The piece at the time at which it was begun, by this computer's clock, and after the piece before."""
        offset_ps = max(round((self._piece_begun - self._begun) * PS_PER_S), self._end_ps)
        end_ps = self._end_ps = offset_ps + self._stream.end_ps
        moved = [Change(offset_ps + time_ps, trigger, done) for time_ps, trigger, done in self._piece]
        self._piece = []
        return Chunk(without_gap(moved, end_ps), end_ps)

    def stop(self) -> Sequence[Chunk]:
        """Ask sigrok-cli to end, and take what it wrote until then."""
        process, self._process = self._process, None
        chunks: list[Chunk] = []
        if process is not None:
            process.ask_to_end()
            deadline = time.monotonic() + _GRACE_S
            with suppress(InstrumentError, queue.Empty):
                while (left_s := deadline - time.monotonic()) > 0 and (block := process.blocks.get(timeout=left_s)):
                    chunks.append(self._taken(self._stream.feed(block)))
            process.end()
        return [self._whole_piece()] if self._piece else chunks


class _SigrokCli:
    """The process, with its output in blocks; an empty block is the end."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.blocks: queue.Queue[bytes] = queue.Queue(_MOST_BLOCKS)
        self._keys, keyboard = socket.socketpair()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        try:
            # In a group of its own, so that the Ctrl-C of a terminal ends the measurement in order.
            self._process = subprocess.Popen(
                [PROGRAM, *arguments],
                stdin=keyboard.fileno(),
                stdout=subprocess.PIPE,
                stderr=self._said,
                process_group=0,
            )
        except OSError:
            self._said.close()
            self._keys.close()
            raise InstrumentError(_NOT_INSTALLED) from None
        finally:
            keyboard.close()
        self._wanted = True
        output = cast("BufferedReader", self._process.stdout)
        self._reader = threading.Thread(target=self._read, args=(output,), daemon=True)
        self._reader.start()

    def _read(self, output: BufferedReader) -> None:
        block = b"-"
        while block and self._wanted:
            block = output.read1(_BLOCK_BYTES)
            while self._wanted:
                with suppress(queue.Full):
                    self.blocks.put(block, timeout=0.1)
                    break

    def ask_to_end(self) -> None:
        """End sampling, as any key does that is pressed at sigrok-cli."""
        with suppress(OSError):
            self._keys.send(b"\n", _NO_SIGNAL)

    def end(self) -> tuple[int, str]:
        """Wait for its end, or make one; its exit code, and what it complained of."""
        self._wanted = False
        self.ask_to_end()
        try:
            code = self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._reader.join(_GRACE_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._said.seek(0)
        said = self._said.read(_MOST_SAID_BYTES).decode(errors="replace")
        self._said.close()
        self._keys.close()
        return code, said
