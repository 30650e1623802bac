//! Networks over USB, by what stands on the bus: the requests that bring a device up, and frames in both directions.

mod gadget;

use gadget::{Cable, Gadget, Protocol};

/// A frame of so many bytes, each of which is another than its neighbours.
fn frame(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|n| (n * 7 % 251) as u8).collect()
}

/// What was asked of a device beyond its enumeration: bmRequestType, bRequest, wValue, wIndex.
fn asked(cable: &Cable) -> Vec<(u8, u8, u8, u8)> {
    cable.gadget.requests.iter().map(|(setup, _)| (setup[0], setup[1], setup[2], setup[4])).collect()
}

/// An answer to GET_NTB_PARAMETERS (NCM 1.0, table 6-3): blocks of 3200 bytes either way, frames at multiples of 4.
const BLOCK_PARAMETERS: [u8; 28] =
    [28, 0, 1, 0, 0x80, 0x0c, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0x80, 0x0c, 0, 0, 4, 0, 0, 0, 4, 0, 1, 0];

fn ncm() -> Cable {
    let mut cable = Cable::to(Gadget::new(Protocol::Ncm));
    cable.gadget.block_parameters = BLOCK_PARAMETERS.to_vec();
    cable.run_ms(50);
    cable
}

/// A block of one frame as the standard has it (NCM 1.0, 3.2.1 and 3.3.1).
fn block(frame: &[u8]) -> Vec<u8> {
    let half = |value: usize| (value as u16).to_le_bytes();
    let mut bytes = b"NCMH\x0c\0\x01\0".to_vec();
    bytes.extend([half(28 + frame.len()), half(12)].concat());
    bytes.extend(b"NCM0\x10\0\0\0");
    bytes.extend([half(28), half(frame.len()), half(0), half(0)].concat());
    bytes.extend(frame);
    bytes
}

#[test]
fn ecm_gets_the_setting_with_endpoints_and_a_filter_and_then_carries_frames_as_they_are() {
    let mut cable = Cable::to(Gadget::new(Protocol::Ecm));
    cable.run_ms(50);
    assert_eq!(asked(&cable), [(1, 0x0b, 1, 1), (0x21, 0x43, 0x0f, 0)]);
    assert!(cable.host.network_has_link());
    for bytes in [60, 64, 128, 1514] {
        assert!(cable.host.send_frame(&frame(bytes)));
        cable.gadget.send(&frame(bytes));
    }
    cable.run_ms(20);
    assert_eq!(cable.frames(), [60, 64, 128, 1514].map(frame));
    // A frame of whole packets is a byte longer, so that a short packet ends it.
    let lengths: Vec<usize> = cable.gadget.transfers.iter().map(Vec::len).collect();
    assert_eq!(lengths, [60, 65, 129, 1514, 0]);
    assert!(
        cable
            .gadget
            .transfers
            .iter()
            .zip([60, 64, 128, 1514])
            .all(|(sent, bytes)| sent[..bytes] == frame(bytes))
    );
}

#[test]
fn ncm_has_a_link_once_the_device_says_so() {
    let mut cable = ncm();
    assert_eq!(asked(&cable), [(0xa1, 0x80, 0, 0), (1, 0x0b, 1, 1)]);
    assert!(!cable.host.network_has_link() && !cable.host.send_frame(&frame(60)));
    cable.gadget.notify_connection(true);
    cable.run_ms(20);
    assert!(cable.host.network_has_link() && cable.host.send_frame(&frame(60)));
    cable.gadget.notify_connection(false);
    cable.run_ms(20);
    assert!(!cable.host.network_has_link());
}

#[test]
fn ncm_carries_frames_in_blocks() {
    let mut cable = ncm();
    cable.gadget.notify_connection(true);
    cable.run_ms(20);
    for bytes in [60, 100, 1514] {
        assert!(cable.host.send_frame(&frame(bytes)));
        cable.gadget.send(&block(&frame(bytes)));
    }
    cable.run_ms(20);
    assert_eq!(cable.frames(), [60, 100, 1514].map(frame));
    let sent: Vec<&[u8]> =
        cable.gadget.transfers.iter().filter(|one| !one.is_empty()).map(|one| &one[..]).collect();
    // Behind header and table, the frame; 28 + 100 bytes are two packets, and get a byte more.
    assert_eq!(sent.iter().map(|one| one.len()).collect::<Vec<_>>(), [88, 129, 1542]);
    for (block, bytes) in sent.iter().zip([60, 100, 1514]) {
        assert_eq!(
            (&block[..4], &block[12..16], &block[28..28 + bytes]),
            (&b"NCMH"[..], &b"NCM0"[..], &frame(bytes)[..])
        );
        assert_eq!(usize::from(u16::from_le_bytes([block[8], block[9]])), block.len());
        assert_eq!((block[20], usize::from(u16::from_le_bytes([block[22], block[23]]))), (28, bytes));
    }
}

/// Answers of RNDIS to initialize, query and set, with the numbers of the host.
fn rndis_answers() -> Vec<Vec<u8>> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let initialized = words(&[0x8000_0002, 52, 1, 0, 1, 0, 1, 0, 1, 1558, 0, 0, 0]);
    let mut address = words(&[0x8000_0004, 30, 2, 0, 6, 16]);
    address.extend([2, 2, 0x84, 0x6a, 0x96, 0]);
    vec![initialized, address, words(&[0x8000_0005, 16, 3, 0])]
}

#[test]
fn rndis_is_initialized_and_filtered_and_then_carries_frames_behind_headers() {
    let mut cable = Cable::to(Gadget::new(Protocol::Rndis));
    cable.gadget.answers = rndis_answers().into();
    cable.run_ms(50);
    let said: Vec<u32> = cable
        .gadget
        .requests
        .iter()
        .filter(|(setup, _)| setup[0] == 0x21)
        .map(|(_, sent)| u32::from_le_bytes(sent[..4].try_into().unwrap()))
        .collect();
    assert_eq!(said, [2, 4, 5], "initialize, query, set");
    assert!(cable.host.network_has_link());
    cable.host.send_frame(&frame(60));
    let mut message: Vec<u8> =
        [1, 44 + 60, 36, 60, 0, 0, 0, 0, 0, 0, 0_u32].iter().flat_map(|word| word.to_le_bytes()).collect();
    message.extend(frame(60));
    cable.gadget.send(&message);
    cable.run_ms(20);
    assert_eq!((cable.frames(), &cable.gadget.transfers[0]), (vec![frame(60)], &message));
}

#[test]
fn an_answer_that_is_not_there_yet_is_asked_for_again_after_40_ms() {
    let mut cable = Cable::to(Gadget::new(Protocol::Rndis));
    cable.gadget.answers = std::iter::repeat_n(vec![0], 2).chain(rndis_answers()).collect();
    cable.run_ms(90);
    assert!(!cable.host.network_has_link());
    cable.run_ms(20);
    assert!(cable.host.network_has_link());
}

#[test]
fn a_device_that_never_answers_has_no_link() {
    let mut cable = Cable::to(Gadget::new(Protocol::Rndis));
    cable.run_ms(2_000);
    assert!(cable.host.configured() && !cable.host.network_has_link());
    let hears = asked(&cable).iter().filter(|(kind, ..)| *kind == 0xa1).count();
    assert_eq!(hears, 11);
}

#[test]
fn what_waits_is_gone_with_the_device() {
    let mut cable = Cable::to(Gadget::new(Protocol::Ecm));
    cable.run_ms(50);
    cable.host.send_frame(&frame(60));
    cable.gadget.pulls_up = false;
    cable.run_ms(1);
    assert!(!cable.host.network_has_link() && !cable.host.send_frame(&frame(60)));
    cable.gadget.pulls_up = true;
    cable.run_ms(50);
    assert!(cable.host.network_has_link() && cable.gadget.transfers[0].is_empty());
}

#[test]
fn a_thousand_frames_wait_and_more_are_dropped() {
    let mut cable = Cable::to(Gadget::new(Protocol::Ecm));
    cable.run_ms(50);
    let taken = (0..1_001).filter(|_| cable.host.send_frame(&frame(60))).count();
    assert_eq!(taken, 1_000);
    assert!(!cable.host.send_frame(&frame(13)) && !cable.host.send_frame(&frame(1_519)));
}

#[test]
fn packets_with_pieces_of_frames_are_told_with_the_time_that_they_take() {
    let mut cable = Cable::to(Gadget::new(Protocol::Ecm));
    cable.run_ms(50);
    cable.host.send_frame(&frame(100));
    cable.run_ms(5);
    let passed = cable.host.take_passed_packets();
    assert_eq!(passed.iter().map(|one| one.bytes).collect::<Vec<_>>(), [64, 36]);
    // Token, data and handshake with two gaps between them: 35 + 35 + 19 bits and 8 of gaps beside the data, at 12 Mbit/s.
    let least = |bytes: i64| (97 + 8 * bytes) * 1_000_000 / 12;
    for (one, bytes) in passed.iter().zip([64, 36]) {
        let took = (one.end - one.start).ps();
        assert!(!one.from_device && (least(bytes)..least(bytes) * 7 / 6).contains(&took), "{took}");
    }
}
