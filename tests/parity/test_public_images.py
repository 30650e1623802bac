"""Public images that are not ours do here what their sources say: Pico SDK examples, MicroPython, CircuitPython,
Arduino, Embassy, Zephyr, FreeRTOS, TinyUSB, a debug probe.

None is in the repository. They are looked for by name and SHA-256 in the folder AIRWIRE_IMAGES (default:
``../shared/images``); tests/parity/README.md says where each is published. What is expected is read off the images'
sources, their documentation or the datasheet, never off our own output.
"""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from public_boards import answers, board_with, distances_ps, lines, run_on, times_ps
from public_images import public_image

import airwire
from airwire.board import PinEdge

US, MS, SECOND = 10**6, 10**9, 10**12


def test_hello_uart_leaves_its_last_bytes_to_the_uart() -> None:
    # main returns while 15 characters are in the FIFO, which the UART sends all the same. It does not turn LF into
    # CR LF by itself: the SDK's PICO_UART_DEFAULT_CRLF is 0.
    board = board_with("hello_uart.uf2")
    run_on(board, "20 ms")
    assert board.console_of("uart0") == "AB Hello, UART!\n"


def test_hello_usb_greets_each_second() -> None:
    board = board_with("hello_usb.uf2")
    ended = board.run("3.5 s")
    assert ended.fault is None
    assert set(lines(board)) == {"Hello, world!"}
    assert 2 <= len(lines(board)) <= 4


def test_blink_toggles_the_led_each_250_ms() -> None:
    board = board_with("blink.uf2")
    board.run("2.2 s")
    changes = [edge.time_ps for edge in board.edges if edge.pin == "LED"]
    assert len(changes) >= 8
    assert distances_ps(changes) == pytest.approx([250 * MS] * (len(changes) - 1), abs=50 * US)


def test_hello_timer_counts_in_real_seconds() -> None:
    board = board_with("hello_timer.uf2")
    ended = board.run("20 s", until="Done")
    assert ended.reason == "text"
    told = lines(board)
    assert told[0] == "Hello Timer!"
    assert re.fullmatch(r"Timer [1-9]\d* fired!", told[1]), "an identifier above 0"
    repeats = [int(line.removeprefix("Repeat at ")) for line in told if line.startswith("Repeat at ")]
    first, second = repeats[: len(repeats) // 2], repeats[len(repeats) // 2 :]
    assert 5 <= len(first) <= 6 and 5 <= len(second) <= 6
    # A delay above 0 counts from the end of the call back, which prints some 20 characters of 87 us; one below 0 from
    # its start.
    assert all(500_000 <= later - earlier <= 503_000 for earlier, later in pairwise(first))
    assert all(abs(later - earlier - 500_000) <= 20 for earlier, later in pairwise(second))
    assert told.count("cancelled... 1") == 2


def test_timer_lowlevel_fires_each_two_seconds() -> None:
    board = board_with("timer_lowlevel.uf2")
    times = []
    for _ in range(3):
        assert board.run("3 s", until="Alarm IRQ fired\r\n").reason == "text"
        times.append(board.time_ps)
        board.run("1 ms")
    assert lines(board)[0] == "Timer lowlevel!"
    assert distances_ps(times) == pytest.approx([2 * SECOND] * 2, abs=3 * MS)


def test_hello_dma_copies_its_greeting() -> None:
    board = board_with("hello_dma.uf2")
    run_on(board, "50 ms")
    assert lines(board) == ["Hello, world! (from DMA)"]


def test_hello_interp_prints_what_arithmetic_says() -> None:
    board = board_with("hello_interp.uf2")
    run_on(board, "500 ms")
    told = iter(lines(board))
    assert next(told) == "Interpolator example"
    assert next(told) == "9 times table:"
    assert [next(told) for _ in range(10)] == [str(9 * turn) for turn in range(1, 11)]
    assert [next(told), next(told)] == ["Masking:", "ACCUM0 = 1234abcd"]
    fields = [0x1234ABCD & 0xF << 4 * index for index in range(8)]
    assert [next(told) for _ in fields] == [f"Nibble {index}: {field:08x}" for index, field in enumerate(fields)]
    assert next(told) == "Masking with sign extension:"
    signed = [field | -(field >> 4 * index + 3) << 4 * index + 4 & 0xFFFFFFFF for index, field in enumerate(fields)]
    assert [next(told) for _ in fields] == [f"Nibble {index}: {field:08x}" for index, field in enumerate(signed)]
    assert next(told) == "Lane result crossover:"
    lanes = (123, 456)
    for _ in range(10):
        results = (lanes[0] + 1, lanes[1])
        assert next(told) == f"PEEK0, POP1: {results[0]}, {results[1]}"
        lanes = (results[1], results[0])
    assert next(told) == "Simple blend 1:"
    assert [next(told) for _ in range(7)] == [str(500 + 500 * (255 * turn // 6) // 256) for turn in range(7)]
    rest = list(told)
    assert rest[:2] == ["Simple blend 2:", "signed:"]
    assert rest[2:9] == [str(-1000 + 2000 * (255 * turn // 6) // 256) for turn in range(7)]
    clamped = rest[rest.index("Clamp:") + 1 :][:9]
    assert clamped == [f"{value}\t{min(255, max(0, value // 4))}" for value in range(-1024, 1025, 256)]
    samples = (0, 10, -20, -1000, 500)
    blended = rest[rest.index("Linear interpolation:") + 1 :][:16]
    for index, line in enumerate(blended):
        low, high = samples[index // 4], samples[index // 4 + 1]
        alpha = 64 * (index % 4)
        assert line == f"{low + (high - low) * alpha // 256}\t({100 * alpha // 255}% between {low} and {high})"
    texture = rest[-12:]
    u, v = [turn // 2 % 4 for turn in range(12)], [turn * (65536 // 3) // 65536 % 4 for turn in range(12)]
    assert texture == [f"0x{16 * row + column:02x}" for column, row in zip(u, v, strict=True)]


def test_hello_divider_divides() -> None:
    board = board_with("hello_divider.uf2")
    run_on(board, "200 ms")
    told = lines(board)
    assert told[:3] == [
        "Hello, divider!",
        "123456/-321 = -384 remainder 192",
        "Working backwards! Result 123456 should equal 123456!",
    ]
    assert told[-4:] == [
        "Async result 123456/-321 = -384 remainder 192",
        "123456 / -321 = (by operator -384) (inlined -384)",
        "inner 123 / 7 = 17",
        "outer divide 123456 / -321 = -384",
    ]


def test_hello_rtc_shows_the_seconds_pass() -> None:
    board = board_with("hello_rtc.uf2")
    board.run("3.2 s")
    assert lines(board)[0] == "Hello RTC!"
    shown = re.findall(r"Friday 5 June 15:45:0(\d) 2020", board.console)
    assert set(shown) == {"0", "1", "2", "3"}
    # It prints each 100 ms and what printing takes.
    assert all(8 <= shown.count(second) <= 10 for second in "12")


def test_rtc_alarm_fires_after_five_seconds() -> None:
    board = board_with("rtc_alarm.uf2")
    ended = board.run("8 s", until="Alarm Fired At")
    assert ended.reason == "text"
    assert board.time_ps == pytest.approx(5 * SECOND, abs=100 * MS)
    run_on(board, "20 ms")
    assert "13 January 11:20:05 2020" in board.console


@pytest.mark.parametrize(("millivolts", "code"), [(0, 0), (1650, 2048), (3300, 4095)])
def test_hello_adc_reads_the_voltage_at_gp26(millivolts: int, code: int) -> None:
    # Twelve bits of 3.3 V; the datasheet gives the converter 8.7 effective bits (4.9.3), so some codes either way.
    board = board_with("hello_adc.uf2")
    board.pins[26].set_millivolts(millivolts)
    board.run("1.2 s")
    told = lines(board)
    assert told[0] == "ADC Example, measuring GPIO26"
    readings = re.findall(r"Raw value: 0x([0-9a-f]{3}), voltage: ([\d.]+) V", board.console)
    assert 2 <= len(readings) <= 3
    for raw, volts in readings:
        assert int(raw, 16) == pytest.approx(code, abs=16)
        assert float(volts) == pytest.approx(int(raw, 16) * 3.3 / 4096, abs=1e-5)


def test_onboard_temperature_is_that_of_a_room() -> None:
    board = board_with("onboard_temperature.uf2")
    board.run("1.2 s")
    celsius = [float(value) for value in re.findall(r"Onboard temperature = ([\d.]+) C", board.console)]
    assert celsius and all(10 < value < 40 for value in celsius)


def test_hello_multicore_goes_well_on_both_cores() -> None:
    board = board_with("hello_multicore.uf2")
    run_on(board, "50 ms")
    told = board.console
    assert told.startswith("Hello, multicore!")
    # Each core writes characters whenever the UART has room, so that the two sentences may mix.
    both = "It's all gone well on core 0!" + "Its all gone well on core 1!"
    assert sorted(told.replace("Hello, multicore!\r\n", "")) == sorted(both)


def test_multicore_fifo_irqs_pass_numbers_both_ways() -> None:
    board = board_with("multicore_fifo_irqs.uf2")
    board.run("60 ms")
    assert lines(board) == [
        "Hello, multicore_fifo_irqs!",
        "Irq handlers should have rx'd some stuff - core 0 got 123, core 1 got 321!",
    ]


def test_hello_pio_blinks_each_half_second() -> None:
    board = board_with("hello_pio.uf2")
    board.run("3.2 s")
    changes = [edge.time_ps for edge in board.edges if edge.pin == "LED"]
    assert len(changes) >= 6
    assert distances_ps(changes) == pytest.approx([500 * MS] * (len(changes) - 1), abs=50 * US)


def test_pio_blink_goes_on_after_main_at_four_rates() -> None:
    board = board_with("pio_blink.uf2")
    run_on(board, "1.1 s")
    for pin, frequency_hz in ((3, 4), (4, 3), (5, 2), (6, 1)):
        assert f"Blinking pin {pin} at {frequency_hz} Hz" in board.console
        changes = [edge.time_ps for edge in board.edges if edge.pin == f"GP{pin}"]
        assert len(changes) >= 2 * frequency_hz
        # Each phase lasts clk_sys / (2 f) cycles, less what the division leaves over.
        half_ps = SECOND / (2 * frequency_hz)
        assert distances_ps(changes) == pytest.approx([half_ps] * (len(changes) - 1), abs=20_000)


def test_pio_uart_tx_sends_its_greeting_at_115200_baud() -> None:
    board = board_with("pio_uart_tx.uf2")
    board.run("100 ms")
    # The pin starts low by its pull-down and idles high from the machine's start on.
    edges = [edge for edge in board.edges if edge.pin == "GP0"]
    assert edges[0].level
    assert decoded(edges[1:], 115_200) == b"Hello, world! (from PIO!)\r\n"


def decoded(edges: list[PinEdge], baud: int) -> bytes:
    """Bytes of 8N1 frames, sampled in the middle of each bit; the first edge is a start bit's."""
    bit_ps = SECOND / baud
    changes = [(edge.time_ps, edge.level) for edge in edges]
    content = bytearray()
    at = 0
    while at < len(changes):
        start = changes[at][0]
        levels = [[level for time, level in changes if time <= start + (bit + 0.5) * bit_ps][-1] for bit in range(10)]
        assert not levels[0] and levels[9], "a start bit and a stop bit"
        content.append(sum(level << bit for bit, level in enumerate(levels[1:9])))
        at = next((index for index, (time, _) in enumerate(changes) if time > start + 9.5 * bit_ps), len(changes))
    return bytes(content)


def test_hello_pwm_gives_a_quarter_and_three_quarters() -> None:
    board = board_with("hello_pwm.uf2")
    board.run("100 ms", until_pin=("GP0", True))
    run_on(board, "20 us")
    for pin, high_cycles in (("GP0", 1), ("GP1", 3)):
        rises, falls = times_ps(board, pin, True), times_ps(board, pin, False)
        # Four cycles of 125 MHz a period; the first may be cut.
        assert set(distances_ps(rises[2:])) == {32_000}
        highs = {min(fall for fall in falls if fall > rise) - rise for rise in rises[2:20]}
        assert highs == {high_cycles * 8_000}


def test_pwm_led_fade_squares_its_way_up() -> None:
    board = board_with("pwm_led_fade.uf2")
    board.run("80 ms")
    rises, falls = times_ps(board, "LED", True), times_ps(board, "LED", False)
    # 65 536 counts of 4 cycles a period; one step of the fade each, and the width is its square.
    period_ps = 65_536 * 4 * 8_000
    steady = [rise for rise in rises if rise > rises[2]][:20]
    assert distances_ps(steady) == [period_ps] * 19
    widths = [(min(fall for fall in falls if fall > rise) - rise) / 32_000 for rise in steady]
    roots = [width**0.5 for width in widths]
    assert all(root == int(root) for root in roots)
    assert [later - earlier for earlier, later in pairwise(roots)] == [1.0] * 19


def test_dma_channel_irq_serialises_levels_of_brightness() -> None:
    # 10 000 words of 32 bits, 10 cycles a bit, for each of the levels 0 to 31.
    board = board_with("dma_channel_irq.uf2")
    board.run("70 ms")
    word_ps, block_ps = 32 * 10 * 8_000, 10_000 * 32 * 10 * 8_000
    rises, falls = times_ps(board, "LED", True), times_ps(board, "LED", False)
    begin = rises[0]
    for level in (1, 2):
        # The machine's FIFO holds four words more when the next block begins; keep clear of the blocks' ends.
        window = [time for time in rises if begin + (level - 0.9) * block_ps < time < begin + (level - 0.1) * block_ps]
        assert set(distances_ps(window[:200])) == {word_ps}
        widths = {min(fall for fall in falls if fall > rise) - rise for rise in window[:20]}
        assert widths == {level * 10 * 8_000}


def test_hello_watchdog_is_rebooted_after_100_ms() -> None:
    board = board_with("hello_watchdog.uf2")
    board.run("1 s", until="Waiting to be rebooted by watchdog")
    waiting_ps = board.time_ps
    board.run("1 s", until="Rebooted by Watchdog!")
    assert lines(board)[:6] == ["Clean boot", *(f"Updating watchdog {index}" for index in range(5))]
    assert board.report.resets == 1
    # The last update came before two lines were printed; the boot and its clocks take some ms more.
    assert 90 * MS < board.time_ps - waiting_ps < 130 * MS


def test_unique_board_id_is_read_from_the_flash() -> None:
    board = board_with("unique_board_id.uf2")
    run_on(board, "50 ms")
    assert re.match(r"Unique identifier:( [0-9a-f]{2}){8}\s", board.console)


def test_hello_48mhz_measures_its_clocks() -> None:
    board = board_with("hello_48MHz.uf2")
    run_on(board, "200 ms")
    # What the UART has not sent when the image starts it anew for 48 MHz is lost, such as the z of the first 46 kHz.
    frequencies = re.findall(r"(pll_\w+|clk_\w+|rosc)\s+= (\d+)kH", board.console)
    before, after = dict(frequencies[:8]), dict(frequencies[8:])
    assert {name: before[name] for name in ("pll_sys", "clk_sys", "clk_peri")} == dict.fromkeys(
        ("pll_sys", "clk_sys", "clk_peri"), "125000"
    )
    assert {after[name] for name in ("pll_usb", "clk_sys", "clk_peri", "clk_usb", "clk_adc")} == {"48000"}
    assert after["pll_sys"] == "0"
    assert before["clk_rtc"] == "46"
    assert 1_800 <= int(before["rosc"]) <= 12_000, "1.8 to 12 MHz: RP2040 datasheet 2.17.1"
    assert board.report.clk_sys_hz == 48_000_000
    assert board.console.endswith("Hello, 48MHz")


def test_hello_gpio_irq_hears_edges_of_gp2() -> None:
    board = board_with("hello_gpio_irq.uf2")
    board.run("30 ms")
    assert lines(board) == ["Hello GPIO IRQ"]
    for level in (True, False):
        board.pins[2].drive(level)
        board.run("10 ms")
    assert lines(board)[1:] == ["GPIO 2 EDGE_RISE", "GPIO 2 EDGE_FALL"]


def test_arduino_fan_prints_what_its_inputs_are() -> None:
    # Without a signal the level counts: return code 1, and high is full speed (10000, printed as 100.00).
    board = board_with("arduino_pico_fan.uf2")
    board.run("800 ms")
    board.pins[27].drive(True)
    board.run("400 ms")
    told = re.findall(r"\[(\d+)\] IN: ([\d.]+) \{(\d)\} IN2: ([\d.]+) \{1\} OOB: 0", board.console_of("usb"))
    assert [int(number) for number, *_ in told] == list(range(int(told[0][0]), int(told[0][0]) + len(told)))
    assert told[0][1:] == ("0.00", "1", "0.00")
    assert told[-1][1:] == ("100.00", "1", "0.00")
    assert len(told) >= 5


def test_arduino_fan_measures_a_signal_and_answers_with_its_own() -> None:
    board = board_with("arduino_pico_fan.uf2")
    board.run("500 ms")
    for _ in range(25_000 // 5):
        board.pins[27].drive(True)
        board.run("12 us")
        board.pins[27].drive(False)
        board.run("28 us")
    told = re.findall(r"IN: ([\d.]+) \{(\d)\} IN2", board.console_of("usb"))
    # 30 % of 40 us, in whole microseconds of two interrupts.
    assert told[-1][1] == "4"
    assert float(told[-1][0]) == pytest.approx(30, abs=5)
    rises = times_ps(board, "GP15", True)[-50:]
    assert min(distances_ps(rises)) == pytest.approx(SECOND / 22_720, rel=0.01)


def test_embassy_blinks_each_second() -> None:
    board = board_with("embassy_blinky.elf")
    board.run("4.5 s")
    changes = [edge.time_ps for edge in board.edges if edge.pin == "LED"]
    assert len(changes) >= 4
    assert distances_ps(changes) == pytest.approx([SECOND] * (len(changes) - 1), abs=100 * US)


def test_embassy_passes_messages_to_core_1() -> None:
    board = board_with("embassy_multicore.elf")
    ended = board.run("3 s")
    rises, falls = times_ps(board, "LED", True), times_ps(board, "LED", False)
    assert len(rises) >= 6
    widths = [fall - rise for rise, fall in zip(rises, falls, strict=False)]
    assert widths == pytest.approx([100 * MS] * len(widths), abs=200 * US)
    assert distances_ps(rises) == pytest.approx([500 * MS] * (len(rises) - 1), abs=300 * US)
    assert ended.cores[1].instructions > 0


def test_embassy_echoes_on_usb() -> None:
    board = board_with("embassy_usb_serial.elf")
    board.run("600 ms")
    assert answers(board, "hello") == "hello"
    text = "".join(chr(33 + index % 90) for index in range(300))
    assert answers(board, text) == text


def test_zephyr_takes_commands_for_the_led() -> None:
    board = board_with("zephyr_usb_console.uf2")
    board.run("1 s", until="Give me an instruction !")
    assert "Hello from the Zephyr Console on the RPi Pico !" in board.console_of("usb")
    board.run("20 ms")
    for typed, level, answer in (("on", True, "LED ON !"), ("off", False, "LED OFF !"), ("ON", True, "LED ON !")):
        assert answer in answers(board, typed + "\r")
        assert board.pins["LED"].level is level
    assert "Instruction not supported !" in answers(board, "maybe\r")
    assert "LED toggle !" in answers(board, "blink\r")
    before = board.time_ps
    board.run("2.2 s")
    changes = [edge.time_ps for edge in board.edges if edge.pin == "LED" and edge.time_ps > before]
    # Milliseconds of a 10 kHz tick; the wait begins anew after each toggle.
    assert len(changes) >= 4
    assert distances_ps(changes) == pytest.approx([500 * MS] * (len(changes) - 1), abs=MS)


def test_freertos_tasks_are_notified_each_second() -> None:
    board = board_with("freertos_semaphores.elf")
    board.run("4.2 s")
    told = re.findall(r"Task: (\d), Timestamp: (\d+)", board.console_of("usb"))
    for task in "123":
        stamps = [int(stamp) for number, stamp in told if number == task]
        assert len(stamps) >= 2
        assert all(1_000_000 <= later - earlier <= 1_000_300 for earlier, later in pairwise(stamps))


def test_freertos_mutex_faults_where_its_source_does() -> None:
    # Its puts(' --- ') passes a character constant of several characters, 0x2d2d2d20, as a pointer.
    board = board_with("freertos_mutex.uf2")
    ended = board.run("1 s")
    assert ended.reason == "fault"
    assert ended.fault is not None
    assert "0x2d2d2d20" in ended.fault.what


def test_picoprobe_bridges_usb_to_its_uart() -> None:
    # UART1 on GP4 and GP5; the host sets the baud rate.
    board = board_with("picoprobe.uf2")
    board.run("500 ms")
    board.send("to the target", "usb")
    board.run("50 ms")
    assert board.console_of("uart1") == "to the target"
    board.send("to the host", "uart1")
    board.run("50 ms")
    assert board.console_of("usb") == "to the host"


def test_tinyusb_hid_is_configured_and_runs() -> None:
    # It has no console: it reads the BOOTSEL button through the flash's chip select and must neither fault nor hang.
    board = board_with("tinyusb_hid_composite.uf2")
    ended = board.run("1 s")
    assert ended.reason == "time", ended.sentence
    # A bus reset and the requests of an enumeration: each SETUP, data and status stage interrupts.
    assert ended.cores[0].exceptions > 20
    # As long as the button is down it types a "v" (usage 0x19 of the keyboard page), as the second byte of the keys.
    board.take_input_reports()
    board.press("BOOTSEL")
    board.run("100 ms")
    board.press("BOOTSEL", pressed=False)
    typed = [report.content for report in board.take_input_reports() if report.kind == "keyboard"]
    assert typed and 0x19 in typed[0]


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("hello_usb.uf2", "it prints at its USB serial port, last 'Hello, world!'"),
        ("micropython-v1.21.0.uf2", ""),
        ("circuitpython-9.2.1.uf2", ""),
        ("blink.uf2", "it moves GP25"),
        ("embassy_blinky.elf", ""),
        ("tinyusb_hid_composite.uf2", ""),
    ],
)
def test_an_image_without_a_network_is_told_what_it_does_instead(name: str, does: str) -> None:
    answer = airwire.why(public_image(name))
    assert answer.row is None and answer.board is None and answer.reason is not None
    assert answer.reason.startswith("it talks to no network chip: ") and does in answer.reason
