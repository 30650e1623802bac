"""Virtual boards: a firmware image, unmodified, on an RP2040 in virtual time.

A :class:`Board` is the chip with what its board file puts around it. It runs until a time, a text on a console or a
level on a pin, and stops at exactly that cycle; memory, registers and pins can be read and changed in between, devices
written in Python can be connected, and a run can branch from a snapshot. The same image and inputs give the same run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from airwire import _core
from airwire.board.devices import BoardDevices
from airwire.board.energy import supply_use
from airwire.board.memory import Memory
from airwire.board.model import (
    BoardRun,
    CoreCounts,
    Fault,
    FunctionShare,
    InterruptCount,
    RadioUse,
    UnknownAccess,
)
from airwire.board.network import NetworkState, Traffic, network_state_of, traffic_of
from airwire.board.pins import Pins
from airwire.board.recordings import BoardRecordings
from airwire.values import Settings, Time, check_kind, check_numbers, picoseconds, setting_texts

Console = Literal["uart0", "uart1", "usb", "rtt"]
CONSOLES: tuple[Console, ...] = ("uart0", "uart1", "usb", "rtt")
DEFAULT_BOARD = "pico"
NO_END_PS = 2**63 - 1
"""An end that never comes."""


class NoNetworkError(_core.AirwireError):
    """A network, or traffic or impairments, for a board that has no chip with Ethernet."""

    def __init__(self, board: str) -> None:
        super().__init__(f"board {board} has no network; name one that has, such as w5500-evb-pico")
        self.board = board


class Snapshot:
    """A state of a board; ``restore`` goes back to it, ``branch`` makes another board of it, any number of times."""

    def __init__(self, core: _core.BoardSnapshot, inputs: Mapping[str, str | Path | None]) -> None:
        self._core = core
        self._inputs = inputs

    def branch(self) -> Board:
        """Another board in this state. Both go their own ways from here."""
        return Board._of(self._core.to_board(), self._inputs)


class Board(BoardDevices, BoardRecordings):
    """A virtual board.

    ``board`` is the name of one that Airwire brings along (:func:`board_names`) or the path of a board file. ``image``
    is an ELF, UF2 or binary; ``symbols`` an ELF of the same build where the image has no names. ``rom`` is a file with
    the genuine boot ROM in place of our own. ``usb`` says whether a PC is plugged in; ``seed`` is that of the chip's
    random bits. Every edge of every pin is kept, the bits of buses among them, unless ``record`` is false: a run that
    keeps an SPI busy is three times as fast then. ``network`` is a network file for boards with an Ethernet chip;
    without one the chip is on a cable to a PC that runs every server (docs/reference/networks.md). ``traffic`` are more
    clients and servers of that PC, such as ``"ping to=board count=10"``, and ``impair`` says what happens to frames,
    such as ``"loss=1%"``. ``settings`` are values of the image's settings (:func:`image_settings`), such as
    ``{"spi_hz": "33 MHz", "interrupts": True}``; they are put into the image before it starts. ``eeprom`` is a file
    with what the EEPROM of an AVR holds before the run, in Intel HEX or as bare bytes; :meth:`save_eeprom` writes one.

    Raises ``AirwireError`` for a board, an image or a ROM that cannot be used, in one sentence.
    """

    def __init__(
        self,
        board: str | Path = DEFAULT_BOARD,
        image: str | Path | None = None,
        *,
        symbols: str | Path | None = None,
        rom: str | Path | None = None,
        seed: int = 1,
        usb: bool = True,
        record: bool = True,
        network: str | Path | None = None,
        traffic: Sequence[str] = (),
        impair: str | None = None,
        settings: Settings | None = None,
        eeprom: str | Path | None = None,
    ) -> None:
        check_numbers(seed=seed)
        if impair is not None and not str(impair).strip():
            raise _core.AirwireError("impair is empty, and so impairs nothing; leave it out, or write it as 'loss=1%'")
        self._core = _core.Board(
            str(board), rom=rom, seed=seed, usb=usb, network=network, traffic=list(traffic), impair=impair
        )
        if (network is not None or traffic or impair is not None) and self._core.network_state() is None:
            raise NoNetworkError(self.name)
        self._inputs = {"board file": board, "boot ROM": rom, "network file": network, "EEPROM": eeprom}
        if record:
            self._core.record()
        if image is not None:
            self.load(image, symbols, settings=settings)
        if eeprom is not None:
            self._core.load_eeprom(eeprom)

    @classmethod
    def _of(cls, core: _core.Board, inputs: Mapping[str, str | Path | None]) -> Board:
        board = cls.__new__(cls)
        board._core = core
        board._inputs = inputs
        return board

    def load(
        self,
        image: str | Path,
        symbols: str | Path | None = None,
        *,
        settings: Settings | None = None,
    ) -> None:
        """Put an image into the chip's memories, with other values of some of its settings, and start it."""
        self._core.load(image, symbols, setting_texts(settings or {}))
        self._inputs = {**self._inputs, "image": image, "ELF with symbols": symbols}

    def save_eeprom(self, path: str | Path) -> None:
        """Write what the EEPROM holds now: as Intel HEX where the name ends in .hex or .eep, else as bare bytes."""
        self._core.save_eeprom(path)

    def run(
        self,
        for_: Time | None = None,
        *,
        to: Time | None = None,
        until: str | bytes | None = None,
        until_pin: tuple[str | int, bool] | None = None,
        send: Sequence[str | bytes] = (),
        knock: bool | None = None,
        past_faults: bool = False,
        until_done: bool = False,
        on_console: Callable[[str, bytes], Any] | None = None,
    ) -> BoardRun:
        """Run for a time (``"10 ms"``, or picoseconds), until a text comes from a console, or until a pin has a level.

        ``for_`` counts from now, and a board is at some milliseconds already when its image starts: the boot ROM took
        them (:attr:`time_ps`). ``to`` is a time since power-on, as that of the command line's ``--for``. At least one
        of them is given; with several the run ends at the first. Texts in ``send`` are typed one after the other, each
        when the console has printed something and then been silent for 10 ms. A prompt that was printed before the USB
        serial port was open is lost; so when nothing at all has been printed for 250 ms after it opened, the first text
        is typed, or Enter once where there is none (``knock``; by default when a text is waited for).
        ``on_console(name, bytes)`` is told of output while the board runs. A fault ends the run as well: look at
        ``fault`` of the result; with ``past_faults`` the image's own handler of HardFault goes on. Where nothing will
        ever wake a core again the run ends early, with reason ``asleep``; where the image ends itself (``exit`` and the
        end of ``main`` come down to BKPT, or a semihosting exit), with reason ``ended``, failed unless its status is 0.
        With ``until_done`` the run ends, within 5 ms, when every client at the other end of the wire is done; it has
        failed where one of them has, or is not done when the run ends otherwise.
        """
        if for_ is None and to is None and until is None and until_pin is None and not until_done:
            raise _core.AirwireError("a run needs an end: for_, to, until, until_pin or until_done")
        if until_pin is not None and not (isinstance(until_pin, tuple | list) and len(until_pin) == 2):
            raise _core.AirwireError(f"until_pin is {until_pin!r:.60}, but it takes a pin and a level: ('GP3', True)")
        pin = None if until_pin is None else (str(until_pin[0]), until_pin[1])
        report = self._core.run(
            end_ps=min(end_of_run(self.time_ps, for_), end_of_run(0, to)),
            text=_awaited(until),
            pin=pin,
            clients=until_done,
            typed=[_bytes(text) for text in send],
            knocks=until is not None if knock is None else knock,
            past_faults=past_faults,
            on_console=on_console,
        )
        return run_of(report)

    def serve_gdb(
        self,
        address: str = ":3333",
        *,
        on_listening: Callable[[str], Any] = lambda _address: None,
        on_console: Callable[[str, bytes], Any] | None = None,
    ) -> BoardRun:
        """Let GDB debug the board at ``host:port``, until it kills the board or the image ends.

        ``on_listening(address)`` is told where GDB connects to; port 0 takes any that is free.
        """
        return run_of(self._core.serve_gdb(address, on_listening, on_console))

    def serve(
        self,
        for_: Time | None = None,
        *,
        virtual_end: bool = False,
        tap: str | None = None,
        forward: Sequence[str] = (),
        until: str | bytes | None = None,
        until_done: bool = False,
        send: Sequence[str | bytes] = (),
        knock: bool | None = None,
        past_faults: bool = False,
        on_ready: Callable[[list[str]], Any] = lambda _addresses: None,
        on_behind: Callable[[str], Any] = lambda _sentence: None,
        on_console: Callable[[str, bytes], Any] | None = None,
    ) -> tuple[BoardRun, int]:
        """Run at the pace of the wall clock, with the board's network ending in this machine.

        It runs until Ctrl-C, or for a time of the wall clock (with ``virtual_end`` of the board's own, exactly so
        long), or until what :meth:`run` knows as ``until`` and ``until_done``; ``send``, ``knock`` and ``past_faults``
        are those of :meth:`run`. Meanwhile another thread may type (:meth:`send`) and end it (:meth:`leave`). ``tap``
        is a TAP interface, which takes root or an interface of one's own; ``forward`` are ports such as ``"8080:80"``
        (port of this machine, port of the board; the board's address can stand between them), which take no rights.
        ``on_ready(addresses)`` is told where the forwarded ports listen, ``on_behind(sentence)`` where this machine is
        too slow. Gives the report, and for how many picoseconds the board's clock stood still because of that. When it
        comes back, ports and interface are free.

        Raises ``AirwireError`` where the board has no network, or the interface or a port cannot be had.
        """
        end_ps = NO_END_PS if for_ is None else end_of_run(self.time_ps, for_)
        report, given_up_ps = self._core.serve(
            end_ps=end_ps,
            virtual_end=virtual_end,
            tap=tap,
            forwards=list(forward),
            text=_awaited(until),
            clients=until_done,
            typed=[_bytes(text) for text in send],
            knocks=until is not None if knock is None else knock,
            past_faults=past_faults,
            on_ready=on_ready,
            on_behind=on_behind,
            on_console=on_console,
        )
        return run_of(report), given_up_ps

    def leave(self) -> None:
        """Have a :meth:`serve` that goes on in another thread come back as if its time were over."""
        self._core.leave()

    def step(self, instructions: int = 1, *, core: int = 0) -> None:
        """Execute instructions of a core, and what the other core and the peripherals do meanwhile."""
        check_numbers(core=core, instructions=instructions)
        self._core.step(core, instructions)

    @property
    def name(self) -> str:
        """The board's name."""
        return self._core.name

    @property
    def time_ps(self) -> int:
        """The virtual time since the start."""
        return self._core.now_ps

    @property
    def console(self) -> str:
        """Everything that came out of the consoles so far, UART0, UART1, USB and RTT one after the other."""
        return "".join(self.console_of(name) for name in CONSOLES)

    def console_of(self, name: Console) -> str:
        """Everything that came out of one console so far."""
        return self._core.console(name).decode("utf-8", "replace")

    def send(self, text: str | bytes, console: Console | None = None) -> None:
        """Type at a console, by default at USB where the image has a serial port there, else at UART0.

        An image that uses nothing but RTT gets it there. While the board is served (:meth:`serve`) any thread may.
        """
        self._core.send(_bytes(text), console)

    @property
    def pins(self) -> Pins:
        """The pins by name."""
        return Pins(self._core)

    @property
    def memory(self) -> Memory:
        """The chip's memory."""
        return Memory(self._core)

    def address_of(self, symbol: str) -> int:
        """The address of a function or variable of the image."""
        address = self._core.address_of(symbol)
        if address is None:
            raise _core.AirwireError(f"the image has no symbol {symbol}; give an ELF as image or as symbols")
        return address

    @property
    def registers(self) -> dict[str, int]:
        """The registers of core 0."""
        return self.registers_of(0)

    def registers_of(self, core: int) -> dict[str, int]:
        """The registers of a core: ``r0`` to ``r12``, ``sp``, ``lr``, ``pc``, ``xpsr``."""
        check_numbers(core=core)
        return dict(self._core.registers(core))

    def set_register(self, name: str, value: int, *, core: int = 0) -> None:
        """Set a register of a core."""
        check_numbers(core=core, value=value)
        self._core.set_register(core, name, value)

    def snapshot(self) -> Snapshot:
        """Keep the whole state: chip, chips around it, devices, consoles and edges."""
        return Snapshot(self._core.snapshot(), self._inputs)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a state."""
        check_kind("the state", snapshot, Snapshot, "Board.snapshot")
        self._core.restore(snapshot._core)

    def save(self, path: str | Path) -> None:
        """Keep the state in a file, to go on from there in another process (:meth:`resume`).

        Chips and memories are in it, with the WIZnet chips around them; consoles, edges and the network are not, so
        save while no connection is open. Raises ``AirwireError`` where a device cannot be kept or the file not be
        written.
        """
        self._keep_inputs(path)
        self._core.save(path)

    def resume(self, path: str | Path) -> None:
        """Go on where a board of the same kind was saved, with the network and the traffic that this one was made with.

        The cable is plugged in anew, into a switch and a PC that have just been switched on; traffic begins so long
        after that as its ``start`` says. Raises ``AirwireError`` where the file holds no such state.
        """
        self._core.resume(path)

    def branch(self) -> Board:
        """Another board in the same state."""
        return self.snapshot().branch()

    @property
    def report(self) -> BoardRun:
        """What was counted so far."""
        return run_of(self._core.outcome())

    @property
    def traffic(self) -> Traffic:
        """The clients and servers at the other end of the board's wire, by name: ``board.traffic["ping"].summary``."""
        return Traffic(self._core)

    def watch_calls(self) -> None:
        """Keep from here on whom the board calls (:attr:`network`)."""
        self._core.watch_calls()

    @property
    def network(self) -> NetworkState | None:
        """What the board is on its network; ``None`` where it has none."""
        state = self._core.network_state()
        return None if state is None else network_state_of(state)

    @property
    def counts(self) -> list[CoreCounts]:
        """What was counted of each core so far."""
        return self.report.cores

    @property
    def unknown(self) -> list[UnknownAccess]:
        """Accesses so far to something that is not modelled, each once."""
        return self.report.unknown

    @property
    def notes(self) -> list[str]:
        """What the board's chips complain of so far, each kind once, and what the last run was to type and did not."""
        return self._core.notes

    def place(self, address: int) -> str:
        """An address with its function and source line."""
        check_numbers(address=address)
        return self._core.place(address)

    def __repr__(self) -> str:
        return f"Board({self.name!r}, at {_core.format_time(self.time_ps)})"


def end_of_run(now_ps: int, for_: Time | None) -> int:
    """When a run ends that begins now."""
    if for_ is None:
        return NO_END_PS
    duration = picoseconds(for_)
    if duration < 0:
        raise _core.AirwireError(f"a run of {_core.format_time(duration)} would go back; give 0s or more")
    return min(now_ps + duration, NO_END_PS)


def _awaited(text: str | bytes | None) -> bytes | None:
    if text is not None and not text:
        raise _core.AirwireError("the text to wait for is empty, and so never comes; give what a console prints")
    return None if text is None else _bytes(text)


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def run_of(report: str) -> BoardRun:
    """A report of the core."""
    content = json.loads(report)
    fault = content["fault"]
    return BoardRun(
        **{
            **content,
            "cores": [CoreCounts(**core) for core in content["cores"]],
            "interrupts": [InterruptCount(**interrupt) for interrupt in content["interrupts"]],
            "functions": [FunctionShare(**function) for function in content["functions"]],
            "unknown": [UnknownAccess(**access) for access in content["unknown"]],
            "traffic": [traffic_of(result) for result in content["traffic"]],
            "fault": None if fault is None else Fault(**fault),
            "radio": None if content["radio"] is None else RadioUse(**content["radio"]),
            "energy": supply_use(content["energy"]),
        }
    )
