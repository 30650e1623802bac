"""The virtual bench from Python: links, budgets, runs, predictions; held against formulas and against themselves."""

from __future__ import annotations

import doctest
import itertools
import math
from datetime import datetime, tzinfo
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

import airwire
from airwire.explain.waterfall import waterfalls

LINKS = airwire.links()
SUITE = """
name = "spread"
seed = 7
samples = 200
payloads = [12, 64]

[links.slow]
link = "lora"
sf = 9

[links.fast]
link = "lora"
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "spread.toml"
    path.write_text(SUITE)
    return path


def test_suites_of_like_names_get_run_folders_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Stopped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Stopped:
            return cls(2026, 1, 1, tzinfo=tz)

    monkeypatch.setattr("airwire.runs.suite.datetime", Stopped)
    monkeypatch.chdir(tmp_path)
    folders = []
    for name in ("a b", "a-b"):
        Path(f"{name}.toml").write_text(SUITE)
        folders.append(airwire.run(f"{name}.toml", samples=50).run_folder)
    assert folders == ["runs/20260101T000000.000000Z-a b", "runs/20260101T000000.000000Z-a-b"]
    with pytest.raises(airwire.AirwireError, match="exists"):
        airwire.run("a b.toml", samples=50)


def lora_airtime_s(payload_bytes: int, sf: int, bandwidth_hz: int) -> float:
    """Semtech SX1276 datasheet, section 4.1.1.7: explicit header, CRC, coding rate 4/5, 8 symbols of preamble."""
    symbol = 2**sf / bandwidth_hz
    low_rate = symbol > 0.016
    symbols = math.ceil((8 * payload_bytes - 4 * sf + 28 + 16) / (4 * (sf - 2 * low_rate))) * 5
    return float(symbol * (8 + 4.25) + symbol * (8 + max(symbols, 0)))


@pytest.mark.parametrize("sf", [7, 9, 12])
def test_lora_takes_its_airtime_and_a_little_firmware(sf: int) -> None:
    budget = airwire.link_budget("lora", 64, {"sf": sf, "bandwidth": "125 kHz"})
    airtime_ps = lora_airtime_s(64, sf, 125_000) * 1e12
    on_air = sum(stage.ps for stage in budget.stages if stage.kind == "air")
    assert on_air == pytest.approx(airtime_ps, rel=0.02)
    # The receiver decodes within a symbol of the packet's end; the rest is firmware.
    assert on_air < budget.total_ps < on_air + 2**sf / 125_000 * 1e12 + 10e9


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
def test_every_link_can_be_run_at_its_defaults_and_its_stages_fill_every_latency(link: airwire.Link) -> None:
    payload = min(64, link.max_payload_bytes)
    budget = airwire.link_budget(link.name, payload)
    assert budget.total_ps == sum(stage.ps for stage in budget.stages) > 0
    (row,) = airwire.simulate([(link.name, payload, {})], samples=60, spans=60)
    assert row.target.settings == budget.settings
    arrived = row.samples.filter(pl.col("outcome") == "paired").select("index", "done_ps", "latency_ps")
    spans = row.target.spans.join(arrived, on="index").filter(pl.col("start_ps") < pl.col("done_ps"))
    spent = spans.group_by("index", "latency_ps").agg((pl.col("end_ps") - pl.col("start_ps")).sum().alias("spent"))
    assert spent.height == arrived.height
    assert (spent["spent"] == spent["latency_ps"]).all()


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
def test_every_constant_says_where_it_comes_from_and_every_setting_what_it_takes(link: airwire.Link) -> None:
    assert all(constant.meaning and (constant.source or constant.fitted) for constant in link.constants)
    assert all(setting.takes and setting.help and setting.default for setting in link.settings)


def test_the_waterfall_at_a_percentile_adds_up_to_about_that_percentile() -> None:
    for link in LINKS:
        (row,) = airwire.simulate([(link.name, min(64, link.max_payload_bytes), {})], samples=2000, spans=1000)
        for waterfall in waterfalls(row):
            assert waterfall.total_ps == pytest.approx(waterfall.latency_ps, rel=0.1), (link.name, waterfall.percentile)


def test_settings_may_be_given_as_numbers_and_an_unknown_one_is_refused_in_a_sentence() -> None:
    assert airwire.link_budget("lora", 12, {"sf": 9}) == airwire.link_budget("lora", 12, {"sf": "9"})
    with pytest.raises(airwire.AirwireError, match="lora has no setting sfx"):
        airwire.link_budget("lora", 12, {"sfx": 9})
    with pytest.raises(airwire.AirwireError, match="no link lorra; the nearest is lora"):
        airwire.simulate([("lorra", 12, {})])


def test_a_run_keeps_its_rows_in_a_folder_that_reads_back_the_same(suite: Path, tmp_path: Path) -> None:
    now = airwire.run(suite, out=tmp_path / "run")
    later = airwire.load_run(tmp_path / "run")
    assert (now.suite, now.seed, len(now.captures)) == ("spread", 7, 4)
    assert (later.suite, later.seed, later.pairing) == (now.suite, now.seed, now.pairing)
    for a, b in zip(now.captures, later.captures, strict=True):
        assert (a.path, a.group, a.payload_bytes, a.triggers) == (b.path, b.group, b.payload_bytes, b.triggers)
        assert dict(a.outcomes) == dict(b.outcomes)
        assert a.latency_ps == b.latency_ps
        assert a.median_interval == b.median_interval
        assert list(a.findings) == list(b.findings)
        assert a.samples.equals(b.samples)
        assert a.target.spans.equals(b.target.spans)
    both = zip(airwire.rows_of_links(now), airwire.rows_of_links(later), strict=True)
    pairs = [(a.target, b.target) for a, b in both]
    assert len(pairs) == 4
    for mine, its in pairs:
        assert (mine.name, mine.title, mine.settings) == (its.name, its.title, its.settings)
        assert (mine.trigger, mine.longest_queue) == (its.trigger, its.longest_queue)
        assert list(mine.budget) == list(its.budget)


def test_the_same_suite_and_seed_give_the_same_bytes_with_any_number_of_workers(suite: Path, tmp_path: Path) -> None:
    for name, workers in (("a", 1), ("b", 2), ("c", None)):
        airwire.run(suite, out=tmp_path / name, workers=workers, environment={"host": name})
    for file in ("manifest.json", "samples/part-00000.parquet", "spans/part-00000.parquet"):
        assert len({(tmp_path / name / file).read_bytes() for name in "abc"}) == 1, file


def test_only_samples_and_seed_narrow_a_run(suite: Path, tmp_path: Path) -> None:
    analysis = airwire.run(suite, only=["slow"], samples=50, seed=3, out=tmp_path / "run", findings=False)
    assert [(row.path, row.triggers) for row in analysis.captures] == [("slow/12B", 50), ("slow/64B", 50)]
    assert analysis.seed == 3


def test_progress_is_told_and_ends_with_all_messages(suite: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    airwire.run(suite, samples=20_000, out=tmp_path / "run", progress=lambda *now: told.append(now))
    assert all(0 <= done <= total == 80_000 for done, total in told)
    assert told == sorted(told)


def test_nobody_computes_intervals_of_boards_that_are_not_wanted(firmware: Path, tmp_path: Path) -> None:
    suite = tmp_path / "board.toml"
    suite.write_text(
        "[boards.pp]\nfirmware = 'w5500-evb-pico/pingpong_server-hardware.elf'\n"
        "traffic = ['pingpong to=board:5000 rounds=30']\nmeasure = 'latency'\n",
        encoding="ascii",
    )
    for wanted in (True, False):
        analysis = airwire.run(suite, firmware=firmware, out=tmp_path / f"run-{wanted}", intervals=wanted)
        (row,) = airwire.rows_of_boards(analysis)
        assert (row.median_interval is not None) == wanted
        assert row.target.figure is not None
        assert (row.target.figure.interval is not None) == wanted


def test_a_link_ends_with_its_limit_or_its_interval_as_a_board_does(tmp_path: Path) -> None:
    suite = tmp_path / "bounds.toml"
    suite.write_text(
        "samples = 400\npayloads = [12]\ntrigger = { kind = 'fixed', period = '250ms' }\n"
        "[links.limited]\nlink = 'lora'\nlimit = '5 s'\n[links.whole]\nlink = 'lora'\n",
        encoding="ascii",
    )
    limited, whole = airwire.run(suite, out=tmp_path / "run").captures
    # The first message is sent after an interval, and none at the limit.
    assert (limited.triggers, whole.triggers) == (19, 400)


def test_rows_of_a_run_are_compared_like_captures(suite: Path, tmp_path: Path) -> None:
    rows = airwire.run(suite, out=tmp_path / "run").captures
    comparison = airwire.compare(rows[0], rows[2])
    assert comparison.shift_ps < 0
    assert comparison.a_beats_b == 0


def test_a_trigger_may_be_given_to_a_prediction() -> None:
    (row,) = airwire.simulate([("lora", 12, {})], samples=50, trigger={"kind": "fixed", "period": "2s"})
    triggers = row.samples["trigger_ps"].to_list()
    assert {b - a for a, b in itertools.pairwise(triggers)} == {2 * 10**12}


@pytest.mark.parametrize("module", ["airwire.runs.simulation", "airwire.link.catalogue"])
def test_examples_in_docstrings_hold(module: str) -> None:
    result = doctest.testmod(import_module(module), extraglobs={"airwire": airwire}, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_captures_of_a_run_give_the_same_figures_and_findings_when_they_are_analysed(tmp_path: Path) -> None:
    suite = tmp_path / "gated.toml"
    entries = "[links.esp32-802154]\n[links.nrf24]\n[links.uart]\n[links.esp32-wifi-udp]\n[links.lora]\n"
    suite.write_text("samples = 400\nseed = 5\npayloads = [12, 1024]\n" + entries)
    run = airwire.run(suite, out=tmp_path / "run", captures=True)
    kinds = set()
    for row in run.captures:
        name = f"{row.payload_bytes}B-{row.group}.vcd"
        capture = airwire.analyze(tmp_path / "run" / "captures" / name, seed=5).captures[0]
        assert capture.latency_ps == row.latency_ps, name
        assert (capture.median_interval, capture.payload_bytes) == (row.median_interval, row.payload_bytes), name
        told = [(finding.kind, finding.period_ps, finding.confidence) for finding in capture.findings]
        assert told == [(finding.kind, finding.period_ps, finding.confidence) for finding in row.findings], name
        kinds |= {finding.kind for finding in capture.findings}
    assert kinds == {"gate", "comb"}
