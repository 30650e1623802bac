"""The server of the live view: the page, its assets, and the WebSocket over which samples go.

Each page is served from the feed by its own task, as fast as it confirms what it got. A page that is slow or gone costs
nothing but its connection.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from airwire import _core
from airwire.live import page as pages
from airwire.live import protocol
from airwire.live.access import Guard
from airwire.live.feed import Feed
from airwire.live.saved import save_marks, save_report

LOOK_EVERY_S = 0.1
MOST_PAGES = 16
_TYPES = {"live.js": "text/javascript", "live.css": "text/css", "tokens.css": "text/css"}
_HEADERS = {
    "Content-Security-Policy": pages.POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def application(feed: Feed, *, token: str, host: str) -> ASGIApp:
    """The live view of a feed, as an ASGI application."""
    server = _Server(feed)
    routes = [
        Route("/", server.page),
        *(Route(f"/{name}", server.asset) for name in _TYPES),
        WebSocketRoute("/stream", server.stream),
    ]
    return Guard(Starlette(routes=routes), token=token, name=host)


class _Server:
    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._session = secrets.token_hex(8)
        self._pages = 0
        self._saving = asyncio.Lock()

    async def page(self, _request: Request) -> Response:
        return Response(pages.page(self._feed.title), media_type="text/html", headers=_HEADERS)

    async def asset(self, request: Request) -> Response:
        name = request.url.path.rpartition("/")[2]
        content = pages.tokens().encode() if name == "tokens.css" else pages.asset(name)
        return Response(content, media_type=_TYPES[name], headers=_HEADERS)

    async def stream(self, socket: WebSocket) -> None:
        await socket.accept()
        if self._pages >= MOST_PAGES:
            await socket.close(1013, f"{MOST_PAGES} pages show this measurement already; close one")
            return
        self._pages += 1
        try:
            with suppress(WebSocketDisconnect, msgspec.MsgspecError):
                await self._serve(socket)
        finally:
            self._pages -= 1

    async def _serve(self, socket: WebSocket) -> None:
        await socket.send_text(protocol.hello(self._feed, self._session))
        first = protocol.said(await socket.receive_text())
        if not isinstance(first, protocol.Resume):
            return
        have = first.have if first.session == self._session else []
        client = _Page(self._feed, socket, have)
        writing = asyncio.create_task(client.write())
        try:
            while True:
                await self._hear(protocol.said(await socket.receive_text()), client)
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await writing

    async def _hear(self, said: protocol.Said, client: _Page) -> None:
        match said:
            case protocol.Ack():
                client.confirm()
            case protocol.MarkNow(text=text):
                if self._feed.mark(text) is None:
                    await client.answer("No mark was set: it needs a text, and there may be a thousand at most.")
                else:
                    await self._write(client, "Mark kept in {}", partial(save_marks, self._feed))
            case protocol.Save():
                await self._write(client, "Report: {}", partial(save_report, self._feed))
            case protocol.Resume():
                pass

    async def _write(self, client: _Page, sentence: str, write: Callable[[], Path]) -> None:
        """Write a file on another thread, one at a time, and tell the page where it is or why it is not."""
        async with self._saving:
            try:
                path = await asyncio.to_thread(write)
            except _core.AirwireError as error:
                await client.answer(f"Nothing was written: {error}")
            except OSError as error:
                await client.answer(f"Nothing was written: {error.filename or self._feed.folder}: {error.strerror}")
            except KeyboardInterrupt:
                # polars breaks off at Ctrl-C on whatever thread it computes; the main thread hears of it as well.
                await client.answer("Nothing was written: stopped by Ctrl-C.")
            else:
                await client.answer(sentence.format(path))


class _Page:
    """One page, and how much of the feed it has."""

    def __init__(self, feed: Feed, socket: WebSocket, have: list[int]) -> None:
        self._feed, self._socket = feed, socket
        self._sent = [max(0, count) for count in have]
        self._told: dict[str, object] = {}
        self._on_the_way = 0
        self._confirmed = asyncio.Event()

    def confirm(self) -> None:
        """The page has taken a batch."""
        self._on_the_way = max(0, self._on_the_way - 1)
        self._confirmed.set()

    async def answer(self, sentence: str) -> None:
        """Tell the page what became of its wish."""
        await self._socket.send_text(protocol.told("answer", sentence=sentence))

    async def write(self) -> None:
        """Send what is new, for as long as the page is there."""
        while True:
            state = (self._feed.state, self._feed.sentence)
            sent = await self._samples()
            await self._facts()
            if not sent:
                # The state as it was before the samples were looked at: whoever reads "finished" has them all.
                await self._changed("state", state, state=state[0], sentence=state[1])
                await asyncio.sleep(LOOK_EVERY_S)

    async def _facts(self) -> None:
        marks = self._feed.marks
        await self._changed("marks", len(marks), marks=list(marks))
        for series in self._feed.all_series:
            if series.stages is not None:
                key = f"stages {series.number}"
                told = {"series": series.number, "of": series.stages.of, "stages": series.stages.stages}
                await self._changed("stages", id(series.stages), key, **told)

    async def _changed(self, kind: str, version: object, key: str | None = None, /, **content: object) -> None:
        """Say something, unless the page was told this version of it already."""
        if self._told.get(key or kind) != version:
            self._told[key or kind] = version
            await self._socket.send_text(protocol.told(kind, **content))

    async def _samples(self) -> bool:
        """Send the batches that may be on the way now; gives whether there was one."""
        rows = self._feed.all_series
        self._sent += [0] * (len(rows) - len(self._sent))
        series = [{"name": one.name, "kind": one.kind, "target": one.target} for one in rows]
        await self._changed("series", len(series), series=series)
        sent_any = False
        for one in rows:
            while len(one) > self._sent[one.number]:
                await self._wait_for_room()
                content, count = protocol.batch(one, self._sent[one.number])
                self._sent[one.number] += count
                self._on_the_way += 1
                await self._socket.send_bytes(content)
                sent_any = True
                if count < protocol.BATCH_SAMPLES:
                    break
        return sent_any

    async def _wait_for_room(self) -> None:
        while self._on_the_way >= protocol.BATCHES_ON_THE_WAY:
            self._confirmed.clear()
            await self._confirmed.wait()
