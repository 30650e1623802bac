//! Recordings as tcpdump, Wireshark, routers and modems write them: one conversation in each, byte by byte by the drafts of both
//! formats (draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng), and the same figures of all.

use packets::{Cause, PacketsError, Report, report};

const PC: [u8; 4] = [10, 0, 0, 1];
const BOARD: [u8; 4] = [10, 0, 0, 2];
const SYN: u8 = 2;
const ACK: u8 = 16;
const START_S: u64 = 1_800_000_000;

/// A packet of IPv4 that carries TCP with `data` bytes.
fn packet(from_board: bool, flags: u8, sequence: u32, acknowledgement: u32, data: u16) -> Vec<u8> {
    let mut bytes = vec![0x45, 0];
    bytes.extend((40 + data).to_be_bytes());
    bytes.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
    let (ends, ports) =
        if from_board { ([BOARD, PC], [80_u16, 5000]) } else { ([PC, BOARD], [5000_u16, 80]) };
    bytes.extend(ends.concat());
    bytes.extend(ports[0].to_be_bytes());
    bytes.extend(ports[1].to_be_bytes());
    bytes.extend(sequence.to_be_bytes());
    bytes.extend(acknowledgement.to_be_bytes());
    bytes.extend([5 << 4, flags, 0x20, 0, 0, 0, 0, 0]);
    bytes.resize(40 + usize::from(data), 7);
    bytes
}

/// Microseconds since the start, and a packet: ten questions that the board answers after 50 ms each.
fn talk() -> Vec<(u64, Vec<u8>)> {
    let mut packets = vec![
        (0, packet(false, SYN, 99, 0, 0)),
        (400, packet(true, SYN | ACK, 499, 100, 0)),
        (410, packet(false, ACK, 100, 500, 0)),
    ];
    for round in 0..10 {
        let (at, asked, answered) = (1000 + 60_000 * u64::from(round), 100 + 200 * round, 500 + 300 * round);
        packets.push((at, packet(false, ACK, asked, answered, 200)));
        packets.push((at + 50_000, packet(true, ACK, answered, asked + 200, 300)));
    }
    packets
}

/// What all recorders agree on: connections, segments, time in which the connection was busy, waits.
fn figures(report: &Report) -> (usize, usize, i64, Vec<(Cause, Vec<i64>)>) {
    let waits = report.waits.iter().map(|waits| (waits.cause, waits.lengths_ps.clone())).collect();
    (report.connections, report.segments, report.busy_ps, waits)
}

fn expected() -> (usize, usize, i64, Vec<(Cause, Vec<i64>)>) {
    let waits = vec![(Cause::Answer, vec![50_000_000_000; 10]), (Cause::Opening, vec![400_000_000])];
    // The opening takes 410 us; of the rest, questions wait for nobody.
    (1, 23, 500_410_000_000, waits)
}

fn numbers(big: bool, words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| if big { word.to_be_bytes() } else { word.to_le_bytes() }).collect()
}

/// How a recording in the older format is written.
struct Pcap {
    magic: u32,
    big: bool,
    ticks_per_us: u64,
    snapshot: u32,
    link: u32,
    kept: usize,
    record_end: &'static [u8],
    in_front: Vec<u8>,
}

impl Default for Pcap {
    fn default() -> Self {
        Self {
            magic: 0xa1b2_c3d4,
            big: false,
            ticks_per_us: 1,
            snapshot: 262_144,
            link: 101,
            kept: usize::MAX,
            record_end: &[],
            in_front: Vec::new(),
        }
    }
}

impl Pcap {
    fn written(&self) -> Vec<u8> {
        let mut file = numbers(self.big, &[self.magic]);
        file.extend(if self.big { [0, 2, 0, 4] } else { [2, 0, 4, 0] });
        file.extend(numbers(self.big, &[0, 0, self.snapshot, self.link]));
        for (us, packet) in talk() {
            let packet = [self.in_front.clone(), packet].concat();
            let kept = packet.len().min(self.kept);
            let (seconds, ticks) = (START_S + us / 1_000_000, us % 1_000_000 * self.ticks_per_us);
            let record = [seconds as u32, ticks as u32, kept as u32, packet.len() as u32];
            file.extend(numbers(self.big, &record));
            file.extend(self.record_end);
            file.extend(&packet[..kept]);
        }
        file
    }
}

fn assert_told(what: &str, file: &[u8]) {
    let report = report(file, Some(BOARD.into())).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(figures(&report), expected(), "{what}");
}

#[test]
fn headers_alone_are_enough_as_tcpdump_keeps_them_with_a_snapshot_length() {
    // Packets are longer than the snapshot length, which is what it is for.
    assert_told("tcpdump -s 60", &Pcap { snapshot: 60, kept: 60, ..Pcap::default() }.written());
    assert_told(
        "a snapshot length of 0, without a limit",
        &Pcap { snapshot: 0, ..Pcap::default() }.written(),
    );
}

#[test]
fn orders_of_bytes_and_units_of_time_are_those_of_the_magic_number() {
    for big in [false, true] {
        assert_told("microseconds", &Pcap { big, ..Pcap::default() }.written());
        let nanoseconds = Pcap { magic: 0xa1b2_3c4d, ticks_per_us: 1000, big, ..Pcap::default() };
        assert_told("nanoseconds", &nanoseconds.written());
        let patched = Pcap { magic: 0xa1b2_cd34, record_end: &[0; 8], big, ..Pcap::default() };
        assert_told("the format of an old patch of libpcap", &patched.written());
    }
}

#[test]
fn what_stands_in_front_of_ip_is_known_by_the_link_type() {
    let ethernet = |rest: &[u8]| [&[2; 12], rest].concat();
    let tagged_cooked = [&[0, 0, 0, 1, 0, 6][..], &[2; 8], &[0x81, 0, 0, 5, 8, 0]].concat();
    for (what, link, in_front) in [
        ("Ethernet", 1, ethernet(&[8, 0])),
        ("Ethernet whose header says how long its check sequence is", 0x2400_0001, ethernet(&[8, 0])),
        ("a VLAN", 1, ethernet(&[0x81, 0, 0, 5, 8, 0])),
        ("a VLAN in one of a provider", 1, ethernet(&[0x88, 0xa8, 0, 9, 0x81, 0, 0, 5, 8, 0])),
        ("the same of an older switch", 1, ethernet(&[0x91, 0, 0, 9, 0x81, 0, 0, 5, 8, 0])),
        ("PPP over Ethernet", 1, ethernet(&[0x88, 0x64, 0x11, 0, 0, 1, 0, 42, 0, 0x21])),
        ("raw IP", 101, vec![]),
        ("raw IP by the number of Linux", 12, vec![]),
        ("raw IP by the number of OpenBSD", 14, vec![]),
        ("IPv4", 228, vec![]),
        ("BSD's loopback", 0, vec![2, 0, 0, 0]),
        ("OpenBSD's loopback", 108, vec![0, 0, 0, 2]),
        ("PPP", 9, vec![0, 0x21]),
        ("PPP in frames like those of HDLC", 50, vec![0xff, 3, 0, 0x21]),
        ("any interface of Linux", 113, [&[0, 0, 0, 1, 0, 6][..], &[2; 8], &[8, 0]].concat()),
        ("a VLAN at any interface of Linux", 113, tagged_cooked),
        ("any interface of Linux, version 2", 276, [&[8, 0][..], &[0; 18]].concat()),
    ] {
        assert_told(what, &Pcap { link, in_front, ..Pcap::default() }.written());
    }
}

#[test]
fn a_link_type_that_nobody_looks_behind_is_told_and_not_passed_over() {
    let radio = Pcap { link: 105, in_front: vec![8; 24], ..Pcap::default() }.written();
    let told = report(radio.as_slice(), None);
    assert!(matches!(told, Err(PacketsError::OtherLink(105))), "{told:?}");
}

#[test]
fn a_compressed_recording_is_named_as_such() {
    for magic in
        [[0x1f, 0x8b, 8, 4], [0xfd, b'7', b'z', b'X'], [0x28, 0xb5, 0x2f, 0xfd], [4, 0x22, 0x4d, 0x18]]
    {
        let told = report(&magic[..], None);
        assert!(matches!(told, Err(PacketsError::Compressed)), "{told:?}");
    }
}

fn block(big: bool, kind: u32, body: &[u8]) -> Vec<u8> {
    let length = 12 + body.len().next_multiple_of(4) as u32;
    let mut padded = body.to_vec();
    padded.resize(length as usize - 12, 0);
    [numbers(big, &[kind, length]), padded, numbers(big, &[length])].concat()
}

fn option(big: bool, code: u16, value: &[u8]) -> Vec<u8> {
    let number = |number: u16| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let mut option = [number(code), number(value.len() as u16)].concat();
    option.extend(value);
    option.resize(option.len().next_multiple_of(4), 0);
    option
}

fn section(big: bool) -> Vec<u8> {
    let version = if big { [0, 1, 0, 0] } else { [1, 0, 0, 0] };
    block(big, 0x0a0d_0d0a, &[&numbers(big, &[0x1a2b_3c4d])[..], &version, &[0xff; 8]].concat())
}

fn interface(big: bool, options: &[u8]) -> Vec<u8> {
    let link = if big { [0, 101, 0, 0] } else { [101, 0, 0, 0] };
    block(big, 1, &[&link[..], &[0; 4], options].concat())
}

/// Packets in enhanced packet blocks, whose ticks `ticks` counts from microseconds since 1970.
fn packets(big: bool, ticks: impl Fn(u64) -> u64, options: &[u8]) -> Vec<u8> {
    let one = |(us, packet): (u64, Vec<u8>)| {
        let ticks = ticks(START_S * 1_000_000 + us);
        let length = packet.len() as u32;
        let mut body = numbers(big, &[0, (ticks >> 32) as u32, ticks as u32, length, length]);
        body.extend(packet);
        body.resize(body.len().next_multiple_of(4), 0);
        block(big, 6, &[&body[..], options].concat())
    };
    talk().into_iter().flat_map(one).collect()
}

#[test]
fn ticks_are_those_of_the_interface_in_either_order_of_bytes() {
    let offset = START_S as i64 - 5;
    for big in [false, true] {
        let offset_bytes = if big { offset.to_be_bytes() } else { offset.to_le_bytes() };
        let of_offset = [option(big, 9, &[12]), option(big, 14, &offset_bytes)].concat();
        let told = |what: &str, options: &[u8], ticks: &dyn Fn(u64) -> u64| {
            assert_told(what, &[section(big), interface(big, options), packets(big, ticks, &[])].concat());
        };
        told("microseconds where nothing is said", &[], &|us| us);
        told("nanoseconds", &option(big, 9, &[9]), &|us| us * 1000);
        told("picoseconds since an offset", &of_offset, &|us| {
            (us - offset.unsigned_abs() * 1_000_000) * 1_000_000
        });
    }
}

#[test]
fn two_interfaces_whose_times_count_from_different_offsets_are_on_one_axis() {
    let offset = |seconds: u64| option(false, 14, &seconds.to_le_bytes());
    let mut file = [section(false), interface(false, &offset(START_S)), interface(false, &[])].concat();
    for (number, (us, packet)) in talk().into_iter().enumerate() {
        let from = number as u64 % 2;
        let ticks = us + from * START_S * 1_000_000;
        let length = packet.len() as u32;
        let body = numbers(false, &[from as u32, (ticks >> 32) as u32, ticks as u32, length, length]);
        file.extend(block(false, 6, &[body, packet].concat()));
    }
    assert_told("two interfaces", &file);
}

#[test]
fn no_option_spoils_a_recording() {
    let latin_1 = b"Gr\xf6\xdfe";
    for (what, options) in [
        ("a name in no UTF-8", option(false, 2, latin_1)),
        ("a time zone of four bytes, as the draft has it", option(false, 10, &[0; 4])),
        ("an address of the wrong length", option(false, 4, &[1])),
        ("an option that goes on behind its block", vec![2, 0, 200, 0]),
    ] {
        assert_told(
            what,
            &[section(false), interface(false, &options), packets(false, |us| us, &[])].concat(),
        );
    }
    for (what, options) in [
        ("a comment in no UTF-8", option(false, 1, latin_1)),
        ("flags of two bytes", option(false, 2, &[0; 2])),
    ] {
        assert_told(
            what,
            &[section(false), interface(false, &[]), packets(false, |us| us, &options)].concat(),
        );
    }
}

#[test]
fn blocks_without_packets_are_passed_over_however_long_they_are() {
    let secrets = [&numbers(false, &[0x544c_534b, 12 << 20])[..], &vec![b'k'; 12 << 20]].concat();
    for (what, kind, body) in [
        ("TLS secrets", 10, secrets),
        ("names", 4, vec![1, 0, 3, 0, 10, 0, 0, 0]),
        ("statistics", 5, vec![0; 12]),
        ("an entry of systemd's journal", 9, b"__REALTIME_TIMESTAMP=1\n".to_vec()),
        ("a custom block", 0xbad, vec![1; 9]),
    ] {
        let before = [section(false), block(false, kind, &body), interface(false, &[])].concat();
        assert_told(what, &[before, packets(false, |us| us, &[])].concat());
    }
}

#[test]
fn the_old_packet_block_is_read_and_one_without_a_time_is_refused() {
    let mut file = [section(false), interface(false, &[])].concat();
    for (us, packet) in talk() {
        let (ticks, length) = (START_S * 1_000_000 + us, packet.len() as u32);
        // Three packets were lost: this stands in one word with the interface.
        let body = numbers(false, &[3 << 16, (ticks >> 32) as u32, ticks as u32, length, length]);
        file.extend(block(false, 2, &[body, packet].concat()));
    }
    assert_told("the old packet block", &file);
    let simple = block(false, 3, &[&numbers(false, &[40])[..], &packet(false, SYN, 1, 0, 0)].concat());
    let told = report([section(false), interface(false, &[]), simple].concat().as_slice(), None);
    assert!(told.is_err_and(|error| error.to_string().contains("has no time")));
}

#[test]
fn sections_of_computers_with_different_orders_of_bytes_follow_each_other() {
    let talk = |big| [section(big), interface(big, &[]), packets(big, |us| us, &[])].concat();
    let file = [talk(false), talk(true)].concat();
    assert_eq!(report(file.as_slice(), None).unwrap().segments, 2 * 23);
}

#[test]
fn a_recording_in_blocks_that_breaks_its_own_rules_says_how() {
    let start = [section(false), interface(false, &[])].concat();
    for (bytes, what) in [
        (numbers(false, &[6, 7]), "says a length of 7 bytes"),
        (numbers(false, &[6, 8]), "says a length of 8 bytes"),
        (numbers(false, &[6, u32::MAX - 3]), "more than any packet"),
        (block(false, 6, &numbers(false, &[1, 0, 0, 0, 0])), "is of interface 1"),
        (block(false, 6, &numbers(false, &[0, 0, 0, 9, 9])), "longer than its block"),
    ] {
        let told = report([start.clone(), bytes].concat().as_slice(), None);
        assert!(told.as_ref().is_err_and(|error| error.to_string().contains(what)), "{what}: {told:?}");
    }
}

#[test]
fn a_file_that_ends_within_its_header_is_no_recording() {
    for head in [&b"\n\r\r\n"[..], b"\n\r\r\n\x1c\0\0\0M<", b"\xd4\xc3\xb2\xa1\x02\0\x04\0"] {
        assert!(matches!(report(head, None), Err(PacketsError::Unknown)), "{head:?}");
    }
}
