"""An ATmega2560 joined to another board by lines and wires, and what is in its EEPROM before and after a run."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from avr_images import build_avr_image

from airwire import AirwireError
from airwire.board import Board, PinWire, SerialLine, WiredBoards

MEGA = "arduino-mega"
CYCLE_PS = 62_500
BIT_PS = 17 * 8 * CYCLE_PS
"""UBRR is 16, at double speed (ATmega2560 datasheet, "Internal Clock Generation")."""


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our image that answers at a USART and at a pin, built."""
    return build_avr_image("joined", tmp_path_factory.mktemp("joined"), "atmega2560")


def edges_of(board: Board, pin: str) -> list[tuple[int, bool]]:
    gpio = {"D18": 13, "D19": 12, "D22": 0, "D23": 1}[pin]
    return [(time, level) for time, place, level in board.edges_by_gpio() if place == gpio]


def test_two_avrs_hand_characters_on_over_serial_lines(joined: Path, tmp_path: Path) -> None:
    """Each sends back what comes, plus one, so that one character that is typed into the line goes round and round."""
    first, second = Board(MEGA, joined), Board(MEGA, joined)
    lines = [SerialLine("first", "D18", "D19"), SerialLine("second", "D18", "D19")]
    pair = WiredBoards(first, second, lines)
    pair.run("10 ms")
    # USART1's data register: a character leaves as if the program had written it.
    first.memory[0x80_00CE] = ord("a")
    pair.run("10 ms")
    falls = [time for time, level in edges_of(second, "D19") if not level]
    sent = [time for time, level in edges_of(first, "D18") if not level]
    assert falls == sent and len(sent) > 40
    starts = [sent[0]]
    for time in sent:
        if time >= starts[-1] + 10 * BIT_PS:
            starts.append(time)
    # A round is two characters of ten bits, and a few cycles of two loops.
    rounds = [later - start for start, later in pairwise(starts)]
    assert all(20 * BIT_PS < one < 20 * BIT_PS + 120 * CYCLE_PS for one in rounds), rounds


def test_a_wire_between_two_avrs_has_its_delay_to_the_picosecond(joined: Path) -> None:
    first, second = Board(MEGA, joined), Board(MEGA, joined)
    pair = WiredBoards(first, second, [PinWire("first", "D23", "D22", "2 us")])
    pair.run("10 ms")
    for level in (True, False, True):
        first.pins["D22"].drive(level)
        pair.run("1 ms")
    left, arrived = edges_of(first, "D23"), edges_of(second, "D22")
    assert len(left) == 3
    assert arrived == [(time + 2_000_000, level) for time, level in left]
    followed = edges_of(second, "D23")
    assert [level for _, level in followed] == [True, False, True]
    # The loop reads the pin every few cycles.
    waits = [(after - before) / CYCLE_PS for (after, _), (before, _) in zip(followed, arrived, strict=True)]
    assert all(0 < wait < 20 for wait in waits), waits


def board_at(crystal: str, folder: Path) -> Path:
    """A Mega with another crystal."""
    file = folder / f"mega-{crystal.replace(' ', '-')}.toml"
    text = find_board_text(MEGA)
    file.write_text(text.replace('crystal = "16 MHz"', f'crystal = "{crystal}"'), encoding="utf-8")
    return file


def find_board_text(name: str) -> str:
    return (Path(__file__).resolve().parents[2] / "boards" / f"{name}.toml").read_text(encoding="utf-8")


def test_an_image_for_another_clock_than_the_boards_is_told_by_the_rate_of_its_serial_line(
    joined: Path, tmp_path: Path
) -> None:
    notes = {}
    for crystal in ("16 MHz", "22.1184 MHz"):
        board = Board(board_at(crystal, tmp_path), joined)
        board.run("1 ms")
        # USART1's data register: a character leaves as if the program had written it.
        board.memory[0x80_00CE] = ord("a")
        notes[crystal] = board.run("10 ms").notes
    assert notes["16 MHz"] == []
    (note,) = notes["22.1184 MHz"]
    # 17 times 8 cycles a bit are 117647 baud at 16 MHz, as near to 115200 as its dividers come.
    assert note == (
        "The image seems to be built for 16 MHz: here, at 22.1184 MHz, USART0 sends at 162635 baud instead of 115200, "
        "and its delays are off as much"
    )


def test_a_line_between_boards_of_other_clocks_is_noted_with_the_length_of_a_character_at_both_ends(
    joined: Path, tmp_path: Path
) -> None:
    first, second = Board(MEGA, joined), Board(board_at("8 MHz", tmp_path), joined)
    pair = WiredBoards(first, second, [SerialLine("first", "D18", "D19"), SerialLine("second", "D18", "D19")])
    pair.run("10 ms")
    first.memory[0x80_00CE] = ord("a")
    _, of_second = pair.run("10 ms")
    (note,) = [note for note in of_second.notes if "a character to" in note]
    assert note == (
        "a character to D19 takes 85 us as it is sent and 170 us as it is received: set both UARTs to one rate, and "
        "build each image for the clock of its board"
    )


def hex_record(address: int, kind: int, content: bytes) -> str:
    head = bytes([len(content), address >> 8, address & 0xFF, kind]) + content
    return f":{head.hex()}{-sum(head) & 0xFF:02x}\n"


END = ":00000001ff\n"
FROM_0X810000 = hex_record(0, 4, b"\x00\x81")
"""As avr-objcopy writes an EEPROM that it was not told to move to 0."""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("contents.bin", b"\x05"),
        ("contents.eep", (hex_record(0, 0, b"\x05") + END).encode()),
        ("contents.hex", (FROM_0X810000 + hex_record(0, 0, b"\x05") + END).encode()),
    ],
)
def test_an_eeprom_begins_with_the_contents_of_a_file_and_is_written_into_one(
    joined: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    board = Board(MEGA, joined, eeprom=file)
    board.run("20 ms")
    assert board.console == "5\n"
    board.save_eeprom(file)
    again = Board(MEGA, joined, eeprom=file)
    again.run("20 ms")
    assert again.console == "6\n"
    # Whole, and the rest of it as it was erased.
    bare = tmp_path / "bare.bin"
    again.save_eeprom(bare)
    assert bare.read_bytes() == b"\x07" + b"\xff" * 4095


@pytest.mark.parametrize(
    ("board", "content", "sentence"),
    [
        (MEGA, b"", "it is empty. Give contents of the EEPROM"),
        (MEGA, bytes(4097), "it has 4097 bytes, but the EEPROM has 4096"),
        (MEGA, hex_record(0, 0, b"\x05").encode(), "it has no end record. Copy the file again"),
        (MEGA, b":0100000005FB\n", "line 1 has the checksum 0xfb, but its bytes give 0xfa"),
        (
            MEGA,
            (hex_record(0x1000, 0, b"\x05") + END).encode(),
            "line 1 has 1 bytes for 0x1000, but the EEPROM has 4096",
        ),
        ("pico", b"\x05", "board pico has an RP2040, in which there is no EEPROM; leave its file away"),
    ],
)
def test_contents_that_cannot_be_are_refused_in_a_sentence(
    tmp_path: Path, board: str, content: bytes, sentence: str
) -> None:
    file = tmp_path / "contents.eep"
    file.write_bytes(content)
    with pytest.raises(AirwireError) as refusal:
        Board(board, eeprom=file)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)
