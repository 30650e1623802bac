"""A stopwatch on a Pico (firmware/apps/stopwatch): configured by lines of text, read as a stream of edges.

It works on any port with ``read(n)`` and ``write(bytes)``: ``serial.Serial`` of pyserial with a time-out, or the
port of a virtual board (``airwire.SerialPort``). Opening a port, and pairing edges, are the business of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from airwire.instruments.pico_stream import Answer, Channel, Decoder, Edge, Header, State, StreamError
from airwire.values import Time, picoseconds

TriggerKind = Literal["pulse", "uart", "rts", "none"]
READ_BYTES = 1 << 16
PS_PER_NS = 1000
MOST_NS = 2**32 - 1
# What a stopwatch that was left running may still have on its way: its own buffer and the host's.
MOST_STALE_BYTES = 1 << 20
# The quiet reads after which a command counts as unanswered.
PATIENCE_READS = 20


class Port(Protocol):
    """What a stopwatch is at. ``read`` gives what there is, after its time-out at the latest, and may give nothing."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes."""
        ...

    def write(self, content: bytes, /) -> object:
        """All of the bytes."""
        ...


@dataclass(frozen=True)
class Sweep:
    """Periods from one to another by steps, then from the first again."""

    from_: Time
    to: Time
    step: Time


@dataclass(frozen=True)
class Setup:
    """What the stopwatch triggers, and what it watches. Pins are numbers of GPIO; the first channel is the trigger."""

    channels: Sequence[Channel] = (Channel("trigger", 2), Channel("done", 3))
    trigger: TriggerKind = "pulse"
    """``uart`` sends a byte at the trigger's pin, ``rts`` pulls it low as RTS does, ``none`` leaves it to others."""
    period: Time = "10 ms"
    jitter: Time = 0
    """A period is longer by up to so much, by chance."""
    seed: int = 1
    sweep: Sweep | None = None
    """In place of the period."""
    count: int = 0
    """How many triggers; 0 for as many as there is time for."""
    pulse: Time = "10 us"
    baud: int = 115200
    byte: int = ord("U")

    def commands(self) -> list[str]:
        """The lines that configure a stopwatch. Raises ``StreamError`` for a time that it cannot be told."""
        sweep = (0, 0, 0) if self.sweep is None else (self.sweep.from_, self.sweep.to, self.sweep.step)
        from_ns, to_ns, step_ns = (nanoseconds("sweep", time) for time in sweep)
        return [
            "channels " + " ".join(f"{channel.name}={channel.pin}" for channel in self.channels),
            f"trigger {self.trigger}",
            f"period {nanoseconds('period', self.period)}",
            f"jitter {nanoseconds('jitter', self.jitter)} {self.seed}",
            f"sweep {max(from_ns, 1)} {max(to_ns, 1)} {step_ns}",
            f"count {self.count}",
            f"pulse {nanoseconds('pulse', self.pulse)}",
            f"baud {self.baud}",
            f"byte {self.byte}",
        ]


def nanoseconds(name: str, time: Time) -> int:
    """A time as commands have it."""
    ns, rest = divmod(picoseconds(time), PS_PER_NS)
    if rest or not 0 <= ns <= MOST_NS:
        raise StreamError(f"The stopwatch's {name} is {time}, but it takes whole nanoseconds, {MOST_NS} at the most.")
    return ns


@dataclass
class Stopwatch:
    """A stopwatch at a port; made by :func:`open_stream`. Every method raises ``StreamError``, in one sentence."""

    port: Port
    decoder: Decoder = field(default_factory=Decoder)

    @property
    def header(self) -> Header:
        """The clock and the channels, as the stopwatch has them."""
        if self.decoder.header is None:
            raise StreamError("The stopwatch has not said yet what it is.")
        return self.decoder.header

    @property
    def state(self) -> State | None:
        """How far it was when it said so last."""
        return self.decoder.state

    def configure(self, setup: Setup) -> None:
        """Tell it what to do; refused while it runs."""
        for line in setup.commands():
            self.command(line)

    def start(self) -> None:
        """Trigger, and watch the channels. Edges are counted from here."""
        self.decoder.edges.clear()
        self.decoder.state = None
        self.command("start")

    def read(self) -> list[Edge]:
        """The edges that came since the last call, after the port's time-out at the latest."""
        self.decoder.feed(self.port.read(READ_BYTES))
        edges = list(self.decoder.edges)
        self.decoder.edges.clear()
        return edges

    def stop(self) -> list[Edge]:
        """End the run; gives the edges that nobody has read."""
        self.command("stop")
        for _ in range(PATIENCE_READS):
            if self.state is not None and self.state.condition == "idle":
                break
            self.decoder.feed(self.port.read(READ_BYTES))
        else:
            raise StreamError("The stopwatch did not stop; unplug it and plug it in again.")
        edges = list(self.decoder.edges)
        self.decoder.edges.clear()
        return edges

    def command(self, line: str) -> None:
        """Send a line, and wait until it is obeyed."""
        before = len(self.decoder.answers)
        self.port.write(line.encode() + b"\n")
        quiet = 0
        while len(self.decoder.answers) == before:
            content = self.port.read(READ_BYTES)
            quiet = 0 if content else quiet + 1
            if quiet == PATIENCE_READS:
                raise StreamError(
                    f"Nothing at the port answers to {line!r}; look whether it is the Pico's, and its firmware "
                    "stopwatch-usb."
                )
            self.decoder.feed(content)
        answer: Answer = self.decoder.answers.pop()
        if answer.complaint is not None:
            raise StreamError(f"The stopwatch refuses {line!r}: {answer.complaint}.")


def open_stream(port: Port) -> Stopwatch:
    """The stopwatch at a port, at rest and with its header known, whatever it did before.

    Raises ``StreamError`` where there is none, or one that speaks another version.
    """
    port.write(b"\nstop\n")
    stale = 0
    while content := port.read(READ_BYTES):
        stale += len(content)
        if stale > MOST_STALE_BYTES:
            raise StreamError("What is at the port goes on talking when a stopwatch would stop; it is none.")
    stopwatch = Stopwatch(port)
    stopwatch.command("hello")
    for _ in range(PATIENCE_READS):
        if stopwatch.decoder.header is not None:
            break
        stopwatch.decoder.feed(port.read(READ_BYTES))
    _ = stopwatch.header
    return stopwatch
