//! How long the host needs for SPI: run with `cargo test --release -p airwire-wiznet --test chips speed -- --ignored --nocapture`.

use std::time::Instant;

use units::Picoseconds;
use wiznet::Model;

use crate::support::{Bench, command, sn};

const FRAMES: u32 = 7_000;
const FRAME_BYTES: usize = 1_460;

#[test]
#[ignore = "a measurement"]
fn ten_megabytes_through_a_transmit_buffer_cost_under_five_nanoseconds_a_byte() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(0, 0x04, 0);
    let mut bytes = vec![0x55; 3 + FRAME_BYTES];
    let mut now = bench.now;
    let began = Instant::now();
    for n in 0..FRAMES {
        let [high, low] = (n as u16 * FRAME_BYTES as u16).to_be_bytes();
        bytes[..3].copy_from_slice(&[high, low, 0b0001_0100]);
        bench.chip.select(now, true);
        bench.chip.spi_burst(now, &mut bytes, 33_000_000);
        now = now + Picoseconds::new(bytes.len() as i64 * 8 * 30_304);
        bench.chip.select(now, false);
    }
    let per_byte = began.elapsed().as_nanos() as f64 / f64::from(FRAMES) / FRAME_BYTES as f64;
    println!("a byte of a burst: {per_byte:.3} ns");
    assert!(per_byte < 5.0);
}

#[test]
#[ignore = "a measurement"]
fn sending_with_all_its_registers_costs_a_few_microseconds_a_frame() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(0, 0x04, 0);
    let data = vec![0x55; FRAME_BYTES];
    let began = Instant::now();
    for _ in 0..FRAMES {
        bench.send_with(0, &data, command::SEND);
        while bench.u8(0, sn::IR) == 0 {}
        bench.write(0, sn::IR, &[0x1F]);
        bench.take_seen();
    }
    let per_frame = began.elapsed().as_nanos() as f64 / f64::from(FRAMES);
    println!("a frame: {per_frame:.0} ns, a byte of it: {:.2} ns", per_frame / FRAME_BYTES as f64);
}

#[test]
#[ignore = "a measurement"]
fn single_bytes_cost_tens_of_nanoseconds() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(0, 0x02, 80);
    let mut now = bench.now;
    let began = Instant::now();
    let rounds = 200_000;
    for _ in 0..rounds {
        bench.chip.select(now, true);
        for sent in [0x00, 0x26, 0x08, 0, 0] {
            now = now + Picoseconds::new(240_000);
            bench.chip.spi_byte(now, sent, 33_000_000);
        }
        bench.chip.select(now, false);
    }
    println!("a byte: {:.1} ns", began.elapsed().as_nanos() as f64 / f64::from(rounds) / 5.0);
}
