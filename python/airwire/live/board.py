"""A virtual board that runs now, as a source of the live view.

It runs in steps of virtual time, as fast as this machine can, and between them its client's new messages are taken.
Nothing of that changes what it does.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from airwire import _core
from airwire.board.virtual import Board
from airwire.diagnosis.answer import what_to_ask
from airwire.live.batch import batch_of_rows
from airwire.live.feed import Feed, Kind
from airwire.values import Settings

STEP = "20 ms"
LOOK_EVERY_S = 0.2
LOOKS_SHARE = 0.1
"""A look goes through all messages so far; it may take this share of the time at most."""
LONGEST_SILENCE_PS = 60 * 10**12
"""A board that says nothing new for so long, in virtual time, is done."""


@dataclass(frozen=True)
class BoardSource:
    """An image on a virtual board, and the traffic that measures it."""

    image: Path
    messages: int
    prefix: str = ""
    """What stands before the name of its row."""
    board: str | Path | None = None
    traffic: Sequence[str] = ()
    network: Path | None = None
    settings: Settings | None = None
    seed: int = 1

    def run(self, feed: Feed) -> str:
        """Boot the image, and push its client's messages until there are enough."""
        asked = what_to_ask(
            self.image,
            board=self.board,
            symbols=None,
            traffic=self.traffic,
            network=self.network,
            settings=self.settings or {},
            seed=self.seed,
            progress=lambda doing: setattr(feed, "sentence", f"{self.image.name}: {doing.lower()}"),
        )
        if asked.place is None or asked.question is None:
            raise _core.AirwireError(f"{self.image.name} cannot be measured: {asked.reason}")
        feed.sentence = f"{self.image.name} runs on a virtual {asked.place}"
        board = Board(
            asked.place,
            self.image,
            seed=self.seed,
            record=False,
            network=self.network,
            traffic=asked.question.traffic,
            settings=self.settings,
        )
        kind: Kind = "bulk" if asked.question.measure == "bulk" else "messages"
        return self._measure(board, asked.question.of, kind, feed)

    def _measure(self, board: Board, client: str, kind: Kind, feed: Feed) -> str:
        series = feed.series(self.prefix + self.image.stem, kind, self.prefix)
        pause_s, looked_at, heard_ps = LOOK_EVERY_S, time.monotonic(), 0
        while True:
            run = board.run(STEP)
            is_over = run.reason != "time" or feed.is_stopped or board.time_ps - heard_ps > LONGEST_SILENCE_PS
            if not is_over and time.monotonic() - looked_at < pause_s:
                continue
            began = time.monotonic()
            told = board.traffic.samples(client)
            if len(told) > len(series):
                series.push(batch_of_rows(told[len(series) : self.messages]))
                heard_ps = board.time_ps
            looked_at = time.monotonic()
            pause_s = max(LOOK_EVERY_S, (looked_at - began) / LOOKS_SHARE)
            if is_over or len(series) >= self.messages:
                break
        time_told = _core.format_time(board.time_ps)
        return f"{self.image.name}: {len(series):,} messages in {time_told} of virtual time"
