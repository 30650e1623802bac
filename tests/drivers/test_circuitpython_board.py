"""The board that CircuitPython libraries run on: its time, its modules, and what its interpreter takes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from circuitpython_board import CircuitPythonBoard, Costs, OutOfTimeError, Spent

from airwire.board.spi_controller import SpiController

MS = 10**9
S = 10**12


def script(folder: Path, text: str) -> Path:
    path = folder / "code.py"
    path.write_text(text, encoding="utf-8")
    return path


def library(folder: Path, **modules: str) -> Path:
    package = folder / "adafruit_thing"
    package.mkdir()
    for name, text in {"__init__": "", **modules}.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def a_board(**settings: Any) -> CircuitPythonBoard:
    return CircuitPythonBoard(SpiController("w5500"), **settings)


def test_a_sleep_takes_virtual_time_and_nothing_else_does(tmp_path: Path) -> None:
    board = a_board()
    code = (
        "import time\nbegin = time.monotonic()\ntime.sleep(0.25)\nwent = time.monotonic() - begin\nsum(range(1000))\n"
    )
    assert board.run(script(tmp_path, code))["went"] == 0.25
    assert board.now_ps() == 250 * MS
    assert board.spent == Spent(sleeps=1, sleep_ps=250 * MS)


def test_ticks_run_over_after_65_s_and_differences_do_not_mind(tmp_path: Path) -> None:
    code = "from adafruit_ticks import ticks_diff, ticks_ms\nimport time\nbefore = ticks_ms()\ntime.sleep(70)\n"
    names = a_board().run(script(tmp_path, f"{code}after = ticks_ms()\nwent = ticks_diff(after, before)\n"))
    assert names["after"] < names["before"]
    assert names["went"] == 70_000


def test_each_bytecode_takes_its_declared_time(tmp_path: Path) -> None:
    code = "def count(n):\n    for _ in range(n):\n        pass\n"
    board = a_board(costs=Costs(bytecode_ps=1_000_000))
    count = board.run(script(tmp_path, code))["count"]
    with board.counting():
        count(10)
        short = board.spent.bytecodes
        count(110)
    long = board.spent.bytecodes - short
    assert long - short == 100 * 3, "a turn is FOR_ITER, STORE_FAST and a jump"
    assert board.now_ps() == board.spent.bytecodes * 1_000_000


def test_bytecodes_of_others_are_not_counted(tmp_path: Path) -> None:
    board = a_board()
    with board.counting():
        sum(number * number for number in range(100))
    assert board.spent.bytecodes == 0
    assert sys.gettrace() is None


def test_prints_and_collections_take_their_declared_time(tmp_path: Path) -> None:
    board = a_board(costs=Costs(character_ps=2 * MS, collection_ps=5 * MS))
    board.run(script(tmp_path, "import gc\nprint('one', 2)\ngc.collect()\n"))
    assert list(board.console) == ["one 2"]
    assert board.now_ps() == (5 + 2) * 2 * MS + 5 * MS, "the line ends in CR and LF"


def test_what_never_ends_is_stopped(tmp_path: Path) -> None:
    board = a_board(end_ps=3 * S)
    with pytest.raises(OutOfTimeError, match=r"3\.0 s"):
        board.run(script(tmp_path, "import time\nwhile True:\n    time.sleep(1)\n"))


def test_two_boards_do_not_share_a_library(tmp_path: Path) -> None:
    folder = library(tmp_path, state="values = []\n")
    first, second = (a_board(libraries=[folder]) for _ in range(2))
    first.import_module("adafruit_thing.state").values.append(1)
    assert second.import_module("adafruit_thing.state").values == []
    assert "adafruit_thing" not in sys.modules


def test_modules_of_a_library_may_import_each_other_in_a_circle(tmp_path: Path) -> None:
    one = "import adafruit_thing.two as other\ndef get():\n    return other.VALUE\n"
    two = "import adafruit_thing.one\nfrom micropython import const\nVALUE = const(7)\n"
    board = a_board(libraries=[library(tmp_path, one=one, two=two)])
    assert board.import_module("adafruit_thing.one").get() == 7


def test_a_module_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match="adafruit_nothing"):
        a_board().run(script(tmp_path, "import adafruit_nothing\n"))


def test_random_numbers_come_from_the_seed(tmp_path: Path) -> None:
    code = script(tmp_path, "from random import getrandbits, randint\nvalues = [randint(1, 9999), getrandbits(16)]\n")
    first, again, other = (a_board(seed=seed).run(code)["values"] for seed in (1, 1, 2))
    assert first == again != other
