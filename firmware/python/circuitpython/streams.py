"""TCP streams under CircuitPython, for ``pingpong.py``, on the socket functions of Adafruit's WIZnet driver.

Below the library's socket pool, because that collects garbage after each send, looks at the chip once more behind
each message, and has two gaps: its ``accept`` may give half an address, and its ``recv`` knows nothing of a cable
that is out.
"""

import time

from adafruit_ticks import ticks_diff, ticks_ms
from pingpong import PingPongError

ESTABLISHED, LISTEN, CLOSED, CLOSE_WAIT = 0x17, 0x14, 0x00, 0x1C  # Sn_SR, datasheet of the W5500
CLOSE_WITHIN_MS = 1_000
POLL_S = 0.001


class Stream:
    """A connected socket of the chip."""

    def __init__(self, chip, number, timeout_ms, missing):
        self._chip = chip
        self._number = number
        self._timeout_ms = timeout_ms
        self._missing = missing

    def send(self, data):
        """Give bytes to the peer; gives how many were taken."""
        try:
            return self._chip.socket_write(self._number, data, self._timeout_ms / 1000)
        except ConnectionError as error:
            raise PingPongError(self._missing() or str(error)) from error
        except RuntimeError as error:
            if self._is_open():
                raise self._late("could be sent") from error
            raise PingPongError("the peer closed the connection: look at its messages") from error

    def receive(self, count):
        """The next bytes, at most ``count``; b"" when the peer has closed."""
        begin = ticks_ms()
        try:
            while True:
                data = self._chip.socket_read(self._number, count)[1]
                if data:
                    return data
                if not self._is_open():
                    # What came between the two looks.
                    return self._chip.socket_read(self._number, count)[1]
                if ticks_diff(ticks_ms(), begin) >= self._timeout_ms:
                    raise self._late("came")
        except ConnectionError as error:
            raise PingPongError(self._missing() or str(error)) from error

    def close(self):
        """Close the connection and let its last bytes out."""
        chip, number = self._chip, self._number
        chip.socket_disconnect(number)
        begin = ticks_ms()
        while chip.socket_status(number) != CLOSED and ticks_diff(ticks_ms(), begin) < CLOSE_WITHIN_MS:
            time.sleep(POLL_S)
        chip.socket_close(number)
        chip.release_socket(number)

    def _is_open(self):
        return self._chip.socket_status(self._number) == ESTABLISHED

    def _late(self, done):
        return PingPongError(
            "nothing %s within %d ms: %s" % (done, self._timeout_ms, self._missing() or "look at the peer's messages")
        )


def connect(chip, host, port, timeout_ms, missing):
    """A stream to a server."""
    number = chip.get_socket(reserve_socket=True)
    try:
        is_address = host.replace(".", "").isdigit()
        address = chip.unpretty_ip(host) if is_address else chip.get_host_by_name(host)
        chip.socket_connect(number, address, port)
    except (ConnectionError, RuntimeError) as error:
        chip.release_socket(number)
        advice = missing() or "look at whether the server runs there, and at SERVER and PORT"
        raise PingPongError("no connection to %s:%d (%s): %s" % (host, port, error, advice)) from error
    return Stream(chip, number, timeout_ms, missing)


def accept(chip, port, timeout_ms, missing):
    """A stream of the next client; keeps the lease of the board's address meanwhile."""
    number = chip.get_socket(reserve_socket=True)
    while True:
        status = chip.socket_status(number)
        if status in (ESTABLISHED, CLOSE_WAIT):
            return Stream(chip, number, timeout_ms, missing)
        if status == CLOSED:
            _listen(chip, number, port)
        chip.maintain_dhcp_lease()
        time.sleep(POLL_S)


def _listen(chip, number, port):
    try:
        chip.socket_listen(number, port)
    except ConnectionError:
        # The cable is out; it may come back.
        time.sleep(POLL_S)
