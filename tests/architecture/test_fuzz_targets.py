"""Every fuzz target has a corpus that is replayed, is run by `make fuzz-readers`, and is in a table of its page."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FUZZ = REPOSITORY / "fuzz"
TARGETS = sorted(path.stem for path in (FUZZ / "fuzz_targets").glob("*.rs"))
# What replays the corpora in `make test`; those of the network name their targets in one list.
REPLAYS = {
    "crates/capture/tests/capture/fuzz_corpus.rs": {
        "logic2_csv", "sal", "sigrok", "vcd", "pulseview_csv", "compressed",
    },
    "crates/rp2040/tests/image/corpus.rs": {"elf", "uf2", "bin"},
    "crates/bench/tests/bench/suite.rs": {"suite"},
    "crates/packets/tests/packets/fuzz_corpus.rs": {"packets"},
    "fuzz/network/mod.rs": {
        "wiznet_spi", "wiznet_frames", "cyw43_pins", "cyw43_messages", "pc_frames", "network_file", "impairments",
        "servers", "clients", "spi_controller", "traffic_words",
    },
    "fuzz/blocks/mod.rs": {"i2c_target", "serial_line"},
    "fuzz/boards/mod.rs": {"gdb_packets", "rtt_ram", "board_file", "avr_image"},
    "fuzz/usb/mod.rs": {"usb_device"},
}  # fmt: skip


def test_every_target_has_a_corpus_and_is_run() -> None:
    corpora = sorted(path.name for path in (FUZZ / "corpus").iterdir())
    assert corpora == TARGETS
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    listed = re.search(r"^FUZZ_TARGETS := ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)
    assert listed is not None
    assert sorted(listed[1].replace("\\\n", " ").split()) == TARGETS
    programs = tomllib.loads((FUZZ / "Cargo.toml").read_text(encoding="utf-8"))["bin"]
    assert sorted(one["name"] for one in programs) == TARGETS


@pytest.mark.parametrize("replay", REPLAYS)
def test_every_corpus_is_replayed_on_the_stable_compiler(replay: str) -> None:
    text = (REPOSITORY / replay).read_text(encoding="utf-8")
    for target in REPLAYS[replay]:
        assert re.search(rf'["/]{target}"', text), f"{replay} does not replay {target}"
    assert sorted(set().union(*REPLAYS.values())) == TARGETS


def test_the_page_on_fuzzing_says_of_every_target_how_long_it_ran() -> None:
    page = (REPOSITORY / "docs" / "contributing" / "fuzzing.md").read_text(encoding="utf-8")
    missing = [name for name in TARGETS if not re.search(rf"^\| {name} \|", page, re.MULTILINE)]
    assert missing == []


FAKE = """#!/bin/sh
for given; do case "$given" in
  -artifact_prefix=*) prefix="${given#-artifact_prefix=}" ;;
  */crash-*) grep -q bad "$given" && exit 77; exit 0 ;;
esac; done
echo "#5 DONE cov: 7 ft: 9"
echo "stat::number_of_executed_units: 1000"
if [ -n "$BREAKS" ]; then echo bad > "${prefix}crash-1"; exit 77; fi
"""


@pytest.fixture
def fuzz(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str]]:
    """The tool that runs targets, on one that does as the environment says; its exit code and the last line.

    Each part of a run gets a minute of a processor, however long it is.
    """
    program = tmp_path / "program"
    program.write_text(FAKE)
    program.chmod(0o755)
    (tmp_path / "corpus" / "program").mkdir(parents=True)
    sys.path.insert(0, str(REPOSITORY / "tools" / "fuzz"))
    import run_targets

    monkeypatch.setattr(run_targets, "processor_seconds", lambda usage: 60.0)

    def run(seconds: int, *options: str, stream: Literal["out", "err"] = "out") -> tuple[int, str]:
        places = ["--corpus", tmp_path / "corpus", "--found", tmp_path / "found", "--state", tmp_path / "done.json"]
        code = run_targets.main(
            ["--seconds", str(seconds), "--program", f"{tmp_path}/{{}}", *map(str, places), *options, "program"]
        )
        return code, getattr(capsys.readouterr(), stream).splitlines()[-1]

    return run


def test_a_run_of_the_fuzzer_goes_on_where_it_was_stopped(fuzz: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    assert fuzz(120) == (0, "| program | 120 | 2 000 | 7 | none |")
    assert fuzz(300) == (0, "| program | 300 | 5 000 | 7 | none |")
    assert fuzz(300) == (0, "| program | 300 | 5 000 | 7 | none |"), "all was done"
    (tmp_path / "program").write_text(f"{FAKE}# built anew\n")
    assert fuzz(60) == (0, "| program | 60 | 1 000 | 7 | none |")


def test_hours_of_builds_that_follow_each_other_add_up_where_that_is_wanted(
    fuzz: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    assert fuzz(120, "--across-builds") == (0, "| program | 120 | 2 000 | 7 | none |")
    (tmp_path / "program").write_text(f"{FAKE}# built anew\n")
    assert fuzz(180, "--across-builds") == (0, "| program | 180 | 3 000 | 7 | none |")


def test_what_broke_a_target_is_tried_until_it_does_so_no_longer(
    fuzz: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash = tmp_path / "found" / "program" / "crash-1"
    monkeypatch.setenv("BREAKS", "yes")
    assert fuzz(60) == (1, f"| program | 0 | 1 000 | 7 | {crash} |")
    monkeypatch.delenv("BREAKS")
    assert fuzz(60) == (1, f"| program | 0 | 1 000 | 7 | {crash} |"), "it is not mended"
    crash.write_text("good")
    assert fuzz(60) == (0, "| program | 60 | 2 000 | 7 | none |")
    assert not crash.exists()


def test_a_target_that_only_waits_is_told(
    fuzz: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import run_targets

    monkeypatch.setattr(run_targets, "processor_seconds", lambda usage: 0.0)
    log = tmp_path / "found" / "program" / "log.txt"
    assert fuzz(60, stream="err") == (
        1,
        f"{tmp_path}/program: it ended with code 0 after 0.0 s of a processor, and found nothing; see {log}",
    )
