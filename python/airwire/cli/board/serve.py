"""``airwire board serve``: an image on a virtual board at the pace of the wall clock, reachable from this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from select import select
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airwire.cli import options as common
from airwire.cli.board import options
from airwire.cli.board.opened import open_board
from airwire.cli.board.reach import keyboard, say_ready
from airwire.cli.board.run import ConsoleStream, exit_by
from airwire.cli.complaints import complain
from airwire.cli.options import past_time
from airwire.cli.plain import sent_to

if TYPE_CHECKING:
    from airwire.board import Board
    from airwire.cli.board.live_rate import LiveRate
    from airwire.cli.board.wire_log import WireLog

_LOOK_S = 0.5
"""How often the line at the foot is looked at where nothing is on the wire."""


def serve(
    image: options.Image,
    board: options.BoardName = None,
    network: options.Network = None,
    traffic: options.Traffic = None,
    impair: options.Impair = None,
    tap: options.Tap = None,
    forward: options.Forward = None,
    send: options.Send = None,
    interactive: options.Interactive = False,
    for_: Annotated[
        int | None,
        typer.Option(
            "--for",
            parser=past_time,
            metavar="TIME",
            help="End after this much time of the clock on the wall. Default: at Ctrl-C.",
            show_default=False,
        ),
    ] = None,
    pcap: options.Pcap = None,
    spi: options.Spi = False,
    symbols: options.Symbols = None,
    set_: options.Set = None,
    rom: options.Rom = None,
    seed: options.Seed = 1,
    json: common.Json = False,
) -> None:
    """Run an image in real time, for programs on this machine.

    They talk to the virtual board over forwarded ports or a TAP interface. Requests and connections are logged, with
    the board's own times, unless --pcap takes the frames; a summary comes at the end. Example: airwire board serve
    http.elf --forward 8080:80, then: curl http://localhost:8080/
    """
    if interactive and json:
        raise typer.BadParameter("an interactive run has no JSON output", param_hint="--interactive")
    if tap is None and not forward:
        raise typer.BadParameter(
            "nobody could reach the board; give --forward 8080:80 (no rights needed), or --tap NAME",
            param_hint="--forward",
        )
    options.check_spi(pcap)
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
    )
    if pcap is not None:
        device.start_pcap(pcap, spi=spi)
    stream = None if json else ConsoleStream()
    from airwire.cli.board.live_rate import LiveRate
    from airwire.cli.board.wire_log import WireLog

    foot = LiveRate(sent_to(sys.stderr))
    log = WireLog(foot.say) if pcap is None and not json else None
    typed = options.typed(send)
    begun = monotonic()
    with following(device, log, foot), keyboard(device, interactive):
        report, given_up_ps = device.serve(
            for_,
            tap=tap,
            forward=forward or (),
            send=typed,
            on_ready=say_ready(device, tap, forward or []),
            on_behind=_above(foot, complain),
            on_console=None if stream is None else _above(foot, stream),
        )
    seconds = monotonic() - begun
    if stream is not None and stream.ends_open:
        print()
    if json:
        from airwire.cli.board.objects import serve_output
        from airwire.cli.json_object import print_object

        print_object(serve_output(device, report, given_up_ps))
    else:
        from airwire.cli.board.report import print_traffic

        print_traffic(report, device.traffic)
        _summarise(log, report.time_ps / 1e12, seconds)
    if given_up_ps and not json:
        complain(f"the board's clock stood still for {given_up_ps / 1e12:.3f} s in all: this machine was too slow")
    exit_by(report)


@contextmanager
def following(device: Board, log: WireLog | None, foot: LiveRate) -> Iterator[None]:
    """Give what goes over the board's wire to ``log``, as the core hands it over, and show its rate at the ``foot``."""
    if log is None:
        try:
            yield
        finally:
            device.end_pcap()
        return
    reading, writing = os.pipe()

    def read() -> None:
        while True:
            if select([reading], [], [], _LOOK_S)[0]:
                content = os.read(reading, 65536)
                if not content:
                    return
                log.feed(content)
            foot.follow(log)

    reader = Thread(target=read, daemon=True)
    reader.start()
    try:
        device.start_pcap(f"/dev/fd/{writing}")
        yield
    finally:
        device.end_pcap()
        os.close(writing)
        reader.join()
        os.close(reading)
        foot.clear()
        log.end()


def _above(foot: LiveRate, write: Callable[..., None]) -> Callable[..., None]:
    """Write something where the line at the foot was, which comes again below it."""

    def written(*what: Any) -> None:
        foot.clear()
        write(*what)

    return written


def _summarise(log: WireLog | None, virtual: float, seconds: float) -> None:
    pace = f" at {100 * virtual / seconds:.3g} % of real time" if seconds > 0 else ""
    _say(f"Served {virtual:.1f} s{pace}.")
    for line in log.summary(virtual) if log is not None else ():
        _say(line)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
