"""Every fuzz target has a corpus that is replayed, is run by `make fuzz-readers`, and is in a table of its page."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

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
        "servers", "clients",
    },
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
