"""Ping-pong over TCP, the server, for CircuitPython on a board with a WIZnet chip: one client after the other.

Copy it to the board as ``code.py``, with ``readiness.py`` and ``streams.py`` of this folder and ``pingpong.py`` of
the one above; into ``lib`` go adafruit_wiznet5k and adafruit_ticks. Pins, SPI clock and the board's address are set
in ``readiness.py``.
"""

import readiness
import streams
from adafruit_ticks import ticks_diff, ticks_ms
from pingpong import PingPongError, answer_all

PORT = 5000
FIRST = 1  # the client's first number; None takes whatever comes in one piece
NEWLINE = False  # whether a newline ends each number; as published: none
VERBOSE = False  # a print costs more than a message does
TIMEOUT_MS = 5_000
CONNECTIONS = None  # how many to serve; None for ever


def main():
    """Wait until the board can be reached, then answer whoever connects."""
    begin = ticks_ms()
    chip = readiness.ready()
    print("ready after %d ms: %s, port %d" % (ticks_diff(ticks_ms(), begin), chip.ipv4_address, PORT))
    served = 0
    while served != CONNECTIONS:
        stream = streams.accept(chip, PORT, TIMEOUT_MS, lambda: readiness.missing(chip))
        try:
            print("%d numbers answered" % answer_all(stream, FIRST, NEWLINE, VERBOSE))
        except PingPongError as error:
            print("connection given up:", error)
        finally:
            stream.close()
        served += 1


if __name__ == "__main__":
    main()
