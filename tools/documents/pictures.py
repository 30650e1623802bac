"""The pictures of the documents, drawn by Airwire from synthetic captures: ``python tools/documents/pictures.py``.

Each link below has one trait, so that its picture shows one finding. ``report.png`` is a photograph of the
demo's report and needs Chromium; those of messages on virtual boards need the firmware (``make firmware``). Real
captures are left out: they are not ours to publish.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import airwire
import rmii_by_pio
from tick_beat import compressed

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
FIRMWARE = Path(__file__).resolve().parents[2] / "build" / "firmware"
SUITES = Path(__file__).resolve().parents[2] / "suites"
# Where the time of a message goes: the picture, the suite, and its row.
STAGES = (
    ("oneway", "oneway", "udp-lwip_raw payload_bytes=128"),
    ("avr-ping-w5200", "published", "ping-w5200-avr-bytes"),
    ("avr-ping-w5100", "published", "ping-w5100-avr-bytes"),
    ("pico-w-page", "pico-w", "wire-keep-alive"),
    ("pico-w-power-save", "pico-w", "rare-pm2"),
)
# The wires of a Goldilocks' SPI while a frame is read: chip, image, settings, and the interval within the ping.
WAVEFORMS: tuple[tuple[str, str, str, dict[str, str], tuple[str, str], str], ...] = (
    ("avr-spi-w5200", "w5200", "ping-small", {}, ("1200 us", "1205 us"), "A frame is read out of a W5200"),
    (
        "avr-spi-w5100",
        "w5100",
        "ping-small_task-bytes",
        {"spi_hz": "5.55 MHz"},
        ("4000 us", "4020 us"),
        "A frame is read out of a W5100: four SPI bytes for each of it",
    ),
)
GOLDILOCKS_CLOCK = "22.1184MHz"
MESSAGES = 600
SCALE = 0.8
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Draw every picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "synthetic"
        folder.mkdir()
        for kind, latencies in LINKS.items():
            finding_picture(kind, latencies, folder)
        for name, suite, row in STAGES:
            stages_picture(name, suite, row, folder)
        for name, chip, image, settings, interval, title in WAVEFORMS:
            waveform_picture(name, f"goldilocks-1284p-{chip}", image, settings, interval, title, folder)
        bus_picture(folder)
        rmii_by_pio.draw([airwire.run(rmii_by_pio.SUITE, out=folder / "rmii-by-pio")])
        demo_pictures(folder)


def frozen_phase() -> Iterator[tuple[int, int]]:
    """Triggers 200 ms apart and 1.1 us late each time, before a 10 ms tick."""
    random = Random(1)
    for k in range(MESSAGES):
        trigger = 4_000_000 + k * 200_001_100
        yield trigger, -trigger % 10_000_000 + 2_200_000 + round(random.gauss(0, 9_000))


def gate() -> Iterator[tuple[int, int]]:
    """A slot every 25 ms, met at every phase."""
    random = Random(2)
    for k in range(MESSAGES):
        trigger = 1_000_000 + k * 130_451_000
        yield trigger, -trigger % 25_000_000 + 4_200_000 + round(random.expovariate(1 / 150_000))


def comb() -> Iterator[tuple[int, int]]:
    """Retries 1.4 ms apart, each needed once in four times."""
    random = Random(3)
    for k in range(MESSAGES):
        retries = sum(random.random() < 0.25 for _ in range(12))
        yield k * 71_300_000, 20_000_000 + retries * 1_400_000 + round(random.gauss(0, 40_000))


def steps() -> Iterator[tuple[int, int]]:
    """Two ways through the firmware, 87 us apart; one message in four takes the fast one."""
    random = Random(4)
    for k in range(MESSAGES):
        slow = 0 if random.random() < 0.25 else 86_800
        yield k * 53_700_000, 1_050_000 + slow + round(random.gauss(0, 1_500))


LINKS: dict[str, Callable[[], Iterator[tuple[int, int]]]] = {
    "gate": gate,
    "frozen_phase": frozen_phase,
    "comb": comb,
    "steps": steps,
}


def write_capture(path: Path, messages: Iterator[tuple[int, int]]) -> None:
    """Write messages (trigger and latency in ns) as a Saleae CSV with edges of 10 us."""
    edges = []
    for trigger, latency in messages:
        edges += [(trigger, 0, 1), (trigger + 10_000, 0, 0)]
        edges += [(trigger + latency, 1, 1), (trigger + latency + 10_000, 1, 0)]
    levels = [0, 0]
    lines = ["Time [s],Channel 0,Channel 1", "-0.001,0,0"]
    for time, channel, level in sorted(edges):
        levels[channel] = level
        lines.append(f"{time // 10**9}.{time % 10**9 // 10 * 10:09d},{levels[0]},{levels[1]}")
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def finding_picture(kind: str, messages: Callable[[], Iterator[tuple[int, int]]], folder: Path) -> None:
    """Draw one link's capture, which must show the finding of its name and no other."""
    import vl_convert

    capture = folder / f"{kind}.csv"
    write_capture(capture, messages())
    # A gate that the user names is drawn over its period.
    analysis = airwire.analyze(capture, gate="10 ms" if kind == "frozen_phase" else None)
    found = [finding.kind for finding in analysis.captures[0].findings]
    if found != [kind]:
        raise SystemExit(f"The link made for {kind} shows {found}; change the link.")
    drawn = airwire.write_figures(analysis, folder / kind, ("svg",), captures=True)
    picture = next(path for path in drawn if path.name.startswith("capture-"))
    png = vl_convert.svg_to_png(picture.read_text(encoding="utf-8"), scale=SCALE)
    (PICTURES / f"{kind}.png").write_bytes(png)


def stages_picture(name: str, suite: str, row: str, folder: Path) -> None:
    """Draw where the time of a message of a row goes, which runs on virtual boards."""
    import vl_convert

    run, drawn = folder / name, folder / f"{name}.svg"
    airwire.run(SUITES / f"{suite}.toml", only=[row], out=run)
    command = [sys.executable, "-m", "airwire.cli", "explain", str(run), "--only", row, "--figure", str(drawn)]
    subprocess.run(command, check=True, capture_output=True)
    png = vl_convert.svg_to_png(drawn.read_text(encoding="utf-8"), scale=SCALE)
    (PICTURES / f"{name}.png").write_bytes(compressed(png))


def waveform_picture(
    name: str, board: str, image: str, settings: dict[str, str], interval: tuple[str, str], title: str, folder: Path
) -> None:
    """Draw the wires of a board's SPI over an interval of a ping, which begins at 3 s."""
    import vl_convert

    from airwire.board import Board

    polled = {"wiznet_int": "off", "wiznet_poll_us": "0"}
    client = "ping to=board count=1 size=1300 start=3s"
    device = Board(board, FIRMWARE / board / f"{image}.elf", traffic=[client], settings={**polled, **settings})
    device.run("10 s", until_done=True)
    recorded, drawn = folder / f"{name}.vcd", folder / f"{name}.svg"
    device.write_vcd(recorded)
    begins_us, ends_us = (3_000_000 + int(text.split()[0]) for text in interval)
    command = [sys.executable, "-m", "airwire.cli", "waveform", str(recorded), "--spi", "D13,D11,D12,D10"]
    command += ["--from", f"{begins_us}us", "--to", f"{ends_us}us", "--clock", GOLDILOCKS_CLOCK]
    subprocess.run([*command, "--title", title, "--out", str(drawn)], check=True, capture_output=True)
    png = vl_convert.svg_to_png(drawn.read_text(encoding="utf-8"), scale=SCALE)
    (PICTURES / f"{name}.png").write_bytes(compressed(png))


def bus_picture(folder: Path) -> None:
    """Draw what the SPI block and a PIO make of the same chip and firmware."""
    import vl_convert

    run = airwire.run(SUITES / "spi-or-pio.toml", out=folder / "spi-or-pio")
    (drawn,) = airwire.write_figures(run, folder / "spi-or-pio-figures", ("svg",))
    png = vl_convert.svg_to_png(drawn.read_text(encoding="utf-8"), scale=SCALE)
    (PICTURES / "spi-or-pio.png").write_bytes(compressed(png))


def demo_pictures(folder: Path) -> None:
    """Draw where the time of the demo's links goes, and photograph the top of its report."""
    import vl_convert

    demo = airwire.run("demo", out=folder / "demo")
    drawn = airwire.write_figures(demo, folder / "figures", ("svg",))
    stages = next(path for path in drawn if path.stem == "stages")
    png = vl_convert.svg_to_png(stages.read_text(encoding="utf-8"), scale=SCALE)
    (PICTURES / "stages.png").write_bytes(png)
    page = folder / "report.html"
    airwire.write_html(demo, page)
    photograph(page, folder)


def chromium() -> str | None:
    """The browser, if there is one."""
    return next((found for name in CHROMIUM if (found := shutil.which(name))), None)


def photograph(page: Path, folder: Path) -> None:
    """Take a picture of the top of a report."""
    browser = chromium()
    if browser is None:
        sys.exit("Chromium is not installed, so that report.png was not made; the other pictures were.")
    command = [
        *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=15000", "--window-size=1180,790"),
        *(f"--user-data-dir={folder / 'profile'}", f"--screenshot={PICTURES / 'report.png'}", page.as_uri()),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    main()
