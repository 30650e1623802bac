//! A hundred generated peers against each client and each server, on real sockets: garbage, halves, silence, floods, resets. Nobody
//! panics, nobody hangs beyond the time-outs, memory stays bounded, and a server still serves the next one.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use socket2::SockRef;
use traffic::os::{Ended, Seat, Until};
use traffic::{KINDS, Kind, machine};
use units::{PS_PER_S, Picoseconds};

const PEERS: u64 = 100;
/// Longer than any time-out below, and far shorter than a hang.
const PATIENCE: Picoseconds = Picoseconds::new(30 * PS_PER_S);
/// What a hundred of them may take at most: each may keep a few hundred KiB, and no flood.
const MOST_BYTES: u64 = 64 << 20;
/// What a peer sends at most, which a client is not to keep.
const FLOOD_BYTES: usize = 8 << 20;

/// Numbers that follow from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn bytes(&mut self, most: u64) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.below(256) as u8).collect()
    }
}

/// What somebody might say who knows the protocols and means no good.
const PHRASES: &[&[u8]] = &[
    b"2",
    b"3\n",
    b"18446744073709551615",
    b"-1",
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    b"HTTP/1.1 999 \r\n\r\n",
    b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x82\xfe\x00",
    b"{\"cookie\":",
    b"\x09",
    b"\xfe",
];

/// Sends without end, from memory that is small: what grows is then the peer's.
fn flood(stream: &mut TcpStream) -> std::io::Result<()> {
    const PIECE: &[u8] = &[b'x'; 64 << 10];
    (0..FLOOD_BYTES / PIECE.len()).try_for_each(|_| stream.write_all(PIECE))
}

/// Treats a connection as its number says, for a second at most.
fn torment(mut stream: TcpStream, seed: u64) {
    let mut dice = Dice(seed);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
    let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
    for _ in 0..dice.below(8) {
        let said = match dice.below(8) {
            0 => stream.write_all(&dice.bytes(2000)),
            1 | 2 => stream.write_all(PHRASES[dice.below(PHRASES.len() as u64) as usize]),
            3 => {
                let mut heard = [0; 512];
                stream.read(&mut heard).map(drop).or(Ok(()))
            }
            4 => {
                // What it was asked comes back, perhaps cut.
                let mut heard = [0; 512];
                let count = stream.read(&mut heard).unwrap_or(0);
                stream.write_all(&heard[..count - count.min(dice.below(3) as usize)])
            }
            5 => {
                thread::sleep(Duration::from_millis(dice.below(150)));
                Ok(())
            }
            6 => flood(&mut stream),
            _ => stream.shutdown(Shutdown::Write),
        };
        if said.is_err() {
            break;
        }
    }
    if dice.below(2) == 0 {
        // Closing sends a reset.
        let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
    }
}

/// A hostile server of TCP and UDP at one port.
fn hostile_server(stop: Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = AtomicU64::new(0);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let seed = connections.fetch_add(1, Ordering::Relaxed);
            thread::spawn(move || torment(stream, seed));
        }
    });
    let datagrams = UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
    datagrams.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    thread::spawn(move || {
        let (mut dice, mut heard) = (Dice(1), [0; 2048]);
        while !stop.load(Ordering::Relaxed) {
            let Ok((count, from)) = datagrams.recv_from(&mut heard) else { continue };
            let answer = match dice.below(4) {
                0 => dice.bytes(1500),
                1 => heard[..count].to_vec(),
                2 => PHRASES[dice.below(PHRASES.len() as u64) as usize].to_vec(),
                _ => continue,
            };
            for _ in 0..=dice.below(3) {
                let _ = datagrams.send_to(&answer, from);
            }
        }
    });
    port
}

/// Short work: whatever a kind calls it.
const SHORT: &[(&str, &str)] = &[
    ("rounds", "3"),
    ("requests", "3"),
    ("count", "3"),
    ("timeout", "300ms"),
    ("time", "300ms"),
    ("duration", "300ms"),
    ("ports", "80"),
];

fn options_of<'a>(kind: &Kind, to: &'a str) -> Vec<(&'static str, &'a str)> {
    let has = |name: &str| kind.options.iter().any(|option| option.name == name);
    let mut options = vec![("to", to)];
    options.extend(SHORT.iter().filter(|(name, _)| has(name)));
    options
}

/// The most memory that this process has had so far.
fn peak_resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

#[test]
fn a_hundred_hostile_servers_neither_break_nor_hold_any_client() {
    testing::alone(
        "hostile_peers::a_hundred_hostile_servers_neither_break_nor_hold_any_client",
        torment_every_client,
    );
}

fn torment_every_client() {
    let stop = Arc::new(AtomicBool::new(false));
    let port = hostile_server(Arc::clone(&stop));
    let before = peak_resident_bytes();
    // What knocks at an address, sends ICMP, or asks everybody on the network does not go to a port.
    const ELSEWHERE: &[&str] = &["ping", "scan", "dhcp-client"];
    for kind in KINDS.iter().filter(|kind| !kind.serves && !ELSEWHERE.contains(&kind.name)) {
        let to = format!("127.0.0.1:{port}");
        let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
        for _ in 0..PEERS {
            seat.add(machine(kind.name, &options_of(kind, &to)).unwrap());
        }
        let ended = seat.run(Until { deadline: Some(PATIENCE), stop: None }).unwrap();
        assert_eq!(ended, Ended::Done, "{} hangs", kind.name);
        let machines = seat.into_machines();
        assert!(
            machines.iter().all(|machine| !machine.results().summary.is_empty() || machine.work().is_empty())
        );
    }
    stop.store(true, Ordering::Relaxed);
    let grown_bytes = peak_resident_bytes().saturating_sub(before);
    assert!(grown_bytes < MOST_BYTES, "{} MiB more", grown_bytes >> 20);
}

#[test]
fn a_hundred_hostile_clients_neither_break_nor_hold_any_server() {
    testing::alone(
        "hostile_peers::a_hundred_hostile_clients_neither_break_nor_hold_any_server",
        torment_every_server,
    );
}

fn torment_every_server() {
    let before = peak_resident_bytes();
    for (kind, asked) in [
        ("pingpong-server", "pingpong"),
        ("http-server", "http"),
        ("echo", "pingpong"),
        ("bulk-server", "bulk"),
        ("iperf-server", "iperf"),
    ] {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let stop = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&stop);
        let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
        seat.add(machine(kind, &[("port", &port.to_string())]).unwrap());
        let serving =
            thread::spawn(move || seat.run(Until { deadline: Some(PATIENCE), stop: Some(&own) }).unwrap());
        let peers: Vec<_> = (0..PEERS)
            .map(|seed| {
                thread::spawn(move || {
                    let stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
                    stream.map(|stream| torment(stream, seed)).is_ok()
                })
            })
            .collect();
        let connected =
            peers.into_iter().filter(|_| true).map(|peer| peer.join().unwrap()).filter(|ok| *ok).count();
        assert!(connected > 50, "{kind}: {connected} were let in");
        let to = format!("127.0.0.1:{port}");
        let kind_of_client = traffic::kind(asked).unwrap();
        let mut options = options_of(kind_of_client, &to);
        options.retain(|(name, _)| *name != "timeout");
        if kind == "echo" {
            options.push(("payload", "bytes"));
        }
        let mut client = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
        let number = client.add(machine(asked, &options).unwrap());
        let begun = Instant::now();
        let ended = client.run(Until { deadline: Some(PATIENCE), stop: None }).unwrap();
        assert_eq!(ended, Ended::Done, "{kind} no longer serves after {:?}", begun.elapsed());
        let results = client.into_machines().swap_remove(number).results();
        assert_eq!(results.failure, None, "{kind}");
        stop.store(true, Ordering::Relaxed);
        assert_eq!(serving.join().unwrap(), Ended::Stopped, "{kind}");
    }
    let grown_bytes = peak_resident_bytes().saturating_sub(before);
    assert!(grown_bytes < MOST_BYTES, "{} MiB more", grown_bytes >> 20);
}
