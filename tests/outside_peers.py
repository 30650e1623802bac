"""Servers with one cause of time each, for tests of what is said of boards from outside.

``python outside_peers.py KIND PORT [MS]`` starts one. They answer a decimal number with the next one, as the public
ping-pong scripts do. MicroPython runs this file, too, so that it uses nothing that only CPython has. They listen on all
addresses of the network namespace that they run in.
"""

import socket
import sys
import time

_TCP_NODELAY = 1
_PROTOCOL_TCP = 6
_HTTP = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n"
_SMALL_BUFFER = 2304


def seconds() -> float:
    """A clock that only goes on."""
    # MicroPython has no `monotonic`, and CPython no `ticks_us`.
    return time.monotonic() if hasattr(time, "monotonic") else getattr(time, "ticks_us")() / 1e6  # noqa: B009


def answer_of(question: bytes) -> bytes:
    """The next number."""
    return b"%d" % (int(question) + 1)


def prompt(peer: socket.socket, _ms: float) -> None:
    """Answers at once."""
    peer.setsockopt(_PROTOCOL_TCP, _TCP_NODELAY, 1)
    while question := peer.recv(100):
        peer.send(answer_of(question))


def poll(peer: socket.socket, ms: float) -> None:
    """Looks for a question, and sleeps whether there is one or not."""
    peer.setblocking(False)
    question = b"-"
    while question != b"":
        try:
            question = peer.recv(100)
        except OSError:
            question = b"-"
        if question not in (b"", b"-"):
            peer.send(answer_of(question))
        time.sleep(ms / 1000)


def tick(peer: socket.socket, ms: float) -> None:
    """Answers at ticks of its own clock."""
    while question := peer.recv(100):
        time.sleep(ms / 1000 - seconds() % (ms / 1000))
        peer.send(answer_of(question))


def hold(peer: socket.socket, ms: float) -> None:
    """Answers so long after each question."""
    while question := peer.recv(100):
        time.sleep(ms / 1000)
        peer.send(answer_of(question))


def pieces(peer: socket.socket, ms: float) -> None:
    """Answers in two writes: with Nagle's algorithm, or with a pause between and without it."""
    if ms:
        peer.setsockopt(_PROTOCOL_TCP, _TCP_NODELAY, 1)
    while question := peer.recv(100):
        answer = answer_of(question)
        peer.send(answer[:1])
        if ms:
            time.sleep(ms / 1000)
        peer.send(answer[1:])


def http(peer: socket.socket, _ms: float) -> None:
    """Gives a small page and closes the connection."""
    if peer.recv(4000):
        peer.send(_HTTP)


def small_window(peer: socket.socket, ms: float) -> None:
    """Takes all that comes through a small buffer, a little at a time."""
    while peer.recv(1024):
        time.sleep(ms / 1000)


KINDS = {
    "prompt": prompt,
    "poll": poll,
    "tick": tick,
    "hold": hold,
    "pieces": pieces,
    "http": http,
    "small_window": small_window,
}


def serve(kind: str, port: int, ms: float) -> None:
    """One connection after the other."""
    waiting = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    waiting.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if kind == "small_window":
        waiting.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
    waiting.bind(socket.getaddrinfo("0.0.0.0", port)[0][-1])
    waiting.listen(5)
    while True:
        peer = waiting.accept()[0]
        # MicroPython has no contextlib.
        try:  # noqa: SIM105
            KINDS[kind](peer, ms)
        except OSError:
            pass
        peer.close()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 0.0)
