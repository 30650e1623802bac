"""Names that people give stand on one line, so that tables, reports and other people's formats can hold them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Airwire = Callable[..., subprocess.CompletedProcess[str]]
ENDS = ["\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"]


@pytest.mark.parametrize("end", ENDS, ids=[f"U+{ord(end):04X}" for end in ENDS])
@pytest.mark.parametrize(
    ("what", "suite"),
    [
        ("name", '[links.NAME]\nlink = "lora"\npayloads = [12]\n'),
        ("title", '[boards.b]\ntitle = NAME\nfirmware = "a.elf"\n'),
        ("name", '[boards.NAME]\nfirmware = "a.elf"\n'),
        ("name", '[targets.NAME]\naddress = "127.0.0.1"\ntraffic = "http to=board"\n'),
    ],
    ids=["a link", "a title", "a board", "an address"],
)
def test_an_entry_of_several_lines_is_refused(
    airwire: Airwire, tmp_path: Path, what: str, suite: str, end: str
) -> None:
    (tmp_path / "suite.toml").write_text(suite.replace("NAME", json.dumps(f"a{end}b")), encoding="utf-8")
    done = airwire("run", "suite.toml", "--out", "run")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("airwire: suite.toml:")
    assert f"its {what} is " in done.stderr and "but it takes one line; leave line feeds out" in done.stderr


@pytest.mark.parametrize("end", ENDS, ids=[f"U+{ord(end):04X}" for end in ENDS])
@pytest.mark.parametrize("option", ["label", "commit"])
def test_a_run_is_given_no_name_of_several_lines(airwire: Airwire, tmp_path: Path, option: str, end: str) -> None:
    (tmp_path / "suite.toml").write_text("[links.lora]\npayloads = [12]\nsamples = 10\n", encoding="ascii")
    assert airwire("run", "suite.toml", "--out", "run").returncode == 0
    done = airwire("history", "add", "run", f"--{option}", f"a{end}b")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"the {option} is " in done.stderr and "but it takes one line; leave line feeds out" in done.stderr
    assert not (tmp_path / "runs").exists()
