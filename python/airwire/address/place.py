"""Where a board is on the network: its address or name, and a port where it is not the usual one."""

from __future__ import annotations

from ipaddress import ip_address

from airwire import _core

_MOST_PORT = 65_535
_IPV6 = 6


def _is_of_ipv6(address: str) -> bool:
    """Whether it is an address of IPv6, perhaps in brackets and with a port behind them."""
    bare = address.partition("]")[0].removeprefix("[") if address.startswith("[") else address
    try:
        return ip_address(bare).version == _IPV6
    except ValueError:
        return False


def host_and_port(address: str) -> tuple[str, str]:
    """The two parts of ``192.168.1.50:8080``; the port is empty where there is none.

    Raises ``AirwireError`` for what is neither, such as an address of IPv6, at which nothing is measured.
    """
    if not isinstance(address, str):
        raise _core.AirwireError(
            f"{address!r:.60} names no board; give its address or its name, such as '192.168.1.50'"
        )
    if "://" in address:
        board = address.partition("://")[2].partition("/")[0] or "192.168.1.50"
        raise _core.AirwireError(f"{address}: this is a URL, whose path is an option; give the board alone: {board}")
    host, colon, port = address.partition(":")
    if _is_of_ipv6(address):
        raise _core.AirwireError(f"{address}: this is an address of IPv6; give the board's IPv4 address")
    if ":" in port:
        raise _core.AirwireError(f"{address}: there is more than one colon; give an address, or address:port")
    if not host.strip():
        raise _core.AirwireError(f'"{address}" names no board; give its address or its name, such as 192.168.1.50')
    if colon and not (port.isascii() and port.isdecimal() and 1 <= int(port) <= _MOST_PORT):
        raise _core.AirwireError(f"{address}: {port or 'nothing'} is no port; give one from 1 to {_MOST_PORT}")
    return host, port
