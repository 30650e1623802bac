"""Periods that have a name: ticks, beacons, slots, timers and bit clocks."""

from __future__ import annotations

# Nominal picoseconds, relative tolerance, and what usually has that period.
_NAMED = (
    # IEEE 802.11-2020, 9.4.1.3: the beacon interval counts time units of 1024 us; access points default to 100.
    (102.4e9, 1e-3, "the beacon interval of Wi-Fi (100 time units of 1.024 ms): the station sleeps between beacons"),
    # ESP-IDF: CONFIG_FREERTOS_HZ defaults to 100.
    (10e9, 2e-3, "the FreeRTOS tick at 100 Hz, the default of ESP-IDF"),
    (1e9, 2e-3, "an OS tick at 1 kHz"),
    # lwIP opt.h: TCP_TMR_INTERVAL is 250 ms.
    (250e9, 1e-2, "the 250 ms TCP timer of lwIP"),
    # Bluetooth Core 5.4, Vol 2 Part B 2.2.2: slots of 625 us, used in pairs.
    (1.25e9, 2e-3, "a pair of Bluetooth slots"),
    (0.625e9, 2e-3, "a Bluetooth slot"),
)
BAUD_RATES = (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1843200)
# Bluetooth Core 5.4, Vol 6 Part B 4.5.1: connection intervals are 6 to 3200 units of 1.25 ms.
_CONNECTION_UNIT_PS = 1.25e9
_CONNECTION_UNITS = range(6, 3201)
_CRYSTALS = 3e-4


def meaning_of(period_ps: float, uncertainty_ps: float) -> str | None:
    """What a period usually is, or nothing where it has no common name."""
    for nominal_ps, tolerance, meaning in _NAMED:
        if abs(period_ps / nominal_ps - 1) < tolerance:
            return meaning
    distance_ps, baud = min((abs(period_ps - 1e12 / baud), baud) for baud in BAUD_RATES)
    if distance_ps < max(uncertainty_ps, 0.01 * period_ps):
        return f"one bit at {baud} baud: the transmitter's free-running bit clock"
    units = round(period_ps / _CONNECTION_UNIT_PS)
    if units in _CONNECTION_UNITS and abs(period_ps / (units * _CONNECTION_UNIT_PS) - 1) < _CRYSTALS:
        return f"a possible BLE connection interval ({units} x 1.25 ms)"
    return None
