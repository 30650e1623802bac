//! Segments as bytes, against smoltcp's reading of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{TcpControl, TcpPacket, TcpRepr, TcpSeqNumber, TcpTimestampRepr};

use super::*;

const SOURCE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const DESTINATION: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

/// Both ends of a segment, of either family.
fn ends() -> impl Strategy<Value = (IpAddr, IpAddr)> {
    let of_ipv6 = any::<(u128, u128)>().prop_map(|(source, destination)| {
        (Ipv6Addr::from(source).into(), Ipv6Addr::from(destination).into())
    });
    prop_oneof![Just((SOURCE, DESTINATION)), of_ipv6]
}

proptest! {
    #[test]
    fn smoltcp_reads_what_we_emit(
        (source, destination) in ends(),
        ports in any::<(u16, u16)>(),
        sequence in any::<u32>(),
        acknowledgement in any::<u32>(),
        window in any::<u16>(),
        mss in proptest::option::of(1u16..),
        payload in proptest::collection::vec(any::<u8>(), 0..200),
        cut in 0usize..200,
    ) {
        prop_assume!(ports.0 != 0 && ports.1 != 0);
        let flags = if mss.is_some() { SYN | ACK } else { PSH | ACK };
        let header = Header {
            source_port: ports.0, destination_port: ports.1, sequence, acknowledgement, flags, window, mss,
        };
        let (first, second) = payload.split_at(cut.min(payload.len()));
        let mut bytes = vec![0xEE; 3];
        header.emit(source, destination, [first, second], &mut bytes);
        let bytes = &bytes[3..];

        let packet = TcpPacket::new_checked(bytes).unwrap();
        let checked = ChecksumCapabilities::default();
        let repr = TcpRepr::parse(&packet, &source.into(), &destination.into(), &checked).unwrap();
        prop_assert_eq!(repr.src_port, ports.0);
        prop_assert_eq!(repr.dst_port, ports.1);
        prop_assert_eq!(repr.seq_number, TcpSeqNumber(sequence as i32));
        prop_assert_eq!(repr.ack_number, Some(TcpSeqNumber(acknowledgement as i32)));
        prop_assert_eq!(repr.window_len, window);
        prop_assert_eq!(repr.max_seg_size, mss);
        prop_assert_eq!(repr.payload, &payload[..]);
        prop_assert_eq!(repr.control == TcpControl::Syn, mss.is_some());

        prop_assert!(checksum_is_right(source, destination, bytes));
        prop_assert_eq!(Header::parse(bytes), Some((header, &payload[..])));
    }

    #[test]
    fn we_read_what_smoltcp_emits(
        (source, destination) in ends(),
        sequence in any::<i32>(),
        mss in proptest::option::of(any::<u16>()),
        scale in proptest::option::of(0u8..14),
        timestamped in any::<bool>(),
        payload in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let repr = TcpRepr {
            src_port: 80, dst_port: 81, control: TcpControl::Syn,
            seq_number: TcpSeqNumber(sequence), ack_number: Some(TcpSeqNumber(7)), window_len: 1234,
            window_scale: scale, max_seg_size: mss, sack_permitted: true, sack_ranges: [None; 3],
            timestamp: timestamped.then_some(TcpTimestampRepr { tsval: 1, tsecr: 2 }),
            payload: &payload,
        };
        let mut bytes = vec![0; repr.buffer_len()];
        repr.emit(
            &mut TcpPacket::new_unchecked(&mut bytes),
            &source.into(), &destination.into(), &ChecksumCapabilities::default(),
        );
        let (header, text) = Header::parse(&bytes).unwrap();
        prop_assert!(checksum_is_right(source, destination, &bytes));
        prop_assert_eq!(header.sequence, sequence as u32);
        prop_assert_eq!(header.acknowledgement, 7);
        prop_assert_eq!(header.window, 1234);
        prop_assert_eq!(header.flags, SYN | ACK);
        prop_assert_eq!(header.mss, mss);
        prop_assert_eq!(text, &payload[..]);
    }

    #[test]
    fn a_turned_bit_makes_the_checksum_wrong(
        payload in proptest::collection::vec(any::<u8>(), 0..64), bit in any::<prop::sample::Index>(),
    ) {
        let mut bytes = Vec::new();
        Header::default().emit(SOURCE, DESTINATION, [&payload, &[]], &mut bytes);
        let bit = bit.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(!checksum_is_right(SOURCE, DESTINATION, &bytes));
    }

    #[test]
    fn no_bytes_are_too_strange_to_parse(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        if let Some((_, payload)) = Header::parse(&bytes) {
            prop_assert!(payload.len() + 20 <= bytes.len());
        }
    }
}

#[test]
fn a_segment_for_nobody_is_reset_as_rfc_9293_says() {
    let header = Header { source_port: 1, destination_port: 2, sequence: 100, ..Header::default() };
    let syn = Header { flags: SYN, ..header };
    let reset = reset_for(&syn, 0).unwrap();
    assert_eq!((reset.source_port, reset.destination_port), (2, 1));
    assert_eq!((reset.flags, reset.sequence, reset.acknowledgement), (RST | ACK, 0, 101));

    let data = Header { flags: ACK, acknowledgement: 555, ..header };
    let reset = reset_for(&data, 10).unwrap();
    assert_eq!((reset.flags, reset.sequence), (RST, 555));

    assert_eq!(reset_for(&Header { flags: RST | ACK, ..header }, 0), None);
}
