"""An instrument that watches a board now, as a source of the live view: its pairs appear as it tells them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from airwire.instruments.base import InstrumentError, Wanted
from airwire.instruments.catalogue import KINDS, open_instrument
from airwire.instruments.measurement import Measured, measure
from airwire.instruments.recording import Message, Pairs
from airwire.live.batch import Batch
from airwire.live.feed import Feed

CAPTURE = "capture.csv"
_LONGEST_PS = 86_400 * 10**12
_ENDLESS = 10**9
_ENDED = {"limit": "after a day", "end": "at the end of the file", "gone": "when the instrument went away"}


@dataclass
class InstrumentSource:
    """An instrument as ``--instrument`` names it, and the folder that its capture is kept in."""

    spelling: str
    wanted: Wanted
    folder: Path
    prefix: str = ""
    samples: int | None = None

    def run(self, feed: Feed) -> str:
        """Watch until there are enough pairs, or somebody stops it; what was captured is kept."""
        instrument = open_instrument(self.spelling, self.wanted)
        self.folder.mkdir(parents=True, exist_ok=True)
        place = self.folder / CAPTURE
        if place.exists():
            raise InstrumentError(f"{place} exists already, and captures are never overwritten; name another --out")
        series = feed.series(f"{self.prefix}{self.spelling}", target=self.prefix)

        def seen(pairs: Pairs, _seconds: float) -> None:
            series.push(_batch(pairs.latest))
            feed.sentence = f"{pairs.paired} pairs of {self.spelling}"

        measured = measure(
            instrument,
            place,
            samples=self.samples or _ENDLESS,
            limit_ps=_LONGEST_PS,
            count=lambda _capture: self.samples or 0,
            progress=seen,
            is_stopped=lambda: feed.is_stopped,
        )
        return self._ended(measured)

    def _ended(self, measured: Measured) -> str:
        if measured.capture is None:
            raise InstrumentError(
                f"{self.spelling} told nothing; see whether it is connected, and whether something triggers it"
            )
        pairs = measured.pairs
        how = _ENDED.get(measured.ending)
        count = f"{pairs.paired} pairs" if pairs.paired else f"no pair, {pairs.triggers} triggers, {pairs.dones} dones"
        return f"{count}{f' {how}' if how else ''} in {measured.capture}"


def is_instrument(text: str) -> bool:
    """Whether a text names an instrument, as ``sigrok:fx2lafw`` and ``saleae`` do."""
    name, colon, _place = text.partition(":")
    kind = next((one for one in KINDS if one.name == name), None)
    return kind is not None and bool(colon or not kind.place)


def _batch(messages: Sequence[Message]) -> Batch:
    return Batch([one.trigger_ps for one in messages], [one.latency_ps for one in messages])
