"""A TCP stream on a PC, for ``pingpong.py``."""

import socket

from pingpong import PingPongError

TIMEOUT_S = 5
MOST_BYTES = 16


class Stream:
    """A connected socket; each number leaves at once."""

    def __init__(self, connection):
        connection.settimeout(TIMEOUT_S)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connection

    def send(self, data):
        """Give bytes to the peer; gives how many were taken."""
        try:
            return self._socket.send(data)
        except OSError as error:
            raise PingPongError(f"nothing could be sent: {error}") from error

    def receive(self, count):
        """The next bytes, some more than ``count`` perhaps; b"" when the peer has closed."""
        try:
            return self._socket.recv(MOST_BYTES)
        except TimeoutError as error:
            raise PingPongError(f"nothing came within {TIMEOUT_S} s: look at the board") from error
        except OSError as error:
            raise PingPongError(f"the connection broke: {error}") from error
