//! Recordings with known causes: made segment by segment, written as a file, and reported.

use std::borrow::Cow;
use std::net::Ipv4Addr;
use std::path::Path;
use std::time::Duration;

use packets::{Cause, Conversation, Link, Packet, Report, Segment, Side, read, report};
use pcap_file::pcap::{PcapPacket, PcapWriter};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionBlock;
use pcap_file::{DataLink, Endianness};
use proptest::prelude::*;

const PC: ([u8; 4], u16) = ([10, 0, 0, 1], 40_000);
const BOARD: ([u8; 4], u16) = ([10, 0, 0, 2], 5000);
const SYN: u8 = 2;
const ACK: u8 = 16;
const WAY_US: u64 = 400;
/// Recorders count from 1970.
const TODAY_US: u64 = 1_800_000_000_000_000;

/// A conversation that is being recorded at the PC.
struct Talk {
    now_us: u64,
    next: [u32; 2],
    window: [u16; 2],
    packets: Vec<(u64, Vec<u8>)>,
}

impl Talk {
    fn opened() -> Self {
        let mut talk =
            Self { now_us: TODAY_US, next: [1000, 7000], window: [64_000, 8000], packets: Vec::new() };
        talk.segment(0, SYN, 0);
        talk.after(WAY_US).segment(1, SYN | ACK, 0);
        talk.after(10).segment(0, ACK, 0);
        talk
    }

    fn after(&mut self, us: u64) -> &mut Self {
        self.now_us += us;
        self
    }

    /// A segment of the PC (0) or of the board (1) that acknowledges all that the other sent.
    fn segment(&mut self, from: usize, flags: u8, bytes: u16) -> &mut Self {
        let sequence = self.next[from];
        self.numbered(from, flags, sequence, bytes);
        self.next[from] = sequence.wrapping_add(u32::from(bytes) + u32::from(flags & SYN != 0));
        self
    }

    fn data(&mut self, from: usize, bytes: u16) -> &mut Self {
        self.segment(from, ACK, bytes)
    }

    fn ack(&mut self, from: usize) -> &mut Self {
        self.segment(from, ACK, 0)
    }

    fn again(&mut self, from: usize, bytes: u16) -> &mut Self {
        let sequence = self.next[from].wrapping_sub(u32::from(bytes));
        self.numbered(from, ACK, sequence, bytes);
        self
    }

    fn numbered(&mut self, from: usize, flags: u8, sequence: u32, bytes: u16) {
        let ends = if from == 0 { [PC, BOARD] } else { [BOARD, PC] };
        let options: &[u8] = if flags & SYN == 0 { &[] } else { &[2, 4, 5, 0xb4] };
        let mut frame = vec![0; 12];
        frame.extend([8, 0, 0x45, 0]);
        frame.extend((40 + options.len() as u16 + bytes).to_be_bytes());
        frame.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
        frame.extend(ends[0].0);
        frame.extend(ends[1].0);
        frame.extend(ends[0].1.to_be_bytes());
        frame.extend(ends[1].1.to_be_bytes());
        frame.extend(sequence.to_be_bytes());
        frame.extend(self.next[1 - from].to_be_bytes());
        frame.extend([(5 + options.len() as u8 / 4) << 4, flags]);
        frame.extend(self.window[from].to_be_bytes());
        frame.extend([0, 0, 0, 0]);
        frame.extend(options);
        // The recorder kept the headers only.
        self.packets.push((self.now_us, frame));
    }

    fn pcap(&self) -> Vec<u8> {
        let mut writer = PcapWriter::new(Vec::new()).unwrap();
        for (us, bytes) in &self.packets {
            let packet = PcapPacket::new(Duration::from_micros(*us), bytes.len() as u32, bytes);
            writer.write_packet(&packet).unwrap();
        }
        writer.into_writer()
    }

    fn report(&self) -> Report {
        report(self.pcap().as_slice(), Some(Ipv4Addr::from(BOARD.0))).unwrap()
    }
}

/// The cause that took most of the time, whose it is, how often, and the share.
fn first(report: &Report) -> (Cause, Side, usize, f64) {
    let waits = &report.waits[0];
    (waits.cause, waits.side, waits.lengths_ps.len(), waits.share)
}

#[test]
fn an_answer_in_two_writes_waits_for_the_delayed_acknowledgement() {
    let mut talk = Talk::opened();
    for _ in 0..20 {
        talk.after(100).data(0, 3).after(WAY_US).data(1, 1);
        talk.after(40_000).ack(0).after(WAY_US).data(1, 2);
    }
    let (cause, side, times, share) = first(&talk.report());
    assert_eq!((cause, side, times), (Cause::Nagle, Side::Peer, 20));
    assert!(share > 0.95, "{share}");
}

#[test]
fn a_pause_between_two_writes_is_no_delayed_acknowledgement() {
    let mut talk = Talk::opened();
    for _ in 0..20 {
        talk.after(100).data(0, 3).after(WAY_US).data(1, 1);
        // The acknowledgement comes meanwhile, and nobody sends at once.
        talk.after(40_000).ack(0).after(20_000).data(1, 2);
    }
    let (cause, side, times, share) = first(&talk.report());
    assert_eq!((cause, side, times), (Cause::Pause, Side::Peer, 20));
    assert!(share > 0.95, "{share}");
}

#[test]
fn the_boards_delayed_acknowledgement_holds_up_a_client_with_nagles_algorithm() {
    let mut talk = Talk::opened();
    for _ in 0..20 {
        talk.after(100).data(0, 100).after(200_000).ack(1).after(50).data(0, 20).after(WAY_US).data(1, 10);
    }
    assert_eq!(first(&talk.report()).0, Cause::Nagle);
    assert_eq!(first(&talk.report()).1, Side::Client);
}

#[test]
fn a_board_that_sends_a_segment_at_a_time_waits_for_each_acknowledgement() {
    let mut talk = Talk::opened();
    talk.data(0, 20).after(WAY_US);
    for _ in 0..30 {
        talk.data(1, 1460).after(40_000).ack(0).after(WAY_US);
    }
    let (cause, side, times, _) = first(&talk.report());
    assert_eq!((cause, side, times), (Cause::OneAtATime, Side::Peer, 29));
}

#[test]
fn a_full_window_holds_up_the_client() {
    let mut talk = Talk::opened();
    talk.window[1] = 2048;
    talk.after(100).ack(1);
    for _ in 0..30 {
        talk.after(20).data(0, 1460).after(20).data(0, 588).after(15_000).ack(1);
    }
    let report = talk.report();
    let (cause, side, _, share) = first(&report);
    assert_eq!((cause, side), (Cause::Window, Side::Client));
    assert!(share > 0.9 && report.blocked_share[0] > 0.9, "{report:?}");
    assert_eq!(report.window[1], (2048, 2048));
}

#[test]
fn a_window_that_is_full_round_trip_after_round_trip_is_told_without_long_silences() {
    let mut talk = Talk::opened();
    talk.window[1] = 2048;
    talk.after(100).ack(1);
    for _ in 0..100 {
        talk.after(20).data(0, 1460).after(20).data(0, 588).after(1000).ack(1);
    }
    let report = talk.report();
    assert!(report.waits.iter().all(|waits| waits.cause != Cause::Window));
    assert!(report.blocked_share[0] > 0.9, "{report:?}");
}

#[test]
fn what_is_sent_again_after_a_time_out_is_a_retransmission() {
    let mut talk = Talk::opened();
    for round in 0..20 {
        talk.after(100).data(0, 3);
        if round % 5 == 0 {
            talk.after(200_000).again(0, 3).after(400_000).again(0, 3);
        }
        talk.after(WAY_US).data(1, 3);
    }
    let report = talk.report();
    let (cause, side, times, share) = first(&report);
    assert_eq!((cause, side, times), (Cause::Retransmission, Side::Client, 8));
    assert!(share > 0.95, "{share}");
    assert_eq!(report.repeated, [8, 0]);
}

#[test]
fn time_before_the_answer_is_the_peers_and_time_before_the_question_nobodys() {
    let mut talk = Talk::opened();
    for _ in 0..10 {
        talk.after(500_000).data(0, 3).after(40_000).ack(1).after(24_000).data(1, 3);
        talk.after(40_000).ack(0);
    }
    let report = talk.report();
    let (cause, side, times, share) = first(&report);
    assert_eq!((cause, side, times), (Cause::Answer, Side::Peer, 10));
    assert!(share > 0.9, "{report:?}");
    assert!(report.busy_ps < 1_200_000_000_000, "{report:?}");
}

#[test]
fn quick_answers_have_no_silence() {
    let mut talk = Talk::opened();
    for _ in 0..50 {
        talk.after(20).data(0, 3).after(300).data(1, 3);
    }
    let report = talk.report();
    assert!(report.waits.iter().all(|waits| waits.cause == Cause::Opening), "{report:?}");
    assert_eq!(report.way_ps, Some(WAY_US as i64 * 1_000_000));
}

#[test]
fn an_interface_counts_microseconds_unless_it_says_otherwise() {
    let mut writer = PcapNgWriter::with_endianness(Vec::new(), Endianness::Little).unwrap();
    let interface = InterfaceDescriptionBlock { linktype: DataLink::RAW, snaplen: 0, options: vec![] };
    writer.write_pcapng_block(interface).unwrap();
    // The library writes nanoseconds; read as the microseconds that the interface has by default, they are a thousand times more.
    for ticks in [5, 12] {
        let packet = EnhancedPacketBlock {
            interface_id: 0,
            timestamp: Duration::from_nanos(ticks),
            original_len: 3,
            data: Cow::Borrowed(&[1, 2, 3]),
            options: vec![],
        };
        writer.write_pcapng_block(packet).unwrap();
    }
    let mut seen = Vec::new();
    read(writer.into_inner().as_slice(), |packet| seen.push(packet)).unwrap();
    let packet = |at_ps| Packet { at_ps, link: Link::Raw, bytes: vec![1, 2, 3] };
    assert_eq!(seen, [packet(0), packet(7_000_000)]);
}

#[test]
fn a_recording_that_was_cut_off_gives_what_stands_before() {
    let mut talk = Talk::opened();
    talk.after(20).data(0, 3).after(300).data(1, 3);
    let whole = talk.pcap();
    for length in 24..whole.len() {
        let mut seen = 0;
        read(&whole[..length], |_| seen += 1).unwrap();
        assert!(seen <= 5);
    }
    assert!(read(&b"not a recording"[..], |_| {}).is_err());
    assert!(read(&b""[..], |_| {}).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn no_bytes_are_too_bad(bytes in proptest::collection::vec(any::<u8>(), 0..400), kind in 0..3_u8) {
        let mut file = match kind {
            0 => Talk::opened().pcap()[..24].to_vec(),
            1 => PcapNgWriter::with_endianness(Vec::new(), Endianness::Little).unwrap().into_inner(),
            _ => Vec::new(),
        };
        file.extend(&bytes);
        let _ = report(file.as_slice(), None);
    }

    #[test]
    fn no_packet_is_too_bad(bytes in proptest::collection::vec(any::<u8>(), 0..100), link in 0..7_usize) {
        let link = [Link::Ethernet, Link::Raw, Link::Null, Link::Cooked, Link::Cooked2, Link::Ppp, Link::Other(7)][link];
        let _ = Segment::of(&Packet { at_ps: 0, link, bytes });
    }

    #[test]
    fn any_order_of_segments_is_followed(
        steps in proptest::collection::vec((0..2_usize, any::<u8>(), 0..3000_u16, 0..500_000_u64, any::<u16>()), 0..60),
    ) {
        let mut talk = Talk::opened();
        for (from, flags, bytes, us, window) in steps {
            talk.window[from] = window;
            talk.after(us).segment(from, flags, bytes);
            if flags & 1 != 0 {
                talk.again(from, bytes);
            }
        }
        let report = talk.report();
        let share = |share: f64| (0.0..=1.0).contains(&share);
        prop_assert!(report.waits.iter().all(|waits| share(waits.share)));
        prop_assert!(report.blocked_share.into_iter().all(share));
        prop_assert!(report.busy_ps >= 0);
    }

    /// A clock may have been set while the recorder ran, and a broken file has any times: here some weeks apart, there and back.
    #[test]
    fn times_in_any_order_are_followed(
        steps in proptest::collection::vec((0..2_usize, 0..3000_u16, 0..10_000_000_000_000_u64), 0..60),
    ) {
        let mut talk = Talk::opened();
        let mut latest_us = TODAY_US + WAY_US + 10;
        for (from, bytes, since_us) in steps {
            talk.now_us = TODAY_US + since_us;
            latest_us = latest_us.max(talk.now_us);
            talk.segment(from, ACK, bytes);
        }
        let report = talk.report();
        let longest_ps = i64::try_from(latest_us - TODAY_US).unwrap().saturating_mul(1_000_000);
        prop_assert!((0..=longest_ps).contains(&report.busy_ps));
        let share = |share: f64| (0.0..=1.0).contains(&share);
        prop_assert!(report.waits.iter().all(|waits| share(waits.share)));
        prop_assert!(report.waits.iter().all(|waits| waits.lengths_ps.iter().all(|ps| (0..=longest_ps).contains(ps))));
        prop_assert!(report.blocked_share.into_iter().all(share));
    }
}

#[test]
#[ignore = "writes the seeds to fuzz/corpus; run it after a change of what they should be"]
fn write_the_seeds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/packets");
    std::fs::create_dir_all(&folder).unwrap();
    let mut talk = Talk::opened();
    talk.after(100).data(0, 3).after(WAY_US).data(1, 1).after(40_000).ack(0).after(WAY_US).data(1, 2);
    talk.after(100).data(0, 3).after(200_000).again(0, 3).after(WAY_US).data(1, 2);
    let whole = talk.pcap();
    let mut writer = PcapNgWriter::with_endianness(Vec::new(), Endianness::Little).unwrap();
    let interface = InterfaceDescriptionBlock { linktype: DataLink::ETHERNET, snaplen: 0, options: vec![] };
    writer.write_pcapng_block(interface).unwrap();
    for (us, bytes) in &talk.packets {
        let packet = EnhancedPacketBlock {
            interface_id: 0,
            timestamp: Duration::from_nanos(*us),
            original_len: bytes.len() as u32,
            data: Cow::Borrowed(bytes),
            options: vec![],
        };
        writer.write_pcapng_block(packet).unwrap();
    }
    std::fs::write(folder.join("valid-talk.pcap"), &whole).unwrap();
    std::fs::write(folder.join("valid-talk.pcapng"), writer.into_inner()).unwrap();
    std::fs::write(folder.join("valid-cut-off.pcap"), &whole[..whole.len() - 9]).unwrap();
    std::fs::write(folder.join("invalid-text"), b"not a recording").unwrap();
}

#[test]
fn openings_take_no_longer_than_the_recording_where_its_times_go_back() {
    let (client, peer) = ((Ipv4Addr::from(PC.0), PC.1), (Ipv4Addr::from(BOARD.0), BOARD.1));
    let opening = |at_s: i64, from, to, acknowledgement| Segment {
        at_ps: at_s * 1_000_000_000_000,
        from,
        to,
        sequence: 1000,
        acknowledgement,
        window: 8000,
        bytes: 0,
        syn: true,
        fin: false,
        rst: false,
        segment_size: None,
        scale: None,
    };
    let mut talk = Conversation::between(client, peer);
    for (asked_s, answered_s) in [(10, 20), (5, 20), (5, 15)] {
        talk.take(&opening(asked_s, client, peer, None));
        talk.take(&opening(answered_s, peer, client, Some(1001)));
    }
    assert_eq!(talk.opening_ps(), 10_000_000_000_000);
}
