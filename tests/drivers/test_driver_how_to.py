"""The programs of docs/how-to/test-your-driver-without-hardware.md, compiled and run as a reader would."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "how-to" / "test-your-driver-without-hardware.md"
_BLOCK = re.compile(r"^```(c|sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"/\* (\w+\.c) \*/")

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler cc")


class Programs:
    """The blocks of a section of the page, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        text = PAGE.read_text(encoding="utf-8")
        self.blocks = {
            section.partition("\n")[0]: _BLOCK.findall(section)
            for section in re.split("^## ", text, flags=re.MULTILINE)
        }
        for section in self.blocks:
            for code in self.of(section, "c"):
                name = _FILE.match(code)
                assert name is not None, "the first line of a C program says its file"
                (folder / name[1]).write_text(code, encoding="utf-8")

    def of(self, section: str, language: str) -> list[str]:
        return [code for kind, code in self.blocks[section] if kind == language]

    def shell(self, section: str, **environment: str) -> str:
        return self._run(["sh", "-e", "-c", self.of(section, "sh")[0]], environment)

    def python(self, section: str) -> str:
        return self._run([sys.executable, "-c", self.of(section, "python")[0]], {})

    def _run(self, command: list[str], environment: dict[str, str]) -> str:
        variables = {**os.environ, **environment}
        done = subprocess.run(
            command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    return Programs(tmp_path)


def test_a_driver_in_c_gets_its_echo_and_wireshark_sees_it(programs: Programs) -> None:
    programs.shell("A driver in C")
    answer, bus = programs.python("A driver in C").splitlines()
    assert answer == "5 b'hello' []"
    assert re.fullmatch(r"\d+ transactions; 0 frames dropped", bus)
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    seen = programs.shell("Wireshark beside it").splitlines()
    assert [line.split()[-1] for line in seen if " ECHO " in line] == ["Request", "Response"], seen
    assert any("SEND" in line for line in seen)


def test_a_driver_that_waits_for_ever_is_ended_with_what_it_waits_for(programs: Programs) -> None:
    _, guard = programs.of("A driver in C", "python")
    endless = (
        "from airwire import SpiController\n"
        "spi = SpiController('w5500', computing='1 s')\n"
        "spi.record()\n"
        f"{guard}\n"
        "while True:\n"
        "    select(spi), spi.transfer(b'\\x00\\x2e\\x00\\x00'), spi.select(False)\n"
    )
    done = subprocess.run([sys.executable, "-c", endless], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines() == ["PHYCFGR: 0xBF"] * 5


@pytest.mark.slow
def test_a_macraw_driver_under_lwip_answers_pings(programs: Programs) -> None:
    found = sorted(Path.home().glob(".cargo/registry/src/*/lwip-0.4.0/src"))
    if not found:
        pytest.skip("cargo has not fetched the crate lwip (make firmware)")
    programs.shell("A MACRAW driver under lwIP", LWIP=str(found[0]))
    assert programs.python("A MACRAW driver under lwIP").startswith("5 ")
