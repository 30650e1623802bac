"""The Python interface: frames, frozen results, run folders of every schema, and the examples in its docstrings."""

from __future__ import annotations

import doctest
import itertools
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

import airwire
from airwire.synthetic import SlottedLink

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def slotted(tmp_path: Path) -> Path:
    path = tmp_path / "12B-slotted.csv"
    SlottedLink(messages=300).write_csv(path)
    return path


def test_samples_are_a_polars_frame_of_the_link_as_it_was_built(slotted: Path) -> None:
    link = SlottedLink(messages=300)
    samples = airwire.analyze(slotted).captures[0].samples
    assert isinstance(samples, pl.DataFrame)
    first = 3_000_000
    triggers = [(first + k * link.trigger_interval_ns) * 1000 for k in range(300)]
    assert samples["trigger_ps"].to_list() == triggers
    waits = [-(-trigger // (link.slot_ns * 1000)) * link.slot_ns * 1000 - trigger for trigger in triggers]
    for latency, wait in zip(samples["latency_ps"].to_list(), waits, strict=True):
        # 20 mean jitters are never exceeded in so few messages.
        assert latency is None or 0 <= latency - wait - link.airtime_ns * 1000 < 20 * link.jitter_ns * 1000


def test_edges_are_a_polars_frame_with_a_column_per_channel(slotted: Path) -> None:
    edges = airwire.read_edges(slotted)
    assert edges.frame.columns == ["time_ps", "Channel 0", "Channel 1"]
    assert edges.frame["time_ps"].is_sorted()
    assert edges.frame["time_ps"][0] == 0
    assert edges.start is None
    only_done = airwire.read_edges(slotted, channels=[1])
    assert only_done.frame.columns == ["time_ps", "Channel 1"]
    changes = only_done.frame["Channel 1"].to_list()
    assert all(a != b for a, b in itertools.pairwise(changes))


def test_an_absolute_start_is_told_where_the_file_has_one(tmp_path: Path) -> None:
    path = tmp_path / "iso.csv"
    path.write_text(
        "Time [s],Channel 0,Channel 1\n2024-02-29T23:59:59.999999990+00:00,0,0\n2024-03-01T00:00:00.5Z,1,0\n"
    )
    edges = airwire.read_edges(path)
    assert edges.start == "2024-02-29T23:59:59.999999990Z"
    assert edges.frame["time_ps"].to_list() == [0, 500_000_010_000]


def test_a_run_folder_reads_back_as_it_was_analysed(slotted: Path, tmp_path: Path) -> None:
    now = airwire.analyze(slotted, out=tmp_path / "run")
    later = airwire.load_run(tmp_path / "run")
    for a, b in zip(now.captures, later.captures, strict=True):
        assert (a.path, a.group, a.payload_bytes, a.triggers) == (b.path, b.group, b.payload_bytes, b.triggers)
        assert dict(a.outcomes) == dict(b.outcomes)
        assert a.latency_ps == b.latency_ps
        assert a.median_interval == b.median_interval
        assert list(a.findings) == list(b.findings)
        assert a.samples.equals(b.samples)


@pytest.mark.parametrize("folder", sorted(GOLDEN.iterdir()), ids=lambda folder: folder.name)
def test_a_run_folder_of_every_schema_still_reads(folder: Path) -> None:
    capture = airwire.load_run(folder).captures[0]
    assert (capture.payload_bytes, capture.triggers) == (12, 120)
    assert capture.outcomes["paired"] + capture.outcomes["missed"] == 120
    assert capture.latency_ps is not None
    # A message waits for a slot of 23.4 ms and 4.2 ms of airtime, nothing else of note.
    assert 4.2e9 < capture.latency_ps["min"] < capture.latency_ps["p99"] < 29.0e9


def test_a_newer_schema_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"schema": "airwire.run/3", "captures": []}')
    with pytest.raises(airwire.AirwireError, match=r"airwire\.run/3.*update it"):
        airwire.load_run(tmp_path)


def test_a_comparison_needs_a_paired_message_on_both_sides(slotted: Path, tmp_path: Path) -> None:
    silent = tmp_path / "silent.csv"
    silent.write_text("Time [s],Channel 0,Channel 1\n0.0,0,0\n0.05,0,1\n0.06,0,0\n0.1,1,0\n0.2,0,0\n")
    a, b = airwire.analyze([slotted, silent]).captures
    with pytest.raises(airwire.AirwireError, match="no message was paired"):
        airwire.compare(a, b)


def test_the_distribution_is_a_frame_of_steps_that_ends_at_one(slotted: Path) -> None:
    capture = airwire.analyze(slotted).captures[0]
    steps = airwire.ecdf(capture)
    assert capture.latency_ps is not None
    assert steps["latency_ps"].is_sorted() and steps["share"].is_sorted()
    assert (steps["latency_ps"][0], steps["latency_ps"][-1]) == (capture.latency_ps["min"], capture.latency_ps["max"])
    assert steps["share"][-1] == 1.0
    half = steps.filter(pl.col("share") >= 0.5)["latency_ps"][0]
    assert abs(half - capture.latency_ps["p50"]) <= capture.latency_ps["iqr"] / 20


def test_intervals_of_a_partial_phase_say_so(tmp_path: Path) -> None:
    # A trigger interval of 4 slots: every message waits equally long.
    frozen = tmp_path / "frozen.csv"
    SlottedLink(slot_ns=25_000_000, trigger_interval_ns=100_000_500, messages=400, jitter_ns=1_000).write_csv(frozen)
    capture = airwire.analyze(frozen).captures[0]
    assert "frozen_phase" in [finding.kind for finding in capture.findings]
    assert capture.median_interval is not None
    assert capture.median_interval.note == "this phase only"
    assert capture.median_interval.effective_n < 40


def test_a_known_gate_is_looked_at_even_if_nothing_shows_it(slotted: Path) -> None:
    capture = airwire.analyze(slotted, gate="100 ms").captures[0]
    assert [finding.period_ps for finding in capture.findings if finding.kind == "gate"]


EXAMPLES = [
    "airwire",
    "airwire.board.catalogue",
    "airwire.board.spi_controller",
    "airwire.capture.analysis",
    "airwire.link.catalogue",
    "airwire.link.energy",
    "airwire.model",
    "airwire.runs.selection",
    "airwire.runs.simulation",
    "airwire.values",
]


def test_every_module_with_examples_is_listed() -> None:
    package = Path(airwire.__file__).parent
    files = (file for file in package.rglob("*.py") if ">>>" in file.read_text(encoding="utf-8"))
    names = (".".join(file.relative_to(package.parent).with_suffix("").parts) for file in files)
    assert sorted(name.removesuffix(".__init__") for name in names) == EXAMPLES


@pytest.mark.parametrize("module", EXAMPLES)
def test_examples_in_docstrings_hold(module: str) -> None:
    result = doctest.testmod(import_module(module), extraglobs={"airwire": airwire}, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_every_public_name_is_there() -> None:
    everything = "__all__"
    names = getattr(airwire, everything)
    assert {"analyze", "Board", "run", "LedgerRow"} <= set(names)
    for name in names:
        assert getattr(airwire, name) is not None
    missing = "nonsense"
    with pytest.raises(AttributeError, match="nonsense"):
        getattr(airwire, missing)


def test_the_stub_describes_the_compiled_module(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    # Written by the binding itself.
    allowed.write_text("airwire._core.__all__\n")
    # What the stub imports has no part in the comparison, and takes ten times as long to read.
    alone = tmp_path / "mypy.ini"
    alone.write_text("[mypy]\nfollow_imports = skip\n")
    options = ["--concise", "--allowlist", str(allowed), "--mypy-config-file", str(alone)]
    command = [sys.executable, "-m", "mypy.stubtest", "airwire._core", *options]
    compared = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert compared.returncode == 0, compared.stdout + compared.stderr


def board_file(path: Path) -> object:
    path.write_text('mcu = "rp2040"\n[chips.LED]\nkind = "led"\npin = 99\n')
    return airwire.Board(path)


def suite(path: Path) -> object:
    path.write_text("samples = 10\n[links.lora]\nsf = 99\n")
    return airwire.run(path)


def suite_of_boards(path: Path) -> object:
    path.write_text('[boards.web]\nfirmware = "absent.elf"\n')
    return airwire.run(path)


def network_file(path: Path) -> object:
    path.write_text('[cable]\nimpair = "none"\n\n[pc]\nadress = "192.168.1.1/24"\n')
    return airwire.Board("w5500-evb-pico", network=path)


@pytest.mark.parametrize(
    ("wrong", "line", "field"),
    [
        (board_file, 4, "chips.LED.pin"),
        (suite, 3, "links.lora.sf"),
        (suite_of_boards, 1, "boards.web.firmware"),
        (network_file, 5, "pc.adress"),
    ],
)
def test_an_error_has_its_place_as_data(tmp_path: Path, wrong: Callable[[Path], object], line: int, field: str) -> None:
    file = tmp_path / "my.toml"
    with pytest.raises(airwire.AirwireError) as refused:
        wrong(file)
    error = refused.value
    assert (error.file, error.line, error.field) == (str(file), line, field)
    assert str(error) == f"{file}:{line}: {field}{error.words}"


def test_an_error_of_a_file_that_cannot_be_read_has_the_file(tmp_path: Path) -> None:
    for read in (airwire.Board, airwire.run, lambda file: airwire.Board("w5500-evb-pico", network=file)):
        with pytest.raises(airwire.AirwireError) as refused:
            read(tmp_path / "absent.toml")
        assert (refused.value.file, refused.value.field) == (str(tmp_path / "absent.toml"), None)


def test_an_error_that_no_file_says_has_no_place() -> None:
    with pytest.raises(airwire.AirwireError) as refused:
        airwire.link_budget("lorra", 12)
    error = refused.value
    assert (error.file, error.line, error.field, error.words) == (None, None, None, None)
