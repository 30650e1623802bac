"""Images whose lwIP speaks both families, on a virtual W5500-EVB-Pico, asked by the clients of the virtual PC."""

from __future__ import annotations

from pathlib import Path

import pytest

import airwire
from airwire.board import Board
from airwire.board.network import TrafficResult

BOARD = "w5500-evb-pico"
PINGPONG, PAGES = "pingpong_server-lwip_raw-ipv6", "http_server-lwip_raw-ipv6"
KINDS = {"http": "requests=20", "ping": "count=20 interval=5ms size=1200B"}
# RFC 4291, appendix A, of 02:00:00:41:57:50.
LINK_LOCAL = "fe80::ff:fe41:5750"


def asked(image: Path, *clients: str, impair: str | None = None, for_: str = "30 s") -> list[TrafficResult]:
    """What clients have to tell once they are done."""
    board = Board(BOARD, image, traffic=clients, impair=impair)
    run = board.run(for_, until_done=True)
    return [result for result in run.traffic if result.client]


def median_us(result: TrafficResult) -> float:
    assert result.latency is not None, result.summary
    return result.latency.p50_ps / 1e6


def test_one_image_answers_over_both_families_and_ipv6_takes_longer(firmware: Path) -> None:
    image = firmware / BOARD / f"{PINGPONG}.elf"
    told = {to: asked(image, f"pingpong to={to}:5000 rounds=200")[0] for to in ("board", "board6")}
    assert all(result.done and not result.failure and not result.losses for result in told.values())
    # 20 bytes more in each header, and a longer way through lwIP: between a twentieth and a quarter.
    assert 1.05 < median_us(told["board6"]) / median_us(told["board"]) < 1.25


def test_pings_and_pages_come_over_both_families_at_once(firmware: Path) -> None:
    clients = [f"{kind} to={to} {options}" for kind, options in KINDS.items() for to in ("board", "board6")]
    results = asked(firmware / BOARD / f"{PAGES}.elf", *clients)
    assert len(results) == len(clients)
    for result in results:
        assert result.done and not result.failure and not result.losses, result.summary


def test_what_is_lost_over_ipv6_is_sent_again(firmware: Path) -> None:
    image = firmware / BOARD / f"{PINGPONG}.elf"
    (result,) = asked(image, "pingpong to=board6:5000 rounds=300 timeout=20s", impair="loss=2%", for_="120 s")
    assert result.done and not result.losses, result.summary


def test_its_address_is_that_of_its_mac(firmware: Path) -> None:
    (result,) = asked(firmware / BOARD / f"{PINGPONG}.elf", f"ping to={LINK_LOCAL} count=3 interval=10ms start=5s")
    assert result.done and not result.losses, result.summary


def test_a_client_waits_in_vain_for_an_image_that_speaks_ipv4_alone(firmware: Path) -> None:
    image = firmware / BOARD / "pingpong_server-lwip_raw.elf"
    (result,) = asked(image, "pingpong to=board6:5000 rounds=3", for_="6 s")
    assert (result.done, result.waits_for) == (False, "ipv6-address")


@pytest.mark.parametrize("to", ["board6:80", "[fe80::1]:80"])
def test_a_ping_has_no_port(firmware: Path, to: str) -> None:
    with pytest.raises(airwire.AirwireError, match="takes an IPv4 or IPv6 address, such as"):
        asked(firmware / BOARD / f"{PINGPONG}.elf", f"ping to={to}")
