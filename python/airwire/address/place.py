"""Where a board is on the network: its address or name, and a port where it is not the usual one."""

from __future__ import annotations

from airwire import _core

_MOST_PORT = 65_535


def host_and_port(address: str) -> tuple[str, str]:
    """The two parts of ``192.168.1.50:8080``; the port is empty where there is none.

    Raises ``AirwireError`` for what is neither, such as an address of IPv6, at which nothing is measured.
    """
    if not isinstance(address, str):
        raise _core.AirwireError(
            f"{address!r:.60} names no board; give its address or its name, such as '192.168.1.50'"
        )
    host, colon, port = address.partition(":")
    if ":" in port:
        raise _core.AirwireError(f"{address}: this is an address of IPv6; give the board's IPv4 address")
    if not host.strip():
        raise _core.AirwireError(f'"{address}" names no board; give its address or its name, such as 192.168.1.50')
    if colon and not (port.isascii() and port.isdecimal() and 1 <= int(port) <= _MOST_PORT):
        raise _core.AirwireError(f"{address}: {port or 'nothing'} is no port; give one from 1 to {_MOST_PORT}")
    return host, port
