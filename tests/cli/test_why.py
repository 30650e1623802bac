"""``airwire why``: an image of one's own, and in ten lines what it does, how fast, why, and what to change."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Airwire = Callable[..., subprocess.CompletedProcess[str]]

SLOW = ("--set", "wiznet_int=off", "--set", "wiznet_poll_us=64 ms", "--set", "output_rule=1")


@pytest.fixture
def client(firmware: Path) -> Path:
    return firmware / "w5500-evb-pico" / "pingpong_client-lwip_raw.elf"


def test_the_cause_of_a_slow_image_stands_in_ten_lines(airwire: Airwire, client: Path) -> None:
    # Published for such a board: 3.86 messages a second, because lwIP's timer of 250 ms sends what nothing else does.
    result = airwire("why", client, *SLOW, "--report", "why.html")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert len(lines) <= 10
    assert "w5500-evb-pico" in lines[0] and "192.168.1.50" in lines[0]
    assert "plays ping-pong" in lines[1]
    assert re.search(r"Simulated: 4\.0\d* messages/s", lines[2])
    assert re.search(r"\d+ % waits for lwIP's 250 ms timer: call tcp_output\(\) after tcp_write\(\); .* -> ", lines[3])
    assert "Report: why.html" in result.stdout


def test_settings_of_an_image_without_names_are_known_by_the_elf_of_its_build(airwire: Airwire, client: Path) -> None:
    told = [
        json.loads(airwire("why", *words, *SLOW, "--json").stdout)["answer"]["row"]
        for words in ([client], [client.with_suffix(".uf2"), "--symbols", client])
    ]
    assert told[0]["figure"] == told[1]["figure"] and told[0]["settings"] == told[1]["settings"]
    nameless = airwire("why", client.with_suffix(".uf2"), *SLOW)
    assert (nameless.returncode, nameless.stderr.count("\n")) == (2, 1)
    assert "it has no names, by which its settings are known; give the ELF of the same build" in nameless.stderr


def test_the_board_of_an_image_with_a_mac_of_its_own_is_found_from_what_it_asks_its_phy(
    airwire: Airwire, firmware: Path
) -> None:
    image = firmware / "pico-lan8720" / "ping-lwip_raw.elf"
    said = airwire("why", image).stdout
    assert said.startswith("ping-lwip_raw.elf on pico-lan8720, found from what it asks its PHY; at 192.168.1.50")
    assert "It answers pings." in said
    # What `board run` takes without --board is the same.
    run = airwire("board", "run", image, "--for", "3.5s", "--traffic", "ping to=board count=3 interval=10ms", "--json")
    assert json.loads(run.stdout)["board"] == "pico-lan8720"


def test_who_does_what_the_line_names_gets_the_gain_that_it_tells(airwire: Airwire, client: Path) -> None:
    polled = ("--set", "wiznet_int=off", "--set", "wiznet_poll_us=64ms")
    said = airwire("why", client, *polled, "--out", "kept").stdout
    found = re.search(r"waits for a poll every 64 ms: (.*); [\d.]+ -> ([\d ]+) messages/s", said)
    assert found is not None and found[1] == "wire the INT pin", said
    wired = json.loads(airwire("why", client, "--json").stdout)["answer"]["row"]["figure"]["value"]
    assert int(found[2].replace(" ", "")) == pytest.approx(wired, rel=0.1)
    # Who cannot wire the pin finds in the details what a poll each millisecond brings.
    estimate = "A poll each millisecond is estimated to bring 15.6 -> 1 000 messages/s."
    assert estimate in airwire("explain", "kept").stdout


HELD = ("--set", "output_rule=1")
"""An answer waits for lwIP's timer, or for the PC's retransmission 200 ms later: messages take turns."""
POLLED = ("--set", "wiznet_int=off", "--set", "wiznet_poll_us=1ms")


@pytest.mark.parametrize("settings", [HELD, (*HELD, *POLLED)], ids=["INT", "polled"])
def test_of_messages_that_differ_the_mean_is_told_that_makes_the_rate(
    airwire: Airwire, client: Path, settings: tuple[str, ...]
) -> None:
    said = airwire("why", client, *settings).stdout
    rate, low, high, mean = map(
        float,
        re.findall(r"Simulated: (.*) messages/s, .* Messages take (.*) ms to (.*) ms, (.*) ms on average", said)[0],
    )
    assert mean == pytest.approx(1000 / rate, rel=0.01)
    assert low < 0.5 * mean and high > 1.5 * mean


def test_no_gain_is_told_where_both_traced_kinds_of_messages_are_the_slow_ones(airwire: Airwire, client: Path) -> None:
    # Messages take 49 and 201 ms in turns, and the median and p95 are both 201 ms.
    said = airwire("why", client, *HELD, *POLLED).stdout
    assert re.search(r"waits for lwIP's 250 ms timer: call tcp_output\(\) after tcp_write\(\)$", said, re.MULTILINE)


def test_polls_while_an_answer_is_held_back_are_not_in_the_floor(airwire: Airwire, client: Path) -> None:
    def floor_ps(*settings: str) -> float | None:
        row = json.loads(airwire("why", client, *settings, "--json").stdout)["answer"]["row"]
        found = row["floor"]
        return None if found is None else float(sum(found[f"{of}_ps"] for of in ("bus", "chip", "wire", "pc")))

    wired = floor_ps()
    assert wired is not None
    assert floor_ps(*SLOW) == pytest.approx(wired, rel=0.15)
    assert floor_ps(*HELD, *POLLED) is None, "what a retransmission adds is no part of a floor"


def test_two_images_are_compared_by_their_figures(airwire: Airwire, firmware: Path, client: Path) -> None:
    other = firmware / "w5500-evb-pico" / "pingpong_client-hardware.uf2"
    result = airwire("why", client, "--compare", other)
    said = next(line for line in result.stdout.splitlines() if "times" in line)
    factor, own, theirs = re.search(  # type: ignore[union-attr]
        r"is ([\d.]+) times slower than pingpong_client-hardware.uf2: ([\d ]+) messages/s against ([\d ]+) messages/s",
        said,
    ).groups()
    assert float(factor) == pytest.approx(int(theirs.replace(" ", "")) / int(own.replace(" ", "")), rel=0.01)


def test_the_answer_as_json_has_all_that_was_found(airwire: Airwire, firmware: Path) -> None:
    result = airwire("why", firmware / "pico-w5100" / "http_server-hardware.elf", "--json")
    content = json.loads(result.stdout)
    assert content["schema"] == "airwire.why/1" and content["compared"] is None
    answer = content["answer"]
    assert answer["board"] == "pico-w5100" and not answer["board_was_given"]
    assert [(one["port"], one["speaks"]) for one in answer["services"]] == [(80, "http")]
    assert answer["row"]["figure"]["unit"] == "requests/s"
    assert answer["row"]["verdicts"][0]["share"] > 0


def test_traffic_of_ones_own_is_what_is_measured(airwire: Airwire, firmware: Path) -> None:
    image = firmware / "w5500-evb-pico" / "http_server-hardware.elf"
    result = airwire("why", image, "--traffic", "ping to=board count=50 interval=10ms")
    assert re.search(r"Simulated: median \d+(\.\d+)? us, n = \d+\. A ping takes \d", result.stdout)


@pytest.mark.parametrize(
    ("traffic", "says"),
    [
        ("ping to=board cuont=3", "traffic.ping.cuont: there is no such option; the nearest is count"),
        ("smtp to=board", '"smtp" is no kind of client or server'),
        ("ping to=nowhere", 'traffic.ping.to is "nowhere", but takes an IPv4 or IPv6 address'),
    ],
)
def test_what_is_wrong_with_traffic_is_told_without_a_file_of_ours(
    airwire: Airwire, client: Path, traffic: str, says: str
) -> None:
    done = airwire("why", client, "--traffic", traffic)
    assert done.returncode == 2
    assert done.stderr.startswith("airwire: traffic: ") and says in done.stderr
    assert "airwire-why-" not in done.stderr and ".toml" not in done.stderr


def test_an_only_message_is_measured_without_a_rate(airwire: Airwire, firmware: Path) -> None:
    image = firmware / "w5500-evb-pico" / "http_server-hardware.elf"
    result = airwire("why", image, "--traffic", "http to=board requests=1", "--out", "kept")
    assert re.search(r"Simulated: one request\. A request takes \d", result.stdout), result.stdout + result.stderr


def test_answers_that_are_errors_are_said_wherever_requests_are_counted(
    airwire: Airwire, firmware: Path, tmp_path: Path
) -> None:
    image, ask = firmware / "w5500-evb-pico" / "http_server-hardware.elf", "http to=board path=/nowhere requests=50"
    asked = airwire("why", image, "--traffic", ask, "--out", "kept")
    assert "49 of 49 answers are errors, with status 404." in asked.stdout
    assert "49 of 49 answers are errors, with status 404." in " ".join(airwire("explain", "kept").stdout.split())
    (row,) = json.loads((tmp_path / "kept" / "manifest.json").read_text())["rows"]
    assert row["counts"]["error_statuses"] == 50
    found = airwire("board", "run", image, "--until-done", "--traffic", ask).stdout
    assert "50 answered with an error, first with status 404" in " ".join(found.split())
    right = airwire("why", image, "--traffic", "http to=board requests=50", "--json").stdout
    assert "error_statuses" not in json.loads(right)["answer"]["row"]["counts"]


def test_what_the_pc_takes_of_a_message_stands_beside_the_figure(
    airwire: Airwire, client: Path, tmp_path: Path
) -> None:
    said = r" \(the PC ([\d.]+) us\); its floor is "
    (own,) = re.findall(said, airwire("why", client).stdout)
    # Its application takes 20 us of its own accord (docs/reference/networks.md).
    (tmp_path / "slow.toml").write_text('[pc]\napplication_time = "35 us"\n')
    (slow,) = re.findall(said, airwire("why", client, "--network", "slow.toml").stdout)
    assert float(slow) - float(own) == pytest.approx(15, abs=0.2)


def test_an_image_that_waits_for_a_button_is_told_the_pin(airwire: Airwire, images: Path) -> None:
    for name, said in (
        ("button_polled", "without moving a pin; if it waits for a level at GP15"),
        ("button_interrupt", "it sleeps until the level changes at GP15"),
    ):
        complaint = airwire("why", images / f"{name}.elf").stderr
        assert f"{said}, an input with a pull-up" in complaint
        assert "button in a board file (docs/reference/boards.md)" in complaint
        assert len(complaint.splitlines()) == 1


def test_a_console_that_waits_is_named(airwire: Airwire, images: Path) -> None:
    complaint = airwire("why", images / "hello_uart.elf").stderr
    assert "it prints at UART0, last 'Hello from GP0" in complaint
    complaint = airwire("why", images / "rtt_block.elf").stderr
    assert "it prints over RTT, last 'skipped 0'" in complaint
    complaint = airwire("why", images / "rtt_defmt.elf").stderr
    assert re.search(r"it prints over RTT, last '0\.\d{6} \[INFO \] hello from a loop, answer 99'", complaint)


def test_an_mqtt_client_is_measured_by_what_it_publishes(airwire: Airwire, firmware: Path) -> None:
    # The image publishes once a second.
    image = firmware / "w5500-evb-pico" / "mqtt_client-lwip_raw.elf"
    answer = json.loads(airwire("why", image, "--json").stdout)["answer"]
    assert answer["called"] == ["mqtt"]
    assert answer["row"]["figure"]["value"] == pytest.approx(1, rel=0.01)
    # It looks at the link each 100 ms, which is no poll for messages; and its stack sends when it is told to.
    verdict = answer["row"]["verdicts"][0]
    assert (verdict["kind"], verdict["gain"]) == ("timer", None) and verdict["share"] > 0.9


def test_a_client_that_asks_once_a_second_is_not_told_to_send_its_answer_at_once(
    airwire: Airwire, firmware: Path
) -> None:
    result = airwire("why", firmware / "w5500-evb-pico" / "coap_client-hardware.elf")
    assert "waits for its own timer of 1 s" in result.stdout and "tcp_output" not in result.stdout


def test_a_call_that_nobody_answers_is_said(airwire: Airwire, firmware: Path) -> None:
    result = airwire("why", firmware / "w5500-evb-pico" / "oneway-hardware.elf")
    assert "asks for a connection to 192.168.1.1 port 5010" in result.stdout


def test_an_image_without_a_network_gets_the_reason_in_one_sentence(airwire: Airwire, images: Path) -> None:
    result = airwire("why", images / "hello_uart.elf")
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr.startswith("airwire: hello_uart.elf cannot be measured: it talks to no network chip")
    assert len(result.stderr.splitlines()) == 1


def test_the_run_is_kept_only_where_it_is_asked_for(airwire: Airwire, firmware: Path, tmp_path: Path) -> None:
    image = firmware / "w5500-evb-pico" / "ping-hardware.elf"
    airwire("why", image)
    assert not list(tmp_path.iterdir())
    airwire("why", image, "--out", "kept")
    assert (tmp_path / "kept" / "manifest.json").is_file()
    explained = airwire("explain", "kept")
    assert explained.returncode == 0 and "ping-hardware" in explained.stdout


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK\x03\x04" + bytes(60), "zip"),
        # A sum of a line that is wrong by one.
        (b":100000000C9434000C943E000C943E000C943E0083\n:00000001FF\n", "checksum"),
    ],
)
def test_what_is_no_image_is_refused_in_one_sentence(
    airwire: Airwire, tmp_path: Path, content: bytes, said: str
) -> None:
    (tmp_path / "thing.bin").write_bytes(content)
    result = airwire("why", "thing.bin")
    assert result.returncode == 2
    assert said in result.stderr.lower() and len(result.stderr.splitlines()) == 1
