//! `w5500-ll`: the chip's registers, one by one.

use w5500_ll::net::{Eui48Addr, Ipv4Addr};
use w5500_ll::{BufferSize, DuplexStatus, LinkStatus, Registers, SOCKETS, Sn, SocketStatus, SpeedStatus};

use crate::support::hal::TiedLow;
use crate::support::world::{Setup, World, ms};

#[test]
fn the_version_register_tells_the_chip_after_a_reset_by_its_pin() {
    let world = World::new(&Setup::default());
    assert_eq!(world.reset_chip().version().unwrap(), w5500_ll::VERSION);
}

#[test]
fn addresses_read_back_as_they_were_written() {
    let world = World::new(&Setup::default());
    let mut w5500 = world.reset_chip();
    let mac = Eui48Addr::new(0x02, 0x10, 0x20, 0x30, 0x40, 0x5A);
    let (gateway, mask, own) =
        (Ipv4Addr::new(10, 1, 2, 3), Ipv4Addr::new(255, 255, 128, 0), Ipv4Addr::new(10, 1, 2, 77));
    w5500.set_shar(&mac).unwrap();
    w5500.set_gar(&gateway).unwrap();
    w5500.set_subr(&mask).unwrap();
    w5500.set_sipr(&own).unwrap();
    assert_eq!(w5500.shar().unwrap(), mac);
    assert_eq!(w5500.gar().unwrap(), gateway);
    assert_eq!(w5500.subr().unwrap(), mask);
    assert_eq!(w5500.sipr().unwrap(), own);
}

#[test]
fn what_a_reset_leaves_is_what_the_datasheet_says() {
    // W5500 datasheet 1.1.0, sections 4.1 and 4.2.
    let world = World::new(&Setup::default());
    let mut w5500 = world.reset_chip();
    assert_eq!(w5500.rtr().unwrap(), 0x07D0);
    assert_eq!(w5500.rcr().unwrap(), 8);
    assert_eq!(w5500.shar().unwrap(), Eui48Addr::UNSPECIFIED);
    for sn in SOCKETS {
        assert_eq!(w5500.sn_sr(sn).unwrap(), Ok(SocketStatus::Closed));
        assert_eq!(w5500.sn_rxbuf_size(sn).unwrap(), Ok(BufferSize::KB2));
        assert_eq!(w5500.sn_txbuf_size(sn).unwrap(), Ok(BufferSize::KB2));
        assert_eq!(w5500.sn_ttl(sn).unwrap(), 0x80);
    }
}

#[test]
fn the_phy_register_shows_the_link_only_after_auto_negotiation() {
    let world = World::new(&Setup { link_up: ms(1_500), ..Setup::default() });
    let mut w5500 = world.reset_chip();
    world.wait(ms(1_000));
    assert_eq!(w5500.phycfgr().unwrap().lnk(), LinkStatus::Down);
    world.wait(ms(1_000));
    let phy = w5500.phycfgr().unwrap();
    assert_eq!(phy.lnk(), LinkStatus::Up);
    assert_eq!(phy.spd(), SpeedStatus::Mbps100);
    assert_eq!(phy.dpx(), DuplexStatus::Full);
}

#[test]
fn a_socket_buffer_wraps_at_its_size() {
    let world = World::new(&Setup::default());
    let mut w5500 = world.reset_chip();
    let written: Vec<u8> = (0..200).collect();
    w5500.set_sn_tx_buf(Sn::Sn3, 2_048 - 50, &written).unwrap();
    let (mut end, mut begin) = ([0; 50], [0; 150]);
    w5500.sn_tx_buf(Sn::Sn3, 2_048 - 50, &mut end).unwrap();
    w5500.sn_tx_buf(Sn::Sn3, 0, &mut begin).unwrap();
    assert_eq!(end, written[..50]);
    assert_eq!(begin, written[50..]);
}

#[test]
fn frames_of_fixed_length_work_with_chip_select_tied_low() {
    let world = World::new(&Setup::default());
    drop(world.reset_chip());
    let mut w5500 = w5500_ll::eh1::fdm::W5500::new(TiedLow::new(world.controller()));
    let mac = Eui48Addr::new(0x02, 1, 2, 3, 4, 5);
    w5500.set_shar(&mac).unwrap();
    assert_eq!(w5500.shar().unwrap(), mac);
    assert_eq!(w5500.version().unwrap(), w5500_ll::VERSION);
    let written: Vec<u8> = (0..=255).rev().collect();
    let mut read = [0; 256];
    w5500.set_sn_tx_buf(Sn::Sn7, 2_000, &written).unwrap();
    w5500.sn_tx_buf(Sn::Sn7, 2_000, &mut read).unwrap();
    assert_eq!(read, *written);
}
