"""``airwire board run`` with a network: traffic and impairments without a file, the table at the end, exit codes."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from schemas import validate

Airwire = Callable[..., subprocess.CompletedProcess[str]]
BOARD = ("--board", "w5500-evb-pico")
PING = ("--traffic", "ping to=board count=3 interval=10ms")


def test_a_quick_ping_needs_no_file_and_ends_the_run(airwire: Airwire, images: Path) -> None:
    done = airwire("board", "run", images / "wiznet_http.elf", *BOARD, *PING, "--until-done")
    assert done.returncode == 0, done.stderr
    assert "All traffic was done at" in done.stdout
    table = done.stdout[done.stdout.index("\nTraffic:") :]
    assert "3 pings in " in table and ", 0 lost" in table
    assert "mqtt" not in table, "a server that nobody spoke to is not shown"


def test_answers_that_are_no_success_are_told(airwire: Airwire, images: Path) -> None:
    for path, says in (("/", ""), ("/none", ", 3 answered with an error, first with status 404")):
        asked = ("--traffic", f"http to=board path={path} requests=3", "--until-done")
        done = airwire("board", "run", images / "wiznet_http.elf", *BOARD, *asked)
        assert done.returncode == 0, done.stderr
        assert f", 0 lost{says}\n" in done.stdout.replace(" \n", "\n"), done.stdout
        assert ("404" in done.stdout) == bool(says)


def test_whom_an_image_calls_in_vain_is_told(airwire: Airwire, images: Path) -> None:
    # The image calls the PC at port 5000 (wiznet_pingpong.c), where the PC's server is not this time.
    moved = ("--traffic", "pingpong-server port=5999", "--for", "5s")
    done = airwire("board", "run", images / "wiznet_pingpong.elf", *BOARD, *moved)
    (note,) = [line for line in done.stderr.splitlines() if "asks for a connection" in line]
    assert "note: the image asks for a connection to 192.168.1.1 port 5000 (" in note
    served = airwire("board", "run", images / "wiznet_pingpong.elf", *BOARD, "--for", "5s")
    assert "asks for a connection" not in served.stderr


def test_lost_pings_fail_a_run_that_waits_for_them(airwire: Airwire, images: Path) -> None:
    lost = ("--traffic", "ping to=board count=3 interval=10ms timeout=50ms", "--impair", "loss=100%")
    done = airwire("board", "run", images / "wiznet_http.elf", *BOARD, *lost, "--until-done")
    assert done.returncode == 1
    assert "ping failed: 192.168.1.50 answered none of 3 pings within 50 ms" in done.stderr
    assert "ping: 3 pings not answered in time (from number 1 at " in done.stderr, "a run that failed tells it too"
    without = airwire("board", "run", images / "wiznet_http.elf", *BOARD, *lost, "--for", "4s")
    assert without.returncode == 1, "messages that were lost are told, whatever the run waited for"
    assert "ping: 3 pings not answered in time (from number 1 at " in without.stderr


def test_a_ping_that_never_began_says_what_it_waits_for(airwire: Airwire, images: Path) -> None:
    silent = ("board", "run", images / "hello_uart.elf", *BOARD, "--traffic", "ping to=board", "--for")
    before = " ".join(airwire(*silent, "1s").stdout.split())
    assert "has not begun: the board has no link yet" in before, before
    after = " ".join(airwire(*silent, "3s").stdout.split())
    assert "has not begun: the board has not said its address; name it in place of board" in after, after
    late = airwire(
        "board", "run", images / "hello_uart.elf", *BOARD, "--traffic", "ping to=board start=5s", "--for", "1s"
    )
    assert "has not begun: its time has not come" in " ".join(late.stdout.split()), late.stdout


def test_json_has_the_results_of_traffic_without_samples(airwire: Airwire, images: Path) -> None:
    done = airwire("board", "run", images / "wiznet_http.elf", *BOARD, *PING, "--until-done", "--json")
    content = json.loads(done.stdout)
    ping = next(entry for entry in content["traffic"] if entry["name"] == "ping")
    assert (ping["client"], ping["done"], ping["failure"]) == (True, True, None)
    assert ping["counters"][0] == {"name": "answered", "value": 3, "unit": "pings"}
    assert ping["latency"]["p50_ps"] > 0 and "samples" not in ping


def test_what_cannot_be_is_a_sentence_and_2(airwire: Airwire, images: Path) -> None:
    for arguments, sentence in [
        (("--traffic", "pong to=board"), "is no kind of client or server; the nearest is ping"),
        (("--traffic", "ping to=bord"), "or IPv6 address, such as 192.168.1.20; board stands for the board's address"),
        (("--traffic", "bulk to=bord:7"), "; board stands for the board's address"),
        (("--traffic", "ping to=board size=big"), 'traffic.ping.size is "big", but takes a size from 0 B to 1472 B'),
        (("--impair", "los=1%"), "los"),
        (("--until-done",), "there is no client to wait for"),
    ]:
        done = airwire("board", "run", images / "wiznet_http.elf", *BOARD, *arguments)
        assert done.returncode == 2, done.stdout
        assert sentence in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_editors_check_network_files_by_the_schema(airwire: Airwire) -> None:
    schema = json.loads(airwire("schema", "network").stdout)
    network = tomllib.loads(
        "seed = 2\n[cable]\nimpair = 'loss=1%'\n[wifi]\npower_save = 'none'\n[traffic.ping]\nto = 'board'\ncount = 3\n"
    )
    validate(network, schema)
    for table, field in (("wifi", "power_safe"), ("cable", "speeed"), ("pc", "adress")):
        with pytest.raises(jsonschema.ValidationError):
            validate({table: {field: 1}}, schema)
