//! `embassy-net-wiznet` under embassy-net on W5500, W5100S and W6100: the chip carries frames, TCP/IP is smoltcp's.

use embassy_futures::join::join;
use embassy_net::icmp::PacketMetadata as IcmpMetadata;
use embassy_net::icmp::ping::{PingManager, PingParams};
use embassy_net::tcp::TcpSocket;
use embassy_net::udp::{PacketMetadata, UdpSocket};
use embassy_net::{Config, Stack, StackResources};
use embassy_net_wiznet::State;
use embassy_net_wiznet::chip::{Chip, W5100S, W5500, W6100};
use wiznet::Model;

use crate::support::executor::Executor;
use crate::support::hal::{Device, InterruptPin, ResetPin};
use crate::support::peers::{Checksum, Ping, Role, Transfer, UdpEcho, checksum_of, stream};
use crate::support::world::{
    CHIP_MAC, PC, POOL, Setup, World, endpoint, ms, seconds, time_without_loss, transfer_bytes,
};

const FROM_PC: u64 = 33;
const FROM_CHIP: u64 = 44;
const PORT: u16 = 5_002;

fn setup(model: Model, loss_percent: u32) -> Setup {
    Setup { model, loss_percent, ..Setup::default() }
}

/// Brings the driver up, gets an address by DHCP, and runs `body` on it.
fn on_the_network<C: Chip, T>(world: &World, body: impl AsyncFnOnce(Stack<'_>) -> T) -> T {
    world.serve_dhcp();
    let mut state = State::<8, 8>::new();
    let mut resources = StackResources::<4>::new();
    let mut executor = Executor::new(world.controller());
    let pins = (InterruptPin(world.controller()), ResetPin(world.controller()));
    let spi = Device(world.controller());
    let (device, runner) = executor
        .run(
            seconds(1),
            embassy_net_wiznet::new::<8, 8, C, _, _, _>(CHIP_MAC, &mut state, spi, pins.0, pins.1),
        )
        .expect("the driver finds its chip");
    let (stack, mut net) =
        embassy_net::new(device, Config::dhcpv4(Default::default()), &mut resources, 0x5EED);
    executor.spawn(async move {
        runner.run().await;
    });
    executor.spawn(async move {
        net.run().await;
    });
    executor.run(seconds(3_600), async move {
        stack.wait_config_up().await;
        body(stack).await
    })
}

async fn send(mut writer: embassy_net::tcp::TcpWriter<'_>, bytes: u64) {
    let mut sent = 0;
    while sent < bytes {
        let part = stream(FROM_CHIP, sent, (bytes - sent).min(2_048) as usize);
        sent += writer.write(&part).await.expect("the connection stands while it sends") as u64;
    }
    writer.flush().await.expect("the connection stands until all is acknowledged");
}

async fn receive(mut reader: embassy_net::tcp::TcpReader<'_>) -> Checksum {
    let (mut buffer, mut received) = ([0; 2_048], Checksum::default());
    loop {
        match reader.read(&mut buffer).await.expect("the connection stands while it receives") {
            0 => return received,
            count => received.add(&buffer[..count]),
        }
    }
}

/// The window that a connection opens: what of it can be on the way at once fits into the memory that the driver gives
/// the chip's socket, which is 4 KiB on the W6100; a frame that does not fit is lost.
fn window(model: Model) -> usize {
    if model == Model::W6100 { 2 * 1_460 } else { 8_192 }
}

fn both_ways<C: Chip>(setup: &Setup, connect: bool) {
    let bytes = transfer_bytes();
    let world = World::new(setup);
    let peer = on_the_network::<C, _>(&world, async |stack| {
        let (mut incoming, mut outgoing) = (vec![0; window(setup.model)], vec![0; 8_192]);
        let mut socket = TcpSocket::new(stack, &mut incoming, &mut outgoing);
        let peer = if connect {
            let peer = world.seat(Transfer::new(Role::Listen(PORT), FROM_PC, bytes));
            socket.connect((PC, PORT)).await.expect("the PC accepts");
            peer
        } else {
            let own = stack.config_v4().expect("there is an address").address.address();
            let peer = world.seat(Transfer::new(Role::Connect(endpoint(own, PORT)), FROM_PC, bytes));
            socket.accept(PORT).await.expect("the PC connects");
            peer
        };
        let begin = world.now();
        let (reader, writer) = socket.split();
        let (received, ()) = join(receive(reader), send(writer, bytes)).await;
        assert!(setup.loss_percent > 0 || world.now() - begin < time_without_loss(bytes));
        assert_eq!(received, checksum_of(FROM_PC, bytes));
        socket.close();
        socket.flush().await.expect("the PC acknowledges the end");
        peer
    });
    world.machine(peer, |peer: &Transfer| {
        assert!(peer.peer_finished);
        assert_eq!(peer.received, checksum_of(FROM_CHIP, bytes));
    });
    assert_eq!(world.lost_any(), setup.loss_percent > 0);
}

fn answers_ping<C: Chip>(model: Model) {
    let world = World::new(&setup(model, 0));
    on_the_network::<C, _>(&world, async |stack| {
        let own = stack.config_v4().expect("there is an address").address.address();
        assert!(POOL.contains(&own), "{own} is not of the pool");
        let ping = world.seat(Ping::new(own, ms(100), 56));
        embassy_time::Timer::after_millis(1_050).await;
        world.machine(ping, |ping: &Ping| assert_eq!((ping.sent, ping.answered, ping.garbled), (11, 11, 0)));
    });
}

fn pings<C: Chip>(model: Model) {
    let world = World::new(&setup(model, 0));
    let round_trip = on_the_network::<C, _>(&world, async |stack| {
        let (mut incoming, mut outgoing) = ([0; 512], [0; 512]);
        let (mut incoming_metadata, mut outgoing_metadata) = ([IcmpMetadata::EMPTY], [IcmpMetadata::EMPTY]);
        let mut manager = PingManager::new(
            stack,
            &mut incoming_metadata,
            &mut incoming,
            &mut outgoing_metadata,
            &mut outgoing,
        );
        let mut parameters = PingParams::new(PC);
        parameters.set_payload(b"Is anybody there?");
        manager.ping(&parameters).await.expect("the PC answers")
    });
    assert!(round_trip.as_micros() > 0 && round_trip.as_micros() < 10_000, "{round_trip:?}");
}

fn datagrams_come_back<C: Chip>(model: Model) {
    let world = World::new(&setup(model, 0));
    let echo = world.seat(UdpEcho::new(7));
    on_the_network::<C, _>(&world, async |stack| {
        let (mut incoming, mut outgoing) = ([0; 4_096], [0; 4_096]);
        let (mut incoming_metadata, mut outgoing_metadata) =
            ([PacketMetadata::EMPTY; 4], [PacketMetadata::EMPTY; 4]);
        let mut socket = UdpSocket::new(
            stack,
            &mut incoming_metadata,
            &mut incoming,
            &mut outgoing_metadata,
            &mut outgoing,
        );
        socket.bind(7_000).expect("the port is free");
        let mut buffer = [0; 2_048];
        for (index, count) in [1, 2, 3, 511, 512, 1_000, 1_471, 1_472].into_iter().enumerate() {
            let sent = stream(FROM_CHIP, index as u64 * 4_096, count);
            socket.send_to(&sent, (PC, 7)).await.expect("there is a way to the PC");
            let (read, _) = socket.recv_from(&mut buffer).await.expect("the datagram fits");
            assert_eq!(buffer[..read], sent);
        }
    });
    world.machine(echo, |echo: &UdpEcho| assert_eq!(echo.answered, 8));
}

#[test]
fn w5500_answers_ping_at_the_address_that_dhcp_gave_it() {
    answers_ping::<W5500>(Model::W5500);
}

#[test]
fn w5500_pings_the_pc() {
    pings::<W5500>(Model::W5500);
}

#[test]
fn w5500_gets_its_datagrams_back_byte_by_byte() {
    datagrams_come_back::<W5500>(Model::W5500);
}

#[test]
fn w5500_connects_and_moves_data_both_ways() {
    both_ways::<W5500>(&setup(Model::W5500, 0), true);
}

#[test]
fn w5500_connects_and_moves_data_both_ways_while_one_frame_in_a_hundred_is_lost() {
    both_ways::<W5500>(&setup(Model::W5500, 1), true);
}

#[test]
fn w5500_accepts_and_moves_data_both_ways() {
    both_ways::<W5500>(&setup(Model::W5500, 0), false);
}

#[test]
fn w5500_accepts_and_moves_data_both_ways_while_one_frame_in_a_hundred_is_lost() {
    both_ways::<W5500>(&setup(Model::W5500, 1), false);
}

#[test]
fn w5100s_answers_ping_at_the_address_that_dhcp_gave_it() {
    answers_ping::<W5100S>(Model::W5100S);
}

#[test]
fn w5100s_pings_the_pc() {
    pings::<W5100S>(Model::W5100S);
}

#[test]
fn w5100s_gets_its_datagrams_back_byte_by_byte() {
    datagrams_come_back::<W5100S>(Model::W5100S);
}

#[test]
fn w5100s_connects_and_moves_data_both_ways() {
    both_ways::<W5100S>(&setup(Model::W5100S, 0), true);
}

#[test]
fn w5100s_connects_and_moves_data_both_ways_while_one_frame_in_a_hundred_is_lost() {
    both_ways::<W5100S>(&setup(Model::W5100S, 1), true);
}

#[test]
fn w5100s_accepts_and_moves_data_both_ways() {
    both_ways::<W5100S>(&setup(Model::W5100S, 0), false);
}

#[test]
fn w5100s_accepts_and_moves_data_both_ways_while_one_frame_in_a_hundred_is_lost() {
    both_ways::<W5100S>(&setup(Model::W5100S, 1), false);
}

#[test]
fn w6100_answers_ping_at_the_address_that_dhcp_gave_it() {
    answers_ping::<W6100>(Model::W6100);
}

#[test]
fn w6100_gets_its_datagrams_back_byte_by_byte() {
    datagrams_come_back::<W6100>(Model::W6100);
}

#[test]
fn w6100_connects_and_moves_data_both_ways_while_one_frame_in_a_hundred_is_lost() {
    both_ways::<W6100>(&setup(Model::W6100, 1), true);
}

#[test]
fn w6100_accepts_and_moves_data_both_ways() {
    both_ways::<W6100>(&setup(Model::W6100, 0), false);
}
