//! Captures: what tshark reads out of one is what was sent.

use std::io::{self, Write};
use std::process::Command;
use std::time::Duration;

use crate::common::{MS, Notebook, frame, notebook, ns};
use ethernet::{Cable, Capture, CaptureError, Direction, Interface, Network, Packet, Speed};
use units::Picoseconds;

const FIELDS: [&str; 10] = [
    "frame.time_epoch",
    "frame.interface_name",
    "frame.interface_description",
    "frame.packet_flags_direction",
    "frame.packet_flags_crc_error",
    "frame.len",
    "eth.src",
    "eth.dst",
    "data.data",
    "frame.comment",
];

/// What tshark prints of a capture; nothing where there is no tshark.
fn tshark(capture: &[u8], name: &str, arguments: &[&str]) -> Option<String> {
    let path = std::env::temp_dir().join(format!("airwire-{}-{name}.pcapng", std::process::id()));
    std::fs::write(&path, capture).expect("the temporary folder can be written");
    let output = Command::new("tshark").arg("-r").arg(&path).args(arguments).output();
    std::fs::remove_file(&path).expect("it was written a moment ago");
    let Ok(output) = output else {
        testing::leave_out("tshark is not installed (Debian: tshark)");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("damaged"), "{errors}");
    Some(String::from_utf8(output.stdout).expect("tshark prints UTF-8"))
}

fn fields(capture: &[u8], name: &str) -> Option<Vec<Vec<String>>> {
    let mut arguments = vec!["-T", "fields", "-E", "separator=|"];
    FIELDS.iter().for_each(|field| arguments.extend(["-e", field]));
    let text = tshark(capture, name, &arguments)?;
    Some(text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn tshark_reads_time_interface_direction_and_comment_as_they_were() {
    let mut network = Network::new(1);
    let board = network.add_port("board W5500", Cable { speed: Speed::Mbps100, propagation: ns(500) });
    let pc = network.add_station("pc", Cable::new(Speed::Mbps1000), Box::<Notebook>::default());
    network.tap(board);
    network.tap(pc);
    let outbound = "drop=2,delay=3ms".parse().expect("it is a text of the reference");
    network.set_impairments(board, Direction::Outbound, outbound).expect("it is consistent");
    let mut capture =
        Capture::new(Vec::new(), Duration::from_secs(1_000_000_000)).expect("memory can be written");
    let first = Picoseconds::new(1_234_567_890_123);
    network.send(board, first, frame(2, 1, 100, 11));
    network.send(board, first + Picoseconds::new(MS), frame(2, 1, 100, 12));
    network.advance(first + Picoseconds::new(20 * MS));
    assert_eq!(capture.drain(&mut network).expect("memory can be written"), 3);
    let answer = network.now();
    notebook(&mut network, pc).outbox.push_back(frame(1, 2, 60, 13));
    network.poke(answer, pc);
    network.advance(answer + Picoseconds::new(MS));
    assert_eq!(capture.drain(&mut network).expect("memory can be written"), 2);

    let capture = capture.into_inner();
    let Some(lines) = fields(&capture, "agreement") else { return };
    let at_pc = first + Picoseconds::new(3 * MS) + ns(500) + Speed::Mbps100.frame_time(100);
    let at_board = answer + Speed::Mbps1000.frame_time(60) + ns(500);
    let expected = [
        (first, "board W5500", "2", 100, 11, "board W5500 -> switch"),
        (
            first + Picoseconds::new(MS),
            "board W5500",
            "2",
            100,
            12,
            "board W5500 -> switch: lost by impairment (drop)",
        ),
        (at_pc, "pc", "1", 100, 11, "switch -> pc"),
        (answer, "pc", "2", 60, 13, "pc -> switch"),
        (at_board, "board W5500", "1", 60, 13, "switch -> board W5500"),
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for (line, (at, interface, direction, bytes, tag, comment)) in lines.iter().zip(expected) {
        let ns = at.ps() / 1_000;
        let time = format!("{}.{:09}", 1_000_000_000 + ns / 1_000_000_000, ns % 1_000_000_000);
        let sent = if tag == 13 { frame(1, 2, bytes, tag) } else { frame(2, 1, bytes, tag) };
        let shown: Vec<&str> = line.iter().map(String::as_str).collect();
        assert_eq!(shown[0], time);
        assert_eq!(shown[1], interface);
        assert!(shown[2].starts_with(&format!("cable {interface} - switch at ")), "{}", shown[2]);
        assert!(shown[3].ends_with(direction), "{shown:?}");
        assert_eq!(shown[5], bytes.to_string());
        assert_eq!(shown[8], hex(&sent.bytes[14..]));
        assert_eq!(shown[9], comment);
    }
}

#[test]
fn verdicts_of_impairments_stand_in_the_comments() {
    let mut network = Network::new(1);
    let (a, b) =
        (network.add_port("a", Cable::new(Speed::Mbps10)), network.add_port("b", Cable::new(Speed::Mbps10)));
    network.connect_directly(a, b).expect("both have cables to the switch");
    network.tap(b);
    let text = "drop=1,duplicate=100%,corrupt=100%,bit_errors=100%";
    network
        .set_impairments(a, Direction::Outbound, text.parse().expect("it is a text"))
        .expect("it is consistent");
    network.send(a, ns(0), frame(2, 1, 60, 0));
    network.send(a, ns(0), frame(2, 1, 60, 1));
    network.advance(Picoseconds::new(MS));
    let mut capture = Capture::new(Vec::new(), Duration::ZERO).expect("memory can be written");
    capture.drain(&mut network).expect("memory can be written");
    let Some(lines) = fields(&capture.into_inner(), "verdicts") else { return };
    let comments: Vec<_> = lines.iter().map(|line| line[9].as_str()).collect();
    assert_eq!(
        comments,
        [
            "a -> b: lost by impairment (drop)",
            "a -> b: one bit flipped by impairment (corrupt); wrong check sequence by impairment (bit_errors); \
             a copy follows by impairment (duplicate)",
            "a -> b: a copy by impairment (duplicate)",
        ]
    );
    let errors: Vec<_> = lines.iter().map(|line| line[4].trim_start_matches("0x").to_owned()).collect();
    assert!(!errors[0].ends_with('1') && errors[1].ends_with('1') && !errors[2].ends_with('1'), "{errors:?}");
}

#[test]
fn the_application_the_resolution_and_the_speed_stand_in_the_headers() {
    let mut network = Network::new(1);
    let a = network.add_port("a", Cable::new(Speed::Mbps100));
    network.tap(a);
    let mut capture = Capture::new(Vec::new(), Duration::ZERO).expect("memory can be written");
    capture.drain(&mut network).expect("memory can be written");
    let registers =
        Interface { name: "spi0", description: "registers", link_type: 147, bits_per_second: None };
    let registers = capture.add_interface(&registers).expect("memory can be written");
    let packet = Packet { at: ns(7), direction: None, intact: true, bytes: &[1, 2, 3], comment: "SEND" };
    capture.write(registers, &packet).expect("memory can be written");
    let early = Packet { at: ns(-1), ..packet };
    assert!(matches!(capture.write(registers, &early), Err(CaptureError::BeforeEpoch { .. })));
    let capture = capture.into_inner();
    let options = |code: u16, value: &[u8]| {
        let header = [code.to_le_bytes(), (value.len() as u16).to_le_bytes()].concat();
        let option = [header.as_slice(), value].concat();
        capture.windows(option.len()).any(|window| window == option)
    };
    // draft-ietf-opsawg-pcapng: shb_userappl 4, if_name 2, if_speed 8, if_tsresol 9.
    assert!(options(4, b"Airwire") && options(2, b"a") && options(8, &100_000_000u64.to_le_bytes()));
    assert!(options(9, &[9]));
    let Some(lines) = fields(&capture, "headers") else { return };
    assert_eq!(
        (lines[0][0].as_str(), lines[0][1].as_str(), lines[0][9].as_str()),
        ("0.000000007", "spi0", "SEND")
    );
}

#[test]
fn taps_see_frames_in_the_order_of_time_and_bound_what_nobody_takes() {
    let mut network = Network::new(1);
    let (a, b) = (
        network.add_port("a", Cable::new(Speed::Mbps1000)),
        network.add_port("b", Cable::new(Speed::Mbps10)),
    );
    network.tap(a);
    network.tap(b);
    for n in 0..200 {
        network.send(a, ns(n * 2_000), frame(2, 1, 300, n as u32));
        network.send(b, ns(n * 3_000), frame(1, 2, 60, n as u32));
    }
    network.advance(Picoseconds::new(1000 * MS));
    let times: Vec<_> = std::iter::from_fn(|| network.take_tapped()).map(|tapped| tapped.at).collect();
    assert_eq!(times.len(), 800);
    assert!(times.is_sorted());
    assert_eq!(network.left_out_by_taps(), 0);
    for n in 0..20_000 {
        network.send(a, network.now(), frame(9, 1, 60, n));
        network.advance(network.now() + ns(100_000));
    }
    assert_eq!(std::iter::from_fn(|| network.take_tapped()).count(), 16_384);
    assert!(network.left_out_by_taps() >= 20_000 * 2 - 16_384 - 10);
}

/// A disk that is full.
#[derive(Debug)]
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("no space left on the device"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::Error::other("no space left on the device"))
    }
}

#[test]
fn what_the_system_refuses_is_told_in_its_words() {
    let refused = Capture::new(Full, Duration::ZERO).err().expect("it has no room");
    assert_eq!(refused.to_string(), "no space left on the device");
}
