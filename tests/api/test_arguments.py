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
