//! A UART between two STM32F4: everything from the pin that triggers to the pin that says that the last character has
//! been looked at. Flow control, noise and two differing baud rates are left out.

use units::{Hertz, Picoseconds};

use super::uart_receiver::{DmaRing, DmaTiming};
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::stage::{Cause, Constant, Gate, GateClock, Uniform};
use crate::{Field, SettingError, Settings, Takes};

pub(super) const DEFINITION: Definition = Definition {
    name: "uart",
    title: "UART between two STM32F4",
    settings: &[
        Field {
            name: "baud",
            takes: Takes::Integer { lowest: 300, highest: 10_000_000, unit: "baud" },
            default: Some("115200"),
            help: "bits per second on the wire, before the divider rounds it",
            example: "9600",
            alternatives: &["9600", "115200", "230400", "460800", "921600", "1843200"],
        },
        Field {
            name: "receive",
            takes: Takes::Choice(&["poll", "irq", "dma"]),
            default: Some("irq"),
            help: "how the receiver takes characters: a polling loop, an interrupt each, or DMA into a ring",
            example: "poll",
            alternatives: &["poll", "irq", "dma"],
        },
        Field {
            name: "build",
            takes: Takes::Choice(&["release", "minsize", "debug"]),
            default: Some("release"),
            help: "optimisation of the firmware: -O3, -Os or -Og",
            example: "release",
            alternatives: &["release", "minsize", "debug"],
        },
        Field {
            name: "parity",
            takes: Takes::Choice(&["none", "even", "odd"]),
            default: Some("none"),
            help: "a bit more per character when not none",
            example: "none",
            alternatives: &[],
        },
        Field {
            name: "stop_bits",
            takes: Takes::Integer { lowest: 1, highest: 2, unit: "" },
            default: Some("1"),
            help: "stop bits per character",
            example: "1",
            alternatives: &[],
        },
        Field {
            name: "dma_ring",
            takes: Takes::Integer { lowest: 4, highest: 4_096, unit: "B" },
            default: Some("32 B"),
            help: "size of the ring that DMA fills; the firmware hears of its half, its end and an idle line",
            example: "16 B",
            alternatives: &["16 B", "64 B", "256 B"],
        },
        Field {
            name: "uart_clock",
            takes: Takes::Frequency { lowest: 1_000_000, highest: 180_000_000 },
            default: Some("42 MHz"),
            help: "clock of the peripheral, from which the baud rate is divided",
            example: "42 MHz",
            alternatives: &[],
        },
        Field {
            name: "cpu_clock",
            takes: Takes::Frequency { lowest: 1_000_000, highest: 480_000_000 },
            default: Some("168 MHz"),
            help: "clock of the core; the firmware's times scale with it",
            example: "168 MHz",
            alternatives: &[],
        },
    ],
    max_payload_bytes: 65_535,
    params: include_str!("../../params/uart.toml"),
    build,
};

/// The core on which the firmware's times were measured.
const MEASURED_CPU_HZ: i64 = 168_000_000;
/// The receiver looks at the line on a grid of this many points a bit (ST RM0090, 30.3.3).
const SAMPLES_PER_BIT: u64 = 16;
/// BRR has 12 bits of mantissa and 4 of fraction (30.6.3).
const LARGEST_DIVIDER: u64 = 0xFFFF;

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let line = Line::new(settings, params)?;
    let firmware = Firmware::new(settings, params);
    if firmware.per_byte > line.character() {
        return Err(SettingError::Impossible(format!(
            "characters come every {}, but this firmware takes {} for each and would lose some; \
             lower baud, raise cpu_clock or set build = release",
            line.character(),
            firmware.per_byte
        )));
    }
    let clock = GateClock::new("baud clock", line.bits(1));
    let grid = Picoseconds::new(line.bits(1).ps() / SAMPLES_PER_BIT as i64);
    Ok(Steps::new()
        .stage(Constant::fixed("firmware, trigger to first character", Cause::Cpu, firmware.trigger))
        .stage(Gate::new("wait for the baud clock", clock))
        .stage(Constant::of_load("characters on the wire", Cause::Bus, move |load| {
            line.characters(load.frame_bytes)
        }))
        .stage(Uniform::new("receiver's sampling grid", Cause::Bus, grid))
        .then(receiver(settings, params, &line, &firmware)?))
}

/// From the last character to the done edge.
fn receiver(
    settings: &Settings,
    params: &Params,
    line: &Line,
    firmware: &Firmware,
) -> Result<Steps, SettingError> {
    let (spread, width) = match settings.choice("receive") {
        "dma" => return Ok(Steps::new().stage(DmaRing::new(dma_ring(settings)?, firmware.dma_timing(line)))),
        "poll" => ("polling loop", params.time("poll_loop")),
        _ => ("interrupt entry", params.time("interrupt_entry")),
    };
    Ok(Steps::new().stage(Uniform::new(spread, Cause::Cpu, firmware.scaled(width))).stage(Constant::fixed(
        "firmware, last character to done",
        Cause::Cpu,
        firmware.report,
    )))
}

fn dma_ring(settings: &Settings) -> Result<u32, SettingError> {
    let bytes = settings.integer("dma_ring") as u32;
    if bytes % 2 == 1 {
        return Err(SettingError::Impossible(format!(
            "dma_ring is {bytes}, but DMA reports its half, so it takes an even number"
        )));
    }
    Ok(bytes)
}

/// The wire: its bits are whole cycles of the peripheral's clock.
#[derive(Debug, Clone, Copy)]
struct Line {
    clock: Hertz,
    bit_cycles: u64,
    frame_bits: u64,
    gap_cycles: u64,
}

impl Line {
    fn new(settings: &Settings, params: &Params) -> Result<Self, SettingError> {
        let clock = Hertz::new(settings.integer("uart_clock")).expect("the range leaves zero out");
        let baud = settings.integer("baud");
        let bit_cycles = divider(clock.hz(), baud);
        if !(SAMPLES_PER_BIT..=LARGEST_DIVIDER).contains(&bit_cycles) {
            return Err(SettingError::Impossible(format!(
                "{baud} baud cannot be divided from {clock}, which gives {} to {} baud; change baud or uart_clock",
                clock.hz().div_ceil(LARGEST_DIVIDER),
                clock.hz() / SAMPLES_PER_BIT
            )));
        }
        let parity = u64::from(settings.choice("parity") != "none");
        let frame_bits = 1 + 8 + parity + settings.integer("stop_bits");
        let gap_cycles = params.integer("byte_gap_cycles") as u64;
        Ok(Self { clock, bit_cycles, frame_bits, gap_cycles })
    }

    fn bits(&self, bits: u64) -> Picoseconds {
        self.clock.edge(bits * self.bit_cycles)
    }

    fn characters(&self, bytes: u32) -> Picoseconds {
        self.clock.edge(u64::from(bytes) * (self.frame_bits * self.bit_cycles + self.gap_cycles))
    }

    fn character(&self) -> Picoseconds {
        self.characters(1)
    }
}

/// Cycles of the peripheral's clock per bit, as ST's LL driver rounds them into BRR: hundredths of the divider are cut
/// off, its sixteenths rounded.
fn divider(clock_hz: u64, baud: u64) -> u64 {
    let hundredths = clock_hz * 25 / (4 * baud);
    hundredths / 100 * 16 + (hundredths % 100 * 16 + 50) / 100
}

/// What the firmware of a build takes.
#[derive(Debug, Clone, Copy)]
struct Firmware {
    cpu_hz: i64,
    trigger: Picoseconds,
    report: Picoseconds,
    per_byte: Picoseconds,
}

impl Firmware {
    fn new(settings: &Settings, params: &Params) -> Self {
        let build = settings.choice("build");
        let cpu_hz = settings.integer("cpu_clock") as i64;
        let of = |what: &str| scaled(params.time(&format!("{build}_{what}")), cpu_hz);
        Self {
            cpu_hz,
            trigger: of("trigger"),
            report: of(settings.choice("receive")),
            per_byte: of("per_byte"),
        }
    }

    fn scaled(&self, time: Picoseconds) -> Picoseconds {
        scaled(time, self.cpu_hz)
    }

    fn dma_timing(&self, line: &Line) -> DmaTiming {
        DmaTiming {
            character: line.character(),
            idle_frame: line.bits(line.frame_bits),
            report: self.report,
            per_byte: self.per_byte,
        }
    }
}

/// A time of the measured core, on another.
fn scaled(time: Picoseconds, cpu_hz: i64) -> Picoseconds {
    let ps = i128::from(time.ps()) * i128::from(MEASURED_CPU_HZ) / i128::from(cpu_hz);
    Picoseconds::new(i64::try_from(ps).expect("firmware takes less than days"))
}
