//! The block on a bench, with clk_adc at 48 MHz: a conversion takes 2 us.

use super::*;
use mcu::Outside;
use proptest::prelude::*;

/// A board that ties each input to a voltage of its own, and notes when it is asked.
#[derive(Debug, Clone)]
struct Tied;

impl Outside for Tied {
    fn adc_microvolts(&mut self, at: Picoseconds, channel: u8) -> Option<i32> {
        match channel {
            0 => Some(1_650_000),
            1 => Some((at.ps() / 1_000_000) as i32 * 1_000),
            2 => Some(3_300_000),
            _ => None,
        }
    }
    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

struct Bench {
    adc: Adc,
    io: Io,
}

impl Bench {
    fn new() -> Self {
        let mut io = Io::default();
        io.outside = Box::new(Tied);
        io.clocks.adc_hz = 48_000_000;
        Self { adc: Adc::new(), io }
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.adc.write(offset, value, &mut self.io);
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.adc.read(offset, &mut self.io)
    }

    fn run_ns(&mut self, ns: i64) {
        let end = self.io.now + Picoseconds::from_ns(ns);
        while let Some(at) = self.io.due(Source::Adc).filter(|&at| at <= end) {
            self.io.now = at;
            self.io.cancel(Source::Adc);
            self.adc.wake(Source::Adc, &mut self.io);
        }
        self.io.now = end;
    }

    fn level(&mut self) -> u32 {
        self.read(FCS) >> 16 & 0xf
    }
}

#[test]
fn a_single_conversion_takes_96_cycles() {
    let mut bench = Bench::new();
    assert_eq!(bench.read(CS), 0, "without power it is not ready");
    bench.write(CS, CS_EN);
    assert_eq!(bench.read(CS), CS_EN | CS_READY);
    bench.write(CS, CS_EN | CS_START_ONCE);
    bench.run_ns(1_999);
    assert_eq!(bench.read(CS), CS_EN);
    bench.run_ns(1);
    assert_eq!((bench.read(CS), bench.read(RESULT)), (CS_EN | CS_READY, 2048));
    bench.run_ns(10_000);
    assert_eq!(bench.level(), 0, "the FIFO is off");
}

#[test]
fn codes_are_the_nearest_and_stay_within_12_bits() {
    for (microvolts, expected) in [
        (0, 0),
        (402, 0),
        (403, 1),
        (805, 1),
        (1_650_000, 2048),
        (3_299_000, 4095),
        (5_000_000, 4095),
        (-1, 0),
        (i32::MIN, 0),
    ] {
        assert_eq!(code(microvolts), expected, "{microvolts}");
    }
}

#[test]
fn the_temperature_sensor_gives_27_degrees_when_it_is_powered() {
    let mut bench = Bench::new();
    for (ts_en, expected) in [(CS_TS_EN, 876), (0, 0)] {
        bench.write(CS, CS_EN | ts_en | 4 << 12 | CS_START_ONCE);
        bench.run_ns(2_000);
        assert_eq!(bench.read(RESULT), expected);
    }
    let volts = 3.3 * 876.0 / 4096.0;
    let celsius: f64 = 27.0 - (volts - 0.706) / 0.001_721;
    assert!((celsius - 27.0).abs() < 0.5);
}

#[test]
fn open_inputs_read_0_volts() {
    let mut bench = Bench::new();
    for channel in [3, 5, 7] {
        bench.write(CS, CS_EN | CS_START_ONCE | channel << 12);
        bench.run_ns(2_000);
        assert_eq!(bench.read(RESULT), 0);
    }
}

#[test]
fn free_running_gives_half_a_million_samples_a_second() {
    let mut bench = Bench::new();
    bench.write(FCS, FCS_EN | FCS_SHIFT);
    bench.write(CS, CS_EN | CS_START_MANY);
    let mut samples = Vec::new();
    for _ in 0..100 {
        bench.run_ns(10_000);
        while bench.level() > 0 {
            samples.push(bench.read(FIFO));
        }
    }
    assert_eq!(samples.len(), 500);
    assert!(samples.iter().all(|&sample| sample == 128), "shifted to 8 bits");
    bench.write(CS, CS_EN);
    bench.run_ns(10_000);
    assert_eq!(bench.level(), 1, "the conversion under way is finished, and no other begins");
    assert_eq!(bench.io.due(Source::Adc), None);
}

#[test]
fn the_divider_paces_and_its_fraction_lengthens_some_periods() {
    let mut bench = Bench::new();
    bench.write(FCS, FCS_EN);
    // 480 and a half cycles: 10.0104 us.
    bench.write(DIV, 479 << 8 | 128);
    bench.write(CS, CS_EN | CS_START_MANY | 1 << 12);
    let mut samples = Vec::new();
    for _ in 0..1_000 {
        bench.run_ns(10_000);
        while bench.level() > 0 {
            samples.push(bench.read(FIFO));
        }
    }
    assert_eq!(samples.len(), 999);
    // Channel 1 rises a millivolt each microsecond.
    assert_eq!(samples[1], (10 * 4096 + 1650) / 3300);
    assert_eq!(samples[200], (2002 * 4096 + 1650) / 3300);
}

/// pico-sdk, `adc_set_clkdiv` in hardware/adc.h: "it takes 96 cycles to perform a conversion, so any period less than that
/// will be clamped to 96".
#[test]
fn a_pace_that_is_faster_than_a_conversion_gives_one_conversion_behind_the_other() {
    for (div, samples) in [(1, 5), (1 << 8, 5), (50 << 8, 5), (94 << 8 | 255, 5), (95 << 8, 5), (191 << 8, 3)]
    {
        let mut bench = Bench::new();
        bench.write(FCS, FCS_EN);
        bench.write(DIV, div);
        bench.write(CS, CS_EN | CS_START_MANY);
        // A conversion takes 2 us.
        bench.run_ns(10_000);
        assert_eq!(bench.level(), samples, "DIV {div:#x}");
    }
}

#[test]
fn round_robin_takes_the_channels_in_turn() {
    let mut bench = Bench::new();
    bench.write(FCS, FCS_EN);
    bench.write(CS, CS_EN | CS_TS_EN | CS_START_MANY | 0b10101 << 16 | 2 << 12);
    bench.run_ns(2_000 * 6);
    let samples: Vec<u32> = (0..6).map(|_| bench.read(FIFO)).collect();
    assert_eq!(samples, [4095, 876, 2048, 4095, 876, 2048]);
    assert_eq!(bench.read(CS) >> 12 & 7, 2);
}

#[test]
fn the_ninth_sample_is_lost_and_an_empty_fifo_underflows() {
    let mut bench = Bench::new();
    bench.write(FCS, FCS_EN);
    bench.write(CS, CS_EN | CS_START_MANY);
    bench.run_ns(2_000 * 8);
    assert_eq!(bench.read(FCS), FCS_EN | FCS_FULL | 8 << 16);
    bench.run_ns(2_000);
    assert_eq!(bench.read(FCS), FCS_EN | FCS_FULL | FCS_OVER | 8 << 16);
    bench.write(CS, 0);
    bench.write(FCS, FCS_EN | FCS_OVER);
    for _ in 0..9 {
        bench.read(FIFO);
    }
    assert_eq!(bench.read(FCS), FCS_EN | FCS_EMPTY | FCS_UNDER);
}

#[test]
fn request_and_interrupt_come_at_the_threshold() {
    let mut bench = Bench::new();
    bench.write(FCS, FCS_EN | FCS_DREQ_EN | 3 << 24);
    bench.write(INTE, 1);
    bench.write(CS, CS_EN | CS_START_MANY);
    bench.run_ns(4_000);
    assert_eq!((bench.io.lines.irq(), bench.io.lines.dreq()), (0, 0));
    bench.run_ns(2_000);
    assert_eq!((bench.io.lines.irq(), bench.io.lines.dreq()), (1 << Irq::ADC_FIFO.0, 1 << Dreq::ADC.0));
    assert_eq!((bench.read(INTR), bench.read(INTS)), (1, 1));
    bench.read(FIFO);
    assert_eq!((bench.io.lines.irq(), bench.io.lines.dreq()), (0, 0));
    bench.write(INTF, 1);
    assert_eq!(bench.io.lines.irq(), 1 << Irq::ADC_FIFO.0);
}

#[test]
fn without_clk_adc_nothing_is_converted() {
    let mut bench = Bench::new();
    bench.io.clocks.adc_hz = 0;
    bench.write(CS, CS_EN | CS_START_ONCE);
    bench.run_ns(1_000_000);
    assert_eq!(bench.read(CS) & CS_READY, 0);
    bench.io.clocks.adc_hz = 48_000_000;
    bench.adc.clocks_changed(&mut bench.io);
    bench.run_ns(2_000);
    assert_eq!(bench.read(CS) & CS_READY, CS_READY);
}

proptest! {
    #[test]
    fn no_write_makes_the_block_panic(
        writes in prop::collection::vec((0u32..10, any::<u32>(), 0i64..20_000), 1..150), hz in 0u64..200_000_000,
    ) {
        let mut bench = Bench::new();
        bench.io.clocks.adc_hz = hz;
        for (register, value, ns) in writes {
            bench.write(4 * register, value);
            bench.read(4 * register);
            bench.run_ns(ns);
        }
    }
}
