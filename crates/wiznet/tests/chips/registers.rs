//! Registers against the values that the datasheets give: after reset, sizes, PHY, interrupts, locks.

use units::Picoseconds;
use wiznet::{Duplex, LinkPartner, Model, Options, Speed};

use crate::support::{Bench, FAST, MODELS, RECV, command, ms, sn, us};

const UDP: u8 = 0x02;

/// A broadcast datagram for port 80 with so many bytes, from nobody in particular.
fn datagram(bytes: usize) -> Vec<u8> {
    use smoltcp::wire::{IpProtocol, Ipv4Address, Ipv4Packet, Ipv4Repr, UdpPacket};
    let mut frame = vec![0xFF; 14 + 20 + 8 + bytes];
    frame[12..14].copy_from_slice(&[8, 0]);
    let repr = Ipv4Repr {
        src_addr: Ipv4Address::new(192, 168, 7, 9),
        dst_addr: Ipv4Address::BROADCAST,
        next_header: IpProtocol::Udp,
        payload_len: 8 + bytes,
        hop_limit: 64,
    };
    repr.emit(&mut Ipv4Packet::new_unchecked(&mut frame[14..]), &Default::default());
    let mut udp = UdpPacket::new_unchecked(&mut frame[34..]);
    udp.set_src_port(67);
    udp.set_dst_port(80);
    udp.set_len(8 + bytes as u16);
    udp.fill_checksum(&repr.src_addr.into(), &repr.dst_addr.into());
    frame.resize(frame.len().max(60), 0);
    frame
}

#[test]
fn after_reset_a_w5500_reads_as_its_datasheet_says() {
    let mut bench = Bench::bare(Model::W5500);
    let expected: [(u16, &[u8]); 11] = [
        (0x00, &[0x00]),
        (0x13, &[0x00, 0x00]),
        (0x15, &[0x00, 0x00, 0x00, 0x00]),
        (0x19, &[0x07, 0xD0, 0x08]),
        (0x1C, &[0x28, 0x00]),
        (0x24, &[0x00, 0x00, 0xFF, 0xFF]),
        (0x28, &[0; 6]),
        (0x2E, &[0xB8]),
        // Reserved; what libogc2 takes a chip for a W5500 by.
        (0x37, &[0x78, 0x25]),
        (0x39, &[0x04]),
        (0x01, &[0; 18]),
    ];
    for (address, value) in expected {
        assert_eq!(bench.common_read(address, value.len()), value, "0x{address:02X}");
    }
    for n in 0..8 {
        let mut socket = [0; 0x30];
        socket[0x06..0x0C].fill(0xFF);
        socket[0x16] = 0x80;
        socket[0x1E..0x20].fill(2);
        socket[0x20] = 0x08;
        socket[0x2C] = 0xFF;
        socket[0x2D] = 0x40;
        assert_eq!(bench.read(n, 0, 0x30), socket, "socket {n}");
    }
}

#[test]
fn retries_are_two_hundred_milliseconds_and_eight_on_all_chips() {
    for (model, address) in
        [(Model::W5100, 0x17), (Model::W5100S, 0x17), (Model::W5200, 0x17), (Model::W5500, 0x19)]
    {
        let mut bench = Bench::bare(model);
        assert_eq!(bench.common_read(address, 3), [0x07, 0xD0, 0x08], "{model:?}");
    }
    let mut bench = Bench::bare(Model::W6100);
    assert_eq!((bench.common_read(0x4200, 2), bench.common_read(0x4204, 1)), (vec![0x07, 0xD0], vec![0x08]));
}

#[test]
fn memory_sizes_of_the_older_chips_are_two_bits_each() {
    for model in [Model::W5100, Model::W5100S] {
        let mut bench = Bench::bare(model);
        assert_eq!(bench.common_read(0x1A, 2), [0x55, 0x55], "{model:?}");
        // 4, 2, 1, 1 KiB.
        bench.common_write(0x1B, &[0b0000_0110]);
        let sizes: Vec<u16> = (0..4).map(|n| bench.u16(n, sn::TX_FSR)).collect();
        assert_eq!(sizes, [4096, 2048, 1024, 1024], "{model:?}");
    }
}

#[test]
fn sockets_beyond_the_end_of_the_memory_have_none() {
    let mut bench = Bench::bare(Model::W5500);
    for n in 0..3 {
        bench.write(n, sn::TXBUF, &[8]);
    }
    let sizes: Vec<u16> = (0..3).map(|n| bench.u16(n, sn::TX_FSR)).collect();
    assert_eq!(sizes, [8192, 8192, 0]);
    assert_eq!(bench.chip.take_warnings(), []);
    bench.open(2, UDP, 80);
    assert_eq!(bench.chip.take_warnings().len(), 1);
    bench.write(0, sn::TXBUF, &[16]);
    for n in 1..8 {
        bench.write(n, sn::TXBUF, &[0]);
    }
    assert_eq!(bench.u16(0, sn::TX_FSR), 16_384);
}

#[test]
fn offsets_of_a_w5500_buffer_wrap_at_its_size() {
    let mut bench = Bench::bare(Model::W5500);
    bench.write_at(2, 0xFFFE, &[1, 2, 3, 4]);
    assert_eq!(bench.read_at(2, 0x07FE, 4), [1, 2, 3, 4]);
    assert_eq!(bench.read_at(2, 0x1000, 2), [3, 4]);
}

#[test]
fn software_reset_clears_itself_and_every_register_but_keeps_the_link() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(1, UDP, 80);
        // The W6100 has SYCR0 for it, which resets with a zero once CHPLCKR has its key.
        let (register, reset) = if model == Model::W6100 { (0x2004, 0x00) } else { (0x0000, 0x80) };
        if model == Model::W6100 {
            bench.common_write(0x41F4, &[0xCE]);
        }
        bench.common_write(register, &[reset]);
        bench.pass(us(10));
        // Adafruit's driver takes 0x03 in MR after a reset for a W5100S.
        let mode = match model {
            Model::W5100S => 0x03,
            Model::W6100 => 0x80,
            _ => 0,
        };
        assert_eq!(bench.common_read(register, 1), [mode], "{model:?}");
        assert_eq!(bench.common_read(0x0F, 4), [0; 4]);
        assert_eq!(bench.u8(1, sn::SR), 0);
        assert!(bench.chip.link().is_some());
    }
}

#[test]
fn mode_bits_read_back_as_detection_by_drivers_expects() {
    let mut bench = Bench::bare(Model::W5500);
    for mode in [0x08, 0x10, 0x00] {
        bench.common_write(0, &[mode]);
        assert_eq!(bench.common_read(0, 1), [mode]);
    }
}

#[test]
fn pppoe_is_missed_by_who_opens_a_socket_with_it_and_not_by_who_tries_the_bit() {
    let mut bench = Bench::linked(Model::W5500);
    bench.common_write(0, &[0x08]);
    bench.common_write(0, &[0x00]);
    bench.open(0, UDP, 80);
    assert_eq!(bench.chip.take_warnings(), []);
    bench.common_write(0, &[0x08]);
    bench.open(1, UDP, 81);
    let warnings = bench.chip.take_warnings();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].sentence.contains("PPPoE is left out"), "{}", warnings[0].sentence);
}

#[test]
fn a_w5100s_takes_its_mode_back_as_it_was_read() {
    let mut bench = Bench::linked(Model::W5100S);
    let mode = bench.common_read(0, 1);
    bench.common_write(0, &mode);
    assert_eq!(bench.chip.take_warnings(), []);
}

#[test]
fn wake_on_lan_is_missed_wherever_it_is_switched_on() {
    for (model, address, bit) in [
        (Model::W5500, 0x00, 0x20),
        (Model::W5200, 0x00, 0x20),
        (Model::W5100S, 0x00, 0x20),
        (Model::W5100S, 0x30, 0x08),
    ] {
        let mut bench = Bench::linked(model);
        let before = bench.common_read(address, 1)[0];
        bench.common_write(address, &[before | bit]);
        let warnings = bench.chip.take_warnings();
        assert_eq!(warnings.len(), 1, "{model:?}");
        assert!(warnings[0].sentence.contains("Wake-on-LAN"), "{}", warnings[0].sentence);
    }
}

#[test]
fn phycfgr_shows_the_link_and_obeys_its_mode_after_a_reset() {
    let mut bench = Bench::linked(Model::W5500);
    assert_eq!(bench.common_read(0x2E, 1), [0xBF]);
    // 10 Mbit/s, half duplex: 0b000; held in reset, then released.
    bench.common_write(0x2E, &[0x40]);
    assert_eq!(bench.common_read(0x2E, 1), [0x40]);
    assert!(bench.chip.link().is_none());
    bench.common_write(0x2E, &[0xC0]);
    assert_eq!(bench.common_read(0x2E, 1), [0xC1]);
    let slow = LinkPartner { speed: Speed::Mbps10, duplex: Duplex::Half };
    assert_eq!(bench.chip.link(), Some(slow));
    // Power down: 0b110.
    bench.common_write(0x2E, &[0x70]);
    bench.common_write(0x2E, &[0xF0]);
    assert!(bench.chip.link().is_none());
}

#[test]
fn each_chip_shows_its_link_where_drivers_look() {
    let mut bench = Bench::linked(Model::W5200);
    assert_eq!(bench.common_read(0x35, 1), [0x20]);
    bench.chip.set_cable(bench.now, None);
    assert_eq!(bench.common_read(0x35, 1), [0x00]);
    let mut bench = Bench::linked(Model::W5100S);
    assert_eq!(bench.common_read(0x3C, 1)[0] & 1, 1);
    // BMSR through MDIO, as ioLibrary reads it.
    bench.common_write(0x3F, &[1]);
    bench.common_write(0x44, &[2]);
    assert_eq!(bench.common_read(0x42, 2)[1] & 0x24, 0x24);
    assert_eq!(bench.common_read(0x44, 1), [0]);
}

#[test]
fn the_link_is_up_when_negotiation_is_over_and_not_before() {
    let options = Options { link_up_time: ms(2_000), ..Options::of(Model::W5500) };
    let mut chip = wiznet::Chip::new(options);
    chip.set_cable(ms(100), Some(FAST));
    chip.advance(ms(2_099));
    assert!(chip.link().is_none());
    assert_eq!(chip.next_event(), Some(ms(2_100)));
    chip.advance(ms(2_100));
    assert_eq!(chip.link(), Some(FAST));
    chip.set_reset(ms(3_000), false);
    chip.set_reset(ms(3_001), true);
    chip.advance(ms(5_000));
    assert!(chip.link().is_none());
    chip.advance(ms(5_001));
    assert_eq!(chip.link(), Some(FAST));
    // What its supply feels: a link from 2100 to 3000 ms, and again from the end on.
    let spent: Vec<_> = chip.supply_states(ms(5_011)).into_iter().filter(|(_, time)| *time > ms(0)).collect();
    assert_eq!(spent, [("no link", ms(5_011 - 910)), ("100 Mbit/s link", ms(900 + 10))]);
}

#[test]
fn the_interrupt_pin_is_low_while_an_unmasked_bit_stands() {
    // Where the mask of the sockets' bits is.
    let masks = [
        (Model::W5100, 0x16),
        (Model::W5100S, 0x16),
        (Model::W5200, 0x16),
        (Model::W5500, 0x18),
        (Model::W6100, 0x2114),
    ];
    for (model, mask) in masks {
        let mut bench = Bench::linked(model);
        bench.open(1, UDP, 80);
        bench.arrive(&datagram(10));
        assert_eq!(bench.u8(1, sn::IR), RECV);
        assert!(!bench.chip.interrupt_is_low(), "{model:?}: all is masked after reset");
        bench.common_write(mask, &[0x02]);
        assert!(bench.chip.interrupt_is_low(), "{model:?}");
        bench.write(1, sn::IR, &[RECV]);
        assert!(!bench.chip.interrupt_is_low(), "{model:?}");
        assert_eq!(bench.u8(1, sn::IR), 0);
    }
}

#[test]
fn a_socket_mask_keeps_its_interrupt_from_the_pin() {
    let masks = [(Model::W5100S, 0x16), (Model::W5200, 0x16), (Model::W5500, 0x18), (Model::W6100, 0x2114)];
    for (model, mask) in masks {
        let mut bench = Bench::linked(model);
        bench.open(1, UDP, 80);
        bench.common_write(mask, &[0x02]);
        bench.write(1, sn::IMR, &[!RECV]);
        bench.arrive(&datagram(10));
        assert!(!bench.chip.interrupt_is_low(), "{model:?}");
        assert_eq!(bench.u8(1, sn::IR), RECV);
    }
}

#[test]
fn intlevel_keeps_the_pin_high_between_two_interrupts() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(1, UDP, 80);
    bench.common_write(0x18, &[0x02]);
    // (14,999 + 1) x 4 / 150 MHz = 400 us.
    bench.common_write(0x13, &14_999u16.to_be_bytes());
    bench.arrive(&datagram(10));
    assert!(bench.chip.interrupt_is_low());
    bench.write(1, sn::IR, &[RECV]);
    let cleared = bench.now;
    bench.arrive(&datagram(10));
    assert!(!bench.chip.interrupt_is_low());
    bench.chip.advance(cleared + us(390));
    assert!(!bench.chip.interrupt_is_low());
    bench.chip.advance(cleared + us(401));
    assert!(bench.chip.interrupt_is_low());
}

#[test]
fn recv_stands_again_when_more_is_there_after_the_command() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(1, UDP, 80);
    bench.arrive(&datagram(10));
    bench.arrive(&datagram(20));
    bench.write(1, sn::IR, &[RECV]);
    bench.take(1, 18);
    assert_eq!(bench.u8(1, sn::IR), RECV);
    bench.write(1, sn::IR, &[RECV]);
    bench.take(1, 28);
    assert_eq!(bench.u8(1, sn::IR), 0);
}

#[test]
fn only_recv_makes_room_again() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(1, UDP, 80);
    bench.arrive(&datagram(1000));
    bench.arrive(&datagram(1000));
    bench.arrive(&datagram(100));
    assert_eq!(bench.u16(1, sn::RX_RSR), 2016);
    assert_eq!(bench.chip.dropped().no_room, 1);
    bench.write(1, sn::RX_RD, &1008u16.to_be_bytes());
    assert_eq!(bench.u16(1, sn::RX_RSR), 2016);
    bench.command(1, command::RECV);
    assert_eq!(bench.u16(1, sn::RX_RSR), 1008);
}

/// Arduino's library puts a datagram together that way: it reads Sn_TX_WR before each piece, and adds what it wrote before.
#[test]
fn sn_tx_wr_shows_what_was_written_to_it_once_that_is_sent() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(0, UDP, 68);
        bench.write(0, sn::DIPR, &[255; 4]);
        bench.write(0, sn::DPORT, &67u16.to_be_bytes());
        for round in 1..=3 {
            let pieces: [&[u8]; 3] = [&[1; 28], &[2; 44], &[3; 900]];
            let sent = 972 * (round - 1);
            let mut offset = 0;
            for piece in pieces {
                bench.put(0, offset, piece);
                offset += piece.len() as u16;
                assert_eq!((bench.u16(0, sn::TX_WR), bench.u16(0, sn::TX_FSR)), (sent, 2048), "{model:?}");
            }
            bench.command(0, command::SEND);
            assert_eq!(bench.u16(0, sn::TX_WR), 972 * round, "{model:?}");
            bench.pass(ms(1));
            let frames = bench.take_seen();
            assert_eq!(frames.len(), 1, "{model:?}");
            assert_eq!(frames[0].bytes[42..], pieces.concat(), "{model:?}");
        }
    }
}

#[test]
fn a_command_reads_back_until_its_time_has_passed() {
    let mut bench = Bench::bare(Model::W5500);
    bench.chip = wiznet::Chip::new(Options { command_time: us(2), ..Options::of(Model::W5500) });
    bench.write(0, sn::MR, &[UDP]);
    bench.clock_hz = 80_000_000;
    let start = bench.now;
    bench.write(0, sn::CR, &[command::OPEN]);
    assert_eq!(bench.u8(0, sn::CR), command::OPEN);
    assert_eq!(bench.u8(0, sn::SR), 0);
    bench.now = start + us(3);
    assert_eq!(bench.u8(0, sn::CR), 0);
    assert_eq!(bench.u8(0, sn::SR), 0x22);
}

#[test]
fn a_command_that_does_not_fit_is_ignored_with_a_word() {
    let mut bench = Bench::linked(Model::W5500);
    bench.command(0, command::LISTEN);
    assert_eq!(bench.u8(0, sn::SR), 0);
    assert_eq!(bench.chip.take_warnings().len(), 1);
    bench.open(1, 0x04, 0);
    assert_eq!(bench.u8(1, sn::SR), 0, "MACRAW is for socket 0");
}

#[test]
fn a_w5100s_keeps_its_phy_control_locked() {
    let mut bench = Bench::linked(Model::W5100S);
    bench.common_write(0x46, &[0x07]);
    assert_eq!(bench.common_read(0x46, 1), [0]);
    bench.common_write(0x72, &[0x53]);
    bench.common_write(0x46, &[0x07]);
    assert_eq!(bench.common_read(0x46, 1), [0x07]);
    assert_eq!(bench.chip.link(), Some(LinkPartner { speed: Speed::Mbps10, duplex: Duplex::Half }));
}

#[test]
fn a_w5100s_counts_hundreds_of_microseconds() {
    let mut bench = Bench::bare(Model::W5100S);
    bench.common_write(0x88, &[1]);
    bench.pass(Picoseconds::new(5_050 * units::PS_PER_US));
    assert_eq!(bench.common_read(0x82, 2), [0, 50]);
}
