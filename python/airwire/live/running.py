"""The live view on a port of this computer: opened, served until Ctrl-C, closed again."""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airwire import _core
from airwire.live.access import SHORTEST_TOKEN, new_token
from airwire.live.feed import Feed

if TYPE_CHECKING:
    from starlette.types import ASGIApp

LOOPBACK = "127.0.0.1"
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")
_LARGEST_MESSAGE_BYTES = 65_536


@dataclass(frozen=True)
class Address:
    """Where the live view is served."""

    host: str
    port: int
    token: str

    @property
    def url(self) -> str:
        """What a browser opens."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/{self.token}/"


def checked_token(host: str, token: str | None) -> str:
    """The token: a random one on loopback, unless another was given.

    Raises ``AirwireError`` where the measurement would be shown to a network without a token of the user's own.
    """
    if token is None:
        if not _is_loopback(host):
            raise _core.AirwireError(
                f"--host {host} shows the measurement to a network; give --token with a secret of "
                f"{SHORTEST_TOKEN} characters or more as well"
            )
        return new_token()
    if len(token) < SHORTEST_TOKEN or not _TOKEN.fullmatch(token):
        raise _core.AirwireError(
            f"--token has {len(token)} characters; give {SHORTEST_TOKEN} or more of letters, digits, - and _"
        )
    return token


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def served(feed: Feed, *, host: str = LOOPBACK, port: int = 0, token: str | None = None) -> Iterator[Address]:
    """Serve a feed on a thread of its own for as long as the block lasts; port 0 takes any that is free.

    Raises ``AirwireError`` where packages are missing, the page is not built, or the port cannot be had.
    """
    with _packages():
        from airwire.live.page import check_assets
        from airwire.live.server import application

    check_assets()
    with _serving(lambda secret: application(feed, token=secret, host=host), host, port, token) as address:
        yield address


@contextmanager
def served_trends(path: Path, *, host: str = LOOPBACK, port: int = 0, token: str | None = None) -> Iterator[Address]:
    """Serve the trends of a history likewise."""
    with _packages():
        from airwire.live.trends import application

    with _serving(lambda secret: application(path, token=secret, host=host), host, port, token) as address:
        yield address


@contextmanager
def _packages() -> Iterator[None]:
    """Where a package of the extra is missing, says which."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise _core.AirwireError(
            f"the live view needs the package {missing.name}: pip install 'airwire[live]'"
        ) from None


@contextmanager
def _serving(made: Callable[[str], ASGIApp], host: str, port: int, token: str | None) -> Iterator[Address]:
    """Serve what is made for the secret part of the address."""
    with _packages():
        import uvicorn

    secret = checked_token(host, token)
    listener = _listener(host, port)
    address = Address(host, listener.getsockname()[1], secret)
    config = uvicorn.Config(
        made(secret),
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=_LARGEST_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def _listener(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            # From here on a browser may come, although nobody answers it yet.
            listener.listen()
        except OSError:
            listener.close()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise _core.AirwireError(
            f"{host}:{port}: the live view cannot listen there: {reason}; name another place"
        ) from None
    return listener
