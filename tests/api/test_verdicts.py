"""Verdicts in one line: share, cause, change and gain, and what else there is to say as details."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

import airwire
from airwire.board.row import Figure
from airwire.cli.verdict_lines import verdict_text
from airwire.explain.board.cause import verdicts_from
from airwire.explain.board.causes import causes
from airwire.explain.board.run import change_sentence
from airwire.explain.verdict import NO_FIGURE, NOTHING_STANDS_OUT, Gain, Verdict
from airwire.explain.verdicts import verdict_of, verdicts_of
from airwire.explain.words import stage_of
from airwire.link.model import Waterfall
from airwire.model import Capture, is_of_board

GOLDEN = Path(__file__).parent / "golden_suites"
MS = 1e9
LONGEST = 160
USUAL = 110


@pytest.fixture(scope="module")
def rows() -> dict[str, Capture]:
    return {row.path: row for row in airwire.load_run(GOLDEN / "run-2").captures}


def test_a_line_is_share_cause_change_and_gain() -> None:
    verdict = Verdict(0.75, "waits for a timer", "timer", "stop it", Gain(4.0, 15.625, "messages/s"), ["Why."])
    assert verdict.line == "75 % waits for a timer: stop it; 4.00 -> 15.6 messages/s"
    assert verdict.text == f"{verdict.line}. Why."
    assert replace(verdict, gain=None).line == "75 % waits for a timer: stop it"
    assert replace(verdict, gain=None, change=None).line == "75 % waits for a timer"


def test_where_nothing_stands_out_the_line_says_so_and_names_the_largest_part() -> None:
    stages = [stage_of("wire", "wire", "frames", f"{end}", 1 * MS) for end in ("pc", "board")]
    stages += [stage_of("bus", "board", "headers", None, 1.1 * MS)]
    (verdict,) = verdicts_from([], Waterfall(50, 3.1 * MS, 1, stages), None, lambda _: None)
    assert (verdict.kind, verdict.change) == (NOTHING_STANDS_OUT, None)
    assert verdict.line == "Nothing stands out: 35 % is headers over SPI"


def test_without_a_figure_the_line_says_why() -> None:
    assert Verdict(0.0, "No figure: nobody answers", NO_FIGURE).line == "No figure: nobody answers"


@pytest.mark.parametrize(
    ("gain", "text", "factor"),
    [
        (Gain(32.02e9, 133.6e6, "ps"), "32 ms -> 134 us", 239.7),
        (Gain(9.8e9, 0.8e9, "ps", at_least=True), "9.8 ms -> at most 800 us", 12.25),
        (Gain(15.27e6, 49.4e6, "bit/s", at_least=True), "15.3 -> at least 49.4 Mbit/s", 3.235),
        (Gain(0.9e6, 2.5e6, "bit/s"), "900 -> 2 500 kbit/s", 2.778),
        (Gain(15.63, 7113, "messages/s"), "15.6 -> 7 110 messages/s", 455.1),
    ],
)
def test_a_gain_is_both_figures_in_one_unit(gain: Gain, text: str, factor: float) -> None:
    assert gain.text == text
    assert gain.factor == pytest.approx(factor, rel=1e-3)


def test_every_row_of_a_run_has_a_verdict_of_one_line(rows: dict[str, Capture]) -> None:
    for path, row in rows.items():
        verdict = verdict_of(row)
        assert verdict is not None, path
        lines = [verdict.line, *(one.line for one in verdicts_of(row))]
        assert all(len(line) <= LONGEST and "\n" not in line for line in lines), lines
        assert 0 < verdict.share <= 1, path
        assert all(detail.endswith(".") and detail == detail.strip() for detail in verdict.details), verdict.details


def test_the_lines_of_the_published_suite_fit_a_terminal() -> None:
    file = Path(__file__).parents[1] / "firmware" / "published_golden.jsonl"
    lines = [json.loads(row)["verdict"] for row in file.read_text(encoding="utf-8").splitlines()]
    assert len(lines) > 60
    assert max(map(len, lines)) <= USUAL, max(lines, key=len)


def test_the_verdicts_of_a_row_are_its_causes_the_largest_first(rows: dict[str, Capture]) -> None:
    first, second = verdicts_of(rows["sockets"])
    assert (first.kind, second.kind) == ("poll_period", "bus") and first.share > second.share
    whole = verdict_of(rows["sockets"])
    assert whole is not None and whole.line == first.line
    assert f"{second.line}." in whole.details


def with_slow_messages(row: Capture, figure: Figure) -> Capture:
    """A row of 98 messages of 100 us and two of 200 ms, which a lost segment delays."""
    assert is_of_board(row)
    usual, slow, begun = 100_000_000, 200_000_000_000, 0
    samples: list[tuple[int, str, int, int]] = []
    spans: list[tuple[int, int, int, str, str, str | None, str | None]] = []
    for index in range(100):
        latency = slow if index in (40, 80) else usual
        samples.append((index, "paired", begun + latency, latency))
        spans.append((index, begun, begun + usual, "pc", "pc", None, None))
        if latency == slow:
            spans.append((index, begun + usual, begun + slow, "protocol", "pc", "retransmission", "pc"))
        begun += latency
    board = replace(
        row.target,
        figure=figure,
        published=None,
        same_but=None,
        load_spans=lambda: pl.DataFrame(
            spans, orient="row", schema=["index", "start_ps", "end_ps", "cause", "site", "subject", "detail"]
        ),
    )
    mean = (98 * usual + 2 * slow) / 100
    return replace(
        row,
        target=board,
        latency_ps={"p50": usual, "p95": usual, "mean": mean},
        load_samples=lambda: pl.DataFrame(samples, orient="row", schema=["index", "outcome", "done_ps", "latency_ps"]),
    )


def test_where_a_few_messages_set_the_rate_the_verdict_is_theirs(rows: dict[str, Capture]) -> None:
    verdict = verdict_of(with_slow_messages(rows["pin"], Figure(244.0, None, "messages/s", 100)))
    assert verdict is not None
    # 399.8 ms of silence in 409.8 ms.
    assert verdict.share == pytest.approx(399.8 / 409.8)
    assert verdict.line == "98 % is silence until the PC sends again: find out why a segment was lost or held back"
    assert verdict.details[0] == "2 % of the messages take 98 % of the time."
    assert "Of the median message 100 % is the PC: nothing at the board changes that." in verdict.details


def test_a_median_is_explained_by_the_messages_that_it_is_of(rows: dict[str, Capture]) -> None:
    verdict = verdict_of(with_slow_messages(rows["pin"], Figure(100e6, None, "ps", 100, "median")))
    assert verdict is not None
    assert verdict.line == "100 % is the PC: nothing at the board changes that"
    slow = verdict.details.index("But 2 % of the messages take 98 % of the time.")
    assert verdict.details[slow + 1].startswith("98 % is silence until the PC sends again: ")


def test_a_capture_file_has_no_verdict() -> None:
    capture = airwire.load_run(Path(__file__).parent / "golden" / "run-2").captures[0]
    assert verdict_of(capture) is None and verdicts_of(capture) == []


def test_without_symbols_the_processor_is_named_once_and_the_reason_is_told() -> None:
    """The sentence was: 39.8 us of 126 us is the processor at work: the most is the processor at work (39.8 us)."""
    (nameless,) = causes([stage_of("cpu", "board", None, None, 39.8e6)], {})
    assert (nameless.words, nameless.change) == ("is the processor at work", "raise clk_sys")
    assert nameless.evidence == ["Without symbols nothing is known of the image's functions: give its ELF file."]
    (named,) = causes([stage_of("cpu", "board", "function", "main", 39.8e6)], {})
    assert (named.change, named.evidence) == ("shorten main, or raise clk_sys", ["The most is main (39.8 us)."])
    (folded,) = causes([stage_of("cpu", "board", "function", None, 39.8e6)], {})
    assert (folded.change, folded.evidence) == ("raise clk_sys", [])


def test_an_idle_task_is_no_work_of_the_processors() -> None:
    """The change was: shorten prvIdleTask, or raise clk_sys."""
    stages = [
        stage_of("cpu", "board", "function", "prvIdleTask", 30e6),
        stage_of("cpu", "board", "function", "tcp_input", 10e6),
    ]
    idle, work = causes(stages, {"xip_stall_share": 0.3})
    assert (idle.kind, idle.ps, idle.words) == ("idle_task", 30e6, "is FreeRTOS's idle task, as no other is ready")
    assert idle.change == "let an interrupt wake the task that waits, not a timer"
    assert idle.evidence == ("The processor is in prvIdleTask, so a faster one changes nothing.",)
    assert (work.kind, work.ps, work.change) == ("processor", 10e6, "put tcp_input and what it calls into RAM")


def test_what_an_idle_task_alone_calls_is_no_work_either() -> None:
    """WIZnet's FreeRTOS example of MQTT: put prvCheckTasksWaitingTermination and what it calls into RAM."""
    functions = {"prvPassiveIdleTask": 297e6, "prvCheckTasksWaitingTermination": 261e6, "MQTTPublish": 381e6}
    stages = [stage_of("cpu", "board", "function", name, ps) for name, ps in functions.items()]
    idle, work = causes(stages, {"xip_stall_share": 0.56})
    assert (idle.kind, idle.ps) == ("idle_task", 558e6)
    assert (work.ps, work.change) == (381e6, "put MQTTPublish and what it calls into RAM")


def test_power_save_is_named_with_its_share_its_change_and_what_that_costs() -> None:
    stages = [
        stage_of("gate", "wire", "frames", "board", 192 * MS),
        stage_of("air", "wire", "frames", "board", 6 * MS),
        stage_of("air", "pc", "frames", "pc", 5 * MS),
        stage_of("chip", "board", "frames", "board", 7 * MS),
    ]
    found = causes(stages, {"power_save_milliamperes": 34.37})
    assert [(one.kind, one.ps / MS) for one in found] == [("power_save", 192), ("chip", 7), ("air", 6), ("air", 5)]
    assert [one.name for one in found[2:]] == ["the way through Wi-Fi", "the PC's own Wi-Fi"]
    verdict, *_ = verdicts_from(
        found, Waterfall(50, 210 * MS, 1, stages), lambda ps: f"{ps / MS:.0f} ms", lambda _: None
    )
    assert verdict.line == "91 % is power save: set PM off, +34 mA"
    assert verdict.details[0] == "That is 192 ms of 210 ms."
    # A board whose radio is awake waits for that of its client.
    assert causes(stages, {})[0].name == "power save of the PC"


def test_a_silence_in_which_the_chip_had_no_room_is_not_a_riddle() -> None:
    stages = [stage_of("protocol", "pc", "retransmission", "pc", 200 * MS)]
    changes = {dropped: causes(stages, {"dropped_for_room": dropped})[0].change for dropped in (0, 1, 18)}
    assert changes == {
        0: "find out why a segment was lost or held back",
        1: "offer a smaller TCP window, as the chip had no room for a frame",
        18: "offer a smaller TCP window, as the chip had no room for 18 frames",
    }
    assert causes(stages, {})[0].change == changes[0], "runs of before did not count them"


def test_a_name_as_long_as_cpp_makes_them_fits_the_line() -> None:
    name = "std::__detail::_Executor<" + "char, " * 40 + ">"
    (cause,) = causes([stage_of("cpu", "board", "function", name, 1e9)], {"xip_stall_share": 0.5})
    assert len(cause.change) < 80 and name in cause.evidence[1]


def test_what_differs_is_told_as_the_settings_are_in_force(rows: dict[str, Capture]) -> None:
    """A suite may write ``false`` where the image says ``off``, and a quantity with its unit."""
    row = rows["pin"]
    assert is_of_board(row) and row.target.same_but is not None

    def told(**changes: str) -> str:
        assert is_of_board(row) and row.target.same_but is not None
        settings = {**row.target.settings, "wiznet_int": "off", "spi_hz": "2000000", "wiznet_poll_us": "64000"}
        same = replace(row.target.same_but, **changes)  # type: ignore[arg-type]
        return change_sentence(replace(row.target, settings=settings, same_but=same)) or ""

    assert told(what="wiznet_int", here="false", there="on").startswith("With wiznet_int off instead of on: ")
    assert told(what="spi_hz", here="2 MHz", there="33300000").startswith("With spi_hz 2 MHz instead of 33.3 MHz: ")
    text = told(what="wiznet_poll_us", here="64 ms", there="1000")
    assert text.startswith("With wiznet_poll_us 64 ms instead of 1 ms: ")


def colours(monkeypatch: pytest.MonkeyPatch, verdict: Verdict, *, wanted: bool) -> str:
    """What a terminal gets for a verdict."""
    monkeypatch.setenv("TERM", "xterm-256color")
    if wanted:
        monkeypatch.delenv("NO_COLOR", raising=False)
    else:
        monkeypatch.setenv("NO_COLOR", "1")
    out = StringIO()
    Console(file=out, force_terminal=True, width=120).print(verdict_text(verdict))
    return out.getvalue()


def test_a_slow_cause_is_red_and_its_gain_green_unless_nobody_wants_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = Verdict(0.75, "waits for a timer", "timer", "stop it", Gain(4.0, 15.625, "messages/s"))
    shown = colours(monkeypatch, verdict, wanted=True)
    assert "\x1b[31m75 % waits for a timer\x1b[0m: stop it; \x1b[32m4.00 -> 15.6 messages/s\x1b[0m" in shown
    assert colours(monkeypatch, verdict, wanted=False) == f"{verdict.line}\n"
    assert "\x1b[31m" not in colours(monkeypatch, replace(verdict, gain=None), wanted=True)
