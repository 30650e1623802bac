"""What a shell offers while a command is written, by the mechanisms of bash, zsh and fish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bench_suites import QUICK, write

Airwire = Callable[..., subprocess.CompletedProcess[str]]
AIRWIRE = Path(sys.executable).parent / "airwire"


def offered(shell: str, line: str, folder: Path) -> list[str]:
    """The candidates for the last word of a line; bash gets the line in its own words."""
    words = parted(line) if shell == "bash" else []
    given = {
        "bash": {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    done = subprocess.run(
        [AIRWIRE],
        cwd=folder,
        env={**os.environ, "_AIRWIRE_COMPLETE": f"complete_{shell}", **given},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


def parted(line: str) -> list[str]:
    """A line in bash's words, which end at blanks, `=` and `:`, outside quotes."""
    words = [""]
    for letter in line:
        if letter == " " and words[-1].count('"') % 2 == 0:
            words.append("")
        elif letter in "=:" and words[-1].count('"') % 2 == 0:
            words += [letter, ""]
        else:
            words[-1] += letter
    # Behind a sign the sign itself is the word that bash completes.
    return [word for at, word in enumerate(words) if word or (at + 1 == len(words) and words[at - 1] not in ("=", ":"))]


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("airwire link lo", ["lora"]),
        ("airwire links lo", ["lora"]),
        ("airwire link lora --set s", ["sf="]),
        ("airwire link lora --set sf=1", ["10", "11", "12"]),
        ("airwire link lora --set sf=9 --set cod", ["coding_rate="]),
        ("airwire choose --link lo", ["lora"]),
        ("airwire explain 12B.csv --link uart --set ba", ["baud="]),
        ("airwire board check w5500", ["w5500-evb-pico"]),
        ("airwire board run a.elf --board w5100s", ["w5100s-evb-pico"]),
        ("airwire board run a.elf --impair loss=1%,dr", ["1%,drop="]),
        ("airwire board run a.elf --impair=loss=1%,dr", ["1%,drop="]),
        ('airwire board run a.elf --traffic "ping inter', ["ping interval="]),
        ("airwire board run a.elf --traffic pingpong-", ["pingpong-server"]),
        ("airwire analyze --pairing f", ["fifo"]),
        ("airwire capture --instrument sa", ["saleae"]),
        ("airwire schema board-p", ["board-profile"]),
        ("airwire help wh", ["why"]),
        ("airwire help board pro", ["profile"]),
        ("airwire run suite.toml --only u", ["uart"]),
        ("airwire sweep suite.toml --over spi_c", ["spi_clock="]),
        ("airwire history trend a --metric p9", ["p95", "p99"]),
        ("airwire run publ", ["published"]),
        ("airwire run s", ["serial", "suite.toml"]),
        ("airwire run ./s", ["./suite.toml"]),
        ("airwire run published --only pingpong-lwip-t", ["pingpong-lwip-two-boards", "pingpong-lwip-timer"]),
    ],
)
def test_bash_is_offered_what_is_declared(tmp_path: Path, line: str, candidates: list[str]) -> None:
    write(tmp_path, "[links.lora]\n[links.uart]\n")
    found = offered("bash", line, tmp_path)
    assert [one for one in found if one in candidates] == candidates, found


def test_the_only_name_comes_with_its_values_so_that_no_blank_is_put_behind_it(tmp_path: Path) -> None:
    found = offered("bash", "airwire link lora --set sf", tmp_path)
    assert found[:2] == ["sf=", "sf=7"] and all(one.startswith("sf=") for one in found), found


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_offered_whole_words_with_what_they_mean(tmp_path: Path, shell: str) -> None:
    found = offered(shell, "airwire link lora --set sf=1", tmp_path)
    assert len(found) == 3, found
    assert all(f"sf=1{digit}" in one and "whole number from 6 to 12" in one for digit, one in enumerate(found))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_settings_of_an_image_are_offered(images: Path, tmp_path: Path, shell: str) -> None:
    image = images / "wiznet_settings.elf"
    found = offered(shell, f"airwire board run {image} --set poll", tmp_path)
    assert any("poll_ms=" in one for one in found), found
    assert not any("spi_hz" in one for one in found), found


def test_a_switch_a_choice_and_a_sum_of_an_image_are_offered_with_their_words(firmware: Path, tmp_path: Path) -> None:
    image = firmware / "w5500-evb-pico" / "oneway-hardware.elf"
    for line, words in (("role=", ["sender", "receiver"]), ("transport=", ["tcp", "udp", "uart"])):
        assert offered("bash", f"airwire board settings {image} --set {line}", tmp_path) == words


@pytest.mark.parametrize(
    "line",
    [
        "airwire board run nowhere.elf --set ",
        "airwire board run --set ",
        "airwire run nowhere.toml --only ",
        "airwire link nothing --set ",
        "airwire link lora --set nothing=",
        'airwire board run a.elf --traffic "nothing ',
    ],
)
def test_where_nothing_is_known_nothing_is_offered_and_nothing_is_said(tmp_path: Path, line: str) -> None:
    # Any name may stand for a client, whose kind is said behind it.
    common = ("nothing kind=", "nothing start=")
    assert [one for one in offered("bash", line, tmp_path) if not one.startswith(common)] == []


def test_entries_of_a_suite_with_a_blank_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, QUICK)
    assert offered("bash", "airwire run suite.toml --only ", tmp_path) == ["lora"]


def test_the_entries_of_a_run_folder_are_offered(airwire: Airwire, tmp_path: Path) -> None:
    suite = write(tmp_path, "samples = 20\npayloads = [12]\n[links.uart]\n[links.lora]\n")
    assert airwire("run", suite, "--out", "run").returncode == 0
    assert offered("bash", "airwire explain run --only ", tmp_path) == ["uart", "lora"]
    assert offered("bash", "airwire compare run run --only ", tmp_path) == ["uart", "lora"]


def test_the_rows_of_a_run_folder_are_offered_behind_its_colon(airwire: Airwire, tmp_path: Path) -> None:
    suite = write(tmp_path, "samples = 20\npayloads = [12, 32]\n[links.uart]\n")
    assert airwire("run", suite, "--out", "run").returncode == 0
    assert offered("fish", "airwire compare run:uart/", tmp_path) == ["run:uart/12B", "run:uart/32B"]
    assert offered("fish", "airwire compare run:uart/12B run:uart/3", tmp_path) == ["run:uart/32B"]
    # Bash parts words at a colon, and completes what stands behind it.
    assert offered("bash", "airwire compare run:uart/1", tmp_path) == ["uart/12B"]
    assert offered("bash", "airwire compare nowhere:", tmp_path) == []


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("airwire link lor\t", "airwire link lora "),
        ("airwire link lora --set sf\t", "airwire link lora --set sf="),
        ("airwire link lora --set bandwidth=12\t", "airwire link lora --set bandwidth=125kHz "),
        ("airwire schema board-pr\t", "airwire schema board-profile "),
    ],
)
def test_bash_itself_completes_a_line(tmp_path: Path, typed: str, completed: str) -> None:
    """The line that readline holds, told by a key that puts it in quotes."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not on this machine")
    asked = {**os.environ, "_AIRWIRE_COMPLETE": "source_bash"}
    script = subprocess.run([AIRWIRE], env=asked, capture_output=True, text=True, timeout=60, check=True).stdout
    (tmp_path / "completion.bash").write_text(script)
    # Ctrl-X Ctrl-L writes the line and where the cursor is into a file.
    start = tmp_path / "start.bash"
    start.write_text(
        f'source "{tmp_path}/completion.bash"\n'
        f"tell() {{ printf %s \"$READLINE_LINE\" > '{tmp_path}/line'; READLINE_LINE=exit; }}\n"
        "bind -x '\"\\C-x\\C-l\": tell'\nPS1='> '\n"
    )
    import pty

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        environment = {**os.environ, "PATH": f"{AIRWIRE.parent}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb"}
        os.execve(bash, [bash, "--noprofile", "--rcfile", str(start), "-i"], environment)
    seen = b""
    while b"> " not in seen:
        seen += os.read(terminal, 4096)
    os.write(terminal, f"{typed}\x18\x0c\r".encode())
    try:
        while data := os.read(terminal, 4096):
            seen += data
    except OSError:
        # Linux reports the end of a terminal as an input/output error.
        pass
    os.waitpid(child, 0)
    os.close(terminal)
    assert (tmp_path / "line").read_text() == completed, seen
