"""The trends of a history as a page of the live view: drawn anew from the data base each time it is asked for.

Other processes may add runs meanwhile. A browser asks again by itself after a while.
"""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from airwire import _core
from airwire.history.pictures import page_of_history
from airwire.history.store import History
from airwire.live.access import Guard
from airwire.report.document import POLICY

ASK_AGAIN_S = 30
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Refresh": str(ASK_AGAIN_S),
}


def application(path: Path, *, token: str, host: str) -> ASGIApp:
    """The page of trends, as an ASGI application."""

    def draw() -> str:
        with History(path) as history:
            return page_of_history(history, f"Trends of {path.name}")

    async def page(_request: Request) -> Response:
        try:
            return Response(await run_in_threadpool(draw), media_type="text/html", headers=_HEADERS)
        except _core.AirwireError as error:
            return Response(f"{error}\n", status_code=503, media_type="text/plain", headers=_HEADERS)

    return Guard(Starlette(routes=[Route("/", page)]), token=token, name=host)
