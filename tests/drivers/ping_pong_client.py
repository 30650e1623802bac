"""The client of a ping-pong over TCP, as a script on a board: it sends 1, then answers each number with the next."""

from __future__ import annotations

from typing import Any


def ping_pong(client: Any, messages: int) -> int:
    """Send so many messages; gives the last number that came back."""
    client.send(b"1")
    sent = 1
    number = 0
    while sent < messages:
        number = int(client.recv(16))
        client.send(str(number + 1).encode())
        sent += 1
    return number
