"""Five virtual minutes of the soak on each transport, and what it must find where there is something to find.

``make soak`` runs a day of each transport, with this minute of traffic in every twenty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from soak import judge
from soak.cycles import BOARD, CLOCK_START_MS, AnotherSoakError, Cycle, Kept, Soak, run_soak
from soak.picture import draw
from soak.plan import FULL, PAGES, SHORT, SITE, Load, plan_of

from airwire.board.network import Counter, TrafficResult

FIVE_MINUTES_S = 300
HALF = Load(FULL.most_bytes // 2, FULL.most_pages // 2)
LEAST = Load(SHORT.most_bytes // 4, SHORT.most_pages // 4)
"""For what does not depend on how much is carried."""
TRANSPORTS = ("hardware", "lwip_raw", "lwip_sockets")


def soak_of(firmware: Path, transport: str, variant: str = "", **settings: int) -> Soak:
    image = firmware / BOARD / f"mixed_server-{transport}{variant}.elf"
    return Soak(image, transport, cycles=1, cycle_s=FIVE_MINUTES_S, load=SHORT, settings=settings)


def without_wall_time(kept: Kept) -> list[Cycle]:
    return [replace(cycle, wall_s=0) for cycle in kept.cycles]


@pytest.mark.parametrize(
    ("transport", "load"),
    [
        pytest.param("hardware", LEAST, id="hardware-least"),
        pytest.param("lwip_raw", LEAST, id="lwip_raw-least"),
        # The transport in which most can go wrong under load: lwIP in a task of its own beside those of FreeRTOS.
        pytest.param("lwip_sockets", HALF, id="lwip_sockets-half"),
        *(pytest.param(transport, FULL, id=f"{transport}-full", marks=pytest.mark.slow) for transport in TRANSPORTS),
    ],
)
def test_five_minutes_of_mixed_traffic_lose_and_leak_nothing_while_the_clock_wraps(
    firmware: Path, tmp_path: Path, transport: str, load: Load
) -> None:
    kept = run_soak(replace(soak_of(firmware, transport), load=load), tmp_path)
    assert kept.wrong == []
    assert kept.start_pools["clock ms"] > CLOCK_START_MS > kept.cycles[0].pools["clock ms"]
    assert kept.cycles[0].bytes_moved > 8 * load.most_bytes
    assert kept.cycles[0].pages > load.most_pages // 8


def test_a_soak_that_was_interrupted_gives_the_same_result_as_one_that_was_not(firmware: Path, tmp_path: Path) -> None:
    """The cable is pulled in the first cycle; in the second clients reset their connections."""
    soak = replace(soak_of(firmware, "lwip_raw"), load=LEAST)
    whole = run_soak(replace(soak, cycles=2), tmp_path / "whole")
    assert whole.wrong == []
    run_soak(soak, tmp_path / "parts")
    parts = run_soak(replace(soak, cycles=2), tmp_path / "parts")
    assert without_wall_time(parts) == without_wall_time(whole)
    assert [cycle.pull_s is None for cycle in parts.cycles] == [False, True]
    with pytest.raises(AnotherSoakError, match="of another soak"):
        run_soak(replace(soak, seed=2), tmp_path / "parts")


def test_a_packet_that_is_never_freed_is_found(firmware: Path, tmp_path: Path) -> None:
    kept = run_soak(soak_of(firmware, "lwip_raw", "-faulty", fault_leak_s=200), tmp_path)
    assert [sentence.split(" as at")[0] for sentence in kept.wrong] == ["cycle 0: pool HEAP holds 88 and not 0"]


def test_a_loop_that_stands_still_is_found_by_the_watchdog(firmware: Path, tmp_path: Path) -> None:
    kept = run_soak(soak_of(firmware, "lwip_raw", "-faulty", fault_hang_s=100), tmp_path)
    assert any("the watchdog fired" in sentence for sentence in kept.wrong)
    assert any("started 1 times again" in sentence or "started 2 times again" in sentence for sentence in kept.wrong)


def test_a_wrong_byte_in_a_page_and_in_a_stream_is_found(
    firmware: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages that are expected differ from the image's in a byte, and the source's pattern is another."""
    for page in PAGES:
        content = bytearray((SITE / page.removeprefix("/")).read_bytes())
        content[-9] ^= 0x20
        (tmp_path / page.removeprefix("/")).write_bytes(bytes(content))
    monkeypatch.setattr("soak.plan.SITE", tmp_path)
    kept = run_soak(soak_of(firmware, "lwip_raw", source_seed=1), tmp_path / "kept")
    assert any("received wrong bytes" in sentence for sentence in kept.wrong)
    assert any("CRC-32" in sentence for sentence in kept.wrong)


def test_a_clock_that_does_not_wrap_is_found(firmware: Path, tmp_path: Path) -> None:
    kept = run_soak(soak_of(firmware, "lwip_raw", clock_start_ms=2**32 - 10**9), tmp_path)
    assert [sentence for sentence in kept.wrong if "did not wrap" in sentence]


def test_a_client_that_was_cut_short_is_found() -> None:
    plan = plan_of(1, 0, "lwip_raw", SHORT)
    assert list(judge.of_clients(plan, {})) == [f"{client.name} never began" for client in plan.clients]


def test_pings_without_answer_are_found_beyond_what_loss_gives() -> None:
    plan = plan_of(1, 0, "lwip_raw", FULL)
    pings = [client for client in plan.clients if client.kind == "ping" and not client.is_rough]
    sent = sum(client.expect for client in pings)

    def told(answered: Callable[[int], int]) -> list[str]:
        results = {
            client.name: TrafficResult(
                client.name, "ping", True, True, "", None, [Counter("answered", answered(client.expect), "")], None
            )
            for client in pings
        }
        only_pings = replace(plan, clients=tuple(pings))
        return list(judge.of_clients(only_pings, results))

    assert told(lambda count: count - 1) == []
    one_in_five = sent - 5 * len(pings)
    assert told(lambda count: count - 5) == [f"only {one_in_five} of all {sent} pings were answered"]
    assert len(told(lambda count: count // 2 - 1)) == len(pings) + 1


def test_the_picture_shows_every_transport(tmp_path: Path) -> None:
    cycle = Cycle(0, 1200.0, [], {"HEAP": 0, "most HEAP": 7}, 10**6, 10, 1, 2, 54.0, 55.0, 1.0)
    other = replace(cycle, number=1, end_s=2400.0, pull_s=None, plug_s=None)
    draw({transport: Kept("", {"HEAP": 0}, [cycle, other]) for transport in TRANSPORTS}, tmp_path / "soak.svg")
    picture = (tmp_path / "soak.svg").read_text()
    assert all(words in picture for words in ("virtual hours", "cable pulled", "lwIP, raw", "lwIP, sockets"))
