"""``airwire choose``: what it accepts keeps the bounds, and what it refuses does not."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import airwire as package
from terminal import run_in_terminal

Airwire = Callable[..., subprocess.CompletedProcess[str]]


def parsed(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert result.returncode == 0, result.stderr
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def test_what_is_accepted_keeps_the_bounds_under_another_seed(airwire: Airwire) -> None:
    content = parsed(airwire("choose", "--payload", "32", "--p95", "60ms", "--p50", "50ms", "--loss", "2%", "--json"))
    assert content["schema"] == "airwire.choose/1"
    assert content["accepted"]
    margins = [candidate["margin"] for candidate in content["accepted"]]
    assert margins == sorted(margins, reverse=True)
    for candidate in content["accepted"]:
        (row,) = package.simulate([(candidate["link"], 32, candidate["settings"])], samples=4000, seed=77, spans=0)
        assert row.latency_ps is not None
        # What is left of a margin below the scatter of the prediction may be gone.
        assert row.latency_ps["p95"] < 60e9 * (1.1 - min(candidate["margin"], 0.1))
        assert row.latency_ps["p50"] < 50e9 * (1.1 - min(candidate["margin"], 0.1))
    refused = {refusal["link"] for refusal in content["refused"]}
    assert refused | {candidate["link"] for candidate in content["accepted"]} == {link.name for link in package.links()}


def test_a_refusal_names_the_stage_that_is_in_the_way(airwire: Airwire) -> None:
    result = airwire("choose", "--payload", "128", "--p95", "1ms", "--link", "lora")
    assert result.returncode == 0
    assert "No link carries 128 B with p95 up to 1 ms." in result.stdout
    assert "- lora: With " in result.stdout and ", the nearest of what was tried, p95 is " in result.stdout
    assert "of it is packet on the air" in result.stdout


def test_a_value_that_goes_with_another_setting_only_is_offered_with_it(airwire: Airwire) -> None:
    # The SX1276 has SF6 with the implicit header only (datasheet, 4.1.1.2).
    done = airwire("choose", "--payload", "12", "--p50", "6ms", "--link", "lora", "--json")
    assert done.returncode == 0, done.stdout
    (found, *_) = json.loads(done.stdout)["accepted"]
    assert found["settings"]["sf"] == "6" and found["settings"]["header"] == "implicit"
    assert found["median_ps"] <= 6e9


def test_it_is_said_how_often_a_duty_cycle_lets_a_message_pass(airwire: Airwire) -> None:
    # 12 B at SF7 and 125 kHz are 40.25 symbols of 1.024 ms on the air (AN1200.13): 41.216 ms, a hundred of them 4.12 s.
    done = airwire("choose", "--payload", "12", "--p95", "200ms", "--link", "lora")
    assert done.returncode == 0
    said = " ".join(done.stdout.split())
    assert "every 412.16 ms at 10% (869.4 to 869.65 MHz, up to 250 kHz wide)" in said
    assert "every 4.1216 s at 1% (868.0 to 868.6 MHz)" in said


def test_no_duty_cycle_is_told_of_a_band_that_is_narrower_than_the_signal(airwire: Airwire) -> None:
    # Only 500 kHz is that fast: the band of 10 % is 250 kHz wide, that of 1 % is 600 kHz.
    done = airwire("choose", "--payload", "12", "--p95", "12ms", "--link", "lora")
    said = " ".join(done.stdout.split())
    assert "bandwidth='500 kHz': ETSI EN 300 220-2 allows a message every 1.0304 s at 1% (868.0 to 868.6 MHz)." in said
    assert "869.4" not in said


def test_a_tighter_bound_never_accepts_more(airwire: Airwire) -> None:
    accepted = []
    for bound in ("2s", "100ms", "40ms", "1ms"):
        content = parsed(airwire("choose", "--payload", "64", "--p95", bound, "--link", "lora", "--json"))
        accepted.append({json.dumps(found["settings"]) for found in content["accepted"]})
        best = max((found["margin"] for found in content["accepted"]), default=-1)
        assert best < 1
    assert accepted[0] and accepted[1] and not accepted[3]


def test_no_change_turns_off_what_protects_messages_or_gains_next_to_nothing(airwire: Airwire) -> None:
    asked = ("choose", "--payload", "128", "--p95", "20ms", "--loss", "1%", "--site", "clean")
    content = parsed(airwire(*asked, "--json"))
    found: dict[str, list[Any]] = {}
    for candidate in content["accepted"]:
        found.setdefault(candidate["link"], []).append(candidate)
        changed = {name.split("_")[0] for name in candidate["settings"]}
        assert not changed & {"encrypted", "acknowledge", "ack", "crc", "csma"}, candidate
    assert {"espnow", "nrf24", "ieee802154"} <= set(found)
    for candidates in found.values():
        margins = [candidate["margin"] for candidate in candidates]
        assert len(margins) == 1 or margins[0] - margins[1] > 0.05, candidates


def test_a_bound_on_loss_excludes_who_loses_more_at_the_site(airwire: Airwire) -> None:
    # Without acknowledgements 250 B of SiK meet 0.049 bursts a second for 33 ms in an office, and ten times as many in
    # a crowd; LoRa is on the air for longer. What is acknowledged is sent again, and a wire loses nothing.
    asked = ("choose", "--payload", "250", "--p95", "2s", "--link", "sik", "--link", "lora", "--link", "espnow")
    lost: dict[str, dict[str, float]] = {}
    for site in ("clean", "office", "crowded"):
        content = parsed(airwire(*asked, "--link", "uart", "--site", site, "--json"))
        assert content["site"] == site
        lost[site] = {candidate["link"]: candidate["loss"] for candidate in content["accepted"]}
    assert set(lost["clean"].values()) == {0}
    assert 0.001 < lost["office"]["sik"] < 0.003
    assert 8 * lost["office"]["sik"] < lost["crowded"]["sik"] < 11 * lost["office"]["sik"]
    assert 0 < lost["crowded"]["espnow"] < 1e-3
    assert lost["crowded"]["uart"] == 0
    bounded = parsed(airwire(*asked, "--loss", "0.3%", "--site", "crowded", "--json"))
    assert {candidate["link"] for candidate in bounded["accepted"]} == {"espnow"}
    assert "% of the messages are lost, not 0.3 %" in str(bounded["refused"])
    table = airwire(*asked, "--site", "office").stdout
    assert "at a site of the kind 'office'" in table.replace("\n", " ")


def test_a_rate_that_a_link_cannot_carry_is_refused_as_an_overload(airwire: Airwire) -> None:
    asked = ("choose", "--payload", "128", "--p95", "1s", "--link", "lora", "--link", "sik", "--link", "uart")
    slow = parsed(airwire(*asked, "--every", "10s", "--json"))
    assert slow["every_ps"] == 10 * 10**12
    assert {found["link"] for found in slow["accepted"]} == {"lora", "sik", "uart"}
    fast = parsed(airwire(*asked, "--every", "20ms", "--json"))
    assert {found["link"] for found in fast["accepted"]} == {"sik", "uart"}, "SiK sends what waits together"
    for refusal in fast["refused"]:
        assert "a message every 20 ms overloads it: up to " in refusal["sentence"]
    assert "a message every 20 ms:" in airwire(*asked, "--every", "20ms").stdout
    # With the defaults LoRa takes 217 ms for a message; other settings carry it.
    every = parsed(airwire(*asked[:5], "--link", "lora", "--every", "100ms", "--json"))
    assert every["accepted"] and all(found["settings"] for found in every["accepted"])


def test_colours_mean_something_and_no_color_is_heeded(tmp_path: Path) -> None:
    asked = "TERM=xterm airwire choose --payload 128 --p95 20ms --link uart --link esp32-802154 --link espnow"
    coloured = run_in_terminal(asked, tmp_path)[1]
    assert "\x1b[32m" in coloured, "much margin is green"
    plain = run_in_terminal(f"NO_COLOR=1 {asked}", tmp_path)[1]
    assert "uart" in plain and "\x1b[32m" not in plain


def test_a_link_that_does_not_carry_the_payload_is_refused_with_what_it_carries(airwire: Airwire) -> None:
    most = max(link.max_payload_bytes for link in package.links() if link.name == "lora")
    result = airwire("choose", "--payload", str(most + 1), "--p95", "1s", "--link", "lora")
    assert f"It carries 1 to {most} bytes, not {most + 1}." in result.stdout


def test_the_same_question_has_the_same_answer_with_any_number_of_workers(airwire: Airwire) -> None:
    answers = {
        airwire("choose", "--payload", "12", "--p95", "80ms", "--workers", str(n), "--json").stdout for n in (1, 2)
    }
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "give at least one of --p95, --p50 and --loss"),
        (["--p95", "20"], "ms"),
        (["--p95", "20ms", "--every", "0s"], "messages come one after the other"),
        (["--p95", "-5ms"], "p95 is bound to -5 ms, but every message takes time"),
        (
            ["--p95", "1s", "--every", "9000000s", "--link", "uart"],
            "every is 9000000 s, but at most 3600 s can be predicted",
        ),
        (["--loss", "120%"], "is no share"),
        (["--p95", "20ms", "--site", "attic"], "there is no site attic; there are clean, office, crowded"),
        (["--p95", "20ms", "--link", "lorra"], "there is no link lorra; the nearest is lora"),
    ],
)
def test_a_mistake_is_one_sentence(airwire: Airwire, arguments: list[str], says: str) -> None:
    result = airwire("choose", *arguments)
    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr
