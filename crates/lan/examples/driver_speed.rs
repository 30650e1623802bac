//! How fast the virtual W5500 is: 10 MB over TCP in each direction by drivers from the Rust registry at 33.3 MHz SPI,
//! virtual time against wall time and against the processor's (which a busy machine leaves alone), as a Markdown table.
//!
//! `cargo run --release -p airwire-lan --example driver_speed [BYTES]`

#[path = "../tests/drivers/support/mod.rs"]
mod support;

use std::time::Instant;

use embassy_net::tcp::TcpSocket;
use embassy_net::{Config, StackResources, StaticConfigV4};
use embassy_net_wiznet::State;
use embassy_net_wiznet::chip::W5500;
use units::{PS_PER_S, PS_PER_US, Picoseconds};
use w5500_hl::Tcp;
use w5500_hl::ll::{BufferSize, Registers, SOCKETS, Sn, SocketInterrupt, SocketInterruptMask, SocketStatus};
use w5500_hl::net::{Eui48Addr, SocketAddrV4};

use support::executor::Executor;
use support::hal::{Device, InterruptPin, ResetPin};
use support::peers::{Checksum, Role, Transfer, checksum_of, stream};
use support::world::{CHIP, CHIP_MAC, Driver, MASK, PC, Setup, World, ms, seconds};

const PORT: u16 = 5_001;
const SEED: u64 = 5;
/// How long a driver that found no room looks away.
const LOOK_AWAY_TIME: Picoseconds = Picoseconds::new(20 * PS_PER_US);
const LIMIT: Picoseconds = seconds(3_600);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    FromPc,
    ToPc,
}

/// When a transfer begins: in virtual time, on the wall and for the processor.
struct Begin {
    at: Picoseconds,
    wall: Instant,
    processor_s: Option<f64>,
}

impl Begin {
    fn now(world: &World) -> Self {
        Self { at: world.now(), wall: Instant::now(), processor_s: processor_s() }
    }

    fn took(self, world: &World) -> Took {
        let wall_s = self.wall.elapsed().as_secs_f64();
        let processor_s = processor_s().zip(self.processor_s).map(|(end, begin)| end - begin);
        Took { time: world.now() - self.at, wall_s, processor_s }
    }
}

/// What a run took.
#[derive(Clone, Copy)]
struct Took {
    time: Picoseconds,
    wall_s: f64,
    processor_s: Option<f64>,
}

/// How long this thread has had a processor, where the system tells (Linux, proc_pid_schedstat(5)).
fn processor_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

fn main() {
    let argument = std::env::args().nth(1);
    let bytes = argument.map_or(10_000_000, |text| text.parse().expect("the argument is a number of bytes"));
    println!(
        "| driver | direction | virtual time | Mbit/s | wall time | times real time | processor time | ratio |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    for direction in [Direction::FromPc, Direction::ToPc] {
        for (name, buffer) in [("2 KiB", BufferSize::KB2), ("16 KiB", BufferSize::KB16)] {
            row(
                &format!("w5500-hl 0.12, buffers of {name}"),
                direction,
                bytes,
                high_level(direction, buffer, bytes),
            );
        }
        row("embassy-net-wiznet 0.3, embassy-net 0.9", direction, bytes, embassy(direction, bytes));
    }
}

fn row(driver: &str, direction: Direction, bytes: u64, took: Took) {
    let way = if direction == Direction::FromPc { "from the PC" } else { "to the PC" };
    let time_s = took.time.ps() as f64 / PS_PER_S as f64;
    let rate = bytes as f64 * 8.0 / time_s / 1e6;
    let (wall_s, ratio) = (took.wall_s, time_s / took.wall_s);
    let processor = took.processor_s.map_or("- | -".to_owned(), |s| format!("{s:.3} s | {:.0}", time_s / s));
    println!("| {driver} | {way} | {time_s:.3} s | {rate:.1} | {wall_s:.3} s | {ratio:.0} | {processor} |");
}

fn peer(world: &World, direction: Direction, bytes: u64) -> support::world::Seat {
    let sent = if direction == Direction::FromPc { bytes } else { 0 };
    world.seat(Transfer::new(Role::Listen(PORT), SEED, sent).held_open())
}

fn high_level(direction: Direction, buffer: BufferSize, bytes: u64) -> Took {
    let world = World::new(&Setup { link_up: ms(0), ..Setup::default() });
    let mut w5500 = world.reset_chip();
    w5500.set_shar(&Eui48Addr { octets: CHIP_MAC }).unwrap();
    w5500.set_sipr(&CHIP).unwrap();
    w5500.set_subr(&MASK).unwrap();
    for sn in SOCKETS.into_iter().filter(|sn| *sn != Sn::Sn0) {
        w5500.set_sn_rxbuf_size(sn, BufferSize::KB0).unwrap();
        w5500.set_sn_txbuf_size(sn, BufferSize::KB0).unwrap();
    }
    w5500.set_sn_rxbuf_size(Sn::Sn0, buffer).unwrap();
    w5500.set_sn_txbuf_size(Sn::Sn0, buffer).unwrap();
    w5500.set_simr(1).unwrap();
    w5500.set_sn_imr(Sn::Sn0, SocketInterruptMask::DEFAULT).unwrap();
    let peer = peer(&world, direction, bytes);
    world.wait(ms(10));
    w5500.tcp_connect(Sn::Sn0, 40_000, &SocketAddrV4::new(PC, PORT)).unwrap();
    world.poll(seconds(1), ms(1), || w5500.sn_sr(Sn::Sn0).unwrap() == Ok(SocketStatus::Established));
    let all = if direction == Direction::ToPc { stream(SEED, 0, bytes as usize) } else { Vec::new() };
    let (begin, size) = (Begin::now(&world), buffer.size_in_bytes());
    let mut received = Checksum::default();
    match direction {
        Direction::FromPc => received = receive(&world, &mut w5500, size, bytes),
        Direction::ToPc => {
            send(&world, &mut w5500, size, &all);
            world.poll(seconds(10), ms(1), || {
                world.machine(peer, |peer: &Transfer| peer.received.bytes == bytes)
            });
        }
    }
    let took = begin.took(&world);
    check(&world, peer, direction, &received, bytes);
    took
}

/// Whether what arrived, here or at the PC, is what was sent.
fn check(world: &World, peer: support::world::Seat, direction: Direction, received: &Checksum, bytes: u64) {
    match direction {
        Direction::FromPc => assert_eq!(*received, checksum_of(SEED, bytes)),
        Direction::ToPc => {
            world.machine(peer, |peer: &Transfer| assert_eq!(peer.received, checksum_of(SEED, bytes)));
        }
    }
}

/// Waits for the chip's interrupt output as firmware would, and acknowledges what it was for.
fn await_interrupt(world: &World, w5500: &mut Driver) {
    let controller = world.controller();
    let end = world.now() + seconds(10);
    assert!(controller.borrow_mut().wait_for_interrupt(end), "the chip has nothing to say for 10 s");
    w5500.set_sn_ir(Sn::Sn0, SocketInterrupt::from(0xFF)).unwrap();
}

fn receive(world: &World, w5500: &mut Driver, size: usize, bytes: u64) -> Checksum {
    let (mut buffer, mut received) = (vec![0; size], Checksum::default());
    while received.bytes < bytes {
        match w5500.tcp_read(Sn::Sn0, &mut buffer).unwrap() {
            0 => await_interrupt(world, w5500),
            count => received.add(&buffer[..usize::from(count)]),
        }
    }
    received
}

fn send(world: &World, w5500: &mut Driver, size: usize, all: &[u8]) {
    let mut sent = 0;
    while sent < all.len() {
        let part = &all[sent..all.len().min(sent + size)];
        match w5500.tcp_write(Sn::Sn0, part).unwrap() {
            // No interrupt tells of room: the one of a SEND comes when the data are on the wire.
            0 => world.wait(LOOK_AWAY_TIME),
            count => sent += usize::from(count),
        }
    }
}

fn embassy(direction: Direction, bytes: u64) -> Took {
    let world = World::new(&Setup { link_up: ms(0), ..Setup::default() });
    let mut state = State::<8, 8>::new();
    let mut resources = StackResources::<2>::new();
    let mut executor = Executor::new(world.controller());
    let pins = (InterruptPin(world.controller()), ResetPin(world.controller()));
    let new = embassy_net_wiznet::new::<8, 8, W5500, _, _, _>(
        CHIP_MAC,
        &mut state,
        Device(world.controller()),
        pins.0,
        pins.1,
    );
    let (device, runner) = executor.run(LIMIT, new).expect("the driver finds its chip");
    let address = embassy_net::Ipv4Cidr::new(CHIP, 24);
    let config = StaticConfigV4 { address, gateway: Some(PC), dns_servers: Default::default() };
    let (stack, mut net) = embassy_net::new(device, Config::ipv4_static(config), &mut resources, 0x5EED);
    executor.spawn(async move {
        runner.run().await;
    });
    executor.spawn(async move {
        net.run().await;
    });
    let peer = peer(&world, direction, bytes);
    let all = stream(SEED, 0, bytes as usize);
    let (received, took) = executor.run(LIMIT, async {
        let (mut incoming, mut outgoing) = (vec![0; 16_384], vec![0; 16_384]);
        stack.wait_config_up().await;
        let mut socket = TcpSocket::new(stack, &mut incoming, &mut outgoing);
        socket.connect((PC, PORT)).await.expect("the PC accepts");
        let begin = Begin::now(&world);
        let (mut buffer, mut received, mut sent) = (vec![0; 16_384], Checksum::default(), 0);
        while direction == Direction::FromPc && received.bytes < bytes {
            let count = socket.read(&mut buffer).await.expect("the connection stands");
            received.add(&buffer[..count]);
        }
        while direction == Direction::ToPc && sent < all.len() {
            sent += socket.write(&all[sent..]).await.expect("the connection stands");
        }
        socket.flush().await.expect("the connection stands");
        (received, begin.took(&world))
    });
    check(&world, peer, direction, &received, bytes);
    took
}
