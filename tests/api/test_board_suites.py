"""Rows of boards through the Python interface, and settings of images."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl
import pytest

import airwire
from airwire.board import Board, image_settings
from airwire.board.row import BoardRow, Figure, LatencyFigures, Published, SameBut, Times
from airwire.cli.run_json import run_output
from airwire.explain.board.cause import as_one, verdicts_from
from airwire.explain.board.causes import causes
from airwire.explain.board.figures import figure_text, published_text, ratio_text
from airwire.explain.board.floor import floor
from airwire.explain.board.published import parts_sentence, published_sentence, times_sentence
from airwire.explain.quantities import rough_time
from airwire.explain.words import stage_of
from airwire.kinds import Cause, Statistic, Subject
from airwire.link.model import Waterfall
from airwire.model import CaptureFile, rows_of_boards
from airwire.runs.findings import KNOWN, findings_of
from airwire.stage import Stage

if TYPE_CHECKING:
    from airwire._core import RawFinding

BUILT = Path(__file__).resolve().parents[2] / "build" / "firmware"
CLIENT = "w5500-evb-pico/pingpong_client-lwip_raw.elf"
SOCKETS = "w5500-evb-pico/pingpong_client-hardware.elf"
MS = 1e9
HELD = "The board holds its answer back."

SUITE = """
[boards.pp]
firmware = "wiznet_settings.elf"
settings = { interrupts = true, rounds = 60 }
skip = 1
limit = "3 s"
"""

# The second row's datagrams are twice what SPI carries.
FLOOD = """
samples = 5
[boards.calm]
firmware = "w5500-evb-pico/streams-lwip_raw.elf"
traffic = ["bulk to=board:9 time=300ms interval=50ms"]
measure = "bulk"
[boards.flooded]
same_but = "calm"
traffic = ["bulk to=board:9 time=300ms interval=50ms", "iperf-udp to=board:5001 rate=60Mbit/s time=300ms"]
"""


def test_frames_that_a_chip_had_no_room_for_are_counted_while_messages_are_traced(tmp_path: Path) -> None:
    if not (BUILT / "w5500-evb-pico/streams-lwip_raw.elf").is_file():
        pytest.skip("the firmware is not built: make firmware (needs arm-none-eabi-gcc)")
    (tmp_path / "flood.toml").write_text(FLOOD)
    analysis = airwire.run(tmp_path / "flood.toml", firmware=BUILT, out=tmp_path / "run")
    rows = airwire.rows_of_boards(analysis)
    calm, flooded = (row.target.evidence["dropped_for_room"] for row in rows)
    assert calm == 0
    assert flooded is not None and flooded > 300
    # The DMA of this driver moves the bytes of whole frames, both ways, and none of the registers' few.
    per_frame = rows[0].target.evidence["dma_transfers_per_frame"]
    assert per_frame is not None and 1 < per_frame < 2


def test_a_run_gives_rows_of_boards_and_can_be_loaded_again(images: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite.toml"
    suite.write_text(SUITE)
    analysis = airwire.run(suite, firmware=images, out=tmp_path / "run")
    (row,) = airwire.rows_of_boards(analysis)
    board = row.target
    assert board.figure is not None and airwire.rows_of_links(analysis) == []
    assert row.outcomes["paired"] == 59 == row.samples.height == board.figure.n
    (loaded,) = airwire.rows_of_boards(airwire.load_run(tmp_path / "run"))
    assert (loaded.target.figure, loaded.target.settings) == (board.figure, board.settings)
    assert loaded.latency_ps == row.latency_ps
    assert loaded.target.spans.equals(board.spans)


def test_rows_with_names_alike_to_a_file_system_keep_their_frames_apart(images: Path, tmp_path: Path) -> None:
    suite, long = tmp_path / "suite.toml", "n" * 300
    entry = 'firmware = "wiznet_settings.elf"\nsettings = { rounds = 20 }\nlimit = "3 s"\n'
    suite.write_text("".join(f"[boards.'{name}']\n{entry}" for name in ("a b", "a-b", long)))
    airwire.run(suite, firmware=images, out=tmp_path / "run")
    names = sorted(file.stem for file in (tmp_path / "run" / "wire").iterdir())
    assert names == ["a-b", "a-b-2", long[:200]]


def test_messages_that_skip_leaves_out_count_after_all_where_no_more_come(images: Path, tmp_path: Path) -> None:
    entry = 'firmware = "wiznet_settings.elf"\nlimit = "3 s"\nskip = 1\n'
    once, often = (f"settings = {{ rounds = {rounds} }}\n" for rounds in (1, 5))
    lenient = "skip_if_more = true\n"
    suite = tmp_path / "skip.toml"
    suite.write_text(
        f"[boards.strict]\n{entry}{once}[boards.once]\n{entry}{lenient}{once}[boards.often]\n{entry}{lenient}{often}"
    )
    run = airwire.run(suite, firmware=images, out=tmp_path / "run")
    strict, only, several = airwire.rows_of_boards(run)
    assert strict.target.figure is None and "skip leaves out its only message" in (strict.target.problem or "")
    assert only.target.figure is not None and (only.target.figure.n, only.target.skip) == (1, 0)
    assert several.target.figure is not None and (several.target.figure.n, several.target.skip) == (4, 1)


def test_explanations_of_boards_come_with_those_of_links(images: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite.toml"
    suite.write_text(f"samples = 50\npayloads = [12]\n[links.uart]\n{SUITE}")
    analysis = airwire.run(suite, firmware=images, out=tmp_path / "run")
    link, board = airwire.explain_run(analysis, samples=50)
    assert ((link.link, link.board), (board.link, board.board)) == (("uart", None), (None, "w5500-evb-pico"))
    total = sum(stage.ps for stage in board.waterfalls[0].stages)
    assert total == pytest.approx(board.waterfalls[0].latency_ps, rel=0.05)


def test_settings_are_words_in_the_image_that_a_board_starts_with(images: Path) -> None:
    image = images / "wiznet_settings.elf"
    known = {one.name: one for one in image_settings(image)}
    assert (known["rounds"].value, known["server_address"].text) == (1000, "192.168.1.1")
    board = Board("w5500-evb-pico", image, record=False, settings={"rounds": 7, "server_address": "192.168.1.9"})
    assert board.memory.word(known["rounds"].address) == 7
    assert board.memory[known["server_address"].address : known["server_address"].address + 4] == bytes(
        [192, 168, 1, 9]
    )


def test_a_long_latency_hides_no_loss_where_every_message_is_known() -> None:
    evidence: dict[str, float | list[float]] = {"hidden_losses": 52, "messages": 300, "trigger_interval_ps": 53 * MS}
    raw: RawFinding = {"kind": "loss_as_latency", "confidence": 1, "period_ps": None, "evidence": evidence}
    assert [found.kind for found in findings_of([raw], "strict", CaptureFile(), None)] == ["loss_as_latency"]
    assert findings_of([raw], KNOWN, CaptureFile(), None) == []


def test_an_image_without_settings_says_what_one_is(images: Path) -> None:
    assert image_settings(images / "wiznet_http.elf") == []
    with pytest.raises(airwire.AirwireError, match="it has none at all: a setting is a word in flash"):
        Board("w5500-evb-pico", images / "wiznet_http.elf", settings={"spi_hz": "33 MHz"})


NAMELESS = """
[boards.named]
firmware = "wiznet_settings.elf"
settings = { interrupts = true, rounds = 60 }
skip = 1
limit = "3 s"
[boards.nameless]
firmware = "wiznet_settings.uf2"
symbols = "wiznet_settings.elf"
settings = { interrupts = true, rounds = 60 }
skip = 1
limit = "3 s"
"""


def test_a_row_of_an_image_without_names_has_them_from_the_elf_of_its_build(images: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite.toml"
    suite.write_text(NAMELESS, encoding="ascii")
    named, nameless = rows_of_boards(airwire.run(suite, firmware=images))
    assert named.target.figure == nameless.target.figure
    assert named.target.settings == nameless.target.settings != {}
    # The ELF goes with the points of a sweep, to whoever runs them.
    plan = airwire.plan_sweep(suite, over=["rounds=20,30"], firmware=images)
    found = airwire.run_sweep(plan, suite, out=tmp_path / "sweep", workers=1)
    assert found.points.filter(pl.col("problem").is_not_null()).is_empty()
    entries = found.points.sort("rounds").partition_by("entry", maintain_order=True)
    assert len(entries) == 2 and entries[0]["figure"].equals(entries[1]["figure"])

    suite.write_text(NAMELESS.replace('symbols = "wiznet_settings.elf"', 'symbols = "systick.elf"'), encoding="ascii")
    with pytest.raises(airwire.AirwireError, match=r"suite\.toml:\d+: boards\.nameless\.symbols: .*systick\.elf"):
        airwire.run(suite, firmware=images)
    suite.write_text(NAMELESS.replace('symbols = "wiznet_settings.elf"', ""), encoding="ascii")
    with pytest.raises(airwire.AirwireError, match=r"boards\.nameless\.settings.*it has no names"):
        airwire.run(suite, firmware=images)


def test_an_entry_that_takes_another_image_takes_over_no_names(images: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite.toml"
    base = '[boards.first]\nfirmware = "wiznet_settings.uf2"\nsymbols = "wiznet_settings.elf"\nlimit = "100 ms"\n'
    suite.write_text(f'{base}[boards.other]\nsame_but = "first"\nfirmware = "wiznet_pingpong.uf2"\n', encoding="ascii")
    assert [row.group for row in rows_of_boards(airwire.run(suite, firmware=images))] == ["first", "other"]


BUILT_ROWS = f"""
[boards.poll]
firmware = "{CLIENT}"
settings = {{ wiznet_int = "off", wiznet_poll_us = "64 ms" }}
skip = 2
samples = 30
limit = "20 s"
[boards.rule]
same_but = "poll"
settings = {{ output_rule = 1 }}
[boards.timer]
same_but = "rule"
settings = {{ timers_with_poll = "on" }}
published = {{ value = 3.9, unit = "messages/s", source = "a report" }}
[boards.pin]
same_but = "rule"
settings = {{ wiznet_int = "on" }}
[boards.sockets]
firmware = "{SOCKETS}"
settings = {{ wiznet_int = "off", spi_hz = "2 MHz" }}
skip = 2
samples = 30
"""


def of_board(cause: Cause, subject: Subject | None, ps: float, detail: str | None = None) -> Stage:
    """A stage of a board that has a PC at its other end."""
    return stage_of(cause, "board", subject, detail, ps)


def sentence(evidence: dict[str, float | None], **stages_ms: float) -> str:
    """The sentence of a message that polls, holds its answer back and works for so many milliseconds."""
    subjects: dict[str, tuple[Subject, str | None]] = {
        "polls": ("register", "Sn_RX_RSR"),
        "held": ("held_answer", None),
        "again": ("held_answer", "pc"),
    }
    found = [(*subjects[name], ms * MS) for name, ms in stages_ms.items()]
    stages = [of_board("gate", subject, ps, detail) for subject, detail, ps in found]
    waterfall = Waterfall(50, sum(stage.ps for stage in stages), 1, stages)
    return as_one(verdicts_from(causes(stages, evidence), waterfall, rough_time, lambda _: None), []).text


def test_a_poll_period_is_named_as_measured() -> None:
    text = sentence({"poll_period_ps": 64 * MS}, polls=64)
    assert text.startswith("100 % waits for a poll every 64 ms: wire the INT pin. That is 64 ms of")
    short = sentence({"poll_period_ps": 1 * MS}, polls=1)
    assert short.startswith("100 % waits for a poll every 1 ms: wire the INT pin. That is 1 ms of 1 ms.")


def test_a_held_answer_is_the_stacks_timer_with_the_period_that_was_measured() -> None:
    change, other_change = "call tcp_output() after tcp_write().", "Taking the output rule out does the same."
    text = sentence({"held_period_ps": 250 * MS}, held=250)
    assert text.startswith(f"100 % waits for lwIP's 250 ms timer: {change} That is 250 ms of 250 ms. {HELD}")
    assert "its own timer: period 250 ms, lwIP's TCP timer, TCP_TMR_INTERVAL." in text
    assert other_change in text and "One message a period is 4.00 messages/s." in text
    # Of a timer that nobody knows it cannot be said whether the stack or the application has it.
    other = sentence({"held_period_ps": 100 * MS}, held=100)
    assert other.startswith("100 % waits for its own timer of 100 ms: send sooner, unless that interval is on purpose.")
    assert "lwIP" not in other and change not in other
    unknown = sentence({}, held=100)
    assert unknown.startswith(f"100 % waits for the stack to send: {change}") and "period" not in unknown


def test_timers_that_run_only_at_polls_are_named_with_the_poll_and_the_rate_that_they_make() -> None:
    evidence: dict[str, float | None] = {"held_period_ps": 256 * MS, "poll_period_ps": 64 * MS}
    text = sentence(evidence, polls=64, held=192)
    assert text.startswith("75 % waits for lwIP's 250 ms timer: ") and f"That is 192 ms of 256 ms. {HELD}" in text
    assert "period 256 ms = 4 x 64 ms, lwIP's TCP timer of 250 ms, which runs only at polls" in text
    assert "One message a period is 3.91 messages/s." in text and "That leaves the poll period of 64 ms." in text
    assert "25 % waits for a poll every 64 ms: " in text and "That is 64 ms of 256 ms." in text


def test_a_retransmission_that_comes_before_the_timer_is_told() -> None:
    text = sentence({"held_period_ps": 250 * MS}, again=200)
    assert "the PC's retransmission comes before it" in text and "messages/s" not in text


def test_causes_have_names_that_stay() -> None:
    stages = [
        of_board("gate", "register", 3.0, "Sn_RX_RSR"),
        of_board("gate", "held_answer", 2.0),
        of_board("gate", "command", 1.0, "SEND"),
    ]
    assert [cause.kind for cause in causes(stages, {})] == ["poll_period", "answer_held_back", "fixed_sleep"]


def test_a_processor_without_dma_is_not_told_to_use_it_nor_to_raise_sck_beyond_its_own() -> None:
    stages = [
        of_board("bus", "payload", 20.0),
        of_board("cpu", "spi_pause", 9.0),
        of_board("cpu", "function", 5.0, "main"),
    ]
    evidence = {"sck_hz": 5e6, "highest_sck_hz": 11e6, "mcu_sck_hz": 11e6, "dma_channels": 0}
    slow, still, work = causes(stages, evidence)
    assert (slow.change, slow.evidence) == (
        "raise SCK to 11 MHz",
        ("The processor gives 11 MHz, which would save 11 ps.",),
    )
    assert (still.change, work.change) == (
        "move a byte in fewer cycles, as there is no DMA",
        "shorten main, or raise the processor's clock",
    )
    (console,) = causes([of_board("console", None, 20.0)], evidence)
    assert console.change == "print less, or raise its baud rate"
    fast, *_ = causes(stages, {**evidence, "sck_hz": 11e6})
    assert fast.evidence[0].startswith("SCK is as fast as the processor gives. ")


def test_a_processor_whose_dma_moves_the_bytes_is_not_told_to_have_it_do_so() -> None:
    stages = [of_board("bus", "payload", 20.0), of_board("cpu", "spi_pause", 9.0)]
    evidence = {"sck_hz": 33e6, "highest_sck_hz": 33e6, "mcu_sck_hz": 62.5e6, "dma_channels": 12}
    for per_frame, change in (
        (0.0, "let the DMA move the bytes, or keep the SPI's FIFO full"),
        (1.0, "move header and data in one sequence of the DMA"),
        (2.0, "move header and data in one sequence of the DMA"),
    ):
        still = causes(stages, {**evidence, "dma_transfers_per_frame": per_frame})[1]
        assert (still.kind, still.change) == ("spi_pause", change), per_frame


def test_the_floor_is_what_no_firmware_can_leave_out() -> None:
    stages = [
        of_board("bus", "payload", 10.0),
        of_board("bus", "register", 3.0, "Sn_RX_RSR"),
        of_board("cpu", "function", 9.0, "main"),
        of_board("chip", "sending", 2.0),
        stage_of("wire", "wire", "frames", "pc", 4.0),
        stage_of("pc", "pc", None, None, 20.0),
    ]
    found = floor(stages, {"sck_hz": 10e6, "highest_sck_hz": 20e6})
    assert (found.bus_ps, found.ps, found.message_ps) == (5, 31, 48)
    assert floor(stages, {}).bus_ps == 10, "without a clock the bus is as it is"


def board_row(value: float, unit: str, published: Published, statistic: Statistic | None = None) -> BoardRow:
    """A row with a figure and what others measured; the rest does not matter."""
    empty: dict[str, float] = {}
    return BoardRow(
        title="", board="", firmware="", firmware_sha256="", settings={}, network="", traffic=[], of=None,
        measure="messages", figure=Figure(value, None, unit, 40, statistic), published=published, same_but=None,
        skip=0, end_ps=0, ended="", problem=None, counts=empty, evidence={}, notes=[],
        load_spans=lambda: pytest.fail("not needed"),
    )  # fmt: skip


def test_what_is_left_between_published_and_measured_is_said() -> None:
    published = Published(723, "messages/s", 723, "a report", None, "absolute", 1.1)
    row = board_row(797.9, "messages/s", published)
    # 1/723 s and 1/797.9 s.
    assert published_sentence(row) == "Published 1.38 ms a message, here 1.25 ms: 0.13 ms is not explained."
    ping = Published(22.109, "ms", 22.109 * MS, "a report", None, "absolute", 1.2)
    text = published_sentence(board_row(26.609 * MS, "ps", ping))
    assert text == "Published 22.1 ms, here 26.6 ms: 4.5 ms more is not explained."
    bulk = Published(1, "MB/s", 8e6, "a report", None, "absolute", 0.8)
    text = published_sentence(board_row(6.4e6, "bit/s", bulk))
    assert text == "Published 1.00 us a byte, here 1.25 us: 0.25 us more is not explained."
    exact = published_sentence(board_row(723.1, "messages/s", published))
    assert exact is not None and exact.endswith("nothing is left unexplained to these digits.")


def test_of_another_setup_it_is_said_what_stays_open_with_the_note() -> None:
    published = Published(38, "messages/s", 38, "a report", "another driver", "mechanism", None)
    text = published_sentence(board_row(101.7, "messages/s", published))
    assert text == (
        "Published 26.3 ms a message, here 9.8 ms: 16.5 ms stays open; another setup, of which only the cause is "
        "compared; another driver."
    )


def test_a_published_mean_is_held_against_the_mean() -> None:
    published = Published(5.37, "ms", 5.37 * MS, "a report", None, "absolute", 0.98, statistic="mean")
    row = board_row(5.26 * MS, "ps", published, statistic="mean")
    assert published_sentence(row) == "Published mean 5.37 ms, here 5.26 ms: 0.11 ms is not explained."
    assert (figure_text(row.figure), published_text(published)) == ("mean 5.26 ms", "mean 5.37 ms")
    unsaid = replace(published, statistic=None)
    text = published_sentence(board_row(5.26 * MS, "ps", unsaid, statistic="median"))
    assert text == "Published 5.37 ms, here median 5.26 ms: 0.11 ms is not explained."


def published_range(least: float | None, most: float, unit: str, one: float) -> Published:
    ends = (None if least is None else least * one, most * one)
    return Published(None, unit, None, "a report", None, "absolute", None, least, most, ends)


def test_a_published_range_is_shown_as_one_and_holds_what_lies_within() -> None:
    published = published_range(1, 2, "MB/s", 8e6)
    assert published_text(published) == "1 to 2 MB/s"
    within = published_sentence(board_row(12e6, "bit/s", published))
    assert within is not None and within.endswith("here 0.67 us: nothing is left unexplained to these digits.")
    beyond = published_sentence(board_row(32e6, "bit/s", published))
    assert beyond == "Published 0.50 to 1.00 us a byte, here 0.25 us: 0.25 us is not explained."
    assert ratio_text(replace(published, measured_share=1)) == "within"
    assert ratio_text(replace(published, measured_share=0.9)) == "0.9"


def test_a_range_of_single_messages_is_held_against_the_shortest_and_the_longest() -> None:
    row = board_row(32 * MS, "ps", published_range(None, 65, "ms", MS), statistic="median")
    figure = row.figure
    assert figure is not None
    row = replace(row, latency=LatencyFigures(figure, figure, 0.2 * MS, 68 * MS, None, None))
    assert published_sentence(row) == "Published up to 65.0 ms, here up to 68.0 ms: 3.0 ms more is not explained."
    both = replace(row, published=published_range(1, 4, "ms", MS))
    assert published_sentence(both) == (
        "Published 1.00 to 4.00 ms, here 0.20 to 68.00 ms: 0.80 ms and 64.00 ms more is not explained."
    )


def test_ratios_and_parts_are_said_with_the_published_ones() -> None:
    published = Published(4, "x", 4, "a report", None, "ratio", 0.5)
    other = SameBut("slow", "firmware", "a", "b", Figure(2e6, None, "bit/s", 40))
    row = replace(board_row(4e6, "bit/s", published), same_but=other)
    assert published_sentence(row) == "Published 4 times slow, here 2.00 times."
    beside = replace(published, times=Times("other", 5.81, 6.43))
    assert times_sentence(replace(row, published=beside)) == "Published 5.81 times other, here 6.43 times."
    mean = Figure(14.1 * MS, None, "ps", 40, "mean")
    page = Published(12.8, "ms", 12.8 * MS, "a report", None, "absolute", 1.1, connect_ps=7 * MS, processing_ps=6 * MS)
    row = replace(board_row(14.1 * MS, "ps", page), latency=LatencyFigures(mean, mean, 1, 2, 7.2 * MS, 6.9 * MS))
    assert parts_sentence(row) == (
        "Of the mean are 7.20 ms the connection and 6.90 ms the processing (published 7 and 6 ms)."
    )


@pytest.fixture(scope="module")
def built_rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Clients as they are built, with polls and with lwIP's output left to a timer: their rows as JSON."""
    for image in (CLIENT, SOCKETS):
        if not (BUILT / image).is_file():
            pytest.skip(f"{image} is not in build/firmware (make firmware)")
    folder = tmp_path_factory.mktemp("built")
    suite = folder / "suite.toml"
    suite.write_text(BUILT_ROWS)
    analysis = airwire.run(suite, firmware=BUILT, out=folder / "run")
    evidence = {row.path: row.target.evidence for row in rows_of_boards(analysis)}
    rows = msgspec.to_builtins(run_output(analysis).boards)
    return {row["row"]: {**row, "evidence": evidence[row["row"]]} for row in rows}


def test_all_sleeps_of_a_raster_count_as_one_poll_period_on_the_built_image(
    built_rows: dict[str, dict[str, Any]],
) -> None:
    row = built_rows["poll"]
    first = row["causes"][0]
    assert first["cause"] == "poll_period" and first["ps"] == pytest.approx(64 * MS, rel=0.02)
    assert "waits for a poll every 64 ms: wire the INT pin; " in row["verdict"]
    assert "a fixed time" not in row["verdict"]
    assert row["evidence"]["held_period_ps"] is None, "nothing is held back"
    sockets = built_rows["sockets"]
    assert sockets["causes"][0]["cause"] == "poll_period"
    assert "waits for a poll every 1 ms: wire the INT pin; " in sockets["verdict"]


def test_output_left_to_lwips_timer_is_an_answer_held_back_on_the_built_image(
    built_rows: dict[str, dict[str, Any]],
) -> None:
    # TCP_TMR_INTERVAL of lwIP's opt.h is 250 ms.
    for name in ("rule", "pin"):
        assert built_rows[name]["causes"][0]["cause"] == "answer_held_back", name
        assert "period 250 ms, lwIP's TCP timer" in built_rows[name]["verdict"], name
    assert built_rows["rule"]["figure"]["value"] == pytest.approx(4, rel=0.01)


def test_poll_timer_and_output_rule_are_named_together_on_the_built_image(
    built_rows: dict[str, dict[str, Any]],
) -> None:
    row = built_rows["timer"]
    assert {cause["cause"] for cause in row["causes"][:2]} == {"answer_held_back", "poll_period"}
    assert "period 256 ms = 4 x 64 ms, lwIP's TCP timer of 250 ms, which runs only at polls" in row["verdict"]
    assert "Taking the output rule out does the same. That leaves the poll period of 64 ms." in row["verdict"]
    assert "Published 256 ms a message, here 256 ms: nothing is left unexplained to these digits." in row["verdict"]
