"""``airwire run`` with rows that run firmware on boards: figures, verdicts, run folder, report, Ctrl-C, settings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from board_suites import CAUSES, CLIENTS, ENDLESS, MEANS, WITH_LINKS, run_once, run_rows, write

from airwire.tune.elf import sizes_of
from schemas import validate

Airwire = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def causes(images: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The suite of causes, run once: its run folder and its JSON."""
    return run_once(tmp_path_factory.mktemp("causes"), CAUSES, images)


def row(content: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(row for row in content["boards"] if row["row"] == name)
    return found


def verdict(content: dict[str, Any], name: str) -> str:
    text: str = row(content, name)["verdict"]
    return text


def test_each_mistake_is_named_with_the_change_that_mends_it(causes: tuple[Path, dict[str, Any]]) -> None:
    _, content = causes
    assert "is SPI at 199 kHz: raise SCK to 33.3 MHz; " in verdict(content, "slow")
    assert "waits for a poll every 20" in verdict(content, "poll")
    assert "wire the INT pin; " in verdict(content, "poll")
    assert "waits for the console's UART: print less" in verdict(content, "print")


def test_a_sleep_after_each_send_is_named(causes: tuple[Path, dict[str, Any]]) -> None:
    _, content = causes
    assert "sleeps a fixed time after SEND: ask the chip whether SEND is done; " in verdict(content, "after")


@pytest.mark.parametrize("interrupt", ["on", "off"])
def test_an_image_that_publishes_at_its_own_pace_waits_for_no_poll(
    interrupt: str, firmware: Path, tmp_path: Path
) -> None:
    text = f"""
[boards.publishes]
firmware = "w5500-evb-pico/mqtt_client-hardware.elf"
settings = {{ period_ms = 20, wiznet_int = "{interrupt}" }}
of = "mqtt"
skip = 2
samples = 20
"""
    _, rows = run_rows(tmp_path, text, firmware)
    first = rows["publishes"]["causes"][0]
    assert first["cause"] == "timer", rows["publishes"]["verdict"]
    assert "unless that interval is on purpose" in rows["publishes"]["verdict"]


def test_a_row_is_compared_with_the_one_that_differs_in_one_thing(causes: tuple[Path, dict[str, Any]]) -> None:
    _, content = causes
    own, other = (row(content, name)["figure"]["value"] for name in ("slow", "fast"))
    same = row(content, "slow")["same_but"]
    assert (same["run"], same["what"], same["here"], same["there"]) == ("fast", "spi_hz", "200 kHz", "33250000")
    assert same["figure"]["value"] == other
    assert f"{other / own:.3g} times slower" in verdict(content, "slow")


def test_measured_stands_beside_published(causes: tuple[Path, dict[str, Any]]) -> None:
    _, content = causes
    fast, slow, poll = (row(content, name) for name in ("fast", "slow", "poll"))
    assert fast["published"]["measured_share"] == pytest.approx(fast["figure"]["value"] / 14000)
    ratio = slow["figure"]["value"] / fast["figure"]["value"]
    assert slow["published"]["measured_share"] == pytest.approx(ratio / 0.02)
    assert poll["published"]["compare"] == "mechanism"
    assert "only the cause is compared" in poll["verdict"]
    line = next(one for one in content["rows"] if one["row"] == "fast")
    assert (line["metric"], line["unit"], line["published"]) == ("messages", "messages/s", 14000)


def test_the_rate_is_that_of_the_samples_in_the_run_folder(causes: tuple[Path, dict[str, Any]]) -> None:
    folder, content = causes
    samples = pl.read_parquet(folder / "samples" / "*.parquet")
    for name in ("fast", "slow", "print"):
        own = samples.filter(pl.col("run") == name)
        seconds = (max(own["done_ps"].to_list()) - min(own["trigger_ps"].to_list())) / 1e12
        assert row(content, name)["figure"]["value"] == pytest.approx(own.height / seconds)
        assert own["index"].to_list()[0] == 1, "the first message is left out"
    assert set(samples["target"].unique()) == {"board"}
    assert set(samples["traffic"].unique()) == {"pingpong-server"}


def test_the_spans_of_a_message_fill_it_to_the_picosecond(causes: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = causes
    samples = pl.read_parquet(folder / "samples" / "*.parquet")
    spans = pl.read_parquet(folder / "spans" / "*.parquet")
    assert min(spans.group_by("run").agg(pl.col("index").n_unique())["index"].to_list()) >= 3
    length = (pl.col("end_ps") - pl.col("start_ps")).alias("ps")
    totals = spans.group_by("run", "index").agg(length.sum()).join(samples, on=["run", "index"])
    assert totals["ps"].to_list() == totals["latency_ps"].to_list()
    neighbours = spans.sort("run", "index", "start_ps")
    follows = neighbours["end_ps"].shift(1) == neighbours["start_ps"]
    begins = neighbours["index"] != neighbours["index"].shift(1)
    begins = begins | (neighbours["run"] != neighbours["run"].shift(1))
    assert (follows | begins).drop_nulls().all()


def test_the_manifest_has_the_firmware_and_its_settings(causes: tuple[Path, dict[str, Any]], images: Path) -> None:
    folder, _ = causes
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["target"] == "board"
    slow = next(row for row in manifest["rows"] if row["run"] == "slow")
    image = (images / "wiznet_settings.elf").read_bytes()
    assert slow["firmware"] == {
        "name": "wiznet_settings.elf",
        "sha256": sha256(image).hexdigest(),
        "flash_bytes": (images / "wiznet_settings.bin").stat().st_size,
        "ram_bytes": sizes_of(images / "wiznet_settings.elf")["ram"],
    }
    assert slow["settings"]["spi_hz"] == "200000"
    assert slow["settings"]["server_address"] == "192.168.1.1"


def test_the_frames_of_traced_messages_are_kept_for_wireshark(causes: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = causes
    for name in ("fast", "slow", "poll"):
        capture = (folder / "wire" / f"{name}.pcapng").read_bytes()
        # The section header's block type and byte order (pcapng, section 4.1), then what the messages carried.
        assert capture[:4] == b"\x0a\x0d\x0d\x0a"
        assert capture.count(b"message ") >= 10 and b"\x08\x00\x45" in capture


def test_explain_takes_the_run_apart(causes: tuple[Path, dict[str, Any]], airwire: Airwire, tmp_path: Path) -> None:
    folder, _ = causes
    done = airwire("explain", folder, "--only", "slow", "--figure", "f.png", "--perfetto", "t.json")
    assert done.returncode == 0, done.stderr
    assert "headers over SPI" in done.stdout and "Change first" not in done.stdout
    assert (tmp_path / "f.png").stat().st_size > 10_000
    assert len(json.loads((tmp_path / "t.json").read_text())["traceEvents"]) > 100
    content = json.loads(airwire("explain", folder, "--json").stdout)
    assert [(one["board"], one["link"]) for one in content["rows"]] == [("w5500-evb-pico", None)] * 6


def test_the_report_shows_measured_and_published(causes: tuple[Path, dict[str, Any]], airwire: Airwire) -> None:
    folder, _ = causes
    report, figures = folder.parent / "report.html", folder.parent / "figures"
    done = airwire("report", folder, "--out", report, "--figures", figures)
    assert done.returncode == 0, done.stderr
    page = report.read_text()
    rows = page[page.index("<section id='rows'>") :].replace("\xa0", " ")
    assert "14 000 messages/s" in rows and "waits for a poll every 20" in rows
    assert "a table" in rows and "another board" in rows
    assert (figures / "published.png").stat().st_size > 10_000


def test_the_same_suite_gives_the_same_bytes_with_any_number_of_workers(
    airwire: Airwire, images: Path, tmp_path: Path
) -> None:
    suite = write(tmp_path, CLIENTS)
    for workers in ("1", "2"):
        done = airwire("run", suite, "--firmware", images, "--out", f"w{workers}", "--workers", workers)
        assert done.returncode == 0, done.stderr
    for name in ("manifest.json", "samples/part-00000.parquet", "spans/part-00000.parquet"):
        assert (tmp_path / "w1" / name).read_bytes() == (tmp_path / "w2" / name).read_bytes(), name


def test_links_and_boards_stand_in_one_suite(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    done = airwire("run", write(tmp_path, WITH_LINKS), "--firmware", images, "--out", "run", "--report", "r.html")
    assert done.returncode == 0, done.stderr
    assert "uart" in done.stdout and "Verdicts:" in done.stdout
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["target"] == "link and board"
    assert [("link" in row, "board" in row) for row in manifest["rows"]] == [(True, False), (False, True)]


def test_a_published_mean_makes_a_mean_of_the_row(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    done = airwire("run", write(tmp_path, MEANS), "--firmware", images, "--out", "run", "--json")
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    samples = pl.read_parquet(tmp_path / "run" / "samples" / "*.parquet")
    for name, statistic in (("mean", "mean"), ("median", "median")):
        found, own = row(content, name), samples.filter(pl.col("run") == name)["latency_ps"]
        values = {"mean": own.mean(), "median": own.median()}
        both = {one: found["latency"][one]["value"] for one in values}
        assert both == pytest.approx(values)
        assert (found["figure"]["statistic"], found["figure"]["value"]) == (statistic, both[statistic])
        assert (found["latency"]["least_ps"], found["latency"]["most_ps"]) == (own.min(), own.max())
    mean, page = row(content, "mean"), row(content, "page")
    assert mean["published"]["measured_share"] == pytest.approx(mean["figure"]["value"] / 2e9)
    median = row(content, "median")["same_but"]["figure"]
    assert (median["statistic"], median["value"]) == ("median", mean["latency"]["median"]["value"])
    pages = samples.filter(pl.col("run") == "page")
    connect = (pages["connect_ps"] - pages["trigger_ps"]).mean()
    assert page["latency"]["connect_ps"] == pytest.approx(connect)
    assert page["latency"]["processing_ps"] == pytest.approx(page["latency"]["mean"]["value"] - connect)
    assert "the processing (published 7 and 6 ms)." in page["verdict"]
    times = page["published"]["times"]
    assert times["measured"] == pytest.approx(page["latency"]["mean"]["value"] / mean["latency"]["mean"]["value"])
    assert f"Published 4 times mean, here {times['measured']:.3g} times." in page["verdict"]


def test_a_row_ends_when_its_interval_is_narrow(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    text = "[boards.pp]\nfirmware = 'wiznet_settings.elf'\nstop_within = '2 %'\nlimit = '60 s'\nskip = 1\n"
    done = airwire("run", write(tmp_path, text), "--firmware", images, "--out", "run", "--json")
    assert done.returncode == 0, done.stderr
    found = row(json.loads(done.stdout), "pp")
    low, high = found["figure"]["interval"]
    value = found["figure"]["value"]
    assert max(value - low, high - value) <= 0.02 * value
    assert 40 <= found["figure"]["n"] < 999 and found["end_ps"] < 60e12


def test_ctrl_c_ends_a_board_that_would_run_for_ever(images: Path, tmp_path: Path) -> None:
    suite = write(tmp_path, ENDLESS)
    command = [sys.executable, "-m", "airwire.cli", "run", str(suite), "--firmware", str(images), "--out", "run"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    # A row's frames are written when the row is kept.
    kept = tmp_path / "run" / "wire" / "quick.pcapng"
    deadline = time.monotonic() + 60
    while not kept.exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert [row["run"] for row in manifest["rows"]] == ["quick"]


def test_what_cannot_be_prepared_is_one_sentence_with_its_line(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    for text, sentence in [
        ("[boards.a]\nfirmware = 'none.elf'\n", "suite.toml:1: boards.a.firmware: none.elf is not in "),
        (
            "[boards.a]\nfirmware = 'wiznet_settings.elf'\nsettings = { spi_hzz = 1 }\n",
            "has no setting spi_hzz; the nearest is spi_hz",
        ),
        (
            "[boards.a]\nfirmware = 'wiznet_settings.elf'\nsettings = { poll_ms = '1500 us' }\n",
            'poll_ms is "1500 us", but it takes a time in whole milliseconds',
        ),
        ("[boards.a]\nboard = 'pico'\nfirmware = 'wiznet_http.elf'\n", "board pico has no chip with Ethernet"),
        ("[boards.a]\nboard = 'pcio'\nfirmware = 'wiznet_http.elf'\n", "there is no board pcio; the nearest is pico"),
        (
            "[boards.a]\nfirmware = 'wiznet_http.elf'\nof = 'pong'\n",
            '"pong" is no client or server of the PC; there are dhcp',
        ),
        (
            "[boards.a]\nfirmware = 'wiznet_http.elf'\nof = 'ping'\nnetwork = { pc = { address = 'none' } }\n",
            '"ping" is no client or server of the PC; the network has no PC',
        ),
        (
            "[boards.a]\nfirmware = 'wiznet_settings.elf'\nsettings = { spi_hz = true }\n",
            'spi_hz is "true", but it takes a frequency of at most',
        ),
    ]:
        done = airwire("run", write(tmp_path, text), "--firmware", images, "--out", "run")
        assert done.returncode == 2, done.stdout
        assert sentence in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert not (tmp_path / "run").exists(), "nothing is written before all rows are known to be right"


def test_a_board_that_nobody_answers_says_so(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    text = (
        "[boards.a]\nfirmware = 'wiznet_settings.elf'\nlimit = '2 s'\n[boards.a.network.cable]\nimpair = 'loss=100%'\n"
    )
    done = airwire("run", write(tmp_path, text), "--firmware", images, "--out", "run")
    assert done.returncode == 1, done.stderr
    sentence = "no client or server of the PC has messages of this board"
    assert f"No figure: {sentence}" in done.stdout
    assert done.stderr.startswith(f"airwire: a: no figure: {sentence}") and done.stderr.count("\n") == 1


def test_a_skip_that_leaves_no_message_says_so(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    text = "[boards.a]\nfirmware = 'wiznet_settings.elf'\nsettings = { rounds = 20 }\nskip = 1000000\nlimit = '3 s'\n"
    done = airwire("run", write(tmp_path, text), "--firmware", images, "--out", "run")
    assert done.returncode == 1, done.stderr
    assert done.stderr == (
        "airwire: a: no figure: skip leaves out all of its messages (20); give a smaller one, or run for longer\n"
    )


def test_settings_are_listed_and_set_on_the_command_line(airwire: Airwire, images: Path) -> None:
    image = images / "wiznet_settings.elf"
    listed = airwire("board", "settings", image)
    assert listed.returncode == 0 and "spi_hz" in listed.stdout and "33.25 MHz" in listed.stdout
    told = json.loads(airwire("board", "settings", image, "--json").stdout)
    assert {one["name"]: one["text"] for one in told["settings"]}["server_address"] == "192.168.1.1"
    board = ("--board", "w5500-evb-pico", "--for", "4s", "--until", "errors 0")
    run = airwire("board", "run", image, *board, "--set", "rounds=3", "--set", "print=on")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("the server answered with the number") == 3
    refused = airwire("board", "run", image, *board, "--set", "round=3")
    assert refused.returncode == 2 and "has no setting round; the nearest is rounds" in refused.stderr


def test_editors_check_suites_of_boards_by_the_schema(airwire: Airwire) -> None:
    schema = json.loads(airwire("schema", "suite").stdout)
    for text in (CAUSES, CLIENTS, WITH_LINKS):
        validate(tomllib.loads(text), schema)
    for text in ("[boards.a]\nfirmwere = 'x'\n", "[boards.a]\nmeasure = 'speed'\n", "name = 'x'\n"):
        with pytest.raises(jsonschema.ValidationError):
            validate(tomllib.loads(text), schema)


def test_bulk_transfers_are_measured_by_the_server_that_takes_them(
    airwire: Airwire, images: Path, tmp_path: Path
) -> None:
    text = "[boards.bulk]\nfirmware = 'wiznet_bulk.elf'\nmeasure = 'bulk'\nof = 'discard'\nlimit = '12 s'\n"
    done = airwire("run", write(tmp_path, text), "--firmware", images, "--out", "run", "--json")
    assert done.returncode == 0, done.stderr
    figure = row(json.loads(done.stdout), "bulk")["figure"]
    samples = pl.read_parquet(tmp_path / "run" / "samples" / "*.parquet")
    seconds = sum(samples["latency_ps"].to_list()) / 1e12
    assert figure["value"] == pytest.approx(8 * sum(samples["payload_bytes"].to_list()) / seconds)
    # SPI at 33.25 MHz bounds it from above.
    assert 5e6 < figure["value"] < 33.25e6
    assert figure["unit"] == "bit/s"
