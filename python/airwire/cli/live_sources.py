"""What ``airwire live`` was asked to show, as sources of a feed: told apart by what lies at the path."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airwire.cli.unused import refuse_unused
from airwire.values import Settings

if TYPE_CHECKING:
    from airwire.live.feed import Feed
    from airwire.live.source import Source
    from airwire.model import Analysis

_MESSAGES = 100_000
OF_IMAGES = ("--board", "--traffic", "--network", "--set", "--seed")


@dataclass(frozen=True)
class Wanted:
    """The options of the command."""

    board: str | None
    traffic: Sequence[str]
    network: str | None
    settings: Settings
    seed: int
    samples: int | None
    out: Path | None
    trigger: str
    done: str
    rate: int | None


def feed_of(what: Sequence[Path], wanted: Wanted) -> tuple[Feed, list[Source]]:
    """A feed and its sources, none of which has begun.

    Raises ``AirwireError`` for what is neither a run folder nor a suite nor an image.
    """
    from airwire.live.feed import Feed
    from airwire.runs.suite import default_folder

    names = [_name(path) for path in what]
    is_run = len(what) == 1 and what[0].is_dir()
    folder = wanted.out or (what[0] if is_run else default_folder("-".join(names)))
    _refuse_unused(what)
    found = [_source(path, wanted, folder, prefix) for path, prefix in zip(what, _prefixes(what), strict=True)]
    # The report of one run says more than its samples; two are reported by their samples.
    analysis = found[0][1] if len(found) == 1 else None
    return Feed(" and ".join(names), folder, analysis), [source for source, _ in found]


def _prefixes(what: Sequence[Path]) -> list[str]:
    """What stands before the names of rows: nothing of one, else what tells both apart."""
    from airwire._core import AirwireError

    if len(what) < 2:
        return [""] * len(what)
    if len(set(what)) < len(what):
        raise AirwireError(f"{what[0]} was named twice; name two measurements, or it alone")
    is_told_apart = len({path.name for path in what}) == len(what)
    return [f"{path.name if is_told_apart else path}: " for path in what]


def _refuse_unused(what: Sequence[Path]) -> None:
    """Options of a virtual board are for an image, and nothing more is sent where a folder is only looked at."""
    from airwire.live.instrument import is_instrument
    from airwire.live.probe import probe_of
    from airwire.runs.packaged import find_suite

    measured = [path for path in what if not path.is_dir()]
    images = [
        path
        for path in measured
        if probe_of(str(path)) is None
        and not is_instrument(str(path))
        and (path.suffix not in (".toml", "") or find_suite(path).suffix != ".toml")
    ]
    if not images:
        refuse_unused(OF_IMAGES, "this is for the image of a virtual board, and none is named; leave it out")
    if not measured:
        refuse_unused(["--samples"], "a run folder has the messages that it has; leave it out")


def _name(path: Path) -> str:
    """What it is called in titles and in the names of folders."""
    from airwire.live.instrument import is_instrument
    from airwire.live.probe import probe_of

    if is_instrument(str(path)):
        return re.sub(r"[^A-Za-z0-9]+", "-", str(path)).strip("-")

    asked = probe_of(str(path))
    if asked is not None:
        return f"{asked[0]}-{asked[1].replace(':', '-')}"
    return path.name if path.is_dir() else path.stem


def _instrument(spelling: str, wanted: Wanted, folder: Path, prefix: str) -> Source:
    from airwire.instruments.base import Wanted as Channels
    from airwire.live.instrument import InstrumentSource

    channels = Channels(wanted.trigger, wanted.done, wanted.rate)
    return InstrumentSource(spelling, channels, folder, prefix, samples=wanted.samples)


def _source(path: Path, wanted: Wanted, folder: Path, prefix: str) -> tuple[Source, Callable[[], Analysis] | None]:
    """The source that fits, and what gives an ordinary analysis of it."""
    from airwire.live.instrument import is_instrument
    from airwire.live.probe import ProbeSource, probe_of

    if is_instrument(str(path)):
        return _instrument(str(path), wanted, folder / _name(path) if prefix else folder, prefix), None
    asked = probe_of(str(path))
    if asked is not None:
        from airwire.cli.environment import environment

        kind, address = asked
        out = folder / kind if prefix else folder
        probing = ProbeSource(kind, address, out, prefix, samples=wanted.samples, environment=environment())
        return probing, probing.analysis
    if path.is_dir():
        from airwire.live.run_folder import RunFolderSource

        stored = RunFolderSource(path, prefix)
        return stored, stored.analysis
    from airwire.runs.packaged import find_suite

    if path.suffix in (".toml", ""):
        from airwire.cli.environment import environment
        from airwire.live.suite import SuiteSource

        suite = find_suite(path)
        if suite.suffix == ".toml":
            out = folder / suite.stem if prefix else folder
            running = SuiteSource(suite, out, prefix, samples=wanted.samples, environment=environment())
            return running, running.analysis
    if not path.is_file():
        from airwire._core import AirwireError

        raise AirwireError(f"{path}: there is no such file; {_instead(str(path))}")
    from airwire.live.board import BoardSource

    network = None if wanted.network is None else Path(wanted.network)
    board = BoardSource(
        path,
        wanted.samples or _MESSAGES,
        prefix=prefix,
        board=wanted.board,
        traffic=wanted.traffic,
        network=network,
        settings=wanted.settings,
        seed=wanted.seed,
    )
    return board, None


def _instead(spelling: str) -> str:
    """What to write instead of something that is no file: the nearest word before a colon, or what there is."""
    from airwire._core import nearest_name
    from airwire.instruments.catalogue import KINDS
    from airwire.runs.probe import PROBES

    word, colon, place = spelling.partition(":")
    near = nearest_name(word, [*PROBES, *(kind.name for kind in KINDS)]) if colon else None
    if near is not None:
        return f"the nearest is {near}:{place}"
    return "name a run folder, a suite, an image, pingpong:192.168.1.50, or an instrument such as sigrok:fx2lafw"
