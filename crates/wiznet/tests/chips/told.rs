//! What a driver is told of how it treats its chip, in the datasheets' names and with what to do instead.

use wiznet::Model;

use crate::support::{Bench, CHIP_MAC, MODELS, command, sn};

const SHAR: u16 = 0x09;

/// The sentences since the last call.
fn told(bench: &mut Bench) -> Vec<String> {
    bench.chip.take_warnings().into_iter().map(|told| told.sentence).collect()
}

#[test]
fn a_command_that_does_not_fit_is_named_with_the_status_that_stood() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(0, 0x01, 4000);
        bench.command(0, command::SEND);
        assert_eq!(
            told(&mut bench),
            ["SEND of socket 0 was ignored, as Sn_SR was SOCK_INIT (0x13)"],
            "{model:?}"
        );
    }
}

#[test]
fn what_is_written_to_a_register_that_is_read_only_is_lost_with_a_word() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.write(0, sn::TX_RD, &[1, 2]);
        assert_eq!(bench.u16(0, sn::TX_RD), 0);
        let told = told(&mut bench);
        assert_eq!(
            told,
            ["Sn_TX_RD of socket 0 was written but is read only on this chip: the write is lost"],
            "{model:?}"
        );
    }
}

/// A driver that comes from a W5500 clears Sn_IR in place, and SENDOK stands for ever.
#[test]
fn who_clears_an_interrupt_of_a_w6100_in_place_is_told_where_to_do_so() {
    const SOCKET_0: u8 = 1;
    for (block, address, name) in [(SOCKET_0, 0x20, "Sn_IR"), (0, 0x2100, "IR"), (0, 0x2102, "SLIR")] {
        let mut bench = Bench::linked(Model::W6100);
        bench.write_at(block, address, &[0x10]);
        let told = told(&mut bench);
        assert!(told.len() == 1 && told[0].starts_with(name) && told[0].contains("is read only"));
        assert!(told[0].ends_with(&format!("; {name}CLR clears it")), "{told:?}");
    }
    for model in [Model::W5100, Model::W5100S, Model::W5200, Model::W5500] {
        let mut bench = Bench::linked(model);
        bench.write(0, sn::IR, &[0x1F]);
        assert!(told(&mut bench).is_empty(), "{model:?}");
    }
}

/// Public drivers take the two values of NETLCKR either way round; the one that locks is named.
#[test]
fn who_locks_the_addresses_of_a_w5100s_with_the_key_of_a_w6100_is_told_both_values() {
    let mut bench = Bench::linked(Model::W5100S);
    bench.common_write(0x71, &[0x3A]);
    bench.common_write(SHAR, &[7; 6]);
    assert_eq!(bench.common_read(SHAR, 6), CHIP_MAC);
    let told = told(&mut bench);
    assert!(told[0].contains("SHAR was written while NETLCKR holds 0x3A, which locks it"), "{told:?}");
    assert!(told[0].contains("write another value, such as 0xC5, before"), "{told:?}");
}

#[test]
fn who_writes_what_is_locked_is_told_the_key() {
    let mut w6100 = Bench::bare(Model::W6100);
    w6100.common_write(0x4120, &CHIP_MAC);
    let addresses = told(&mut w6100);
    assert!(addresses[0].contains("write 0x3A to NETLCKR before"), "{addresses:?}");
    let mut w6100 = Bench::bare(Model::W6100);
    w6100.common_write(0x2004, &[0]);
    let reset = told(&mut w6100);
    assert!(reset[0].contains("write 0xCE to CHPLCKR before"), "{reset:?}");
    let mut w5100s = Bench::linked(Model::W5100S);
    w5100s.common_write(0x46, &[0x07]);
    let phy = told(&mut w5100s);
    assert!(phy[0].contains("write 0x53 to PHYLCKR before"), "{phy:?}");
}

/// WIZnet's forum has such drivers (topics 964 and 8714): a client that never set its port, and one that asks for 0.0.0.0.
#[test]
fn who_begins_a_connection_with_something_unset_is_told_what() {
    let peer = [192, 168, 7, 1];
    let tried = |port: u16, address: [u8; 4], peer_port: u16, command: u8, own: [u8; 4]| {
        let mut bench = Bench::linked(Model::W5500);
        bench.common_write(0x0F, &own);
        bench.open(0, 0x01, port);
        bench.write(0, sn::DIPR, &address);
        bench.write(0, sn::DPORT, &peer_port.to_be_bytes());
        bench.command(0, command);
        told(&mut bench)
    };
    let missing = |told: Vec<String>, what: &str| {
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains(what), "{told:?}");
    };
    let own = [192, 168, 7, 2];
    missing(tried(0, peer, 80, command::CONNECT, own), "CONNECT of socket 0 was given while Sn_PORT is zero");
    missing(tried(0, peer, 80, command::CONNECT, own), "set it before OPEN");
    missing(tried(0, peer, 80, command::LISTEN, own), "LISTEN of socket 0 was given while Sn_PORT is zero");
    missing(tried(4000, [0; 4], 80, command::CONNECT, own), "Sn_DIPR is zero");
    missing(tried(4000, peer, 0, command::CONNECT, own), "Sn_DPORT is zero");
    missing(tried(4000, peer, 80, command::CONNECT, [0; 4]), "SIPR is zero");
    assert!(tried(4000, peer, 80, command::CONNECT, own).is_empty());
    assert!(tried(4000, peer, 80, command::LISTEN, [0; 4]).is_empty(), "an address may come later, by DHCP");
}
