"""Virtual boards from Python: run control, memory and pins, snapshots, recordings, profiles."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

import airwire
from airwire.board import Board, board_names, board_schema, describe_board

REPOSITORY = Path(__file__).resolve().parents[2]

MS = 10**9


def hello(images: Path) -> Board:
    return Board("pico", images / "hello_uart.elf")


def test_a_run_ends_at_the_very_byte_that_completes_the_text(images: Path) -> None:
    board = hello(images)
    run = board.run("1 s", until="from GP0")
    assert (run.reason, run.failed) == ("text", False)
    assert board.console == "Hello from GP0"
    # A byte takes 86.8 us at 115200 baud: the text is 14 of them.
    assert 14 * 86.8e6 < board.time_ps - 6 * MS < 10 * MS


def test_a_text_that_does_not_come_fails_the_run_at_its_end(images: Path) -> None:
    run = hello(images).run("20 ms", until="no such text")
    assert (run.reason, run.failed) == ("time", True)
    assert '"no such text" did not come' in run.sentence


def test_typed_text_is_echoed_once_the_console_is_silent(images: Path) -> None:
    board = hello(images)
    board.run("1 s", until="two", send=["one ", b"two"])
    assert board.console == "Hello from GP0 at 115200 baud.\none two"


def test_text_that_no_console_waited_for_is_told_at_the_end_of_the_run(images: Path) -> None:
    # The image echoes what is typed: behind an empty text nothing is printed, so that no more is typed.
    board = hello(images)
    board.run("100 ms", send=["one", "", "three", "four"])
    assert board.console.endswith("one")
    (note,) = board.notes
    assert note.startswith("2 of 4 texts were not typed: ") and note.endswith("it printed nothing after text 2")
    board.run("100 ms")
    assert board.notes == [note], "a run that types nothing says nothing else"
    board.run("100 ms", send=["five"])
    assert board.console.endswith("one") and "1 of 1 texts" in board.notes[0]
    board = hello(images)
    board.run("1 s", send=["one", "two"], until="two")
    assert board.notes == []


def test_text_that_is_sent_between_runs_arrives(images: Path) -> None:
    board = hello(images)
    board.run(until="baud.\n")
    board.send("abc")
    assert board.run("10 ms", until="abc").reason == "text"
    assert board.console_of("uart0").endswith("abc")
    assert board.console_of("usb") == ""


def test_a_run_ends_when_a_pin_has_its_level(images: Path) -> None:
    board = Board("pico", images / "blink_timer.elf")
    times = []
    for level in (True, False, True):
        assert board.run("1 s", until_pin=("LED", level)).reason == "pin"
        assert board.pins["LED"].level is level
        times.append(board.time_ps)
    # The first handler is not in the flash's cache yet.
    assert [after - before for before, after in pairwise(times)] == pytest.approx([MS, MS], abs=5e6)


def test_a_run_needs_an_end(images: Path) -> None:
    with pytest.raises(airwire.AirwireError, match="a run needs an end"):
        hello(images).run()
    with pytest.raises(airwire.AirwireError, match="would go back"):
        hello(images).run("-1 ms")


def test_a_time_since_power_on_counts_what_the_boot_rom_took(images: Path) -> None:
    board = hello(images)
    assert board.time_ps > 0, "the image has not run yet, and the boot ROM has"
    # The instruction that is under way then is finished.
    instruction = 100_000
    assert 0 <= board.run(to="100 ms").time_ps - 100 * MS < instruction
    assert 0 <= board.run("100 ms").time_ps - 200 * MS < 2 * instruction


def test_a_board_without_a_network_refuses_what_is_for_one() -> None:
    for given in ({"traffic": ["ping to=board"]}, {"impair": "loss=1%"}):
        with pytest.raises(airwire.AirwireError, match="board pico has no network"):
            Board("pico", **given)


def test_a_sleep_without_an_alarm_ends_the_run(images: Path) -> None:
    board = Board("pico", images / "systick.elf")
    run = board.run("10 s")
    assert run.reason == "asleep"
    assert run.time_ps < 100 * MS
    assert run.cores[0].exceptions == 20
    assert 0 < run.cores[0].busy_share < 1
    assert not run.cores[0].awake


def test_memory_and_registers_can_be_read_and_changed(images: Path) -> None:
    board = hello(images)
    elf = (images / "hello_uart.bin").read_bytes()
    assert board.memory[0x1000_0000:0x1000_0100] == elf[:256]
    assert board.memory[0x1000_0000] == elf[0]
    board.memory[0x2000_0000:0x2000_0004] = b"\x01\x02\x03\x04"
    assert board.memory.word(0x2000_0000) == 0x0403_0201
    board.memory.set_word(0x2000_0000, 7)
    board.memory[0x2000_0004] = 9
    assert board.memory[0x2000_0000:0x2000_0005] == b"\x07\0\0\0\x09"
    board.set_register("r7", 0x1234)
    assert board.registers["r7"] == 0x1234
    assert board.registers_of(1)["r0"] == 0
    with pytest.raises(airwire.AirwireError, match="nothing to access at 0x80000000"):
        board.memory[0x8000_0000]
    with pytest.raises(airwire.AirwireError, match="there is no register r16"):
        board.set_register("r16", 0)


def test_steps_move_on_by_instructions(images: Path) -> None:
    board = hello(images)
    before = board.counts[0].instructions
    board.step(5)
    assert board.counts[0].instructions == before + 5
    board.run(until="Hello")
    assert "main" in board.place(board.address_of("main"))
    with pytest.raises(airwire.AirwireError, match="no symbol nowhere"):
        board.address_of("nowhere")


def test_a_branch_goes_the_same_way_as_a_straight_run(images: Path) -> None:
    straight = Board("pico", images / "spi_dma.elf")
    straight.run("20 ms")
    straight.run("20 ms")
    board = Board("pico", images / "spi_dma.elf")
    board.run("20 ms")
    snapshot = board.snapshot()
    for branch in (snapshot.branch(), snapshot.branch()):
        branch.run("20 ms")
        assert branch.time_ps == straight.time_ps
        assert branch.console == straight.console
        assert branch.edges == straight.edges
        assert branch.report == straight.report
        assert branch.memory[0x2000_0000:0x2004_2000] == straight.memory[0x2000_0000:0x2004_2000]
    board.run("5 ms")
    board.restore(snapshot)
    board.run("20 ms")
    assert board.edges == straight.edges
    assert board.registers == straight.registers


def test_branches_with_other_input_go_other_ways(images: Path) -> None:
    board = hello(images)
    board.run(until="baud.\n")
    snapshot = board.snapshot()
    answers = []
    for text in ("left", "right"):
        branch = snapshot.branch()
        branch.send(text)
        branch.run("10 ms")
        answers.append(branch.console.splitlines()[1])
    assert answers == ["left", "right"]
    assert board.console.splitlines()[1:] == []


def test_a_board_goes_on_from_a_file_as_if_nothing_had_been(images: Path, tmp_path: Path) -> None:
    whole, file = hello(images), tmp_path / "board"
    whole.run("1 s", until="Hello")
    whole.save(file)
    later = hello(images)
    later.resume(file)
    assert later.time_ps == whole.time_ps
    for board in (whole, later):
        board.run("1 s", until="from GP0")
    assert later.time_ps == whole.time_ps
    assert (whole.console, later.console) == ("Hello from GP0", " from GP0"), "what was printed is not kept"


def test_a_file_that_holds_no_board_is_refused_in_one_sentence(images: Path, tmp_path: Path) -> None:
    board, file = hello(images), tmp_path / "board"
    board.save(file)
    saved = file.read_bytes()
    changed = bytearray(saved)
    changed[len(saved) // 2] ^= 1
    for content in (b"", b"no board", saved[:18], saved[:-1], bytes(changed)):
        file.write_bytes(content)
        with pytest.raises(airwire.AirwireError, match="save the board anew"):
            board.resume(file)
    with pytest.raises(airwire.AirwireError, match=r"cannot read|cannot be read"):
        board.resume(tmp_path / "missing")
    file.write_bytes(saved)
    with pytest.raises(airwire.AirwireError, match=r"it is of board .+, and this is"):
        Board("w5500-evb-pico", images / "hello_uart.elf").resume(file)
    with pytest.raises(airwire.AirwireError, match="write"):
        board.save(tmp_path)


def test_pins_are_a_mapping_by_name(images: Path) -> None:
    board = hello(images)
    assert "LED" in board.pins and "GP3" in board.pins and "nowhere" not in board.pins
    assert len(board.pins) == 30
    assert board.pins["LED"].gpio == board.pins[25].gpio == 25
    board.pins[3].drive(True)
    assert board.pins["GP3"]
    with pytest.raises(airwire.AirwireError, match="board pico has no pin LEDD; the nearest is LED"):
        board.pins["LEDD"]


def test_a_board_that_does_not_record_runs_the_same_and_refuses_its_edges(images: Path) -> None:
    runs = []
    for record in (True, False):
        board = Board("pico", images / "spi_dma.elf", record=record)
        runs.append((board.run("1 s"), board.console))
    assert runs[0] == runs[1]
    assert runs[0][0].bus["dma_transfers"] >= 2 * 1000 * 256, "1000 blocks of 256 bytes, out and in"
    for ask in (lambda: board.edges, lambda: board.write_vcd("edges.vcd")):
        with pytest.raises(airwire.AirwireError, match="does not record its pins"):
            ask()


def test_a_board_whose_image_offers_no_disk_says_so(images: Path) -> None:
    board = Board("pico", images / "hello_uart.elf")
    assert board.usb_device is None and board.take_input_reports() == []
    for ask in (lambda: board.read_disk(0), lambda: board.write_disk(0, bytes(512))):
        with pytest.raises(airwire.AirwireError, match=r"offers no disk on USB at .*; let it run until it does"):
            ask()


def test_an_image_that_ends_itself_gives_its_status_after_its_last_output(images: Path) -> None:
    for name, status_is_0 in (("ends_well", True), ("ends_badly", False)):
        board = Board("pico", images / f"{name}.elf")
        run = board.run("1 s")
        assert (run.reason, run.failed, run.fault is None) == ("ended", not status_is_0, status_is_0)
        assert board.console == "The last words.\n"


def test_a_fault_is_told_with_function_and_line(images: Path) -> None:
    run = Board("pico", images / "fault_unaligned.elf").run("1 s")
    assert (run.reason, run.failed) == ("fault", True)
    assert run.fault is not None
    assert run.fault.what == "read of 4 bytes at 0x20001001, which is not aligned"
    assert "read_word at" in run.fault.place and "fault.c:" in run.fault.place


def test_edges_are_written_as_a_dump_that_our_reader_reads(images: Path, tmp_path: Path) -> None:
    board = Board("pico", images / "blink_timer.elf")
    board.run("100 ms")
    assert board.write_vcd(tmp_path / "edges.vcd") == 0
    led = [edge for edge in board.edges if edge.pin == "LED"]
    assert len(led) > 50
    table = airwire.read_edges(tmp_path / "edges.vcd", channels=["LED"]).frame
    times = table["time_ps"].to_list()[1:]
    # A dump begins at 0, when the recording began.
    offset = led[0].time_ps - times[0]
    assert [time_ps + offset for time_ps in times[: len(led)]] == [edge.time_ps for edge in led]
    assert [edge.time_ps for edge in board.edges] == sorted(edge.time_ps for edge in board.edges)


def test_a_run_can_be_followed_pin_by_pin_while_a_frame_is_on_its_way(images: Path) -> None:
    board = Board("pico", images / "blink_timer.elf")
    looks: dict[int, list[tuple[int, int, bool]]] = {0: [], 25: []}
    came_between = False
    while board.time_ps < 400_000_000_000:
        before = board.edges_by_gpio()
        board.run("50 us")
        for gpio, seen in looks.items():
            seen += board.edges_by_gpio(gpio=gpio, after_ps=seen[-1][0] if seen else -1)
        came_between |= board.edges_by_gpio()[: len(before)] != before
    everything = board.edges_by_gpio()
    assert came_between, "the bits of a character stand before edges of the LED that were there first"
    assert looks == {gpio: [edge for edge in everything if edge[1] == gpio] for gpio in looks}
    assert looks[0] and looks[25] and board.edge_count == len(everything)


def test_a_profile_counts_every_cycle_once(images: Path) -> None:
    board = Board("pico", images / "systick.elf")
    before = board.counts[0].busy_cycles
    board.start_profile()
    run = board.run("1 s")
    profile = board.end_profile()
    by_name = {function.name: function for function in profile.functions}
    # The last instruction's cycles are counted by the core and not seen by the profile.
    assert run.cores[0].busy_cycles - before - profile.cycles < 100
    assert by_name["systick_handler"].calls == by_name["pendsv_handler"].calls == 10
    assert by_name["main"].inclusive_cycles > by_name["main"].self_cycles
    picture = ET.fromstring(profile.flame_graph)
    titles = [title.text or "" for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("systick_handler:") for title in titles)
    with pytest.raises(airwire.AirwireError, match="no profile was started"):
        board.end_profile()


def test_profiles_do_not_change_the_run(images: Path) -> None:
    plain, profiled = (Board("pico", images / "spi_dma.elf") for _ in range(2))
    profiled.start_profile()
    for board in (plain, profiled):
        board.run("1 s")
    assert plain.console == profiled.console
    assert plain.edges == profiled.edges
    assert plain.counts == profiled.counts


def test_a_trace_is_json_with_functions_interrupts_pins_and_console_lines(images: Path, tmp_path: Path) -> None:
    board = Board("pico", images / "blink_timer.elf")
    board.start_trace(tmp_path / "trace.json")
    board.run("20 ms")
    assert board.end_trace() == 0
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = {(event["ph"], event["name"]) for event in events}
    assert ("B", "timer_irq_0_handler (TIMER_IRQ_0)") in names
    assert ("B", "main") in names
    assert ("X", "asleep") in names
    assert ("i", "uart0: GP25 toggles every millisecond.") in names
    levels = [event["args"]["level"] for event in events if event["ph"] == "C" and event["name"] == "LED"]
    assert levels[:4] == [1, 0, 1, 0]
    open_slices = 0
    for event in (event for event in events if event.get("tid") == 0):
        open_slices += {"B": 1, "E": -1}.get(event["ph"], 0)
        assert open_slices >= 0


def test_an_image_without_names_takes_them_from_its_elf(images: Path) -> None:
    named = Board("pico", images / "systick.uf2", symbols=images / "systick.elf")
    run = named.run("1 s")
    assert "finish" in {function.name for function in run.functions}
    with pytest.raises(airwire.AirwireError, match="its code is not that of"):
        Board("pico", images / "systick.uf2", symbols=images / "adc.elf")


def test_boards_are_described() -> None:
    assert board_names() == [
        "pico",
        "pico-w",
        "w5500-evb-pico",
        "w5100s-evb-pico",
        "w6100-evb-pico",
        "w55rp20-evb-pico",
        "pico-w5200",
        "pico-w5100",
        "pico-lan8720",
        "pico-rmii-ethernet",
        "pico-usb-network",
        "ideal-mac",
        "arduino-uno",
        "arduino-uno-w5500",
        "arduino-uno-w5100",
        "arduino-mega",
        "arduino-mega-w5500",
        "goldilocks-1284p",
        "goldilocks-1284p-w5100",
        "goldilocks-1284p-w5200",
    ]
    description = describe_board("w5500-evb-pico")
    assert ("W5500", "w5500") in [(chip.name, chip.kind) for chip in description.chips]
    assert board_schema()["required"] == ["mcu"]
    with pytest.raises(airwire.AirwireError, match="there is no board pica; the nearest is pico"):
        Board("pica")


def test_a_clock_that_a_chip_is_not_made_for_is_told_in_one_sentence(tmp_path: Path, images: Path) -> None:
    slow = (
        (REPOSITORY / "boards" / "w5500-evb-pico.toml").read_text("utf-8").replace('kind = "w5500"', 'kind = "w5100"')
    )
    (tmp_path / "w5100.toml").write_text(slow, encoding="utf-8")
    board = Board(tmp_path / "w5100.toml", images / "wiznet_http.elf")
    assert board.notes == []
    (note,) = [note for note in board.run("500 ms").notes if "MHz" in note]
    assert "14" in note
    assert "first at" in note


@pytest.mark.parametrize("branched", [False, True])
@pytest.mark.parametrize("output", ["write_vcd", "start_trace", "start_pcap", "save"])
def test_no_recording_is_written_over_the_image(images: Path, tmp_path: Path, output: str, branched: bool) -> None:
    image = tmp_path / "hello.elf"
    image.write_bytes((images / "hello_uart.elf").read_bytes())
    board = Board("pico", image)
    board.run("1 ms")
    board = board.branch() if branched else board
    with pytest.raises(airwire.AirwireError, match=r"hello\.elf: this is the image itself, which stays as it is"):
        getattr(board, output)(tmp_path / "." / "hello.elf")
    assert image.read_bytes() == (images / "hello_uart.elf").read_bytes()
