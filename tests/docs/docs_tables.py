"""Tables of the documents whose numbers Airwire computes: what each pairing rule makes of a capture, and the ledger
of the link models.

A table stands between ``<!-- table: NAME -->`` and ``<!-- end of table -->``. ``docs_console.main`` writes it
anew; tests compare it with what this module computes.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import airwire
from airwire.kinds import PAIRING_RULES, PairingRule
from airwire.link.model import Ledger

# The table of every model against every capture.
LEDGER = "ledger"
# So many captures of a link that are met within 0.1 % and a KS of 0.001 share a line of the ledger.
MANY_ALIKE = 4
RARE = ("missed", "glitch", "overlapped", "late", "duplicate", "spurious")
_TABLE = re.compile(r"(<!-- table: (\S+) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
_FILE = re.compile(r"^```csv (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Row:
    """A capture and how it is paired; ``options`` are arguments of ``airwire.analyze``."""

    path: str
    pairing: PairingRule
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The options as the command line has them."""
        times = {name: f"{value // 10**9}ms" for name, value in self.options.items()}
        given = [f"--{name.replace('_', '-')} {value}" for name, value in times.items()]
        return " ".join([f"--pairing {self.pairing}", *given])


REAL = (
    "captures/rfm95/250k-SF128-12B.csv",
    "captures/rfm95/250k-SF128-1024B.csv",
    "captures/rfm95/64k5-SF2048-4o6-1024B.csv",
    "captures/nrf24/256kbps-1024B.csv",
    "captures/espnow/1024B.csv",
)
_MS = 10**9
TABLES: dict[str, tuple[Row, ...]] = {
    "real": tuple(Row(path, pairing) for path in REAL for pairing in PAIRING_RULES if pairing != "fifo"),
    "late": tuple(Row("late.csv", pairing) for pairing in PAIRING_RULES),
    "lone": (
        Row("lone.csv", "strict"),
        Row("lone.csv", "strict", {"min_latency": 10 * _MS}),
    ),
    "pipelined": (
        Row("pipelined.csv", "strict"),
        Row("pipelined.csv", "published"),
        Row("pipelined.csv", "fifo"),
        Row("pipelined.csv", "fifo", {"max_latency": 300 * _MS}),
    ),
}


def files_of(document: Path) -> dict[str, str]:
    """The small captures that a document spells out, by name: blocks fenced as ``csv NAME``."""
    return {match[1]: match[2] for match in _FILE.finditer(document.read_text(encoding="utf-8"))}


def tables_in(document: Path) -> dict[str, str]:
    """The tables that a document shows, by name."""
    return {match[2]: match[3] for match in _TABLE.finditer(document.read_text(encoding="utf-8"))}


def computed(name: str, folder: Path) -> str:
    """The table ``name`` over the captures in ``folder``."""
    if name == LEDGER:
        return ledger_table(airwire.validate(folder / "captures"))
    rows = TABLES[name]
    return _percentiles(rows, folder) if name == "real" else _single_latencies(rows, folder)


def refresh_tables(document: Path, captures: Path) -> None:
    """Write the tables of a document anew."""
    text = document.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "captures").symlink_to(captures)
        for file, content in files_of(document).items():
            (folder / file).write_text(content, encoding="ascii")
        text = _TABLE.sub(lambda match: match[1] + computed(match[2], folder) + match[4], text)
    document.write_text(text, encoding="utf-8")


def _capture(row: Row, folder: Path) -> airwire.Capture:
    path = folder / row.path
    return airwire.analyze(path, pairing=row.pairing, intervals=False, findings=False, **row.options).captures[0]


def _outcomes(capture: airwire.Capture) -> str:
    return ", ".join(f"{capture.outcomes[name]} {name}" for name in RARE if capture.outcomes[name]) or "-"


def _percentiles(rows: tuple[Row, ...], folder: Path) -> str:
    lines = [
        "| capture | rule | n | p50 (ms) | p99 (ms) | max (ms) | other edges |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    for row in rows:
        capture = _capture(row, folder)
        latency = capture.latency_ps or {}
        figures = " | ".join(f"{latency[name] / _MS:.3f}" for name in ("p50", "p99", "max"))
        cells = (f"`{row.path.removeprefix('captures/')}`", row.pairing, capture.outcomes["paired"], figures)
        lines.append("".join(f"| {cell} " for cell in (*cells, _outcomes(capture))) + "|")
    return "\n".join(lines) + "\n"


def _single_latencies(rows: tuple[Row, ...], folder: Path) -> str:
    lines = ["| options | latency of each trigger (ms) | other edges |", "|---|---|---|"]
    for row in rows:
        capture = _capture(row, folder)
        latencies = ["-" if ps is None else f"{ps / _MS:.0f}" for ps in capture.samples["latency_ps"].to_list()]
        lines.append(f"| `{row.words}` | {', '.join(latencies)} | {_outcomes(capture)} |")
    return "\n".join(lines) + "\n"


def ledger_table(ledger: Ledger) -> str:
    """The lines of a ledger."""
    rows = ledger.rows
    runs = [row for row in rows if row.mode == "this-run"]
    free = {row.capture: row for row in rows if row.mode == "phase-free"}
    lines = [
        "| capture | link | variant | B | class | n_eff | median | p75 | KS | phase-free median | its KS | goals |",
        "|---|---|---|--:|---|--:|--:|--:|--:|--:|--:|---|",
    ]
    exact = [row for row in runs if _is_exact(row, free[row.capture])]
    for link in dict.fromkeys(row.link for row in runs):
        alike = [row for row in exact if row.link == link]
        gathered = alike if len(alike) >= MANY_ALIKE else []
        lines += [_ledger_line(row, free[row.capture]) for row in runs if row.link == link and row not in gathered]
        lines += [_gathered_line(gathered, any(free[row.capture].passes for row in gathered))] if gathered else []
    judged = [row.passes for row in rows if row.passes is not None]
    lines += ["", f"{sum(judged)} of {len(judged)} judged rows keep the goals of their class; {len(rows)} rows in all."]
    return "\n".join(lines) + "\n"


def _is_exact(run: airwire.LedgerRow, free: airwire.LedgerRow) -> bool:
    """Whether every judged figure rounds to 0.1 % and a KS of 0.001, or to less."""
    judged = [row for row in (run, free) if row.passes is not None]
    errors = [error for row in judged for error in (row.median_error, row.upper_quartile_error)]
    return bool(judged) and all(abs(error) < 0.0015 for error in errors) and all(row.ks <= 0.001 for row in judged)


def _gathered_line(runs: list[airwire.LedgerRow], is_judged_phase_free: bool) -> str:
    """Captures of one link that are met within 0.1 %, in one line."""
    variants = list(dict.fromkeys(row.variant for row in runs))
    payloads = sorted({row.payload_bytes for row in runs})
    effective = sorted(round(row.n_eff) for row in runs)
    within, distance = "0.1 % at most", "0.001 at most"
    cells = (
        f"{len(runs)} captures",
        runs[0].link,
        "; ".join(variants) if len(variants) < MANY_ALIKE else f"{len(variants)} variants",
        ", ".join(str(payload) for payload in payloads),
        runs[0].understood,
        " to ".join(str(n) for n in dict.fromkeys((effective[0], effective[-1]))),
        within,
        within,
        distance,
        within if is_judged_phase_free else "-",
        distance if is_judged_phase_free else "-",
        "kept",
    )
    return "".join(f"| {cell} " for cell in cells) + "|"


def _ledger_line(run: airwire.LedgerRow, free: airwire.LedgerRow) -> str:
    cells = (
        f"`{run.capture}`",
        run.link,
        run.variant,
        str(run.payload_bytes),
        run.understood,
        f"{run.n_eff:.0f}",
        _per_cent(run.median_error),
        _per_cent(run.upper_quartile_error),
        f"{run.ks:.3f}",
        "-" if free.passes is None else _per_cent(free.median_error),
        "-" if free.passes is None else f"{free.ks:.3f}",
        _goal(run.passes, free.passes),
    )
    return "".join(f"| {cell} " for cell in cells) + "|"


def _per_cent(share: float) -> str:
    text = f"{100 * share:+.1f} %"
    return "0 %" if text in ("+0.0 %", "-0.0 %") else text


def _goal(this_run: bool | None, phase_free: bool | None) -> str:
    missed = [name for name, passes in (("this run", this_run), ("phase-free", phase_free)) if passes is False]
    if this_run is None and phase_free is None:
        return "none"
    return f"missed: {' and '.join(missed)}" if missed else "kept"
