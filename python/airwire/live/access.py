"""Who may see a measurement: a request with the token in its path, for this very server, from no other site's page.

A page of another site can make a browser ask addresses of this computer, by name too once its name is made to lead here
(DNS rebinding). It can neither know the token nor hide its origin, and a browser says by which name it was led here.
"""

from __future__ import annotations

import ipaddress
import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

SHORTEST_TOKEN = 16


def new_token() -> str:
    """A token of 128 random bits."""
    return secrets.token_urlsafe(16)


class Guard:
    """Lets through what may see the measurement, and refuses all else in one sentence.

    The token is the first part of the path; behind the guard the path goes without it. ``name`` is the host that the
    user gave. An address is always right, as no other site's name is one.
    """

    def __init__(self, app: ASGIApp, *, token: str, name: str) -> None:
        self._app, self._token, self._name = app, token, name.lower()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            path = "/" + scope["path"].split("/", 2)[2]
            await self._app({**scope, "path": path, "raw_path": path.encode()}, receive, send)
        elif scope["type"] == "http":
            await PlainTextResponse(refusal + "\n", status_code=403)(scope, receive, send)
        else:
            # Before it is accepted a WebSocket is closed with status 403.
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})

    def _refusal(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._is_ours(host):
            return "This request was led here by the name of another host; open the address that airwire live printed."
        if origin is not None and origin != f"http://{host}":
            return "This request comes from the page of another site; open the address that airwire live printed."
        parts = scope["path"].split("/", 2)
        if len(parts) < 3 or not secrets.compare_digest(parts[1].encode(), self._token.encode()):
            return "This address lacks the token; open the whole address that airwire live printed."
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in ("localhost", self._name):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True
