"""Stages are values: what is said of them follows from their codes, and words are made in one place only."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import polars as pl
import pytest

import airwire
from airwire import _core
from airwire.cli.bars import COLOURS
from airwire.cli.run_json import run_output
from airwire.explain.words import stage_name
from airwire.kinds import Cause, Site, Subject, UnderWay
from airwire.report.stage_colours import KINDS
from airwire.runs.folder_v1 import board_codes

GOLDEN = Path(__file__).parent / "golden_suites"
PACKAGE = Path(airwire.__file__).parent
Json = Any


def told(folder: Path) -> dict[str, Json]:
    """All that is said of the rows of a run: sentences, stages with their times, and causes with their codes."""
    analysis = airwire.load_run(folder)
    boards = {row.row: msgspec.to_builtins(row) for row in run_output(analysis).boards}
    said = {}
    for one in airwire.explain_run(analysis, samples=0):
        waterfalls = [[[stage.name, stage.kind, round(stage.ps)] for stage in found.stages] for found in one.waterfalls]
        board = boards.get(one.run, {"causes": [], "floor": None})
        causes = [[cause["cause"], cause["name"], cause["change"]] for cause in board["causes"]]
        said[one.run] = {
            "verdict": [one.verdict.line, *one.verdict.details],
            "causes_in_a_line": [verdict.line for verdict in one.verdicts],
            "waterfalls": waterfalls,
            "causes": causes,
            "floor": board["floor"],
        }
    return said


def test_the_codes_are_those_of_the_core() -> None:
    assert get_args(Cause) == _core.CAUSES
    assert get_args(Site) == _core.SITES
    assert get_args(Subject) == _core.SUBJECTS
    assert get_args(UnderWay) == _core.UNDER_WAY


def test_every_cause_has_a_colour_in_reports_and_on_a_terminal() -> None:
    assert set(KINDS) == set(COLOURS) == set(_core.CAUSES)


@pytest.mark.parametrize("folder", sorted(GOLDEN.glob("run-*")), ids=lambda folder: folder.name)
def test_of_a_folder_of_every_schema_the_same_is_said(folder: Path) -> None:
    before = json.loads((GOLDEN / "said.json").read_text(encoding="utf-8"))
    assert {len(row["waterfalls"]) for row in before.values()} == {2}
    assert told(folder) == before


NAMED = ("register", "command", "function", "interrupt", "part")
"""Subjects whose details are names; those of others are codes."""


def nonsense(text: str, known: dict[str, str]) -> str:
    """Words that nobody knows in the place of a text; the same for the same text."""
    return known.setdefault(text, f"zq{len(known)}x")


def garbled(value: Json, known: dict[str, str]) -> Json:
    """A manifest with nonsense in the place of every text that is more than one word."""
    if isinstance(value, dict):
        return {name: garbled(one, known) for name, one in value.items()}
    if isinstance(value, list):
        return [garbled(one, known) for one in value]
    return nonsense(value, known) if isinstance(value, str) and " " in value else value


def in_words_again(text: str, known: dict[str, str]) -> str:
    for word, token in known.items():
        text = re.sub(rf"\b{token}\b", lambda _, word=word: word, text)  # type: ignore[misc]
    return text


def test_whatever_words_the_core_writes_every_verdict_stays(tmp_path: Path) -> None:
    folder, known = tmp_path / "run", dict[str, str]()
    shutil.copytree(GOLDEN / "run-2", folder)
    manifest = folder / "manifest.json"
    manifest.write_text(json.dumps(garbled(json.loads(manifest.read_text()), known)))
    part = folder / "spans" / "part-00000.parquet"
    spans = pl.read_parquet(part)
    assert {"register", "function", "part"} <= set(spans["subject"].drop_nulls())
    details = [
        nonsense(detail, known) if detail is not None and subject in NAMED else detail
        for subject, detail in spans.select("subject", "detail").iter_rows()
    ]
    spans.with_columns(pl.Series("detail", details, pl.String)).write_parquet(part)
    assert len(known) > 50, "parts of links, how rows ended, notes, functions, registers"
    again = json.loads(in_words_again(json.dumps(told(folder)), known))
    assert again == told(GOLDEN / "run-2")


def test_words_of_the_schema_before_become_the_codes_that_give_the_same_words() -> None:
    names = [
        ("looking at Sn_RX_RSR over SPI", "bus"),
        ("the peer: the processor in main", "cpu"),
        ("the peer: its other end", "pc"),
        ("the peer", "pc"),
        ("the PC", "pc"),
        ("asleep until a timer between looks at buffer", "gate"),
        ("asleep until an exception", "sleep"),
        ("answer held back by the board until the PC sends again", "gate"),
        ("the peer: answer held back by the peer until its other end sends again", "gate"),
        ("the peer: silence until its other end's delayed acknowledgement", "protocol"),
        ("silence until the peer sends again", "protocol"),
        ("window full: on the way through Wi-Fi", "window"),
        ("acknowledgement awaited: nothing under way", "window"),
        ("frames on the wire to the peer", "wire"),
        ("delay of the cable", "delay"),
        ("something that nobody knows", "cpu"),
    ]
    for name, kind in names:
        assert stage_name(*board_codes(name, kind)) == name  # type: ignore[arg-type]
    assert board_codes("the peer: silence until its other end sends again", "protocol") == (
        "protocol",
        "peer",
        "retransmission",
        "board",
    )


# Methods that read a text.
_READERS = {
    "startswith", "endswith", "removeprefix", "removesuffix", "replace", "find", "index", "partition", "rpartition",
    "split", "rsplit", "count", "strip", "lstrip", "rstrip",
}  # fmt: skip
# The one reads folders whose stages are words.
_MAY_READ = {"runs/folder_v1.py", "flash/picotool.py", "instruments/sigrok_errors.py"}
"""Run folders of before, and programs of others that say what is wrong in words alone."""


def is_prose(node: ast.AST, texts: dict[str, ast.expr]) -> bool:
    """Whether an expression is English: two words or more, itself or by the name of a constant."""
    if isinstance(node, ast.Name) and node.id in texts:
        return is_prose(texts[node.id], {})
    # Of a table its keys decide, and these are looked up.
    if isinstance(node, ast.Dict):
        return any(is_prose(key, texts) for key in node.keys if key is not None)
    constants = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
    return any(isinstance(text, str) and re.search(r"[a-z] [a-z]", text) for text in constants)


def is_name_of_a_stage(node: ast.AST) -> bool:
    """``stage.name`` and its like: what people read of a stage or a cause."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr in ("name", "change", "sentence")
        and isinstance(node.value, ast.Name)
        and node.value.id in ("stage", "largest", "cause", "worst")
    )


def readings(tree: ast.Module) -> Iterator[str]:
    """Where a module decides by English, or takes a stage's name apart."""
    assigned = [(one.targets[0], one.value) for one in tree.body if isinstance(one, ast.Assign)]
    annotated = [(one.target, one.value) for one in tree.body if isinstance(one, ast.AnnAssign)]
    texts = {name.id: text for name, text in [*assigned, *annotated] if isinstance(name, ast.Name) and text}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            plain = [side for side in sides if isinstance(side, ast.Constant | ast.Name | ast.JoinedStr | ast.Tuple)]
            of_a_name = any(map(is_name_of_a_stage, sides)) and any(isinstance(side, ast.Constant) for side in sides)
            if of_a_name or any(is_prose(side, texts) for side in plain):
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _READERS:
            of_a_name = is_name_of_a_stage(node.func.value)
            if of_a_name or any(is_prose(argument, texts) for argument in node.args):
                yield ast.unparse(node)


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_nothing_is_decided_by_words(file: Path) -> None:
    if str(file.relative_to(PACKAGE)) in _MAY_READ:
        return
    assert not list(readings(ast.parse(file.read_text(encoding="utf-8"))))


def test_a_decision_by_words_would_be_found() -> None:
    found = [
        'stage.name.startswith("looking")',
        '_TIMER = "asleep until a timer"\nif text == _TIMER: pass',
        'stage.name == "wire"',
        '"delayed acknowledgement" in stage.name',
        'text.replace("the PC", "the peer")',
    ]
    for text in found:
        assert list(readings(ast.parse(text))), text
    assert not list(readings(ast.parse('stage.cause == "bus" and name.removesuffix(".elf")')))
