"""Everything that a user can get wrong with images: one sentence that says what, where and what to do, and exit code 2
before anything runs; an image that fails while it runs gives exit code 1."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Airwire = Callable[..., subprocess.CompletedProcess[str]]
UF2_BLOCK = 512
RP2350_FAMILY = 0xE48BFF59
MACHINE_X86_64 = 62


def refusal(result: subprocess.CompletedProcess[str]) -> str:
    """What was said, after checking that it is a refusal in one sentence and nothing worse."""
    assert result.returncode == 2, (result.returncode, result.stdout, result.stderr)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr and "panicked" not in result.stderr
    return result.stderr


def with_word(content: bytes, place: int, value: int, form: str = "<I") -> bytes:
    changed = bytearray(content)
    struct.pack_into(form, changed, place, value)
    return bytes(changed)


def elf_machine(machine: int) -> Callable[[Path], bytes]:
    return lambda images: with_word((images / "hello_uart.elf").read_bytes(), 18, machine, "<H")


def elf_elsewhere(images: Path) -> bytes:
    """Every segment moved to where another chip has its flash."""
    content = (images / "hello_uart.elf").read_bytes()
    headers, count = struct.unpack_from("<I", content, 28)[0], struct.unpack_from("<H", content, 44)[0]
    for number in range(count):
        for field in (8, 12):
            content = with_word(content, headers + 32 * number + field, 0x0800_0000 + 0x10000 * number)
    return content


def uf2_of_another_family(images: Path) -> bytes:
    content = (images / "hello_uart.uf2").read_bytes()
    for block in range(0, len(content), UF2_BLOCK):
        content = with_word(content, block + 28, RP2350_FAMILY)
    return content


def vectors_outside(images: Path) -> bytes:
    del images
    return struct.pack("<2I", 0x5000_0000, 0x1000_0101) + bytes(1000)


BAD: dict[str, tuple[str, Callable[[Path], bytes], str]] = {
    "nothing at all": ("empty.elf", lambda images: b"", "empty.elf: "),
    "not an image": ("notes.txt", lambda images: b"Dear reader,\n" * 40, "notes.txt: "),
    "an ELF for a PC": ("pc.elf", elf_machine(MACHINE_X86_64), "pc.elf: "),
    "an ELF for another chip": ("stm32.elf", elf_elsewhere, "stm32.elf: "),
    "half an ELF": ("half.elf", lambda images: (images / "hello_uart.elf").read_bytes()[:6000], "half.elf: "),
    "a truncated UF2": ("cut.uf2", lambda images: (images / "hello_uart.uf2").read_bytes()[:-100], "cut.uf2: "),
    "a UF2 without its end": ("end.uf2", lambda images: (images / "hello_uart.uf2").read_bytes()[:-512], "end.uf2: "),
    "a UF2 for another family": ("rp2350.uf2", uf2_of_another_family, "rp2350.uf2: "),
    "a vector table outside memory": ("table.bin", vectors_outside, "table.bin: "),
}


@pytest.mark.parametrize("name", BAD)
def test_an_image_that_cannot_be_used_is_one_sentence(
    airwire: Airwire, images: Path, tmp_path: Path, name: str
) -> None:
    file, make, says = BAD[name]
    (tmp_path / file).write_bytes(make(images))
    said = refusal(airwire("board", "run", file))
    assert said.startswith(f"airwire: {says}")
    assert len(said) > len(f"airwire: {says}") + 30, "it says what is wrong"


def test_a_missing_image_board_rom_or_symbols_is_one_sentence(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    image = images / "hello_uart.uf2"
    assert "nowhere.elf: cannot read this image" in refusal(airwire("board", "run", "nowhere.elf"))
    assert "it is a folder" in refusal(airwire("board", "run", "."))
    assert "there is no board pica; the nearest is pico" in refusal(airwire("board", "run", image, "--board", "pica"))
    assert "no.rom: cannot read this boot ROM" in refusal(airwire("board", "run", image, "--rom", "no.rom"))
    (tmp_path / "short.rom").write_bytes(bytes(100))
    assert "16384" in refusal(airwire("board", "run", image, "--rom", "short.rom"))
    said = refusal(airwire("board", "run", image, "--symbols", images / "adc.elf"))
    assert "its code is not that of" in said


def test_an_image_larger_than_the_flash_is_one_sentence(airwire: Airwire, images: Path, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text("mcu = 'rp2040'\nflash = '64 KiB'\n", encoding="ascii")
    image = (images / "hello_uart.bin").read_bytes()
    (tmp_path / "large.bin").write_bytes(image + bytes(100_000))
    said = refusal(airwire("board", "run", "large.bin", "--board", "small.toml"))
    assert "take a board with a larger flash" in said


def test_times_and_options_that_are_none_are_refused(airwire: Airwire, images: Path) -> None:
    image = images / "hello_uart.elf"
    assert airwire("board", "run", image, "--for", "soon").returncode == 2
    assert airwire("board", "run", image, "--interactive", "--json").returncode == 2
    assert airwire("board", "profile", image, "--top", "0").returncode == 2


def test_an_image_that_hangs_is_bounded(airwire: Airwire, images: Path) -> None:
    done = airwire("board", "run", images / "hello_uart.elf", "--for", "100ms")
    assert done.returncode == 0
    assert "Ran until 100 ms." in done.stdout
