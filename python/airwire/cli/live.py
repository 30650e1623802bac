"""``airwire live``: a measurement as a page of this computer that fills in as samples arrive."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from airwire.cli import options
from airwire.cli.board import options as board_options
from airwire.cli.complaints import EXIT_BAD_INPUT, complain
from airwire.cli.file_kinds import HISTORY
from airwire.cli.paths import RUN_PARTS, Reads, Writes, parts_of
from airwire.cli.stopping import stopped
from airwire.cli.unused import refuse_unused

if TYPE_CHECKING:
    from airwire.live.feed import Feed
    from airwire.live.source import Source

KEPT = parts_of((*RUN_PARTS, "marks.json", "capture.csv"))
_LOOK_EVERY_S = 0.2
_END_WITHIN_S = 10.0
_MOST = 2
_OF_MEASUREMENTS = (
    *("--board", "--traffic", "--network", "--set", "--seed"),
    *("--samples", "--trigger", "--done", "--rate", "--out"),
)


def live(
    what: Annotated[
        list[Path],
        typer.Argument(
            metavar="TARGET...",
            help="A run folder, finished or still being written; a suite; the image of a virtual board; a board at "
            "an address and what it is asked, such as pingpong:192.168.1.50:5000; or an instrument as airwire capture "
            "names it, such as sigrok:fx2lafw or pico:/dev/ttyACM0. Two stand side by side. Or the data base of a "
            "history, whose trends are shown.",
            show_default=False,
        ),
        Reads("measurement"),
    ],
    board: board_options.BoardName = None,
    traffic: board_options.Traffic = None,
    network: board_options.Network = None,
    set_: board_options.Set = None,
    seed: board_options.Seed = 1,
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=options.MAX_SAMPLES,
            help="Messages of an image, an address or an instrument, or of every row of a suite. Default: 100000 of an "
            "image, as the suite has it, or no end.",
            show_default=False,
        ),
    ] = None,
    trigger: options.Trigger = "D0",
    done: options.Done = "D1",
    rate: Annotated[
        int | None,
        typer.Option(
            parser=options.sample_rate,
            metavar="RATE",
            help="Samples a second of an instrument, such as 24MHz. Default: as its driver has it.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where marks and reports go; of a suite its run folder. Default: the run folder that is shown, else "
            "runs/<UTC time>-<name>.",
            show_default=False,
        ),
        Writes("marks and reports", is_folder=True, holds=KEPT, makes_folders=True),
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    until_done: Annotated[
        bool, typer.Option("--until-done", help="End when the measurement has ended, and not at Ctrl-C.")
    ] = False,
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="Port; 0 takes any that is free.")] = 0,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address to serve at. One of a network takes a --token of yours as well."),
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Secret part of the page's address. Default: random.", show_default=False),
    ] = None,
) -> None:
    """Watch a measurement on a page that fills in as samples arrive.

    Latencies over time, histogram and ECDF, throughput, outcomes and stages, with a pause, marks and a report of what
    is there so far. The page works offline and is served to this computer alone, under a random address, until Ctrl-C.
    Example: airwire live published
    """
    from airwire._core import AirwireError
    from airwire.cli.live_sources import Wanted, feed_of
    from airwire.live.running import served

    if len(what) > _MOST:
        raise AirwireError(f"{len(what)} measurements were named, and two fit side by side; name one or two")
    if any(path.suffix == HISTORY for path in what):
        only_page = until_done or len(what) > 1
        if only_page:
            raise AirwireError(f"{what[0]}: trends stand alone, until Ctrl-C; name the data base of the history alone")
        refuse_unused(_OF_MEASUREMENTS, "a history is looked at and not measured; leave it out")
        _show_trends(what[0], host, port, token, open_)
        return
    wanted = Wanted(board, traffic or (), network, options.settings_of(set_), seed, samples, out, trigger, done, rate)
    feed, sources = feed_of(what, wanted)
    with served(feed, host=host, port=port, token=token) as address:
        typer.echo(f"Live view: {address.url}")
        typer.echo("Ctrl-C ends it.")
        if open_:
            import webbrowser

            webbrowser.open(address.url)
        was_stopped = watch(feed, sources, until_done=until_done)
    if feed.state == "failed":
        complain(feed.sentence)
        raise typer.Exit(EXIT_BAD_INPUT)
    typer.echo(f"Measured: {feed.sentence}")
    if was_stopped:
        raise stopped("; what was measured is kept")


def _show_trends(path: Path, host: str, port: int, token: str | None, open_: bool) -> None:
    """Serve the trends of a history until Ctrl-C."""
    from airwire.history.store import History
    from airwire.live.running import served_trends

    History(path).close()
    with served_trends(path, host=host, port=port, token=token) as address:
        typer.echo(f"Live view: {address.url}")
        typer.echo("Ctrl-C ends it.")
        if open_:
            import webbrowser

            webbrowser.open(address.url)
        with suppress(KeyboardInterrupt):
            Event().wait()


def watch(feed: Feed, sources: Sequence[Source], *, until_done: bool) -> bool:
    """Run the sources and wait for Ctrl-C; gives whether it came before the measurement had ended.

    A measurement that failed with nothing to look at ends the view, as every one does with ``until_done``.
    """
    from airwire.live.source import start

    threads = start(sources, feed)
    try:
        while not _is_over(feed, until_done):
            feed.rest(_LOOK_EVERY_S)
    except KeyboardInterrupt:
        pass
    was_running = feed.state == "running"
    feed.stop()
    for thread in threads:
        thread.join(_END_WITHIN_S)
    return was_running


def _is_over(feed: Feed, until_done: bool) -> bool:
    if until_done:
        return feed.state != "running"
    return feed.state == "failed" and not any(map(len, feed.all_series))
