# mypy: ignore-errors
"""MicroPython's ``socket`` on this machine's loopback, refusing what the board's refuses.

Without a link and an address: lwIP has no route (EHOSTUNREACH); WIZnet's library gives 13, no answer to ARP. With the
chip's own TCP there are no options, a socket that has a time-out cannot connect, and a peer that closed is error 7, a
wrong state.
"""

import plan
import usocket
from usocket import SO_REUSEADDR, SOL_SOCKET, getaddrinfo  # noqa: F401 - for scripts

EINVAL, EHOSTUNREACH, SOCKERR_TIMEOUT, SOCKERR_SOCKSTATUS = 22, 113, 13, 7


def socket(*kind):
    made = usocket.socket(*kind)
    made.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
    return InChip(made) if plan.IN_CHIP else WithLwip(made)


class WithLwip:
    """lwIP's TCP."""

    def __init__(self, made):
        self._made = made

    def connect(self, address):
        if not plan.has_link():
            raise OSError(EHOSTUNREACH)
        self._made.connect(address)

    def accept(self):
        made, address = self._made.accept()
        return type(self)(made), address

    def send(self, data):
        return self._made.send(data[: plan.SAID.get("most_sent", len(data))])

    def __getattr__(self, name):
        return getattr(self._made, name)


class InChip(WithLwip):
    """The chip's own TCP."""

    def connect(self, address):
        if not plan.has_link():
            raise OSError(SOCKERR_TIMEOUT)
        self._made.connect(address)

    def setsockopt(self, *option):
        raise OSError(EINVAL)

    def settimeout(self, seconds):
        raise OSError(EINVAL)

    def recv(self, count):
        data = self._made.recv(count)
        if not data:
            raise OSError(SOCKERR_SOCKSTATUS)
        return data
