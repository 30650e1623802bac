"""``airwire board run``: an image on a virtual board, its consoles live, and a report at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airwire.cli import options as common
from airwire.cli.board import options
from airwire.cli.board.opened import open_board, say_missing_chip
from airwire.cli.board.reach import keyboard, say_ready
from airwire.cli.complaints import complain
from airwire.cli.paths import EDGES, Writes
from airwire.cli.stopping import stopped
from airwire.cli.unused import refuse_unused

if TYPE_CHECKING:
    from airwire.board import Board
    from airwire.board.model import BoardRun

EXIT_FAILED = 1
_CORTEX_M = "rp2040"


def run(
    image: options.Image,
    board: options.BoardName = None,
    for_: options.For = None,
    until: options.Until = None,
    send: options.Send = None,
    until_done: Annotated[
        bool,
        typer.Option(
            "--until-done",
            help="End when every client on the network is done; exit with 1 where one failed or was not done in time.",
        ),
    ] = False,
    uart: Annotated[bool, typer.Option("--uart", help="Show the UARTs only.")] = False,
    usb: Annotated[bool, typer.Option("--usb", help="Show the USB serial port only.")] = False,
    rtt: Annotated[bool, typer.Option("--rtt", help="Show only what a debug probe reads over RTT.")] = False,
    interactive: options.Interactive = False,
    tap: options.Tap = None,
    forward: options.Forward = None,
    past_faults: Annotated[
        bool,
        typer.Option(
            "--past-faults",
            help="Let the image's own HardFault handler go on where it faults, instead of ending there.",
        ),
    ] = False,
    gdb: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST]:PORT",
            help="Let GDB debug the board, for example at :3333; the board waits for it, and runs until GDB kills it.",
            show_default=False,
        ),
    ] = None,
    symbols: options.Symbols = None,
    set_: options.Set = None,
    rom: options.Rom = None,
    eeprom: options.Eeprom = None,
    write_eeprom: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write what the EEPROM holds after the run: .hex or .eep as Intel HEX, else its bytes.",
            show_default=False,
        ),
        Writes("EEPROM"),
    ] = None,
    seed: options.Seed = 1,
    network: options.Network = None,
    traffic: options.Traffic = None,
    impair: options.Impair = None,
    pcap: options.Pcap = None,
    spi: options.Spi = False,
    vcd: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every edge of every pin: .vcd or .csv, .gz too.", show_default=False),
        Writes("edges", kinds=(".vcd", ".csv", ".gz", ".xz", ".zst"), endings=EDGES),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a trace for ui.perfetto.dev: functions, interrupts, pins, consoles, buses (slower).",
            show_default=False,
        ),
        Writes("trace", kinds=(".json",)),
    ] = None,
    json: common.Json = False,
) -> None:
    """Run a firmware image on a virtual board, in virtual time.

    With --tap or --forward it runs at the pace of the wall clock.

    Console output streams while it runs; the report at the end has cycles, instructions, interrupts, functions and bus
    figures. Example: airwire board run firmware.uf2 --for 2s --until ready
    """
    options.check_spi(pcap)
    if json:
        refuse_unused(["--uart", "--usb", "--rtt"], "JSON has the output of every console; leave it out")
    if interactive and json:
        raise typer.BadParameter("an interactive run has no JSON output", param_hint="--interactive")
    if interactive and until_done:
        raise typer.BadParameter("an interactive run ends when you leave it", param_hint="--until-done")
    live = tap is not None or bool(forward)
    asks = interactive or past_faults or until is not None or until_done or send or for_ is not None or live
    if gdb is not None and asks:
        raise typer.BadParameter(
            "GDB decides how long the board runs; leave --interactive, --until, --until-done, --send, --for, "
            "--past-faults, --tap and --forward out",
            param_hint="--gdb",
        )
    if past_faults or usb or rtt:
        _refuse_on_avrs(image, board)
    from airwire import _core
    from airwire.board import NO_END_PS

    typed = options.typed(send)
    device = open_board(
        image,
        board,
        symbols=symbols,
        set_=set_,
        rom=rom,
        seed=seed,
        network=network,
        traffic=traffic,
        impair=impair,
        record=vcd is not None,
        for_=for_,
        eeprom=eeprom,
    )
    if write_eeprom is not None:
        # A chip without one is told of before the run, and not after it.
        device.save_eeprom(os.devnull)
    device.watch_calls()
    if pcap is not None:
        device.start_pcap(pcap, spi=spi)
    if trace is not None:
        device.start_trace(trace)
    awaited = None if until is None else _core.unescaped(until)
    stream = None if json else ConsoleStream(_shown(uart, usb, rtt))
    if gdb is not None:
        report = device.serve_gdb(gdb, on_listening=_say_where, on_console=stream)
    elif live:
        with keyboard(device, interactive):
            report, _ = device.serve(
                None if for_ is None and interactive else options.time_left(device, for_),
                virtual_end=True,
                tap=tap,
                forward=forward or (),
                until=awaited,
                until_done=until_done,
                send=typed,
                knock=True,
                past_faults=past_faults,
                on_ready=say_ready(device, tap, forward or []),
                on_behind=complain,
                on_console=stream,
            )
    elif interactive:
        from airwire.cli.board.interactive import converse

        end_ps = NO_END_PS if for_ is None else for_
        report = converse(device, end_ps, awaited, typed, past_faults, stream)
    else:
        report = device.run(
            options.time_left(device, for_),
            until=awaited,
            until_done=until_done,
            send=typed,
            knock=True,
            past_faults=past_faults,
            on_console=stream,
        )
    written = _write(device, vcd, trace, pcap)
    if write_eeprom is not None:
        device.save_eeprom(write_eeprom)
        written.append(("EEPROM", write_eeprom))
    if board is not None:
        say_missing_chip(device, report, image, symbols, common.settings_of(set_))
    _publish(device, report, written, stream, json)


def _refuse_on_avrs(image: Path, board: str | None) -> None:
    """Refuse what only a Cortex-M or its debug probe has, and no AVR."""
    from airwire.board.catalogue import describe_board, microcontroller_of, microcontrollers

    mcu = microcontroller_of(image) if board is None else describe_board(board).mcu
    if mcu == _CORTEX_M:
        return
    title = next(one.title for one in microcontrollers() if one.name == mcu)
    refuse_unused(["--past-faults"], f"an {title} has no HardFault that a handler could go on from; leave it out")
    refuse_unused(["--usb"], f"an {title} has no USB; its consoles are UARTs, which --uart shows alone")
    refuse_unused(["--rtt"], f"no debug probe reads an {title} over RTT; its consoles are UARTs")


class ConsoleStream:
    """Console output to standard output, as it comes."""

    def __init__(self, shown: Collection[str] | None = None) -> None:
        """Show all consoles, unless some are named."""
        self._shown = shown
        self.ends_open = False

    def __call__(self, name: str, content: bytes) -> None:
        """Print what came out of a console that is shown."""
        if self._shown is None or name in self._shown:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
            self.ends_open = not content.endswith(b"\n")


def _shown(uart: bool, usb: bool, rtt: bool) -> Collection[str] | None:
    """Which consoles are shown: all, unless some are named."""
    named = {"uart0": uart, "uart1": uart, "usb": usb, "rtt": rtt}
    return [name for name, is_named in named.items() if is_named] or None


def _say_where(address: str) -> None:
    complain(f"GDB: target remote {address}")


def _write(device: Board, vcd: Path | None, trace: Path | None, pcap: Path | None) -> list[tuple[str, Path]]:
    written = []
    if pcap is not None:
        device.end_pcap()
        written.append(("Frames", pcap))
    if vcd is not None:
        left_out = device.write_vcd(vcd)
        if left_out:
            complain(f"{vcd}: {left_out} edges had no room and are left out; record a shorter run")
        written.append(("Edges", vcd))
    if trace is not None:
        left_out = device.end_trace()
        if left_out:
            complain(f"{trace}: {left_out} events had no room and are left out; trace a shorter run")
        written.append(("Trace", trace))
    return written


def _publish(
    device: Board, report: BoardRun, written: list[tuple[str, Path]], stream: ConsoleStream | None, as_json: bool
) -> None:
    """Print the report, and end with the exit code that fits."""
    if as_json:
        from airwire.cli.board.objects import run_output
        from airwire.cli.json_object import print_object

        print_object(run_output(device, report))
    else:
        from airwire.cli.board.report import print_report

        if stream is not None and stream.ends_open:
            print()
        print_report(report, device.traffic, device.usb_device)
        for note in [*report.notes, *_refused(device)]:
            complain(f"note: {note}")
        for what, path in written:
            print(f"{what}: {path}")
        if device.network is not None and device.network.address is not None and report.image is not None:
            print(f"Next: airwire why {report.image} says where the time goes on the network.")
    # An image often ends because of what it lost, so that is said first.
    lost = say_losses(report)
    exit_by(report)
    if lost:
        raise typer.Exit(EXIT_FAILED)


def _refused(device: Board) -> list[str]:
    """Whom the image asks for a connection in vain: it may say no more of that than that something failed."""
    from airwire.diagnosis.reason import unanswered_call

    calls = [] if device.network is None else device.network.calls
    vain = unanswered_call([call for call in calls if call.over == "tcp"], who="the image")
    return [] if vain is None else [vain]


def say_losses(report: BoardRun) -> bool:
    """Tell of messages that were lost and clients that were turned away; whether there were any."""
    from airwire.explain.board.losses import losses

    sentences = losses(report.traffic)
    for sentence in sentences:
        complain(sentence)
    return bool(sentences)


def exit_by(report: BoardRun) -> Any:
    """End with the exit code of a run."""
    if report.reason == "interrupted":
        raise stopped()
    if report.failed:
        complain(report.sentence)
        raise typer.Exit(EXIT_FAILED)
