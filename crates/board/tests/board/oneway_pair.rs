//! The agent of one-way measurements on two boards: from the edge on the sender's trigger pin to the edge on the receiver's done
//! pin, over TCP and UDP on one wire, and over a serial line. A spoilt message raises no done pin. Skips where the images are not
//! built.

use board::{Board, BoardPair, Console, Ended, SerialLine, Side};
use record::Control;
use units::{PS_PER_MS, PS_PER_S, PS_PER_US, Picoseconds};

const TRANSPORTS: [&str; 3] = ["hardware", "lwip_raw", "lwip_sockets"];
const SIZES: [usize; 3] = [12, 128, 1024];
const TRIGGER: u8 = 2;
const DONE: u8 = 3;
const PULSE: Picoseconds = Picoseconds::new(50 * PS_PER_US);
const PULSES: u32 = 4;
/// After a second of it the agents print what they have counted, and they look each second.
const SILENCE: Picoseconds = Picoseconds::new(2100 * PS_PER_MS);
/// The shortest wait that is not ended by an interrupt.
const TICK_US: f64 = 1000.0;
/// Between two looks of a receiver at its serial line.
const LOOK_US: f64 = 5.0;
const UART_BAUD: f64 = 115_200.0;
/// UART1 of the agents.
const LINE: SerialLine = SerialLine { from: Side::First, pin: 4, to: 5 };
/// A byte crosses SPI twice, at 33.25 MHz, and the wire once, at 100 Mbit/s.
const BYTE_ON_TWO_BUSES_AND_THE_WIRE_US: f64 = 2.0 * 8.0 / 33.25 + 0.08;
const RAM: u32 = 0x2000_0000;
const RAM_BYTES: usize = 264 << 10;

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Tcp,
    Udp,
    Uart,
}

/// The sender and the receiver; nothing where they are not built.
fn agents(transport: &str, way: Way, bytes: usize) -> Option<[Board; 2]> {
    let (way, bytes) = ((way as u32).to_string(), bytes.to_string());
    let sender = [("transport", way.as_str()), ("payload_bytes", &bytes)];
    let receiver =
        [("transport", way.as_str()), ("role", "1"), ("address", "192.168.1.1"), ("mac_last", "1")];
    Some([agent(transport, &sender, 1)?, agent(transport, &receiver, 2)?])
}

fn agent(transport: &str, settings: &[(&str, &str)], seed: u64) -> Option<Board> {
    let mut board = crate::built::board(&format!("oneway-{transport}.elf"), settings, seed)?;
    board.chip_mut().record_pins(1 << DONE);
    Some(board)
}

/// When the done pin rose since the last call.
fn rises(receiver: &mut Board) -> Vec<Picoseconds> {
    let edges = receiver.chip_mut().take_edges();
    edges.iter().filter(|edge| edge.pin == DONE && edge.level).map(|edge| edge.at).collect()
}

/// What an agent has printed.
fn said(agent: &Board) -> String {
    String::from_utf8_lossy(agent.console(Console::Uart0)).into_owned()
}

/// On one wire, or on a serial line.
struct Wired(BoardPair);

impl Wired {
    fn sender(&mut self) -> &mut Board {
        self.0.board(Side::First)
    }

    fn receiver(&mut self) -> &mut Board {
        self.0.board(Side::Second)
    }

    fn run(&mut self, time: Picoseconds) {
        let end = self.0.now() + time;
        let ended = self.0.run(end, &Control::default()).unwrap();
        assert!(matches!(ended, Ended::Chip(_)), "{ended:?}");
    }

    /// Pulses the trigger pin; from its edge to each rising edge of the done pin, in microseconds.
    fn pulse(&mut self) -> Vec<f64> {
        rises(self.receiver());
        let trigger = self.sender().now();
        self.sender().chip_mut().drive_pin(TRIGGER, Some(true));
        self.run(PULSE);
        self.sender().chip_mut().drive_pin(TRIGGER, Some(false));
        self.run(Picoseconds::new(150 * PS_PER_MS));
        let rises = rises(self.receiver());
        // An analyser would not pair a trigger that comes while it is high.
        assert_eq!(self.receiver().levels() >> DONE & 1, 0, "the done pin has fallen again");
        rises.iter().map(|&at| (at - trigger).ps() as f64 / PS_PER_US as f64).collect()
    }
}

fn linked(transport: &str, way: Way, bytes: usize) -> Option<Wired> {
    let [sender, receiver] = agents(transport, way, bytes)?;
    let pair = match way {
        Way::Uart => BoardPair::on_lines(sender, receiver, &[LINE], None),
        Way::Tcp | Way::Udp => BoardPair::new(sender, receiver, None),
    };
    let mut agents = Wired(pair.unwrap());
    // Chips and their links are ready after 2.4 s; a sender over TCP that was too early calls again a second later.
    agents.run(Picoseconds::new(if way == Way::Uart { 3 } else { 5 } * PS_PER_S));
    Some(agents)
}

/// Changes a byte of the message that the sender has made ready, behind its sum's back.
fn spoil(sender: &mut Board, bytes: usize) {
    let head = [0xa5, 0x57, (bytes >> 8) as u8, bytes as u8, 0, 0, 0, 0];
    let ram = sender.chip().read_memory(RAM, RAM_BYTES).unwrap();
    let places: Vec<usize> = (0..ram.len() - bytes).filter(|&at| ram[at..].starts_with(&head)).collect();
    let [place] = places[..] else { panic!("{} messages are made ready", places.len()) };
    let middle = place + bytes / 2;
    let at = RAM + u32::try_from(middle).unwrap();
    sender.chip_mut().write_memory(at, &[ram[middle] ^ 0x10]).unwrap();
}

/// The shortest latency of a few messages, which are all there; the one before them, which is spoilt, is not.
fn latency_us(transport: &str, way: Way, bytes: usize) -> Option<f64> {
    let mut agents = linked(transport, way, bytes)?;
    spoil(agents.sender(), bytes);
    assert!(agents.pulse().is_empty(), "{transport}, {bytes} bytes: the spoilt message raises no done pin");
    let mut latencies_us = Vec::new();
    for pulse in 0..PULSES {
        let found = agents.pulse();
        assert_eq!(found.len(), 1, "{transport}, {bytes} bytes, pulse {pulse}: {}", said(agents.receiver()));
        latencies_us.extend(found);
    }
    agents.run(SILENCE);
    let (sent, received) = (said(agents.sender()), said(agents.receiver()));
    assert!(
        sent.contains(&format!("sent {}\nnot sent for want of room or of a connection 0\n", PULSES + 1)),
        "{sent}"
    );
    assert!(received.contains(&format!("received {PULSES}\nwrong 1\nout of order 0\n")), "{received}");
    latencies_us.into_iter().reduce(f64::min)
}

/// That the latency of each size is above the one before by as long as the extra bytes are under way, and by no more than so
/// many times that.
fn grows_with_the_payload(way: Way, transports: &[&str], byte_us: f64, most_times: f64) {
    std::thread::scope(|scope| {
        for transport in transports {
            scope.spawn(move || grows_with_the_payload_on(transport, way, byte_us, most_times));
        }
    });
}

fn grows_with_the_payload_on(transport: &str, way: Way, byte_us: f64, most_times: f64) {
    let found = SIZES.iter().map(|&bytes| latency_us(transport, way, bytes)).collect::<Option<Vec<_>>>();
    let Some(found) = found else { return };
    println!("{transport}: {found:.1?} us");
    // An edge wakes who sleeps: no message waits for a tick of a timer.
    assert!(way == Way::Uart || found[0] < TICK_US, "{transport}: {} us", found[0]);
    for (sizes, latencies) in SIZES.windows(2).zip(found.windows(2)) {
        let least = (sizes[1] - sizes[0]) as f64 * byte_us;
        let grown = latencies[1] - latencies[0];
        let phase = if way == Way::Uart { LOOK_US } else { 0.0 };
        assert!(grown >= least - phase, "{transport}: from {sizes:?} bytes by {grown} us, not {least}");
        assert!(grown <= most_times * least, "{transport}: from {sizes:?} bytes by {grown} us, not {least}");
    }
}

#[test]
fn over_tcp_the_latency_grows_by_two_buses_and_the_wire_and_a_spoilt_payload_is_none() {
    grows_with_the_payload(Way::Tcp, &TRANSPORTS, BYTE_ON_TWO_BUSES_AND_THE_WIRE_US, 3.0);
}

#[test]
fn over_udp_the_latency_grows_by_two_buses_and_the_wire_and_a_spoilt_payload_is_none() {
    grows_with_the_payload(Way::Udp, &TRANSPORTS, BYTE_ON_TWO_BUSES_AND_THE_WIRE_US, 3.0);
}

#[test]
fn over_a_serial_line_the_latency_grows_by_the_line_and_a_spoilt_payload_is_none() {
    // A serial line is the same on each, and a receiver that looks at it never sleeps, which takes long.
    grows_with_the_payload(Way::Uart, &TRANSPORTS[..1], 10e6 / UART_BAUD, 1.01);
}
