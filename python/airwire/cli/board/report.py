"""The report of a run on a virtual board, for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.cli.fitting import print_table
from airwire.cli.tables import console

if TYPE_CHECKING:
    from rich.console import Console

    from airwire.board.model import BoardRun, Profile, UnknownAccess, UsbDevice
    from airwire.board.network import Traffic

_TOP_FUNCTIONS = 10
_TOP_INTERRUPTS = 8
_MOST_UNKNOWN = 20
_SCK = "_sck_hz"
"""How the counts of SPI ports are named that are their clocks."""


def print_report(report: BoardRun, traffic: Traffic, usb: UsbDevice | None = None) -> None:
    """Everything that a person asks first, the rare things only where there are any; ``usb`` is the image's device."""
    from airwire.explain.energy import supply_use

    out = console()
    _line(out, report.sentence[0].upper() + report.sentence[1:] + ".", "bold red" if report.failed else "bold")
    resets = f", {report.resets} resets" if report.resets else ""
    _line(out, f"{grouped(report.cycles)} cycles of {report.clock}, at the end {_megahertz(report.clk_sys_hz)}{resets}")
    for core in report.cores:
        if core.core == 0 or core.instructions:
            _line(
                out,
                f"core {core.core}: busy {percent(core.busy_share)}, {grouped(core.instructions)} instructions in "
                f"{grouped(core.busy_cycles)} cycles, {grouped(core.exceptions)} exceptions",
            )
    _print_counts(out, report)
    if usb is not None:
        _line(out, f"USB: {_device(usb)}")
    _line(out, f"Energy: {supply_use(report.energy, report.time_ps)}")
    _print_functions(out, report)
    print_traffic(report, traffic)
    _print_unknown(out, report)
    if report.fault is not None:
        _line(out, "")
        _line(out, report.fault.report)


def _device(usb: UsbDevice) -> str:
    """What is at the USB port: its name, its numbers, and what its interfaces make up."""
    name = "" if not usb.product else f"{usb.product!r}, "
    has = f": {', '.join(usb.functions)}" if usb.functions else ""
    return f"{name}{usb.vendor_id:04x}:{usb.product_id:04x}{has}"


def _print_counts(out: Console, report: BoardRun) -> None:
    taken = [f"{entry.name} {grouped(entry.count)}" for entry in report.interrupts[:_TOP_INTERRUPTS]]
    if taken:
        _line(out, f"Interrupts: {', '.join(taken)}{_more(report.interrupts, _TOP_INTERRUPTS)}")
    figures = [
        f"{name.replace('_', ' ')} {grouped(count)}{_sck(report, name)}"
        for name, count in report.bus.items()
        if count and not name.endswith(_SCK)
    ]
    if figures:
        _line(out, f"Buses: {', '.join(figures)}")


def _print_functions(out: Console, report: BoardRun) -> None:
    if not report.functions:
        return
    _line(out, f"\nTop functions, estimated from {grouped(report.samples)} samples:", "bold")
    rows = [(percent(entry.share), grouped(entry.cycles), entry.name) for entry in report.functions[:_TOP_FUNCTIONS]]
    print_columns(out, ("share", "cycles", "function"), rows)


def _sck(report: BoardRun, name: str) -> str:
    """The clock of the last frame on an SPI port, behind the number of its frames."""
    port, _, what = name.partition("_")
    hz = report.bus.get(f"{port}{_SCK}", 0) if what == "frames" else 0
    return f" at {_megahertz(hz) if hz >= 1_000_000 else f'{hz / 1e3:.4g} kHz'}" if hz else ""


def _print_unknown(out: Console, report: BoardRun) -> None:
    _print_accesses(out, "The image used what is not modelled", [one for one in report.unknown if not one.ignored])
    _print_accesses(
        out, "The image wrote where the chip takes no writes", [one for one in report.unknown if one.ignored]
    )


def _print_accesses(out: Console, heading: str, accesses: Sequence[UnknownAccess]) -> None:
    if not accesses:
        return
    _line(out, f"\n{heading}:", "bold")
    for access in accesses[:_MOST_UNKNOWN]:
        verb = "write to" if access.write else "read of"
        _line(out, f"  {access.block}: {access.detail}: {verb} {access.address:#010x} by {access.place}")
    left = len(accesses) - _MOST_UNKNOWN
    if left > 0:
        _line(out, f"  and {left} more (--json has all)")


def print_traffic(report: BoardRun, traffic: Traffic) -> None:
    """What clients measured, and what the servers that anybody spoke to counted."""
    if not report.traffic:
        return
    from airwire.explain.board.losses import waiting

    out = console()
    _line(out, "\nTraffic:", "bold")
    rows = []
    for entry in report.traffic:
        unfinished = "" if entry.done or not entry.client else " (not done)"
        told = f"{entry.summary}{unfinished}" if entry.waits_for is None else waiting(entry.waits_for)
        told += "" if entry.failure is None else f"; failed: {entry.failure}"
        tail = "" if entry.latency is None else f"{entry.latency.p99_ps / 1e9:.4g} ms"
        rows.append((entry.name, tail, told))
    print_columns(out, ("name", "p99", "result"), rows)


def print_profile(profile: Profile, count: int) -> None:
    """The table of a profile."""
    out = console()
    _line(out, f"\n{grouped(profile.cycles)} busy cycles, {grouped(profile.asleep_cycles)} asleep:", "bold")
    rows = [
        (
            percent(entry.self_cycles / profile.cycles if profile.cycles else 0.0),
            grouped(entry.self_cycles),
            grouped(entry.inclusive_cycles),
            grouped(entry.calls),
            entry.name,
        )
        for entry in profile.functions[:count]
    ]
    print_columns(out, ("share", "self", "with callees", "calls", "function"), rows)
    left = len(profile.functions) - count
    if left > 0:
        _line(out, f"and {left} more (--top {len(profile.functions)}, or --json)")


def print_columns(out: Console, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table whose last column is text and whose others are figures."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in names[:-1]:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(names[-1], overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    print_table(out, table)


def grouped(number: int) -> str:
    """A number with its thousands apart."""
    return f"{number:,}".replace(",", " ")


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.1f} %"


def _more(entries: Sequence[object], shown: int) -> str:
    return f" and {len(entries) - shown} more" if len(entries) > shown else ""


def _megahertz(hz: int) -> str:
    return f"{hz / 1e6:g} MHz"


def _line(out: Console, text: str, style: str = "") -> None:
    from rich.text import Text

    out.print(Text(text, style=style))
