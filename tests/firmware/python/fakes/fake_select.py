# mypy: ignore-errors
"""MicroPython's ``select`` for the sockets of ``socket.py``."""

import uselect

POLLIN = uselect.POLLIN


class poll:  # noqa: N801
    """A poll object."""

    def __init__(self):
        self._made = uselect.poll()

    def register(self, connection, events):
        self._made.register(connection._made, events)

    def poll(self, timeout_ms):
        return self._made.poll(timeout_ms)
