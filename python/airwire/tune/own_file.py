"""A user's own ``lwipopts.h``: what it sets of lwIP's options, which of them bind, and the counters that show it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from airwire import _core
from airwire.board import Board
from airwire.inputs import read_text
from airwire.tune.build import COMPILER, OPTION_NAMES, first_error, number, run_tool
from airwire.tune.candidates import Measured
from airwire.tune.knobs import option_text
from airwire.tune.subject import BoardSubject

_DEFINED = re.compile(r"^#define (\w+)(?: (.*))?$", re.MULTILINE)
_VALUE = re.compile(r"^AIRWIRE_(\w+) (.*)$", re.MULTILINE)
_POOL = re.compile(r"^(?:(?P<most>most )|(?P<missing>no room ))(?P<name>[A-Z_0-9]+) (?P<value>\d+)\s*$", re.MULTILINE)
_OPTION_OF_POOL: Mapping[str, str] = {
    "PBUF_POOL": "PBUF_POOL_SIZE",
    "HEAP": "MEM_SIZE",
    "TCP_SEG": "MEMP_NUM_TCP_SEG",
    "PBUF": "MEMP_NUM_PBUF",
    "PBUF_REF/ROM": "MEMP_NUM_PBUF",
}
_HELD = 0.05
"""A share of the time from which a window holds a transfer up."""
_AFTER = "300 ms"
"""What the console takes for the pools' lines at 115200 baud."""


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file with what it sets of the options that are known here."""

    path: Path
    text: str
    start: Mapping[str, str]
    """Options of it that a search may change."""
    others: Sequence[str]
    """Options of it that belong to its port; the bench has those of its own."""


@dataclass(frozen=True, slots=True)
class Binding:
    """Something that holds a transfer up."""

    option: str
    evidence: str
    """The counter and its value, in words."""


def read_own_file(path: Path) -> OwnFile:
    """What a ``lwipopts.h`` sets. Raises ``AirwireError`` with the first error of the compiler, its file and line."""
    try:
        text = read_text(path)
    except UnicodeDecodeError:
        raise _core.AirwireError(f"{path}: this is no text, and no lwipopts.h; name another file") from None
    flags = [COMPILER, "-mcpu=cortex-m0plus", "-mthumb", "-E", "-I", str(path.resolve().parent)]
    done = run_tool([*flags, "-dM", str(path.resolve())], path.resolve().parent)
    if done.returncode:
        raise _core.AirwireError(first_error(done.stderr) or f"{path}: the compiler cannot read it")
    names = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE)
    defined = {name for name, _ in _DEFINED.findall(done.stdout)}
    own = [name for name in dict.fromkeys(names) if name in defined]
    lines = "".join(f"\nAIRWIRE_{name} {name}" for name in OPTION_NAMES if name in own)
    probe = (
        f'#include "{path.resolve()}"\n#ifndef TCP_MSS\n#define TCP_MSS 536\n#endif\nAIRWIRE_TCP_MSS TCP_MSS{lines}\n'
    )
    done = run_tool([*flags, "-P", "-x", "c", "-"], path.resolve().parent, probe)
    values = {name: number(value) for name, value in _VALUE.findall(done.stdout)}
    mss = values.get("TCP_MSS") or 536
    start = {name: option_text(name, value, mss) for name, value in values.items() if value is not None and name in own}
    if not start:
        known = ", ".join(OPTION_NAMES)
        raise _core.AirwireError(f"{path}: it sets none of the options that a search changes, which are {known}")
    others = [name for name in own if name not in OPTION_NAMES and not name.startswith("_") and name != _guard(text)]
    return OwnFile(path, text, start, others)


def _guard(text: str) -> str | None:
    match = re.search(r"^[ \t]*#[ \t]*ifndef[ \t]+(\w+)", text, re.MULTILINE)
    return match[1] if match else None


def pools_of(board: BoardSubject, image: Path, seed: int) -> dict[str, tuple[int, int]]:
    """The most that each pool held in the row's traffic, and how often there was no room in it, as the image tells."""
    impair = board.row.get("network", {}).get("cable", {}).get("impair") if board.row.get("network") else None
    traffic = [_words(one) for one in board.row.get("traffic", [])]
    settings = {**board.row.get("settings", {}), "sink_pools": "on"}
    run = Board(board.board, image, record=False, traffic=traffic, impair=impair, settings=settings, seed=seed)
    run.run("90 s", until="kbit/s")
    run.run(_AFTER)
    most: dict[str, int] = {}
    missing: dict[str, int] = {}
    for line in _POOL.finditer(run.console.replace("\r", "")):
        if line["most"]:
            most[line["name"]] = int(line["value"])
        elif line["missing"]:
            missing[line["name"]] = int(line["value"])
    return {name: (value, missing.get(name, 0)) for name, value in most.items()}


def _words(one: object) -> str:
    """A client as ``--traffic`` takes it; of a long one a second shows as much."""
    if isinstance(one, Mapping):
        options = {**one, "time": "2s"} if "time" in one else dict(one)
        return " ".join([str(options.pop("kind")), *(f"{name}={value}" for name, value in options.items())])
    return str(one)


def bindings(before: Measured, pools: Mapping[str, tuple[int, int]], options: Mapping[str, str]) -> list[Binding]:
    """The options that hold a transfer up, each with the counter that shows it."""
    found = []
    for name, (most, missing) in pools.items():
        option = _OPTION_OF_POOL.get(name)
        if option is not None and missing:
            found.append(Binding(option, f"the pool {name} was empty {missing} times, with {most} in use at most"))
    held = before.counters.get("limit_receive_window", 0.0)
    full = before.counters.get("window_full_share", 0.0)
    window = before.counters.get("window_bytes", 0.0)
    if held > _HELD and full > _HELD:
        share = round(100 * full)
        evidence = f"the window of {window:.0f} B was full in {share} % of the time, and the sender waited for it"
        found.append(Binding("TCP_WND", evidence))
    if held > _HELD and before.counters.get("segment_bytes", 1460) < 1460:
        segment = before.counters["segment_bytes"]
        evidence = f"segments have {segment:.0f} B where a frame has room for 1460: more frames for the same bytes"
        found.append(Binding("TCP_MSS", evidence))
    if before.counters.get("limit_send_buffer", 0.0) > _HELD:
        share = round(100 * before.counters["limit_send_buffer"])
        found.append(Binding("TCP_SND_BUF", f"the send buffer was full in {share} % of the time"))
    return [one for one in found if one.option in options]


def spare(pools: Mapping[str, tuple[int, int]], values: Mapping[str, int]) -> list[Binding]:
    """Pools of which much was never used."""
    found = []
    for name, (most, missing) in pools.items():
        option = _OPTION_OF_POOL.get(name)
        if option is not None and option in values and not missing and most * 2 < values[option]:
            found.append(Binding(option, f"of {values[option]} at most {most} were ever in use"))
    return found
