//! The SPI by its registers. Times are those of RP2040 datasheet 4.4 and of the measurements named in `pace.rs`.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use units::{Hertz, Picoseconds};

use super::*;
use crate::pins::{Function, Overrides};
use mcu::{Outside, Reaction};

const SSE: u32 = CR1_SSE;
const EIGHT_BITS: u32 = 7;
const SPH: u32 = 1 << 7;
const SPO: u32 = 1 << 6;

type Frames = Arc<Mutex<Vec<(Picoseconds, SpiFrame)>>>;

/// Keeps every frame and answers with the complement of what was sent.
#[derive(Debug, Clone, Default)]
struct Complement {
    frames: Frames,
}

impl Outside for Complement {
    fn spi_frame(&mut self, at: Picoseconds, frame: SpiFrame, _: &mut Vec<Reaction>) -> u16 {
        self.frames.lock().unwrap().push((at, frame));
        !frame.sent
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

struct Bench {
    spi: Spi,
    io: Io,
    outside: Complement,
}

impl Bench {
    /// SPI0 with a clk_peri of `hz`, enabled.
    fn new(hz: u64, cpsr: u32, cr0: u32) -> Self {
        let outside = Complement::default();
        let mut io = Io::default();
        io.outside = Box::new(outside.clone());
        io.clocks.peri_hz = hz;
        io.now = Picoseconds::from_ns(1_000);
        let mut bench = Self { spi: Spi::new(0), io, outside };
        bench.write(SSPCPSR, cpsr);
        bench.write(SSPCR0, cr0);
        bench.write(SSPCR1, SSE);
        bench
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.spi.write(offset, value, &mut self.io);
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.spi.read(offset, &mut self.io)
    }

    fn send(&mut self, words: &[u16]) {
        for &word in words {
            self.write(SSPDR, u32::from(word));
        }
    }

    fn step(&mut self) -> bool {
        let Some(at) = self.io.due(Source::Spi0) else { return false };
        self.io.now = at;
        self.io.cancel(Source::Spi0);
        self.spi.wake(Source::Spi0, &mut self.io);
        true
    }

    fn run(&mut self) {
        for _ in 0..10_000 {
            if !self.step() {
                return;
            }
        }
        panic!("the SPI goes on for ever");
    }

    fn wait_until(&mut self, at: Picoseconds) {
        while self.io.due(Source::Spi0).is_some_and(|due| due <= at) {
            self.step();
        }
        self.io.now = at;
    }

    /// Ends of the frames so far, in picoseconds.
    fn ends(&self) -> Vec<i64> {
        self.outside.frames.lock().unwrap().iter().map(|(at, _)| at.ps()).collect()
    }
}

fn differences(ends: &[i64]) -> Vec<i64> {
    ends.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn the_registers_have_their_values_after_reset() {
    let (mut spi, mut io) = (Spi::new(1), Io::default());
    assert_eq!(spi.read(SSPSR, &mut io), 0b00011, "transmit FIFO empty and not full");
    assert_eq!(spi.read(SSPRIS, &mut io), INT_TX);
    for offset in [SSPCR0, SSPCR1, SSPCPSR, SSPIMSC, SSPMIS, SSPDMACR] {
        assert_eq!(spi.read(offset, &mut io), 0);
    }
    let ids: Vec<u32> = (0..8).map(|i| spi.read(SSPPERIPHID0 + 4 * i, &mut io)).collect();
    assert_eq!(ids, [0x22, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1]);
    assert_eq!(io.unknown_accesses().count(), 0);
}

#[test]
fn eight_bits_with_sph_0_take_nine_and_a_half_clocks_back_to_back() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    bench.send(&[1, 2, 3, 4]);
    bench.run();
    assert_eq!(differences(&bench.ends()), [152_000; 3], "9.5 periods of 16 ns");
}

#[test]
fn eight_bits_with_sph_1_take_eight_and_a_half_clocks_back_to_back() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS | SPH);
    bench.send(&[1, 2, 3, 4]);
    bench.run();
    assert_eq!(differences(&bench.ends()), [136_000; 3]);
}

#[test]
fn the_gap_between_sixteen_bit_frames_at_62_5_mhz_is_about_30_ns() {
    let mut bench = Bench::new(125_000_000, 2, 15);
    bench.io.pins.set_control(bench.io.now, 2, Function::Spi as u8, Overrides::default());
    bench.io.pins.record(1 << 2);
    bench.send(&[0x1234, 0x5678]);
    bench.run();
    let edges = bench.io.pins.take_edges();
    assert_eq!(edges.len(), 64);
    assert_eq!(edges[32].at - edges[31].at, Picoseconds::from_ns(32), "SCK low between two frames");
}

#[test]
fn a_frame_at_a_rate_of_no_whole_picoseconds_never_drifts() {
    let hz = 133_000_000;
    let mut bench = Bench::new(hz, 2, EIGHT_BITS | 4 << 8);
    let begin = bench.io.now;
    let mut expected = Vec::new();
    for frame in 0..1_000 {
        bench.send(&[frame]);
        // A half period has 5 cycles: 1 + 16 of them to the first end, then 19 for each frame, after 2 cycles of
        // start-up.
        let cycles = 2 + 17 * 5 + u64::from(frame) * 19 * 5;
        expected.push((begin + Hertz::new(hz).unwrap().edge(cycles)).ps());
        if frame > 2 {
            bench.step();
        }
    }
    bench.run();
    assert_eq!(bench.ends(), expected);
}

#[test]
fn the_first_bit_begins_half_a_clock_after_the_select_line_fell() {
    // 48.83 kHz, as the WIZnet HAT's driver sets it.
    let mut bench = Bench::new(125_000_000, 10, EIGHT_BITS | 255 << 8);
    let begin = bench.io.now;
    bench.send(&[0xa5]);
    bench.run();
    let (end, frame) = bench.outside.frames.lock().unwrap()[0];
    let sck = Picoseconds::from_ns(20_480);
    let start_up = Picoseconds::from_ns(16);
    assert_eq!(frame.start, begin + start_up + Picoseconds::new(sck.ps() / 2));
    assert_eq!(end, frame.start + Picoseconds::new(8 * sck.ps()));
    assert_eq!((frame.bits, frame.sent, frame.clock_hz, frame.mode), (8, 0xa5, 48_828, 0));
}

#[test]
fn a_received_word_is_there_when_the_last_bit_ends_and_no_earlier() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    bench.send(&[0x0f]);
    let end = bench.io.due(Source::Spi0).unwrap();
    bench.io.now = end - Picoseconds::new(1);
    assert_eq!(bench.read(SSPSR) & 0b10101, 0b10001, "busy, and nothing received");
    bench.run();
    assert_eq!(bench.read(SSPSR), 0b10111, "busy until the select line is high");
    bench.io.now = end + Picoseconds::from_ns(8);
    assert_eq!(bench.read(SSPSR), 0b00111);
    assert_eq!(bench.read(SSPDR), 0xf0);
    assert_eq!(bench.read(SSPSR), 0b00011);
}

#[test]
fn the_transmit_fifo_takes_eight_words_beside_the_one_on_the_wire() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    for word in 0..9 {
        assert_eq!(bench.read(SSPSR) & 2, 2, "room for word {word}");
        bench.send(&[word]);
    }
    assert_eq!(bench.read(SSPSR) & 3, 0, "full");
    bench.send(&[99]);
    bench.run();
    let sent: Vec<u16> = bench.outside.frames.lock().unwrap().iter().map(|(_, frame)| frame.sent).collect();
    assert_eq!(sent, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn a_full_receive_fifo_loses_the_next_word_and_says_so() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    bench.write(SSPIMSC, INT_ROR);
    bench.send(&[0, 1, 2, 3, 4, 5, 6, 7]);
    bench.run();
    assert_eq!(bench.read(SSPSR) & 8, 8, "full");
    assert_eq!(bench.io.lines.irq(), 0);
    bench.send(&[8]);
    bench.run();
    assert_eq!(bench.io.lines.irq(), 1 << Irq::SPI0.0);
    bench.write(SSPICR, INT_ROR);
    assert_eq!(bench.io.lines.irq(), 0);
    let received: Vec<u32> = (0..8).map(|_| bench.read(SSPDR)).collect();
    assert_eq!(received, [0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8]);
    assert_eq!(bench.read(SSPSR) & 4, 0);
}

#[test]
fn the_fifo_interrupts_come_at_four_words() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    bench.write(SSPCR1, 0);
    bench.send(&[0, 1, 2, 3]);
    assert_eq!(bench.read(SSPRIS), INT_TX);
    bench.send(&[4]);
    assert_eq!(bench.read(SSPRIS), 0);
    bench.write(SSPCR1, SSE);
    assert_eq!(bench.read(SSPRIS), INT_TX, "one word went into the shift register");
    for _ in 0..3 {
        bench.step();
    }
    assert_eq!(bench.read(SSPRIS) & INT_RX, 0);
    bench.step();
    assert_eq!(bench.read(SSPRIS) & INT_RX, INT_RX);
    bench.write(SSPIMSC, INT_RX);
    assert_eq!(bench.read(SSPMIS), INT_RX);
    bench.read(SSPDR);
    assert_eq!(bench.io.lines.irq(), 0);
}

#[test]
fn the_receive_timeout_strikes_after_32_clocks_of_rest() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    bench.write(SSPIMSC, INT_RT);
    bench.send(&[0x55]);
    bench.step();
    let rest = bench.io.now + Picoseconds::from_ns(8);
    let strike = rest + Picoseconds::from_ns(32 * 16);
    bench.wait_until(strike - Picoseconds::new(1));
    assert_eq!(bench.io.lines.irq(), 0);
    assert_eq!(bench.read(SSPRIS) & INT_RT, 0);
    bench.wait_until(strike);
    assert_eq!(bench.io.lines.irq(), 1 << Irq::SPI0.0);
    bench.read(SSPDR);
    assert_eq!(bench.io.lines.irq(), 0);
}

#[test]
fn the_receive_timeout_is_seen_in_the_raw_status_without_an_interrupt() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    bench.send(&[0x55]);
    bench.run();
    bench.io.now = bench.io.now + Picoseconds::from_ns(600);
    assert_eq!(bench.read(SSPRIS) & INT_RT, INT_RT);
    bench.write(SSPICR, INT_RT);
    assert_eq!(bench.read(SSPRIS) & INT_RT, 0);
}

#[test]
fn data_requests_follow_the_fifos() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    let (tx, rx) = (1 << Dreq::SPI0_TX.0, 1 << Dreq::SPI0_RX.0);
    assert_eq!(bench.io.lines.dreq(), 0, "off");
    bench.write(SSPDMACR, 3);
    assert_eq!(bench.io.lines.dreq(), tx);
    bench.send(&[0; 9]);
    assert_eq!(bench.io.lines.dreq(), 0);
    bench.step();
    assert_eq!(bench.io.lines.dreq(), tx | rx);
    bench.read(SSPDR);
    assert_eq!(bench.io.lines.dreq(), tx);
}

#[test]
fn a_byte_write_that_the_bus_replicates_sends_the_byte() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    bench.write(SSPDR, 0x5a5a_5a5a);
    bench.run();
    assert_eq!(bench.outside.frames.lock().unwrap()[0].1.sent, 0x5a);
}

#[test]
fn loopback_receives_what_was_sent() {
    let mut bench = Bench::new(125_000_000, 2, 15);
    bench.write(SSPCR1, SSE | CR1_LBM);
    bench.send(&[0xbeef]);
    bench.run();
    assert_eq!(bench.read(SSPDR), 0xbeef);
}

#[test]
fn a_disabled_spi_keeps_its_words_until_it_is_enabled() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    bench.write(SSPCR1, 0);
    bench.send(&[1, 2]);
    assert_eq!(bench.io.due(Source::Spi0), None);
    assert_eq!(bench.read(SSPSR) & 0x10, 0x10, "busy while there is something to send");
    bench.write(SSPCR1, SSE);
    bench.run();
    assert_eq!(bench.ends().len(), 2);
}

#[test]
fn a_stopped_clock_holds_the_words_back_until_it_runs() {
    let mut bench = Bench::new(0, 2, EIGHT_BITS);
    bench.send(&[1]);
    assert_eq!(bench.io.due(Source::Spi0), None);
    bench.io.clocks.peri_hz = 48_000_000;
    bench.read(SSPSR);
    bench.run();
    assert_eq!(bench.ends().len(), 1);
}

#[test]
fn a_new_divider_counts_from_the_next_frame_on() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    bench.send(&[1, 2, 3]);
    bench.step();
    bench.write(SSPCPSR, 4);
    bench.run();
    let differences = differences(&bench.ends());
    assert_eq!(differences, [152_000, 304_000]);
}

#[test]
fn a_wired_select_line_is_high_between_frames_with_sph_0_only() {
    for (sph, falls) in [(0, 3), (SPH, 1)] {
        let mut bench = Bench::new(125_000_000, 4, EIGHT_BITS | sph);
        bench.io.pins.set_control(bench.io.now, 17, Function::Spi as u8, Overrides::default());
        assert_eq!(bench.io.pins.levels() >> 17 & 1, 1, "high at rest");
        bench.io.pins.record(1 << 17);
        bench.send(&[1, 2, 3]);
        bench.run();
        let edges = bench.io.pins.take_edges();
        assert_eq!(edges.len(), 2 * falls);
        assert!(edges.iter().step_by(2).all(|edge| !edge.level));
        let frame = if sph == 0 { 9 * 32 + 16 } else { 8 * 32 + 16 };
        assert_eq!(differences(&bench.ends()), [frame * 1_000; 2]);
        if sph == 0 {
            assert_eq!(edges[2].at - edges[1].at, Picoseconds::from_ns(16), "half a clock high");
        }
    }
}

#[test]
fn recorded_pins_show_the_bits_of_a_frame() {
    for (cr0, mode) in [(0, 0), (SPH, 1), (SPO, 2), (SPO | SPH, 3)] {
        let mut bench = Bench::new(100_000_000, 2, EIGHT_BITS | cr0);
        for pin in 16..20 {
            bench.io.pins.set_control(bench.io.now, pin, Function::Spi as u8, Overrides::default());
        }
        let at_rest = bench.io.pins.levels();
        bench.io.pins.record(1 << 16 | 1 << 18 | 1 << 19);
        bench.send(&[0xca]);
        bench.run();
        let mut edges = bench.io.pins.take_edges();
        edges.sort_by_key(|edge| edge.at);
        assert_eq!(sampled(&edges, at_rest, mode, 19), 0xca, "MOSI in mode {mode}");
        assert_eq!(sampled(&edges, at_rest, mode, 16), 0x35, "MISO in mode {mode}");
    }
}

#[test]
fn pins_that_the_spi_has_not_been_given_show_no_edges() {
    let mut bench = Bench::new(100_000_000, 2, EIGHT_BITS);
    bench.io.pins.record(u32::MAX);
    bench.send(&[0xca, 0x35]);
    bench.run();
    assert_eq!(bench.io.pins.take_edges().len(), 0);
    // From here on they are its own; the levels of the frames before are where these begin.
    for pin in 16..20 {
        bench.io.pins.set_control(bench.io.now, pin, Function::Spi as u8, Overrides::default());
    }
    bench.io.pins.take_edges();
    let at_rest = bench.io.pins.levels();
    bench.send(&[0xca]);
    bench.run();
    let mut edges = bench.io.pins.take_edges();
    edges.sort_by_key(|edge| edge.at);
    assert_eq!(sampled(&edges, at_rest, 0, 19), 0xca);
}

/// What a logic analyser's decoder reads from the edges: data in the middle between the clock's edges.
fn sampled(edges: &[mcu::Edge], at_rest: u32, mode: u8, data: u8) -> u32 {
    let capture_level = mode == 0 || mode == 3;
    let captures = edges.iter().filter(|edge| edge.pin == 18 && edge.level == capture_level);
    captures.fold(0, |word, clock| {
        let before = edges.iter().rfind(|edge| edge.pin == data && edge.at < clock.at);
        word << 1 | before.map_or(at_rest >> data & 1, |edge| u32::from(edge.level))
    })
}

#[test]
fn what_is_not_modelled_is_reported() {
    let mut bench = Bench::new(125_000_000, 2, EIGHT_BITS);
    bench.io.address = 0x4003_c004;
    bench.write(SSPCR1, CR1_MS | SSE);
    bench.io.address = 0x4003_c000;
    bench.write(SSPCR0, 1 << 4 | EIGHT_BITS);
    bench.io.address = 0x4003_c100;
    bench.read(0x100);
    let details: Vec<&str> = bench.io.unknown_accesses().map(|unknown| unknown.detail).collect();
    assert_eq!(details.len(), 3);
    assert!(
        details[0].contains("FRF") && details[1].contains("MS") && details[2].contains("no such register")
    );
}

const OFFSETS: [u32; 12] =
    [SSPCR0, SSPCR1, SSPDR, SSPDR, SSPSR, SSPCPSR, SSPIMSC, SSPRIS, SSPMIS, SSPICR, SSPDMACR, 0x400];

proptest! {
    #[test]
    fn random_register_traffic_neither_panics_nor_loops(
        traffic in prop::collection::vec((0usize..12, any::<bool>(), any::<u32>(), 0u8..4), 1..300),
        hz in prop::sample::select(vec![0u64, 1, 12_000_000, 48_000_000, 125_000_000, 133_000_000]),
        wired: bool,
    ) {
        let mut bench = Bench::new(hz, 2, EIGHT_BITS);
        if wired {
            bench.io.pins.set_control(bench.io.now, 1, Function::Spi as u8, Overrides::default());
            bench.io.pins.record(u32::MAX);
        }
        for (register, write, value, wakes) in traffic {
            let offset = OFFSETS[register];
            let peeked = bench.spi.peek(offset, &bench.io);
            if write {
                bench.write(offset, value);
            } else {
                prop_assert_eq!(bench.read(offset), peeked);
            }
            for _ in 0..wakes {
                let before = bench.io.now;
                let stepped = bench.step();
                prop_assert!(!stepped || bench.io.now >= before);
            }
            if value % 50 == 0 {
                bench.io.clocks.peri_hz = u64::from(value);
                // The next access would start what waited for the clock.
                bench.read(SSPSR);
            }
        }
        bench.write(SSPIMSC, 0);
        bench.run();
    }

    #[test]
    fn every_word_is_sent_once_and_in_order(words in prop::collection::vec(any::<u16>(), 1..60), wakes in 0usize..3) {
        let mut bench = Bench::new(133_000_000, 2, 15);
        for &word in &words {
            while bench.read(SSPSR) & 2 == 0 {
                prop_assert!(bench.step());
            }
            bench.send(&[word]);
            for _ in 0..wakes {
                bench.step();
            }
        }
        bench.run();
        let sent: Vec<u16> = bench.outside.frames.lock().unwrap().iter().map(|(_, frame)| frame.sent).collect();
        prop_assert_eq!(sent, words);
    }
}
