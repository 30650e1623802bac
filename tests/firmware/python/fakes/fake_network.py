# mypy: ignore-errors
"""MicroPython's ``network.WIZNET5K``, with states and errors as of extmod/network_wiznet5k.c and network_lwip.c.

Of lwIP's DHCP: a DISCOVER as the interface comes up, then 2, 4 and 8 s later; a restart sends one at once.
"""

import time

import plan

NOTHING = "0.0.0.0"
DISCOVERS_MS = (0, 2000, 6000, 14000)
OFFERED = "192.168.1.100"


class _Wiznet5k:
    """What both builds have."""

    def __init__(self, spi, cs, rst, *more):
        if len(more) > (0 if plan.IN_CHIP else 1):
            raise TypeError("too many arguments")
        assert (cs.number, rst.number) == (17, 20)
        plan.note("interrupt " + str(more[0].number if more else None))
        self._fixed = None
        self._asked_ms = None

    def active(self, on=None):
        if on is None:
            return plan.active_ms is not None
        if plan.CHIP is None:
            raise AssertionError("the driver's loops do not end without a chip")
        plan.active_ms = time.ticks_ms()
        self._asked_ms = DISCOVERS_MS

    def status(self):
        return 2 if plan.has_link() else 0

    def ifconfig(self, config=None):
        if config is None:
            address = self._fixed or self._leased()
            return (address, "255.255.255.0", "192.168.1.1", "192.168.1.1")
        if config == "dhcp":
            return self._wait_for_dhcp()
        self._fixed = config[0]

    def isconnected(self):
        return plan.has_link() and (plan.IN_CHIP or self.ifconfig()[0] != NOTHING)


class _WithLwip(_Wiznet5k):
    def send_ethernet(self, frame):
        plan.note("frame of " + str(len(frame)) + " bytes")

    def ipconfig(self, *, dhcp4):
        plan.note("dhcp4 with link " + str(plan.has_link()))
        self._asked_ms = (time.ticks_diff(time.ticks_ms(), plan.active_ms),)

    def _leased(self):
        lease_ms, link_ms = plan.SAID.get("lease_ms", 0), plan.SAID.get("link_ms", 0)
        heard = [asked for asked in self._asked_ms or () if link_ms is not None and asked >= link_ms]
        if lease_ms is None or not heard:
            return NOTHING
        went_ms = time.ticks_diff(time.ticks_ms(), plan.active_ms)
        return OFFERED if went_ms >= heard[0] + lease_ms else NOTHING


class _InChip(_Wiznet5k):
    """The chip's own TCP: at first it has an address that nobody gave it."""

    def _leased(self):
        return "192.168.0.18"

    def _wait_for_dhcp(self):
        plan.note("dhcp with link " + str(plan.has_link()))
        if not plan.has_link() or plan.SAID.get("lease_ms", 0) is None:
            raise OSError("timeout waiting for DHCP to get IP address")
        self._fixed = OFFERED


WIZNET5K = _InChip if plan.IN_CHIP else _WithLwip
