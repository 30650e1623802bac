"""TCP streams under MicroPython, for ``pingpong.py``: time-outs and errors in words, on both kinds of builds.

With lwIP (official builds) sockets have time-outs. With the chip's own TCP (WIZnet's builds) a socket with a time-out
cannot connect, so its readiness is asked for by poll, and its errors are the negated codes of WIZnet's library: 4 is
closed, 7 is a wrong state, 13 is no answer. POSIX means other things by these numbers, but lwIP never gives them.
"""

import select
import socket

from pingpong import PingPongError

TIMED_OUT = (11, 110, 116, 13)  # EAGAIN, ETIMEDOUT of Linux and of lwIP; SOCKERR_TIMEOUT
CLOSED = (32, 103, 104, 107, 4, 7)  # EPIPE, ECONNABORTED, ECONNRESET, ENOTCONN; SOCKERR_SOCKCLOSED, SOCKERR_SOCKSTATUS
MOST_BYTES = 16


class Stream:
    """A connected socket."""

    def __init__(self, connection, timeout_ms, in_chip, missing):
        self._socket = connection
        self._timeout_ms = timeout_ms
        self._missing = missing
        self._poll = None
        if in_chip:
            self._poll = select.poll()
            self._poll.register(connection, select.POLLIN)
        else:
            connection.settimeout(timeout_ms / 1000)

    def send(self, data):
        """Give bytes to the peer; gives how many were taken."""
        try:
            return self._socket.send(data)
        except OSError as error:
            raise self._explained(error, "could be sent") from error

    def receive(self, count):
        """The next bytes, some more than ``count`` perhaps; b"" when the peer has closed."""
        if self._poll is not None and not self._poll.poll(self._timeout_ms):
            raise self._late("came")
        try:
            return self._socket.recv(MOST_BYTES)
        except OSError as error:
            if error.errno in CLOSED:
                return b""
            raise self._explained(error, "came") from error

    def close(self):
        """Close the socket."""
        self._socket.close()

    def _explained(self, error, done):
        if error.errno in TIMED_OUT:
            return self._late(done)
        if error.errno in CLOSED:
            return PingPongError("the peer closed the connection: look at its messages")
        return PingPongError("the connection broke with error %d" % error.errno)

    def _late(self, done):
        return PingPongError(
            "nothing %s within %d ms: %s" % (done, self._timeout_ms, self._missing() or "look at the peer's messages")
        )


def connect(host, port, timeout_ms, in_chip, missing):
    """A stream to a server."""
    address = socket.getaddrinfo(host, port)[0][-1]
    connection = socket.socket()
    try:
        if not in_chip:
            connection.settimeout(timeout_ms / 1000)
        connection.connect(address)
    except OSError as error:
        connection.close()
        raise PingPongError(
            "no connection to %s:%d (error %d): %s"
            % (host, port, error.errno, missing() or "look at whether the server runs there, and at SERVER and PORT")
        ) from error
    return Stream(connection, timeout_ms, in_chip, missing)


def listen(port, in_chip):
    """A socket that listens."""
    listener = socket.socket()
    if not in_chip:
        # The chip's own TCP has no options.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(socket.getaddrinfo("0.0.0.0", port)[0][-1])
    listener.listen(1)
    return listener
