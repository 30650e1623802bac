"""The firmware's images on the virtual board: that each works on every chip, and how fast and small they are.

The goals hold in virtual time, so that no machine's load moves them: RP2040 at 133 MHz, W5500 at 33.3 MHz SPI, a
wire of 100 Mbit/s, a PC that answers within 50 us.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from airwire.board import Board

REPOSITORY = Path(__file__).resolve().parents[2]
BOARDS = ("w5500-evb-pico", "w5100s-evb-pico", "pico-w5200", "pico-w5100")
ALL_CHIPS = (*BOARDS, "w6100-evb-pico")
"""The last has the images of messages and streams alone."""
TRANSPORTS = ("hardware", "lwip_raw", "lwip_sockets")
PC = "[pc]\napplication_time = '35 us'\n"


def board_of(
    firmware: Path, image: str, *traffic: str, board: str = "w5500-evb-pico", network: Path | None = None
) -> Board:
    return Board(board, firmware / board / f"{image}.elf", traffic=list(traffic), network=network)


def console_of(board: Board, limit: str = "30 s") -> dict[str, int]:
    """The figures that an image prints, when it has said that it is done."""
    run = board.run(limit, until="done\n")
    assert run.reason == "text", run.sentence + board.console
    return {name: int(value) for name, value in re.findall(r"^(.+) (\d+)$", board.console, re.MULTILINE)}


def per_second(board: Board, name: str, limit: str = "30 s") -> float:
    """Of a client's messages, from the first trigger to the last answer."""
    board.run(limit, until_done=True)
    samples = board.traffic.samples(name)
    assert samples and all(sample["outcome"] == "ok" for sample in samples), samples[-1:]
    seconds: float = (samples[-1]["done_ps"] - samples[0]["trigger_ps"]) / 1e12
    return len(samples) / seconds


def test_copies_and_checksums_in_assembler_are_right_at_every_place_within_a_word(firmware: Path) -> None:
    told = console_of(board_of(firmware, "library_functions"))
    assert told == {"copies": 201 * 16, "fills": 201 * 4, "checksums": 201 * 4, "wrong": 0}


def test_a_handler_that_finds_no_room_is_refused_and_the_others_are_called(firmware: Path) -> None:
    told = console_of(board_of(firmware, "gpio_handlers"))
    assert told == {"taken": 4, "refused": 1, "replaced": 1, "calls": 3, "calls of another": 1}


def test_messages_come_near_to_what_bus_wire_and_pc_take_in_any_case(firmware: Path, tmp_path: Path) -> None:
    chosen = [word for row in ("pingpong", "pingpong-lwip") for word in ("--only", row)]
    suite = REPOSITORY / "suites" / "published.toml"
    command = [sys.executable, "-m", "airwire.cli", "run", str(suite), *chosen, "--firmware", str(firmware), "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300)
    floors = {row["row"]: row["floor"] for row in json.loads(done.stdout)["boards"]}
    for row, floor in floors.items():
        parts = floor["bus_ps"] + floor["chip_ps"] + floor["wire_ps"] + floor["pc_ps"]
        assert parts >= 0.7 * floor["message_ps"], row
    assert len(floors) == 2


@pytest.mark.parametrize("board", ALL_CHIPS)
def test_the_reset_of_no_image_is_shorter_than_its_chip_needs(firmware: Path, board: str) -> None:
    """Each image gets to the reset at another place within a microsecond of its clock."""
    images = sorted((firmware / board).glob("*-*.elf"))
    assert len(images) >= 4
    for image in images:
        booted = Board(board, image)
        booted.run("250 ms")
        assert not [note for note in booted.notes if "reset pin" in note], image.name


@pytest.mark.parametrize("transport", ["hardware", "lwip_raw"])
@pytest.mark.parametrize("board", ALL_CHIPS)
def test_a_thousand_messages_on_every_chip(firmware: Path, board: str, transport: str) -> None:
    told = console_of(board_of(firmware, f"pingpong_client-{transport}", board=board))
    assert (told["messages"], told["errors"], told["last number"]) == (1000, 0, 2000)


@pytest.mark.parametrize("transport", ["hardware", "lwip_raw", "lwip_small"])
@pytest.mark.parametrize("board", BOARDS)
def test_every_chip_serves_pages(firmware: Path, board: str, transport: str) -> None:
    static = (REPOSITORY / "firmware" / "sites" / "demo" / "static.html").read_bytes()
    client = f"http to=board path=/static.html requests=20 body_crc32={zlib.crc32(static):08x}"
    served = board_of(firmware, f"http_server-{transport}", client, board=board)
    served.run("20 s", until_done=True)
    samples = served.traffic.samples("http")
    assert [(sample["outcome"], sample["status"]) for sample in samples] == [("ok", 200)] * 20, served.console


@pytest.mark.parametrize("transport", ["hardware", "lwip_raw"])
@pytest.mark.parametrize("board", ALL_CHIPS)
def test_every_chip_echoes_bytes(firmware: Path, board: str, transport: str) -> None:
    echo = board_of(firmware, f"streams-{transport}", "bulk to=board:7 send=100000", board=board)
    echo.run("20 s", until_done=True)
    told = {counter.name: counter.value for counter in echo.traffic["bulk"].counters}
    assert (told["sent"], told["received"], told["wrong"]) == (100_000, 100_000, 0), echo.console


@pytest.mark.parametrize(("transport", "least"), [("hardware", 5000), ("lwip_raw", 3000), ("lwip_sockets", 3000)])
def test_ping_pong_reaches_its_goal(firmware: Path, tmp_path: Path, transport: str, least: int) -> None:
    network = tmp_path / "network.toml"
    network.write_text(PC)
    told = console_of(board_of(firmware, f"pingpong_client-{transport}", network=network))
    assert told["messages"] * 1e6 / told["microseconds in all"] >= least


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_server_of_ping_pong_answers_each_message(firmware: Path, transport: str) -> None:
    board = board_of(firmware, f"pingpong_server-{transport}", "pingpong to=board rounds=200")
    board.run("20 s", until_done=True)
    assert len(board.traffic.samples("pingpong")) == 200
    assert board.traffic["pingpong"].failure is None


@pytest.mark.parametrize("transport", ["hardware", "lwip_raw"])
def test_pages_reach_their_goal(firmware: Path, transport: str) -> None:
    image = f"http_server-{transport}"
    assert per_second(board_of(firmware, image, "http to=board path=/static.html requests=300"), "http") >= 700
    kept = "http to=board path=/static.html requests=300 keep_alive=true"
    assert per_second(board_of(firmware, image, kept), "http") >= 2000


@pytest.mark.parametrize(("transport", "limit_us"), [("hardware", 500), ("lwip_raw", 1200)])
def test_a_ping_of_1300_bytes_reaches_its_goal(firmware: Path, transport: str, limit_us: float) -> None:
    board = board_of(firmware, f"ping-{transport}", "ping to=board count=20 size=1300 interval=20ms")
    board.run("10 s", until_done=True)
    samples = board.traffic.samples("ping")
    assert [sample["outcome"] for sample in samples] == ["ok"] * 20
    latencies = [sample["latency_ps"] / 1e6 for sample in samples]
    assert max(latencies[1:]) <= limit_us, "the first one waits for ARP"


def section_bytes(elf: Path) -> dict[str, int]:
    text = subprocess.run(["arm-none-eabi-size", "-A", str(elf)], capture_output=True, text=True, check=True).stdout
    return {name: int(size) for name, size in re.findall(r"^(\.\S+)\s+(\d+)", text, re.MULTILINE)}


def test_the_small_images_are_small(firmware: Path) -> None:
    sections = section_bytes(firmware / "w5500-evb-pico" / "pingpong_client-hardware.elf")
    in_flash = sum(sections[name] for name in (".boot2", ".vectors", ".settings", ".text", ".data"))
    assert in_flash + sections[".bss"] <= 8192
    server = section_bytes(firmware / "w5500-evb-pico" / "http_server-lwip_small.elf")
    pages = re.search(r"FSDATA_BYTES (\d+)", (firmware / "site" / "fsdata.h").read_text())
    assert pages
    assert sum(server[name] for name in (".boot2", ".vectors", ".settings", ".text", ".data")) - int(pages[1]) <= 32768
    assert server[".data"] + server[".bss"] <= 10240


def build_again(firmware: Path, board: str, folder: Path, *targets: str) -> None:
    """Build images of a board once more, in another folder."""
    tools = Path(sys.executable).parent
    cmake = shutil.which("cmake", path=tools) or shutil.which("cmake")
    assert cmake, "cmake is among the packages of the tests"
    ninja = shutil.which("ninja", path=tools) or shutil.which("ninja")
    generated, site = firmware / board / "generated", firmware / "site"
    arguments = [
        cmake,
        "-S",
        str(REPOSITORY / "firmware"),
        "-B",
        str(folder),
        "-G",
        "Ninja",
        f"-DBOARD_DIR={generated}",
    ]
    arguments += [f"-DCMAKE_MAKE_PROGRAM={ninja}", "-DCMAKE_TOOLCHAIN_FILE=cmake/arm-none-eabi.cmake"]
    subprocess.run([*arguments, f"-DSITE_DIR={site}"], check=True, capture_output=True)
    wanted = [argument for target in targets for argument in ("--target", target)]
    subprocess.run([cmake, "--build", str(folder), *wanted], check=True, capture_output=True)


def files_that_differ(firmware: Path, board: str, folder: Path, pattern: str) -> list[str]:
    """Names of images that are not the same, or not there, in both folders."""
    before = firmware / board
    names = {
        path.name
        for place in (before, folder)
        for ending in ("elf", "uf2")
        for path in place.glob(f"{pattern}.{ending}")
    }
    assert names
    both = [name for name in names if (before / name).is_file() and (folder / name).is_file()]
    return sorted(names - {name for name in both if (before / name).read_bytes() == (folder / name).read_bytes()})


@pytest.mark.slow
def test_the_same_sources_give_the_same_image(firmware: Path, tmp_path: Path) -> None:
    image = "pingpong_client-lwip_raw"
    build_again(firmware, "w5500-evb-pico", tmp_path, image)
    assert files_that_differ(firmware, "w5500-evb-pico", tmp_path, image) == []


@pytest.mark.slow
@pytest.mark.parametrize("board", [*BOARDS, "ideal-mac"])
def test_the_same_sources_give_the_same_images_all_of_them(firmware: Path, tmp_path: Path, board: str) -> None:
    build_again(firmware, board, tmp_path)
    assert files_that_differ(firmware, board, tmp_path, "*") == []


def test_a_uf2_holds_the_image_that_the_elf_does(firmware: Path) -> None:
    folder = firmware / "w5500-evb-pico"
    board = Board("w5500-evb-pico", folder / "pingpong_client-hardware.uf2")
    assert console_of(board)["errors"] == 0


def test_without_a_cable_the_image_says_what_is_missing(firmware: Path) -> None:
    board = board_of(firmware, "pingpong_client-hardware")
    board.set_plugged(False)
    board.run("13 s")
    assert "has no link: is the cable plugged in" in board.console


@pytest.mark.parametrize("transport", ["lwip_raw", "lwip_sockets"])
def test_lwip_takes_its_address_from_dhcp(firmware: Path, transport: str) -> None:
    image = firmware / "w5500-evb-pico" / f"pingpong_client-{transport}.elf"
    board = Board("w5500-evb-pico", image, settings={"dhcp": True, "rounds": 10})
    assert console_of(board)["errors"] == 0
    assert "ready at 192.168.1.100" in board.console


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_pages_are_served_under_loss_while_the_millisecond_clock_wraps(firmware: Path, transport: str) -> None:
    """The clock begins 60 s before its wrap; the watchdog bites after 2 s."""
    board = Board(
        "w5500-evb-pico",
        firmware / "w5500-evb-pico" / f"http_server-{transport}.elf",
        settings={"clock_start_ms": 2**32 - 60_000, "watchdog_ms": 2000},
        traffic=["http to=192.168.1.50 path=/ssi.shtml requests=300 start=58s timeout=20s"],
        impair="loss=1%",
    )
    board.run("120 s", until_done=True)
    samples = board.traffic.samples("http")
    assert len(samples) == 300
    assert {sample["status"] for sample in samples} == {200}
    assert samples[0]["trigger_ps"] < 60e12 < samples[-1]["done_ps"]
    assert board.console.count("ready at") == 1, "it never started again"


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_board_at_125_mhz_serves_pages_and_says_its_spi_clock(firmware: Path, transport: str) -> None:
    board = Board(
        "w5500-evb-pico",
        firmware / "w5500-evb-pico" / f"http_server-{transport}.elf",
        settings={"system_hz": 125_000_000},
        traffic=["http to=board requests=20"],
    )
    run = board.run("20 s", until_done=True)
    assert not run.failed, run.sentence
    assert run.clk_sys_hz == 125_000_000
    # The fastest that the processor's clock gives below 33.3 MHz: 125 MHz / 4.
    assert "W5500 at 31250 kHz SPI" in board.console
    assert {sample["status"] for sample in board.traffic.samples("http")} == {200}
