"""Images that speak over RTT: a debug probe at the virtual board reads them, and their log by defmt becomes text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from airwire.board import Board

MS = 10**9
START, SIZE, WRITE_OFFSET, READ_OFFSET = 28, 32, 36, 40
"""Of the first up-buffer, from the control block on."""
RAM = slice(0x20000000, 0x20042000)
LINES = [f"line {number} of 200" for number in range(1, 201)]


def rtt(board: Board) -> str:
    return board.console_of("rtt")


def ran(image: Path, symbols: Path | None = None) -> Board:
    board = Board("pico", image, symbols=symbols)
    board.run("500 ms")
    return board


@pytest.mark.parametrize("kind", ["elf", "uf2", "bin"])
def test_an_image_that_waits_for_room_in_its_buffer_loses_nothing(images: Path, kind: str) -> None:
    # The lines are 3 KiB, and the buffer has 256 bytes: the core spins on the read offset until the probe has moved it.
    board = ran(images / f"rtt_block.{kind}")
    assert rtt(board).splitlines() == [*LINES, "skipped 0"]
    assert board.console == rtt(board), "nothing comes from another console"
    assert board.report.console_bytes == {"uart0": 0, "uart1": 0, "usb": 0, "rtt": len(rtt(board))}
    assert board.notes == []


def test_an_image_that_skips_what_does_not_fit_sends_whole_lines_and_counts_the_others(images: Path) -> None:
    *lines, last = rtt(ran(images / "rtt_skip.elf")).splitlines()
    assert set(lines) < set(LINES) and lines == [line for line in LINES if line in lines]
    assert last == f"skipped {200 - len(lines)}"
    # Within the millisecond between two looks no more comes than the buffer holds.
    assert 0 < len("\n".join(lines)) <= 2 * 256


def test_a_control_block_without_a_symbol_is_found_within_a_quarter_of_the_time_so_far(images: Path) -> None:
    board = Board("pico", images / "rtt_late.uf2")
    board.run(to="205 ms", until="line 1 of 200\n")
    late = board.time_ps
    if not rtt(board):
        board.run("1 s", until="line 1 of 200\n")
        late = board.time_ps
    assert 206 * MS < late <= 265 * MS
    board.run("200 ms")
    assert rtt(board).splitlines() == [*LINES, "skipped 0"]


def test_an_image_that_falls_asleep_for_good_between_two_searches_is_heard(images: Path) -> None:
    board = Board("pico", images / "rtt_late_skip.uf2")
    run = board.run("1 s")
    assert (run.reason, run.failed) == ("asleep", False)
    # RAM is searched at 70 and 90 ms.
    assert 70 * MS < board.time_ps < 90 * MS
    assert rtt(board).splitlines() == LINES[: rtt(board).count("\n")] != []
    awaited = Board("pico", images / "rtt_late_skip.uf2").run("1 s", until="line 3 of")
    assert (awaited.reason, awaited.failed) == ("text", False)


def in_one_go(board: Board) -> None:
    board.run(to="60 ms")


def in_short_runs(board: Board) -> None:
    while board.time_ps < 60 * MS and board.run(to=min(board.time_ps + 770 * MS // 1000, 60 * MS)).reason == "time":
        pass


def instruction_by_instruction(board: Board) -> None:
    board.run(to="6.3 ms")
    while board.time_ps < 7_400 * MS // 1000:
        board.step(25)
    board.run(to="60 ms")


def from_a_snapshot(board: Board) -> None:
    board.run(to="8.2 ms")
    snapshot = board.snapshot()
    board.run(to="60 ms")
    board.restore(snapshot)
    board.run(to="60 ms")


@pytest.mark.parametrize("run", [in_short_runs, instruction_by_instruction, from_a_snapshot])
@pytest.mark.parametrize("image", ["rtt_block.elf", "rtt_skip.uf2", "rtt_defmt.elf"])
def test_nothing_depends_on_how_a_run_is_cut(images: Path, image: str, run: Callable[[Board], None]) -> None:
    whole, cut = Board("pico", images / image), Board("pico", images / image)
    in_one_go(whole)
    run(cut)
    assert rtt(whole) and rtt(cut) == rtt(whole)
    assert [core.instructions for core in cut.counts] == [core.instructions for core in whole.counts]
    assert cut.memory[RAM] == whole.memory[RAM]


def test_a_board_that_is_kept_in_a_file_is_read_on(images: Path, tmp_path: Path) -> None:
    image = images / "rtt_block.uf2"
    board = Board("pico", image)
    board.run(to="12.4 ms")
    board.save(tmp_path / "board.state")
    before = len(rtt(board))
    board.run(to="60 ms")
    resumed = Board("pico", image)
    resumed.resume(tmp_path / "board.state")
    resumed.run(to="60 ms")
    assert before > 0 and rtt(resumed) == rtt(board)[before:]


def test_a_run_ends_at_the_look_that_brings_the_awaited_text(images: Path) -> None:
    board = Board("pico", images / "rtt_block.elf")
    run = board.run("1 s", until="line 100 of")
    assert run.reason == "text" and run.sentence.startswith('"line 100 of" came from rtt at ')
    nearest = round(board.time_ps / MS) * MS
    assert 0 <= board.time_ps - nearest < MS // 1000, "the probe looks each millisecond"


def test_what_is_typed_reaches_an_image_that_reads_rtt(images: Path) -> None:
    board = Board("pico", images / "rtt_echo.elf")
    run = board.run("1 s", until="typed: two", send=["one\r", "two\r"])
    assert (run.reason, rtt(board)) == ("text", "> typed: one\n> typed: two\n> ")
    # Longer than the buffer of 16 bytes.
    board.send("a line of thirty-two characters.\r", "rtt")
    board.run("1 s", until="characters.")
    assert rtt(board).endswith("> typed: a line of thirty-two characters.\n> ")


FRAMES = """\
[INFO ] hello from the image, answer 42
[WARN ] register 0x0000beef, field 1101
[ERROR] state Some(513) after [1, ff]
[DEBUG] -40 degrees, true, interned
[TRACE] list [0xa, 0xb] of \N{MICRO SIGN} and 1.5 at 01:02:03.004 on 2000-02-29T00:00:00Z
[INFO ] flags READY | BUSY by me
printed without a level
"""


@pytest.mark.parametrize("image", ["rtt_defmt.elf", "rtt_defmt_raw.elf"])
def test_frames_of_defmt_become_lines_with_time_level_and_values(images: Path, image: str) -> None:
    board = ran(images / image)
    lines = rtt(board).splitlines()
    stamps = [re.match(r"(\d\.\d{6}) \[", line) for line in lines]
    assert [line for line, stamp in zip(lines, stamps, strict=True) if not stamp] == ["printed without a level"]
    times = [float(stamp[1]) for stamp in stamps if stamp]
    assert times == sorted(times) and 0.0001 < times[0] < times[-1] < 0.1
    bare = [re.sub(r"^\d\.\d{6} ", "", line) for line in lines]
    assert bare[:7] == FRAMES.splitlines()
    assert bare[7:] == [f"[INFO ] hello from a loop, answer {number}" for number in range(100)]
    assert board.notes == []


def test_only_the_elf_says_what_frames_mean(images: Path) -> None:
    board = ran(images / "rtt_defmt.uf2")
    assert rtt(board) == ""
    assert board.notes == [
        "it logs with defmt over RTT, and only its ELF says what: run the ELF, or give it with --symbols"
    ]
    named = ran(images / "rtt_defmt.uf2", symbols=images / "rtt_defmt.elf")
    assert rtt(named).splitlines()[0].endswith("[INFO ] hello from the image, answer 42")
    assert named.notes == []


def test_frames_of_a_version_that_nobody_knows_are_told_of_in_a_sentence(images: Path) -> None:
    board = ran(images / "rtt_defmt_unknown.elf")
    assert rtt(board) == ""
    (note,) = board.notes
    assert note.startswith("its defmt frames are of version 9, and this Airwire has not learned that")


def test_a_frame_that_is_damaged_is_counted_and_the_others_are_shown(images: Path) -> None:
    board = Board("pico", images / "rtt_defmt.elf")
    block = board.address_of("_SEGGER_RTT")
    while board.memory.word(block + WRITE_OFFSET) < 100:
        board.run("10 us")
    assert board.memory.word(block + READ_OFFSET) == 0, "the probe has not looked since"
    # The number of the first frame's text.
    board.memory[board.memory.word(block + START)] = 0xEE
    board.run("500 ms")
    assert rtt(board).splitlines()[0].endswith("[WARN ] register 0x0000beef, field 1101")
    assert rtt(board).count("\n") == 106
    (note,) = board.notes
    assert note.startswith("1 defmt frame is damaged: ")


def test_noise_in_the_channel_is_survived_and_sound_frames_behind_it_are_shown(images: Path) -> None:
    board = Board("pico", images / "rtt_defmt.elf")
    board.run("500 ms")
    block = board.address_of("_SEGGER_RTT")
    start, size = board.memory.word(block + START), board.memory.word(block + SIZE)
    random = Random(1)
    # The number of a line without a level, and a time of zero: control bytes say where the zeros are.
    sound = bytes((0, board.address_of("_defmt_text_print"), 0x7E, 0x7F, 0))
    for _ in range(300):
        noise = (random.choice((0, 1, 2, 9, 255, random.randrange(256))) for _ in range(random.randrange(size - 20)))
        sent = bytes(noise) + sound
        write = board.memory.word(block + WRITE_OFFSET)
        for place, byte in enumerate(sent):
            board.memory[start + (write + place) % size] = byte
        board.memory.set_word(block + WRITE_OFFSET, (write + len(sent)) % size)
        before = len(rtt(board))
        board.run("2 ms")
        assert board.memory.word(block + READ_OFFSET) == (write + len(sent)) % size
        assert rtt(board)[before:].endswith("printed without a level\n")


def test_an_image_without_a_control_block_has_no_such_console(images: Path) -> None:
    board = ran(images / "hello_uart.elf")
    assert (rtt(board), board.report.console_bytes["rtt"]) == ("", 0)


@pytest.mark.parametrize(
    ("offset", "word"),
    [
        (0, 0),
        (16, 0),
        (16, 2**32 - 1),
        (20, 99),
        (START, 0),
        (START, 0x20041FFF),
        (START, 0x40000000),
        (SIZE, 2**32 - 1),
        (WRITE_OFFSET, 256),
        (READ_OFFSET, 2**32 - 1),
    ],
)
def test_nonsense_in_a_control_block_is_left_alone(images: Path, offset: int, word: int) -> None:
    board = Board("pico", images / "rtt_echo.elf")
    board.run("1 s", until="> ")
    block = slice(board.address_of("_SEGGER_RTT"), board.address_of("_SEGGER_RTT") + 72)
    sound = board.memory[block]
    # Something seems to wait in the buffer.
    board.memory.set_word(block.start + WRITE_OFFSET, 9)
    board.memory.set_word(block.start + offset, word)
    nonsense = board.memory[block]
    board.run("5 ms")
    assert (rtt(board), board.memory[block]) == ("> ", nonsense)
    board.memory[block] = sound
    board.send("still there\r", "rtt")
    assert board.run("20 ms", until="typed: still there").reason == "text"
