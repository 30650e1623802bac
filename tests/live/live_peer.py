"""A page of the live view in Python: what speaks to the server as a browser's script does."""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from airwire.live import Batch, Feed
from airwire.live.running import Address, served

PATIENCE_S = 20
HEADER = struct.Struct("<IIIId")


class Peer:
    """One page: the samples that it has of each series, and the last text of each type."""

    def __init__(self, socket: ClientConnection, session: str | None = None, have: list[int] | None = None) -> None:
        self.socket = socket
        self.columns: dict[int, list[array[float]]] = {}
        self.have = dict(enumerate(have or []))
        self.texts: dict[str, Any] = {}
        self.batches = 0
        self.hello = self.text()
        self.say(type="resume", session=session or self.hello["session"], have=have or [])

    def say(self, **message: Any) -> None:
        """Say something."""
        self.socket.send(json.dumps(message))

    def text(self) -> Any:
        """The next message, which is a text."""
        return json.loads(self.socket.recv(PATIENCE_S))

    def hear(self, *, confirm: bool = True) -> None:
        """Take one message; batches have to follow one another without a gap."""
        message = self.socket.recv(PATIENCE_S)
        if isinstance(message, str):
            content = json.loads(message)
            self.texts[content["type"]] = content
            return
        version, series, count, columns, first = HEADER.unpack_from(message)
        assert (version, columns) == (1, 4)
        assert first == self.have.get(series, 0), "a batch that does not follow the one before"
        self.have[series] = int(first) + count
        kept = self.columns.setdefault(series, [array("d") for _ in range(columns)])
        body = array("d", message[HEADER.size :])
        for place, column in enumerate(kept):
            column.extend(body[place * count : (place + 1) * count])
        self.batches += 1
        if confirm:
            self.say(type="ack")

    def hear_all(self) -> None:
        """Take messages until the measurement is over."""
        while self.texts.get("state", {}).get("state") not in ("finished", "failed"):
            self.hear()

    def answer(self) -> str:
        """What became of a wish."""
        self.texts.pop("answer", None)
        while "answer" not in self.texts:
            self.hear()
        sentence: str = self.texts["answer"]["sentence"]
        return sentence


@contextmanager
def a_page(address: Address, session: str | None = None, have: list[int] | None = None) -> Iterator[Peer]:
    """A page that is open as long as the block lasts."""
    with connect(stream_of(address), max_size=None, compression=None) as socket:
        yield Peer(socket, session, have)


def stream_of(address: Address) -> str:
    """The address of the WebSocket."""
    return address.url.replace("http:", "ws:") + "stream"


@contextmanager
def served_feed(folder: Path) -> Iterator[tuple[Feed, Address]]:
    """An empty feed and where it is served; the page need not be built."""
    feed = Feed("Tested", folder)
    with served(feed) as address:
        yield feed, address


def some(first: int, count: int, latency_ps: int = 10**8) -> Batch:
    """Messages that can be told apart: one each 100 us, each a little slower than the one before."""
    triggers = [index * 10**8 for index in range(first, first + count)]
    return Batch(triggers, [latency_ps + index for index in range(first, first + count)], None, [64] * count)
