"""Ping-pong over TCP, the server, for MicroPython on a board with a WIZnet chip: one client after the other.

Copy it to the board with ``readiness.py`` and ``streams.py`` of this folder and ``pingpong.py`` of the one above.
Pins, SPI clock and the board's address are set in ``readiness.py``.
"""

import time

import readiness
import streams
from pingpong import PingPongError, answer_all

PORT = 5000
FIRST = 1  # the client's first number; None takes whatever comes in one piece
NEWLINE = False  # whether a newline ends each number; as published: none
VERBOSE = False  # a print costs more than a message does
TIMEOUT_MS = 5_000
CONNECTIONS = None  # how many to serve; None for ever


def main():
    """Wait until the board can be reached, then answer whoever connects."""
    begin = time.ticks_ms()
    nic = readiness.ready()
    in_chip = not readiness.has_lwip(nic)
    listener = streams.listen(PORT, in_chip)
    waited_ms = time.ticks_diff(time.ticks_ms(), begin)
    print("ready after %d ms: %s, port %d" % (waited_ms, nic.ifconfig()[0], PORT))
    served = 0
    while served != CONNECTIONS:
        connection, _ = listener.accept()
        stream = streams.Stream(connection, TIMEOUT_MS, in_chip, lambda: readiness.missing(nic))
        try:
            print("%d numbers answered" % answer_all(stream, FIRST, NEWLINE, VERBOSE))
        except PingPongError as error:
            print("connection given up:", error)
        finally:
            stream.close()
        served += 1
    listener.close()


if __name__ == "__main__":
    main()
