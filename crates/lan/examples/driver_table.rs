//! What a message costs each driver from the Rust registry: SPI transactions, bytes, bus time and waits for one round of
//! ping-pong with a decimal counter, at 2 and 33.3 MHz and at the 48.8 kHz of a firmware whose driver sets its clock wrongly,
//! as a Markdown table for docs. Software takes no time here, so the rates are those of bus, chip, wire and PC alone.
//!
//! `cargo run --release -p airwire-lan --example driver_table`

#[path = "../tests/drivers/support/mod.rs"]
mod support;

use std::net::SocketAddr;

use embassy_net::tcp::TcpSocket;
use embassy_net::{Config, StackResources, StaticConfigV4};
use embassy_net_wiznet::State;
use embassy_net_wiznet::chip::{Chip, W5100S, W5500};
use embedded_nal::TcpClientStack;
use lan::BusUse;
use units::{PS_PER_S, PS_PER_US, Picoseconds};
use w5500::bus::FourWire;
use w5500::{MacAddress, Mode, UninitializedDevice};
use w5500_hl::Tcp;
use w5500_hl::ll::{Registers, Sn, SocketStatus};
use w5500_hl::net::{Eui48Addr, SocketAddrV4};
use wiznet::Model;

use support::executor::Executor;
use support::hal::{Device, InterruptPin, ResetPin};
use support::peers::Counter;
use support::world::{CHIP, CHIP_MAC, MASK, PC, Setup, World, ms, seconds};

const PORT: u16 = 5_000;
const ROUNDS: u64 = 100;
const CLOCKS: [(u64, &str); 3] = [(48_828, "48.8 kHz"), (2_000_000, "2 MHz"), (33_300_000, "33.3 MHz")];

/// A mark on the bus and the clock.
#[derive(Clone, Copy)]
struct Mark {
    used: BusUse,
    at: Picoseconds,
}

impl Mark {
    fn of(world: &World) -> Self {
        Self { used: world.used(), at: world.now() }
    }
}

type Measure = fn(&World) -> (Mark, Mark);

fn main() {
    let drivers: [(&str, Model, Measure); 4] = [
        ("w5500-hl 0.12, polling", Model::W5500, high_level),
        ("w5500 0.6, polling", Model::W5500, nal),
        ("embassy-net-wiznet 0.3, INT pin", Model::W5500, embassy::<W5500>),
        ("embassy-net-wiznet 0.3, INT pin", Model::W5100S, embassy::<W5100S>),
    ];
    println!("| driver | chip | SPI | transactions | bytes | bus time | waits | time | messages/s |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for (name, model, measure) in drivers {
        for (clock_hz, clock) in CLOCKS {
            let world = World::new(&Setup { model, clock_hz, link_up: ms(0), ..Setup::default() });
            let server = world.seat(Counter::new(PORT));
            let (begin, end) = measure(&world);
            world.machine(server, |server: &Counter| assert_eq!(server.answered, ROUNDS));
            println!("| {name} | {model:?} | {clock} | {} |", columns(begin, end));
        }
    }
}

/// All of it for one message.
fn columns(begin: Mark, end: Mark) -> String {
    let each = |begin: u64, end: u64| (end - begin) as f64 / ROUNDS as f64;
    let us =
        |begin: Picoseconds, end: Picoseconds| (end - begin).ps() as f64 / (ROUNDS as i64 * PS_PER_US) as f64;
    let time_us = us(begin.at, end.at);
    format!(
        "{:.1} | {:.1} | {:.1} µs | {:.1} µs | {:.1} µs | {:.0}",
        each(begin.used.transactions, end.used.transactions),
        each(begin.used.bytes, end.used.bytes),
        us(begin.used.bus_time, end.used.bus_time),
        us(begin.used.wait_time, end.used.wait_time),
        time_us,
        PS_PER_S as f64 / PS_PER_US as f64 / time_us,
    )
}

/// The message of a round, and whether an answer is the right one.
fn message(round: u64) -> Vec<u8> {
    (2 * round).to_string().into_bytes()
}

fn check(round: u64, answer: &[u8]) {
    assert_eq!(answer, (2 * round + 1).to_string().as_bytes());
}

fn high_level(world: &World) -> (Mark, Mark) {
    let mut w5500 = world.reset_chip();
    w5500.set_shar(&Eui48Addr { octets: CHIP_MAC }).unwrap();
    w5500.set_sipr(&CHIP).unwrap();
    w5500.set_subr(&MASK).unwrap();
    w5500.tcp_connect(Sn::Sn0, 40_000, &SocketAddrV4::new(PC, PORT)).unwrap();
    world.poll(seconds(2), ms(1), || w5500.sn_sr(Sn::Sn0).unwrap() == Ok(SocketStatus::Established));
    let (begin, mut buffer) = (Mark::of(world), [0; 64]);
    for round in 0..ROUNDS {
        w5500.tcp_write(Sn::Sn0, &message(round)).unwrap();
        let count = loop {
            match w5500.tcp_read(Sn::Sn0, &mut buffer).unwrap() {
                0 => assert!(world.now() < begin.at + seconds(60), "the PC does not answer"),
                count => break usize::from(count),
            }
        };
        check(round, &buffer[..count]);
    }
    (begin, Mark::of(world))
}

fn nal(world: &World) -> (Mark, Mark) {
    drop(world.reset_chip());
    let mut device = UninitializedDevice::new(FourWire::new(Device(world.controller())))
        .initialize_advanced(MacAddress::from(CHIP_MAC), CHIP, PC, MASK, Mode::default())
        .expect("the driver finds its chip");
    let mut socket = TcpClientStack::socket(&mut device).expect("a socket is free");
    let to = SocketAddr::V4(SocketAddrV4::new(PC, PORT));
    TcpClientStack::connect(&mut device, &mut socket, to).expect("the PC accepts");
    let (begin, mut buffer) = (Mark::of(world), [0; 64]);
    for round in 0..ROUNDS {
        TcpClientStack::send(&mut device, &mut socket, &message(round)).expect("the connection stands");
        let count = loop {
            match TcpClientStack::receive(&mut device, &mut socket, &mut buffer)
                .expect("the connection stands")
            {
                0 => assert!(world.now() < begin.at + seconds(60), "the PC does not answer"),
                count => break count,
            }
        };
        check(round, &buffer[..count]);
    }
    (begin, Mark::of(world))
}

fn embassy<C: Chip>(world: &World) -> (Mark, Mark) {
    let mut state = State::<8, 8>::new();
    let mut resources = StackResources::<2>::new();
    let mut executor = Executor::new(world.controller());
    let pins = (InterruptPin(world.controller()), ResetPin(world.controller()));
    let new = embassy_net_wiznet::new::<8, 8, C, _, _, _>(
        CHIP_MAC,
        &mut state,
        Device(world.controller()),
        pins.0,
        pins.1,
    );
    let (device, runner) = executor.run(seconds(1), new).expect("the driver finds its chip");
    let address = embassy_net::Ipv4Cidr::new(CHIP, 24);
    let config = StaticConfigV4 { address, gateway: Some(PC), dns_servers: Default::default() };
    let (stack, mut net) = embassy_net::new(device, Config::ipv4_static(config), &mut resources, 0x5EED);
    executor.spawn(async move {
        runner.run().await;
    });
    executor.spawn(async move {
        net.run().await;
    });
    executor.run(seconds(60), async {
        let (mut incoming, mut outgoing, mut buffer) = ([0; 1_024], [0; 1_024], [0; 64]);
        stack.wait_config_up().await;
        let mut socket = TcpSocket::new(stack, &mut incoming, &mut outgoing);
        socket.connect((PC, PORT)).await.expect("the PC accepts");
        let begin = Mark::of(world);
        for round in 0..ROUNDS {
            socket.write(&message(round)).await.expect("the connection stands");
            let count = socket.read(&mut buffer).await.expect("the connection stands");
            check(round, &buffer[..count]);
        }
        (begin, Mark::of(world))
    })
}
