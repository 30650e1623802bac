"""Arguments of Python functions that mean nothing: a sentence that says what is wrong, and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import airwire
from airwire.synthetic import SlottedLink

NO_TIMES: list[Any] = [0.5, 1.0, float("nan"), True, b"1 ms", ["1 ms"], 10**30, -(10**30)]
NO_TIME = "is no time; write one with its unit, such as '20 ms'"


@pytest.mark.parametrize("time", NO_TIMES, ids=repr)
def test_a_number_of_seconds_is_no_time(tmp_path: Path, time: Any) -> None:
    SlottedLink(messages=20).write_csv(tmp_path / "12B.csv")
    calls: list[Callable[[], Any]] = [
        lambda: airwire.Board("pico").run(time),
        lambda: airwire.choose(12, p95=time),
        lambda: airwire.analyze(tmp_path / "12B.csv", gate=time),
        lambda: airwire.probe("ping", "127.0.0.1", limit=time),
    ]
    for call in calls:
        with pytest.raises(airwire.AirwireError, match=NO_TIME):
            call()


@pytest.mark.parametrize("time", NO_TIMES, ids=repr)
def test_a_controller_says_which_of_its_times_cannot_be(time: Any) -> None:
    # Whole picoseconds are a time, if one that is too long.
    is_number = isinstance(time, int) and not isinstance(time, bool)
    told = f"a wait of {time} cannot be: give from 0 to 30 days" if is_number else NO_TIME
    with pytest.raises(airwire.AirwireError, match=told):
        airwire.SpiController("w5500").wait(time)


def test_a_run_that_waits_for_nothing_would_never_end() -> None:
    for nothing in ("", b""):
        with pytest.raises(airwire.AirwireError, match="the text to wait for is empty"):
            airwire.Board("pico").run("1 ms", until=nothing)


@pytest.mark.parametrize(
    ("name", "value"),
    [("seeds", 0), ("seeds", -1), ("latin", 1), ("latin", -5), ("seed", -1), ("samples", 0), ("samples", "many")],
)
def test_numbers_of_which_no_sweep_can_be_made_are_refused(tmp_path: Path, name: str, value: Any) -> None:
    (tmp_path / "suite.toml").write_text("payloads = [12]\n[links.lora]\n", encoding="utf-8")
    with pytest.raises(airwire.AirwireError, match=f"{name} is {value!r}, but it takes a whole number from"):
        airwire.plan_sweep(tmp_path / "suite.toml", over=["sf=7,8"], **{name: value})


@pytest.mark.parametrize(
    "call",
    [
        lambda value: airwire.link_budget("lora", value),
        lambda value: airwire.simulate("lora", payload=value),
        lambda value: airwire.simulate("lora", payload=12, seed=value),
        lambda value: airwire.simulate("lora", payload=12, samples=value),
        lambda value: airwire.choose(12, p95="20 ms", seed=value),
        lambda value: airwire.choose(12, p95="20 ms", workers=value),
        lambda value: airwire.analyze("absent.csv", seed=value),
        lambda value: airwire.analyze("absent.csv", payload_bytes=value),
        lambda value: airwire.explain_capture("absent.csv", "lora", seed=value),
        lambda value: airwire.run("absent.toml", seed=value),
        lambda value: airwire.Board("pico", seed=value),
    ],
)
@pytest.mark.parametrize("value", [-1, 10**30])
def test_numbers_that_the_core_does_not_count_to_are_refused_by_name(call: Callable[[int], Any], value: int) -> None:
    with pytest.raises(airwire.AirwireError, match=f"is {value}, but it takes a whole number from"):
        call(value)


def test_paths_may_be_text_everywhere(tmp_path: Path) -> None:
    SlottedLink(messages=20).write_csv(tmp_path / "12B.csv")
    airwire.analyze(str(tmp_path / "12B.csv"), out=str(tmp_path / "run"))
    runs = airwire.read_runs(str(tmp_path / "run"))
    with airwire.History(str(tmp_path / "history.sqlite"), create=True) as history:
        assert history.add(runs[0])
    tuned = airwire.tune_settings(
        "lora", goals=["min p95"], budget=2, samples=100, payload_bytes=12, cache=str(tmp_path / "cache")
    )
    assert tuned.candidates


NAN, INF, HUGE = float("nan"), float("inf"), 10**30
WRONG: list[tuple[str, Callable[[], Any], str]] = [
    ("a setting", lambda: airwire.simulate("lora", payload=12, sf=NAN), "sf is nan, but it takes a number"),
    ("a setting", lambda: airwire.link_budget("lora", 12, settings={"sf": INF}), "sf is inf, but it takes a number"),
    ("settings", lambda: airwire.simulate([("lora", 12, 5)]), "5 are no settings; give names with their values"),  # type: ignore[list-item]
    ("requests", lambda: airwire.simulate(["lora"]), "'lora' is no request; give a link, a payload and settings"),  # type: ignore[list-item]
    ("a trigger", lambda: airwire.simulate("lora", payload=12, trigger="x"), "trigger is 'x', but it takes a table"),  # type: ignore[call-overload]
    ("a wait", lambda: airwire.SerialPort(airwire.Board("pico"), timeout_s="x"), "timeout_s is 'x', but it takes"),  # type: ignore[arg-type]
    ("a wait", lambda: airwire.SerialPort(airwire.Board("pico"), timeout_s=NAN), "timeout_s is nan, but it takes"),
    ("a step", lambda: airwire.SerialPort(airwire.Board("pico"), step=0), "step is 0 s, but it takes more than 0s"),
    ("a board", lambda: airwire.SerialPort("pico"), "board is 'pico', but it takes a Board"),  # type: ignore[arg-type]
    ("axes", lambda: airwire.plan_sweep("links", over=[1]), "`1` is no axis; write NAME=VALUES"),  # type: ignore[list-item]
    ("points", lambda: airwire.plan_sweep("links", points="absent"), "absent: No such file or directory; name a CSV"),
    ("a suite", lambda: airwire.plan_sweep("."), "is a folder, and no suite"),
    ("a run", lambda: airwire.read_runs("absent"), "absent: No such file or directory; name a run folder"),
    ("a run", lambda: airwire.read_runs("nu\0ll"), "no name of a file has a null byte"),
    ("an environment", lambda: airwire.analyze("absent.csv", environment=NAN), "environment is nan, but it maps"),  # type: ignore[arg-type]
    ("an environment", lambda: airwire.analyze("absent.csv", environment={"x": NAN}), "what JSON has no place for"),
    ("an environment", lambda: airwire.run("links", environment={"x": b""}), "what JSON has no place for"),
    ("a time", lambda: airwire.format_time(HUGE), "is no time"),
    ("captures", lambda: airwire.compare("a", "b"), "the capture is 'a', but it takes a Capture"),  # type: ignore[arg-type]
    ("runs", lambda: airwire.compare_runs("a", "b"), "the run is 'a', but it takes an Analysis"),  # type: ignore[arg-type]
    ("a run", lambda: airwire.explain_run("a"), "the run is 'a', but it takes an Analysis"),  # type: ignore[arg-type]
    ("a row", lambda: airwire.verdict_of("a"), "the row is 'a', but it takes a Capture"),  # type: ignore[arg-type]
    ("an analysis", lambda: airwire.write_html("a", "a.html"), "the analysis is 'a', but it takes an Analysis"),  # type: ignore[arg-type]
    ("a plan", lambda: airwire.run_sweep("a", "links"), "plan is 'a', but it takes a Plan"),  # type: ignore[arg-type]
    ("an address", lambda: airwire.probe("ping", NAN), "nan names no board"),  # type: ignore[arg-type]
    ("options", lambda: airwire.probe("ping", "127.0.0.1", options="x"), "options are 'x', but they map names"),  # type: ignore[arg-type]
    ("bounds", lambda: airwire.probe("ping", "127.0.0.1", bounds=NAN), "bounds are nan, but they map names"),  # type: ignore[arg-type]
    ("impairments", lambda: airwire.Board("w5500-evb-pico", impair=" "), "impair is empty"),
    ("an end", lambda: airwire.Board("pico").run(), "a run needs an end"),
    ("a pin", lambda: airwire.Board("pico").run(until_pin="x"), "until_pin is 'x', but it takes a pin and a level"),  # type: ignore[arg-type]
    ("steps", lambda: airwire.Board("pico").step(-1), "instructions is -1, but it takes a whole number from"),
    ("a core", lambda: airwire.Board("pico").registers_of(-1), "core is -1, but it takes a whole number from 0 to 1"),
    ("a register", lambda: airwire.Board("pico").set_register("r0", HUGE), "value is 10+, but it takes a whole number"),
    ("a word", lambda: airwire.Board("pico").memory.word(-1), "address is -1, but it takes a whole number from"),
    ("a budget", lambda: airwire.tune_settings("lora", goals=["min p95"], budget=NAN), "the budget is nan candidates"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "says"), [pytest.param(call, says, id=f"{of}: {says}") for of, call, says in WRONG])
def test_what_means_nothing_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(airwire.AirwireError, match=says) as refused:
        call()
    assert "\n" not in str(refused.value)
    assert not any(tmp_path.iterdir())


def test_a_statistic_that_there_is_not_is_told_with_those_that_there_are() -> None:
    row = airwire.simulate("lora", payload=12, samples=20)
    with pytest.raises(airwire.AirwireError, match="there is no statistic 'p51'; there are n, min,"):
        row.statistic("p51")
