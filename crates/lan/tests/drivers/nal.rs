//! `w5500` behind the traits of embedded-nal: a client that waits for each SEND to be done.

use embedded_nal::{TcpClientStack, UdpClientStack, nb};
use std::net::{SocketAddr, SocketAddrV4};
use units::{PS_PER_US, Picoseconds};
use w5500::bus::{Bus, FourWire};
use w5500::{DeviceState, MacAddress, Manual, Mode, UninitializedDevice};

use crate::support::hal::Device;
use crate::support::peers::{Checksum, Counter, Ping, Role, Transfer, UdpEcho, checksum_of, stream};
use crate::support::world::{CHIP, CHIP_MAC, MASK, PC, Setup, World, ms, seconds, transfer_bytes};

const PORT: u16 = 5_003;
/// How long a driver that found nothing to do looks away.
const PAUSE: Picoseconds = Picoseconds::new(50 * PS_PER_US);
const FROM_PC: u64 = 55;
const FROM_CHIP: u64 = 66;

type Client<B> = w5500::Device<B, DeviceState<Manual>>;

fn start<B: Bus>(world: &World, bus: B) -> Client<B> {
    let mac = MacAddress::from(CHIP_MAC);
    let mut device = UninitializedDevice::new(bus)
        .initialize_advanced(mac, CHIP, PC, MASK, Mode::default())
        .expect("the driver finds its chip");
    world.poll(seconds(10), ms(10), || device.phy_config().unwrap().link_up());
    device
}

fn four_wire(world: &World) -> Client<FourWire<Device>> {
    drop(world.reset_chip());
    start(world, FourWire::new(Device(world.controller())))
}

fn to(port: u16) -> SocketAddr {
    SocketAddr::V4(SocketAddrV4::new(PC, port))
}

#[test]
fn a_chip_with_a_manual_address_answers_ping() {
    let world = World::new(&Setup::default());
    let _device = four_wire(&world);
    let ping = world.seat(Ping::new(CHIP, ms(100), 56));
    world.wait(ms(1_050));
    world.machine(ping, |ping: &Ping| assert_eq!((ping.sent, ping.answered, ping.garbled), (11, 11, 0)));
}

fn counts<B: Bus>(world: &World, device: &mut Client<B>) {
    let server = world.seat(Counter::new(PORT));
    let mut socket = TcpClientStack::socket(device).expect("a socket is free");
    TcpClientStack::connect(device, &mut socket, to(PORT)).expect("the PC accepts");
    for number in (0..200).step_by(2) {
        TcpClientStack::send(device, &mut socket, number.to_string().as_bytes())
            .expect("the connection stands");
        let mut buffer = [0; 64];
        let mut count = 0;
        world.poll(seconds(1), PAUSE, || {
            count = TcpClientStack::receive(device, &mut socket, &mut buffer).expect("the connection stands");
            count > 0
        });
        assert_eq!(buffer[..count], *(number + 1).to_string().as_bytes());
    }
    TcpClientStack::close(device, socket).expect("the bus works");
    world.machine(server, |server: &Counter| assert_eq!(server.answered, 100));
}

#[test]
fn a_hundred_messages_are_counted_up() {
    let world = World::new(&Setup::default());
    let mut device = four_wire(&world);
    counts(&world, &mut device);
}

#[test]
fn datagrams_come_back_from_an_echo_server() {
    let world = World::new(&Setup::default());
    let echo = world.seat(UdpEcho::new(7));
    let mut device = four_wire(&world);
    let mut socket = UdpClientStack::socket(&mut device).expect("a socket is free");
    UdpClientStack::connect(&mut device, &mut socket, to(7)).expect("the socket opens");
    let mut buffer = [0; 2_048];
    for (index, count) in [1, 3, 512, 1_472].into_iter().enumerate() {
        let sent = stream(FROM_CHIP, index as u64 * 4_096, count);
        UdpClientStack::send(&mut device, &mut socket, &sent).expect("the datagram leaves");
        let end = world.now() + seconds(1);
        let read = loop {
            match UdpClientStack::receive(&mut device, &mut socket, &mut buffer) {
                Ok((read, _)) => break read,
                Err(nb::Error::WouldBlock) => world.wait(ms(1)),
                Err(nb::Error::Other(error)) => panic!("a datagram of {count} bytes: {error:?}"),
            }
            assert!(world.now() < end, "a datagram of {count} bytes did not come back");
        };
        // The driver counts the eight bytes that the chip puts before a datagram.
        assert_eq!(read, count + 8);
        assert_eq!(buffer[..count], sent);
    }
    world.machine(echo, |echo: &UdpEcho| assert_eq!(echo.answered, 4));
}

/// One direction after the other, as this driver's sends block until the data are acknowledged.
fn there_and_back(setup: &Setup) {
    let bytes = transfer_bytes();
    let world = World::new(setup);
    let mut device = four_wire(&world);
    let peer = world.seat(Transfer::new(Role::Listen(PORT), FROM_PC, bytes).held_open());
    let mut socket = TcpClientStack::socket(&mut device).expect("a socket is free");
    TcpClientStack::connect(&mut device, &mut socket, to(PORT)).expect("the PC accepts");
    let (mut received, mut buffer) = (Checksum::default(), [0; 2_048]);
    world.poll(seconds(3_600), PAUSE, || {
        let count =
            TcpClientStack::receive(&mut device, &mut socket, &mut buffer).expect("the connection stands");
        received.add(&buffer[..count]);
        received.bytes == bytes
    });
    assert_eq!(received, checksum_of(FROM_PC, bytes));
    let mut sent = 0;
    while sent < bytes {
        let part = stream(FROM_CHIP, sent, (bytes - sent).min(2_048) as usize);
        sent += TcpClientStack::send(&mut device, &mut socket, &part).expect("the connection stands") as u64;
    }
    world.poll(seconds(60), ms(1), || world.machine(peer, |peer: &Transfer| peer.received.bytes == bytes));
    world.machine(peer, |peer: &Transfer| assert_eq!(peer.received, checksum_of(FROM_CHIP, bytes)));
    TcpClientStack::close(&mut device, socket).expect("the bus works");
    assert_eq!(world.lost_any(), setup.loss_percent > 0);
}

#[test]
fn data_go_there_and_back() {
    there_and_back(&Setup::default());
}

#[test]
fn data_go_there_and_back_while_one_frame_in_a_hundred_is_lost() {
    there_and_back(&Setup { loss_percent: 1, ..Setup::default() });
}
