"""The ``lwipopts.h`` that a search writes: to the compiler it is the same as what the candidate was built with."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from airwire import AirwireError
from airwire.tune.build import OPTION_NAMES, Tree, firmware_source, header_of, number
from airwire.tune.changes import complete_lwipopts, patched, settings_name
from artefacts import NO_COMPILER

TARGET = "sink-lwip_raw-published"
OPTIONS = {"TCP_MSS": "1024", "TCP_WND": "6*TCP_MSS", "PBUF_POOL_SIZE": "12"}
TUNED = "AIRWIRE_LWIP_TUNED"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip(NO_COMPILER)
    tree = Tree(firmware_source(), "ideal-mac", tmp_path_factory.mktemp("tree"))
    tree.prepare()
    return tree


def macros(flags: list[str], folder: Path) -> set[str]:
    """All that the preprocessor knows after lwIP's options, but the guards of files."""
    probe = folder / "all.c"
    probe.write_text('#include "lwip/opt.h"\n', encoding="utf-8")
    done = subprocess.run([*flags, "-E", "-dM", str(probe)], capture_output=True, text=True, check=True, cwd=folder)
    return {line for line in done.stdout.splitlines() if not re.fullmatch(r"#define \w+_H|.*TUNED.*", line.strip())}


def test_the_written_file_is_what_the_candidate_was_built_with(tree: Tree, tmp_path: Path) -> None:
    flags = tree.flags(TARGET)
    (tree.folder / "options" / "lwipopts_tuned.h").write_text(header_of(OPTIONS), encoding="utf-8")
    built = macros(flags, tmp_path)
    text = complete_lwipopts(tree.source, settings_name(flags), OPTIONS, {"TCP_MSS": ("1460", "1024")})
    (tmp_path / "lwipopts.h").write_text(text, encoding="utf-8")
    own = [flags[0], f"-I{tmp_path}", *(flag for flag in flags[1:] if TUNED not in flag)]
    assert "lwipopts_tuned.h" not in text
    assert macros(own, tmp_path) == built
    assert "#define TCP_MSS 1024" in built


def test_the_values_in_force_are_those_of_the_settings_file(tree: Tree) -> None:
    found = tree.values(TARGET, OPTION_NAMES)
    # firmware/lwip/settings_published.h; the last is lwIP's own default.
    assert (found["TCP_MSS"], found["TCP_WND"], found["PBUF_POOL_SIZE"], found["TCP_QUEUE_OOSEQ"]) == (
        1460,
        16060,
        64,
        1,
    )


def test_lwips_own_rules_are_asked_before_a_build(tree: Tree) -> None:
    assert tree.broken_rule(TARGET, OPTIONS) is None
    broken = tree.broken_rule(TARGET, {"MEMP_NUM_TCP_SEG": "4"})
    assert broken is not None
    assert broken.startswith("MEMP_NUM_TCP_SEG should be at least as big as TCP_SND_QUEUELEN")
    assert not list(tree.folder.glob("*.elf"))


def test_an_error_of_the_compiler_is_told_with_file_and_line(tree: Tree) -> None:
    with pytest.raises(AirwireError, match=r"cannot be built: .*\.[ch]:\d+: "):
        tree.build(TARGET, {"TCP_MSS": "(("})


@pytest.mark.parametrize(
    ("text", "value"),
    [("1460", 1460), ("(11 * 1460)", 16060), ("(24*1024)", 24576), ("((4 * (2*536) + 535)/536)", 8), ("1600U", 1600)],
)
def test_values_are_constant_expressions_of_c(text: str, value: int) -> None:
    assert number(text) == value


def test_what_is_more_than_arithmetic_is_no_number() -> None:
    assert number("sizeof(int)") is None
    assert number("LWIP_MIN(4, 5)") is None


def test_a_file_of_the_users_keeps_all_but_the_values() -> None:
    text = "#ifndef A\n#define A\n# define TCP_WND (3 * TCP_MSS) /* small */\n#endif\n"
    changed = {"TCP_WND": ("3*TCP_MSS", "14*TCP_MSS"), "PBUF_POOL_SIZE": ("16", "24")}
    assert patched(text, changed) == (
        "#ifndef A\n#define A\n# define TCP_WND (14*TCP_MSS) /* small */\n#define PBUF_POOL_SIZE 24\n#endif\n"
    )
