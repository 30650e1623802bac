"""``airwire history add`` of files whose numbers no run can have."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Airwire = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize("number", ["1" + "0" * 30, "NaN", "Infinity", "-Infinity", "1e400", "-5", "true", '"5"'])
@pytest.mark.parametrize("field", ["seed", "value"])
@pytest.mark.parametrize("form", ["run", "export"])
def test_a_number_that_no_run_can_have_is_refused_in_one_sentence(
    airwire: Airwire, tmp_path: Path, form: str, field: str, number: str
) -> None:
    (tmp_path / "suite.toml").write_text("samples = 20\npayloads = [12]\n[links.lora]\n")
    if form == "run":
        text = airwire("run", "suite.toml", "--json").stdout
    else:
        assert airwire("run", "suite.toml", "--out", "run").returncode == 0
        assert airwire("history", "add", "run", "--database", "there.sqlite").returncode == 0
        assert airwire("history", "export", "there.json", "--database", "there.sqlite").returncode == 0
        text = (tmp_path / "there.json").read_text()
    changed, times = re.subn(rf'("{field}": ?)[0-9.]+', lambda found: found[1] + number, text, count=1)
    assert times == 1
    (tmp_path / "changed.json").write_text(changed)
    done = airwire("history", "add", "changed.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("airwire: changed.json: ") and done.stderr.count("\n") == 1
