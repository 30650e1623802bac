//! What the PC answers over IPv6, byte for byte against what a real Linux kernel answered whose programs do not use IPv6.
//! kernel_ipv6/ holds a recording with the kernel's release, and the program that makes one.

use ethernet::{Frame, Host, Station};
use proptest::prelude::*;
use smoltcp::wire::Icmpv6Packet;
use std::net::Ipv6Addr;

use crate::common::{LEFT_MAC, ms, options, recorded_now};

const RECORDING: &str = include_str!("kernel_ipv6/linux-6.18.44.txt");

/// A frame, and the kernel's answers.
#[derive(Debug, Default)]
struct Case {
    name: String,
    question: Vec<u8>,
    answers: Vec<Vec<u8>>,
}

fn parse(recording: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in recording.lines() {
        let (mark, rest) = line.split_once(' ').expect("a mark and what it says");
        match (mark, cases.last_mut()) {
            ("case", _) => cases.push(Case { name: rest.to_owned(), ..Case::default() }),
            (">", Some(case)) => case.question = bytes(rest),
            ("<", Some(case)) => case.answers.push(bytes(rest)),
            _ => assert_eq!(mark, "kernel"),
        }
    }
    cases
}

pub(crate) fn bytes(digits: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(digit).collect()
}

/// What a PC that was never spoken to answers to a frame.
fn answers(frame: &[u8]) -> Vec<Vec<u8>> {
    let mut host = Host::new(options(true)).expect("a PC");
    host.receive(ms(1), &Frame::new(frame.to_vec()));
    host.advance(ms(1_000));
    std::iter::from_fn(|| host.take_frame()).map(|frame| frame.bytes).collect()
}

fn compare(recording: &str) {
    let cases = parse(recording);
    assert!(cases.iter().filter(|case| !case.answers.is_empty()).count() > 15);
    for case in cases {
        assert_eq!(answers(&case.question), case.answers, "{}", case.name);
    }
}

#[test]
fn the_pc_answers_every_frame_as_the_kernel_did() {
    compare(RECORDING);
}

#[test]
#[ignore = "takes some seconds of real time, and root"]
fn the_pc_answers_every_frame_as_this_kernel_does() {
    let Some(recording) = recorded_now("kernel_ipv6/record.py") else { return };
    compare(&recording);
}

#[test]
fn its_address_is_the_kernels_for_the_same_ethernet_address() {
    let host = Host::new(options(true)).expect("a PC");
    assert_eq!(options(true).mac, LEFT_MAC);
    assert_eq!(host.link_local_address().to_string(), "fe80::ff:fe00:1");
}

#[test]
fn it_says_nothing_of_its_own_accord() {
    let mut host = Host::new(options(true)).expect("a PC");
    host.advance(ms(600_000));
    assert!(host.take_frame().is_none());
}

/// Sets length and check sum of a message of ICMPv6 right, whatever it says.
fn mend(frame: &mut [u8]) {
    const ICMPV6: u8 = 58;
    if frame.len() >= 62 && frame[20] == ICMPV6 {
        let length = (frame.len() - 54) as u16;
        frame[18..20].copy_from_slice(&length.to_be_bytes());
        let address =
            |at: usize| Ipv6Addr::from(<[u8; 16]>::try_from(&frame[at..at + 16]).expect("16 bytes"));
        let (from, to) = (address(22), address(38));
        Icmpv6Packet::new_unchecked(&mut frame[54..]).fill_checksum(&from, &to);
    }
}

proptest! {
    /// What comes back is a frame to the asker or to all nodes, from the PC, of the length that it says.
    #[test]
    fn spoilt_frames_are_answered_soundly_or_not_at_all(
        case in any::<prop::sample::Index>(),
        length in any::<prop::sample::Index>(),
        spoilt in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        is_mended in any::<bool>(),
    ) {
        let cases = parse(RECORDING);
        let mut frame = case.get(&cases).question.clone();
        frame.truncate(length.index(frame.len()) + 1);
        for (at, byte) in spoilt {
            let at = at.index(frame.len());
            frame[at] = byte;
        }
        if is_mended {
            mend(&mut frame);
        }
        for answer in answers(&frame).iter().filter(|answer| answer[12..14] == [0x86, 0xDD]) {
            prop_assert_eq!(&answer[6..12], &LEFT_MAC);
            let payload = usize::from(u16::from_be_bytes([answer[18], answer[19]]));
            prop_assert_eq!(answer.len(), 54 + payload);
        }
    }
}
