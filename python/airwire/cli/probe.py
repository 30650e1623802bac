"""``airwire probe`` and ``airwire serve``: a board on the network of this computer, measured."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airwire.cli import options
from airwire.cli.bounds import complain_of_bounds, print_bounds
from airwire.cli.complaints import EXIT_BAD_INPUT, EXIT_NO_FIGURE, complain, complain_of_cut_short
from airwire.cli.options import bounds_of, past_time, settings_of
from airwire.cli.output import run_kept, write_report
from airwire.cli.paths import RUN, Writes
from airwire.cli.stopping import keeping, stopped

if TYPE_CHECKING:
    from airwire.cli.address_json import ProbeOutput
    from airwire.model import Analysis

_TEN_SECONDS_PS = 10 * 10**12
_A_DAY_PS = 86_400 * 10**12
# Nothing is sent there: the system only says which of its addresses it would use.
_SOMEWHERE = ("192.0.2.1", 9)

Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="An option of the client or server, such as size=128B (docs/reference/networks.md).",
        show_default=False,
    ),
]
Samples = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=10_000_000,
        help="End after so many messages, which throughput, iperf and iperf3 have none of. Default: none.",
        show_default=False,
    ),
]


def _ends_after(text: str) -> Any:
    return typer.Option("--for", parser=past_time, metavar="TIME", help=text, show_default=False)


Bound = Annotated[
    list[str] | None,
    typer.Option(
        "--bound",
        metavar="FIGURE=BOUND",
        help="What a figure is to keep, such as 'p95=<= 5 ms' or 'loss=<= 0.1 %'; exit with 1 where it does not.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Run folder to write. Default: runs/<UTC time>-<what>. Never overwritten.",
        show_default=False,
    ),
    Writes("run folder", is_folder=True, holds=RUN, makes_folders=True),
]


def probe(
    kind: Annotated[
        str,
        typer.Argument(metavar="WHAT", help="pingpong, http, ping, udp, ws, throughput or iperf3.", show_default=False),
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="The board's address or name, such as 192.168.1.50:8080.", show_default=False
        ),
    ],
    set_: Set = None,
    samples: Samples = None,
    for_: Annotated[int | None, _ends_after("End after this time at the latest. Default: 10s.")] = None,
    bound: Bound = None,
    packets: Annotated[
        bool,
        typer.Option(
            "--packets",
            help="Record the board's packets meanwhile, which tell more causes apart. On Linux, as root or with "
            "CAP_NET_RAW.",
        ),
    ] = False,
    out: Out = None,
    report: options.ReportFile = None,
    json: options.Json = False,
) -> None:
    """Measure a board on your network: latency, messages/s, throughput.

    First the same client measures this computer by itself over loopback: what it takes there is no fault of the board.
    Example: airwire probe http 192.168.1.50 --set path=/index.html --bound 'p95=<= 50 ms'
    """
    from airwire.cli.address_json import ProbeOutput
    from airwire.cli.environment import environment
    from airwire.cli.live_figures import live_figures
    from airwire.runs.packets import PacketRecording
    from airwire.runs.probe import probe as measure

    recording = PacketRecording(target) if packets else None
    with recording or nullcontext(), live_figures(f"Measuring this computer, then {target}") as seen:
        analysis = measure(
            kind,
            target,
            options=settings_of(set_),
            samples=samples,
            limit=for_ or _TEN_SECONDS_PS,
            bounds=bounds_of(bound),
            out=out,
            environment=environment(),
            samples_seen=seen,
        )
        if recording is not None:
            recording.keep(analysis)
    if recording is not None and recording.missing:
        complain(f"{recording.missing} packets are missing in the recording; what they would tell is not told")
    with keeping(run_kept(analysis)):
        _publish(analysis, report, ProbeOutput if json else None)
    if analysis.interrupted:
        raise stopped("; what was measured is kept" if analysis.captures else "")


def serve(
    kind: Annotated[
        str, typer.Argument(metavar="WHAT", help="pingpong, tcp, udp, http, ws, iperf or iperf3.", show_default=False)
    ],
    set_: Set = None,
    samples: Samples = None,
    for_: Annotated[int | None, _ends_after("End after this time. Default: when Ctrl-C is pressed.")] = None,
    bound: Bound = None,
    out: Out = None,
    report: options.ReportFile = None,
    json: options.Json = False,
) -> None:
    """Serve boards that call this computer, and measure them.

    A message is counted from one answer to the next. Ctrl-C ends it, and all that was measured is kept.
    Example: airwire serve pingpong --set port=5000
    """
    from airwire.cli.address_json import ServeOutput
    from airwire.cli.environment import environment
    from airwire.cli.live_figures import live_figures
    from airwire.runs.probe import serve as measure

    where = f"{own_address()}, port {_port_of(kind, settings_of(set_))}"
    with live_figures("Waiting for a board to call") as seen:
        analysis = measure(
            kind,
            options=settings_of(set_),
            samples=samples,
            limit=for_ or _A_DAY_PS,
            bounds=bounds_of(bound),
            out=out,
            environment=environment(),
            samples_seen=seen,
            ready=lambda: complain(f"serving {kind} at {where}; Ctrl-C ends it"),
        )
    with keeping(run_kept(analysis)):
        _publish(analysis, report, ServeOutput if json else None)
    if not analysis.captures:
        # Ctrl-C is how serving ends, so that it is no interruption; but a row there is only once somebody has called.
        complain(f"{kind} measured nothing: nobody called before it was ended; look whether the board calls {where}")
        raise typer.Exit(EXIT_NO_FIGURE)


def own_address() -> str:
    """The address of this computer that boards on its network would call."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(_SOMEWHERE)
        except OSError:
            return "127.0.0.1"
        address: str = asked.getsockname()[0]
        return address


def _port_of(kind: str, given: Mapping[str, str]) -> str:
    """The port of a server: as given, or the usual one."""
    from airwire.board.network import network_reference
    from airwire.runs.probe import server_of

    name = server_of(kind)
    options = next(known.options for known in network_reference().kinds if known.name == name)
    usual = next((option.default for option in options if option.name == "port"), None)
    return given.get("port", usual or "unknown")


def _publish(analysis: Analysis, report: Path | None, output: type[ProbeOutput] | None) -> None:
    """Print what was measured, write the report, and end with the exit code that fits."""
    if output is not None:
        from airwire.cli.address_json import address_output
        from airwire.cli.json_object import print_object

        print_object(address_output(analysis, output))
    else:
        from airwire.cli.address_lines import print_addresses

        print_addresses(analysis)
        print_bounds(analysis)
    from airwire.model import rows_of_addresses

    broken = complain_of_bounds(analysis)
    for failure in analysis.errors:
        complain(failure.message)
    written = write_report(analysis, report, None)
    if output is None:
        _print_files([("Run folder", analysis.run_folder), *written])
    without = [row for row in analysis.captures if row.target.figure is None]
    refused = [row for row in rows_of_addresses(analysis) if row.target.counts.get("error_statuses")]
    for row in refused:
        complain(f"{row.path}: {row.target.ended}")
    cut_short = complain_of_cut_short(analysis)
    if analysis.errors or not (analysis.captures or analysis.interrupted):
        raise typer.Exit(EXIT_BAD_INPUT)
    if without or refused or cut_short or broken:
        raise typer.Exit(EXIT_NO_FIGURE)


def _print_files(written: Sequence[tuple[str, object]]) -> None:
    for what, path in written:
        if path is not None:
            print(f"{what}: {path}")
