//! SPI of each chip: headers, fillers, bursts, and when an answer is decided.

use proptest::prelude::*;
use units::Picoseconds;
use wiznet::spi::{Burst, Decoder, Step};
use wiznet::{Access, Chip, Model, Options};

use crate::support::{Bench, MODELS, command, ms, sn, us};

#[test]
fn each_chip_tells_its_version() {
    let mut bench = Bench::bare(Model::W5500);
    assert_eq!(bench.common_read(0x39, 1), [0x04]);
    let mut bench = Bench::bare(Model::W5200);
    assert_eq!(bench.common_read(0x1F, 1), [0x03]);
    let mut bench = Bench::bare(Model::W5100S);
    assert_eq!(bench.common_read(0x80, 1), [0x51]);
    let mut bench = Bench::bare(Model::W6100);
    assert_eq!(bench.common_read(0x0000, 4), [0x61, 0x00, 0x46, 0x61], "CIDR and VER");
}

#[test]
fn a_w5100_counts_header_bytes_and_takes_one_data_byte() {
    let mut bench = Bench::bare(Model::W5100);
    let mut frame = [0xF0, 0x00, 0x09, 0xAA];
    bench.transfer(&mut frame);
    assert_eq!(frame, [0x00, 0x01, 0x02, 0x03]);
    let mut frame = [0xF0, 0x00, 0x0A, 0xBB, 0xCC];
    bench.transfer(&mut frame);
    let mut frame = [0x0F, 0x00, 0x09, 0x00];
    bench.transfer(&mut frame);
    assert_eq!(frame, [0x00, 0x01, 0x02, 0xAA]);
    assert_eq!(bench.common_read(0x09, 3), [0xAA, 0xBB, 0x00]);
}

#[test]
fn a_w5100_ignores_a_wrong_operation() {
    let mut bench = Bench::bare(Model::W5100);
    bench.transfer(&mut [0xF1, 0x00, 0x09, 0xAA]);
    assert_eq!(bench.common_read(0x09, 1), [0]);
}

#[test]
fn a_w5200_takes_as_many_bytes_as_its_header_says() {
    let mut bench = Bench::bare(Model::W5200);
    bench.transfer(&mut [0x00, 0x09, 0x80, 0x02, 0xAA, 0xBB, 0xCC]);
    assert_eq!(bench.common_read(0x09, 3), [0xAA, 0xBB, 0x00]);
}

#[test]
fn a_w5500_follows_fixed_length_frames_without_chip_select_between() {
    let mut bench = Bench::bare(Model::W5500);
    bench.chip.select(bench.now, true);
    let mut frames = [0x00, 0x09, 0x06, 0xAA, 0xBB, 0x00, 0x39, 0x01, 0x00, 0x00, 0x09, 0x03, 0, 0, 0, 0];
    bench.chip.spi_burst(bench.now, &mut frames, bench.clock_hz);
    assert_eq!(frames[..3], [1, 2, 3]);
    assert_eq!(frames[8], 0x04);
    assert_eq!(frames[12..], [0xAA, 0xBB, 0, 0]);
}

#[test]
fn registers_beyond_the_map_read_zero_and_lose_writes() {
    for model in MODELS {
        let mut bench = Bench::bare(model);
        bench.common_write(0x3800, &[1, 2, 3]);
        assert_eq!(bench.common_read(0x3800, 3), [0, 0, 0], "{model:?}");
        bench.write(0, 0x30 + 0x10, &[0xFF]);
        assert_eq!(bench.read(0, 0x40, 1), [0]);
    }
}

#[test]
fn an_answer_is_decided_when_the_byte_before_has_ended() {
    // RSR grows from 0 to 68 + 2 while the high byte is on the wire: the low byte is the new one.
    let mut bench = Bench::linked(Model::W5500);
    bench.open(0, 0x04, 0);
    bench.clock_hz = 2_000_000;
    let byte_time = us(4);
    let mut at = bench.now;
    bench.chip.select(at, true);
    let mut read = |bench: &mut Bench, sent| {
        at = at + byte_time;
        (bench.chip.spi_byte(at, sent, bench.clock_hz), at)
    };
    read(&mut bench, 0x00);
    read(&mut bench, 0x26);
    let (_, now) = read(&mut bench, 0b0000_1000);
    let mut frame = vec![0xFF; 68];
    frame[12..14].copy_from_slice(&[0x88, 0xB5]);
    bench.chip.receive(now, &frame, true);
    assert_eq!(bench.chip.next_event(), Some(now + us(1)));
    let (high, _) = read(&mut bench, 0);
    let (low, _) = read(&mut bench, 0);
    assert_eq!((high, low), (0x00, 0x46));
}

#[test]
fn a_burst_is_the_same_as_its_bytes_one_by_one() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(0, 0x02, 80);
        let mut other = bench.chip.clone();
        let header: &[u8] = match model {
            Model::W5500 | Model::W6100 => &[0x00, 0x10, 0b0001_0100],
            Model::W5200 => &[0x80, 0x10, 0x84, 0x00],
            _ => &[0xF0, 0x40, 0x10],
        };
        let mut bytes = [header, &[0x5A; 1024]].concat();
        let sent = bytes.clone();
        bench.chip.select(bench.now, true);
        bench.chip.spi_burst(bench.now, &mut bytes, 7_000_000);
        other.select(bench.now, true);
        for (n, &byte) in (1..).zip(&sent) {
            let end = bench.now + Picoseconds::new(8 * n * 1_000_000_000_000 / 7_000_000);
            assert_eq!(other.spi_byte(end, byte, 7_000_000), bytes[n as usize - 1], "{model:?} byte {n}");
        }
        assert_eq!(format!("{:?}", bench.chip), format!("{other:?}"), "{model:?}");
    }
}

/// What a driver is told that runs its SPI at these clocks, one after the other.
fn told_of_clocks(model: Model, clocks_hz: &[u64]) -> Vec<String> {
    let mut bench = Bench::bare(model);
    for &clock_hz in clocks_hz {
        bench.clock_hz = clock_hz;
        bench.common_read(0, 1);
    }
    let warnings = bench.chip.take_warnings().into_iter().map(|warning| warning.sentence);
    warnings.filter(|sentence| sentence.contains("SPI runs at")).collect()
}

#[test]
fn a_clock_out_of_specification_is_told_once() {
    let tell = |model, clock_hz| told_of_clocks(model, &[clock_hz, clock_hz + 1]);
    assert!(tell(Model::W5500, 33_300_000).is_empty());
    let [warning] = &tell(Model::W5500, 62_500_000)[..] else { panic!("one warning") };
    assert!(warning.contains("33.3 MHz"), "{warning}");
    assert_eq!(tell(Model::W5500, 90_000_000).len(), 1);
    assert!(tell(Model::W5100, 14_000_000).is_empty());
    assert_eq!(tell(Model::W5100, 20_000_000).len(), 1);
    assert!(tell(Model::W5100S, 62_500_000).is_empty());
}

#[test]
fn the_highest_clock_of_a_chip_is_the_last_of_which_nothing_is_told() {
    // Datasheets round: 33.3 MHz stands for 33.33.
    const ROUNDED_HZ: u64 = 100_000;
    for &model in Model::ALL {
        let highest_hz = model.facts().highest_sck_hz;
        assert_eq!(told_of_clocks(model, &[highest_hz]), [""; 0], "{model:?}");
        let [told] = &told_of_clocks(model, &[highest_hz + ROUNDED_HZ + 1])[..] else {
            panic!("{model:?}: one warning")
        };
        let megahertz = format!("{:.1}", highest_hz as f64 / 1e6);
        let named = format!("up to {} MHz", megahertz.trim_end_matches(".0"));
        assert!(told.contains(&named), "{model:?}: {told}");
    }
}

#[test]
fn an_access_has_as_many_bytes_of_headers_as_its_chip_takes() {
    // Datasheets: W5100 6.3.2, W5100S 4.2, W5200 5.1, W5500 2.2.
    let expected =
        [(Model::W5100, 15), (Model::W5100S, 3), (Model::W5200, 4), (Model::W5500, 3), (Model::W6100, 3)];
    for (model, header_bytes) in expected {
        assert_eq!(model.facts().header_bytes(5), header_bytes, "{model:?}");
    }
}

#[test]
fn a_chip_does_not_answer_before_its_clock_is_stable() {
    let mut bench = Bench::bare(Model::W5500);
    bench.now = us(900);
    assert_eq!(bench.common_read(0x39, 1), [0]);
    assert_eq!(bench.chip.take_warnings().len(), 1);
    bench.now = us(1_100);
    assert_eq!(bench.common_read(0x39, 1), [4]);
    bench.chip.set_reset(ms(2), false);
    bench.now = us(2_100);
    assert_eq!(bench.common_read(0x39, 1), [0]);
    bench.chip.set_reset(us(2_200), true);
    let warnings = bench.chip.take_warnings();
    assert!(warnings.iter().any(|warning| warning.sentence.contains("500 us")), "{warnings:?}");
}

#[test]
fn a_recorded_bus_can_be_decoded_without_a_chip() {
    let mut decoder = Decoder::new(Model::W5500);
    decoder.select(true);
    let steps: Vec<Step> = [0x00, 0x01, 0x0C, 0x20].into_iter().map(|byte| decoder.byte(byte)).collect();
    let burst = Burst { write: true, block: 1, address: 1, left: None };
    assert_eq!(steps, [Step::Header, Step::Header, Step::Begin(burst), Step::Write { block: 1, address: 1 }]);
}

#[test]
fn accesses_are_told_in_words() {
    let mut bench = Bench::linked(Model::W5500);
    bench.chip.record(true);
    bench.write(3, sn::TX_WR, &[0x01, 0x10]);
    bench.write(3, sn::CR, &[0x20]);
    bench.read(0, sn::SR, 1);
    bench.write_at(2, 0x0010, &[7; 100]);
    bench.common_read(0x0001, 18);
    bench.common_read(0x000F, 4);
    let accesses = bench.chip.take_accesses();
    let words: Vec<String> = accesses.iter().map(Access::meaning).collect();
    assert_eq!(
        words,
        [
            "Sn_TX_WR of socket 3: 272",
            "Sn_CR of socket 3: SEND, 272 bytes",
            "Sn_SR of socket 0: SOCK_CLOSED",
            "TX buffer of socket 0 at 0x0010",
            "GAR to SIPR",
            "SIPR: 192.168.7.2"
        ]
    );
    assert_eq!((accesses[3].bytes, accesses[3].data.len()), (100, 64));
    assert_eq!(accesses[1].end - accesses[1].start, Picoseconds::new(4 * 8 * 50_000));
}

#[test]
fn a_send_says_its_bytes_however_its_driver_reads_and_writes_the_pointer() {
    let mut bench = Bench::linked(Model::W5500);
    bench.chip.record(true);
    bench.open(0, 0x02, 80);
    // In one access, byte by byte, and in three pieces of which the driver keeps count itself.
    bench.send(0, &[1; 300]);
    for (offset, byte) in [0x02, 0x00].into_iter().enumerate() {
        bench.write(0, sn::TX_WR + offset as u16, &[byte]);
    }
    bench.command(0, command::SEND);
    for pointer in [520u16, 530, 1000] {
        bench.write(0, sn::TX_WR, &pointer.to_be_bytes());
    }
    bench.command(0, command::SEND);
    let accesses = bench.chip.take_accesses();
    let sends: Vec<u16> = accesses.iter().filter_map(|access| access.send_bytes).collect();
    assert_eq!(sends, [300, 212, 488]);
}

#[test]
fn single_bytes_of_a_w5100_become_one_access() {
    let mut bench = Bench::linked(Model::W5100);
    bench.chip.record(true);
    bench.u16(1, sn::RX_RSR);
    bench.u8(1, sn::SR);
    let accesses = bench.chip.take_accesses();
    let words: Vec<String> = accesses.iter().map(Access::meaning).collect();
    assert_eq!(words, ["Sn_RX_RSR of socket 1: 0", "Sn_SR of socket 1: SOCK_CLOSED"]);
    assert_eq!(accesses[0].bytes, 2);
}

const COMMANDS: [u8; 11] = [0x01, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x21, 0x40, 0x84, 0xA0];

/// Bytes whose first is often the beginning of a header that means something.
fn spi_frame() -> impl Strategy<Value = Vec<u8>> {
    let first = prop_oneof![Just(0xF0), Just(0x0F), Just(0x00), Just(0x40), any::<u8>()];
    (first, prop::collection::vec(any::<u8>(), 0..40))
        .prop_map(|(first, rest)| [&[first], &rest[..]].concat())
}

fn models() -> impl Strategy<Value = Model> {
    prop::sample::select(MODELS.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_stream_of_spi_bytes_stops_a_chip(
        model in models(),
        frames in prop::collection::vec((spi_frame(), any::<bool>(), 0u32..300), 1..120),
    ) {
        let mut bench = Bench::linked(model);
        for (mut bytes, burst, pause) in frames {
            bench.chip.select(bench.now, true);
            if burst {
                bench.chip.spi_burst(bench.now, &mut bytes, 10_000_000);
                bench.now = bench.now + Picoseconds::new(bytes.len() as i64 * 800_000);
            } else {
                for byte in bytes {
                    bench.now = bench.now + Picoseconds::new(800_000);
                    bench.chip.spi_byte(bench.now, byte, 10_000_000);
                }
            }
            bench.chip.select(bench.now, false);
            bench.pass(us(i64::from(pause)));
        }
    }

    #[test]
    fn no_command_with_any_registers_stops_a_chip(
        model in models(),
        instant in any::<bool>(),
        writes in prop::collection::vec((0u8..8, 0u16..0x50, any::<u8>(), 0u32..3000), 1..200),
    ) {
        let mut bench = Bench::with_peer(model);
        if instant {
            let options = Options {
                link_up_time: Picoseconds::ZERO,
                command_time: Picoseconds::ZERO,
                receive_time: Picoseconds::ZERO,
                ..Options::of(model)
            };
            bench.chip = Chip::new(options);
            bench.chip.set_cable(ms(199), Some(crate::support::FAST));
        }
        for (n, offset, value, pause) in writes {
            let n = n % 2;
            match offset {
                // Beyond the registers: a command, which chance would give too seldom.
                0x35.. => bench.write(n, sn::CR, &[COMMANDS[usize::from(value) % COMMANDS.len()]]),
                // Of the W6100 the modes over IPv6 as well.
                0 if model == Model::W6100 => bench.write(n, sn::MR, &[value]),
                0 => bench.write(n, sn::MR, &[(value & 0xF0) | (value % 6)]),
                _ => bench.write(n, offset, &[value]),
            }
            bench.pass(us(i64::from(pause)));
        }
        bench.pass(ms(50));
    }

    #[test]
    fn no_frame_stops_a_chip(
        model in models(),
        frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..120), 1..40),
        protocol in prop::sample::select(vec![1u8, 2, 6, 17]),
    ) {
        let mut bench = Bench::linked(model);
        for (n, mode) in [(0, 0x04u8), (1, 0x02), (2, 0x01), (3, 0x03)] {
            bench.open(n, mode, 0x0102);
        }
        bench.command(2, 0x02);
        for (n, mut frame) in frames.into_iter().enumerate() {
            bench.arrive(&frame);
            if frame.len() > 60 {
                // Once more as an IPv4 packet with a right header, so that the protocols behind it see it.
                frame[..6].copy_from_slice(&crate::support::CHIP_MAC);
                frame[12..24].copy_from_slice(&[8, 0, 0x45, 0, 0, 0, 0, 0, 0, 0, 64, protocol]);
                let length = (frame.len() - 14 - n % 20) as u16;
                frame[16..18].copy_from_slice(&length.to_be_bytes());
                frame[30..34].copy_from_slice(&crate::support::CHIP_IP);
                smoltcp::wire::Ipv4Packet::new_unchecked(&mut frame[14..]).fill_checksum();
                bench.arrive(&frame);
            }
        }
    }
}

#[test]
fn a_chip_is_plain_data() {
    fn is_data<T: Clone + Send + std::fmt::Debug>(_: &T) {}
    is_data(&Chip::new(Options::of(Model::W5500)));
}
