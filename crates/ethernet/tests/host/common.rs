//! Two PCs on a wire that takes no time but its delay, which keeps what it carried and loses what it is told to; and an
//! application out of a closure.

use std::fmt;
use std::net::Ipv4Addr;

use ethernet::{Application, Frame, Host, HostOptions, SeatId, Sockets, Station};
use units::Picoseconds;

pub(crate) const LEFT: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
pub(crate) const RIGHT: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
pub(crate) const LEFT_MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
pub(crate) const RIGHT_MAC: [u8; 6] = [2, 0, 0, 0, 0, 2];

pub(crate) const fn us(n: i64) -> Picoseconds {
    Picoseconds::from_ns(n * 1_000)
}

pub(crate) const fn ms(n: i64) -> Picoseconds {
    us(n * 1_000)
}

type Body = Box<dyn FnMut(Picoseconds, &mut Sockets<'_>) -> Option<Picoseconds> + Send>;

/// An application whose state is what a closure holds.
pub(crate) struct Script(Body);

impl Script {
    pub(crate) fn boxed(
        body: impl FnMut(Picoseconds, &mut Sockets<'_>) -> Option<Picoseconds> + Send + 'static,
    ) -> Box<Self> {
        Box::new(Self(Box::new(body)))
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Script")
    }
}

impl Application for Script {
    fn run(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds> {
        (self.0)(now, sockets)
    }
}

/// A TCP segment or another frame that went over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Carried {
    pub(crate) at: Picoseconds,
    pub(crate) from_left: bool,
    pub(crate) bytes: Vec<u8>,
}

impl Carried {
    pub(crate) fn is_tcp(&self) -> bool {
        self.bytes[12..14] == [8, 0] && self.bytes[23] == 6
    }

    pub(crate) fn flags(&self) -> u8 {
        self.bytes[47]
    }

    pub(crate) fn payload(&self) -> usize {
        let total = usize::from(u16::from_be_bytes([self.bytes[16], self.bytes[17]]));
        total - 20 - usize::from(self.bytes[46] >> 4) * 4
    }

    pub(crate) fn number(&self, at: usize) -> u32 {
        u32::from_be_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"))
    }

    pub(crate) fn sequence(&self) -> u32 {
        self.number(38)
    }

    pub(crate) fn acknowledgment(&self) -> u32 {
        self.number(42)
    }

    pub(crate) fn window(&self) -> u16 {
        u16::from_be_bytes([self.bytes[48], self.bytes[49]])
    }

    pub(crate) fn is_syn(&self) -> bool {
        self.is_tcp() && self.flags() & 0x12 == 0x02
    }

    pub(crate) fn is_ack_only(&self) -> bool {
        self.is_tcp() && self.flags() == 0x10 && self.payload() == 0
    }
}

/// What a wire does with its nth frame.
pub(crate) type Loss = Box<dyn FnMut(usize, &Carried) -> bool>;

pub(crate) struct Wire {
    pub(crate) left: Host,
    pub(crate) right: Host,
    pub(crate) delay: Picoseconds,
    pub(crate) loses: Loss,
    pub(crate) carried: Vec<Carried>,
    pub(crate) now: Picoseconds,
    pub(crate) steps: u64,
    on_the_way: Vec<(Picoseconds, bool, Frame)>,
    count: usize,
}

pub(crate) fn options(left: bool) -> HostOptions {
    if left {
        HostOptions::new("left", LEFT_MAC, LEFT, 24)
    } else {
        HostOptions::new("right", RIGHT_MAC, RIGHT, 24)
    }
}

pub(crate) fn wire() -> Wire {
    Wire::new(options(true), options(false))
}

impl Wire {
    pub(crate) fn new(left: HostOptions, right: HostOptions) -> Self {
        Self {
            left: Host::new(left).expect("a PC"),
            right: Host::new(right).expect("a PC"),
            delay: us(50),
            loses: Box::new(|_, _| false),
            carried: Vec::new(),
            now: Picoseconds::ZERO,
            steps: 0,
            on_the_way: Vec::new(),
            count: 0,
        }
    }

    pub(crate) fn on_left(
        &mut self,
        body: impl FnMut(Picoseconds, &mut Sockets<'_>) -> Option<Picoseconds> + Send + 'static,
    ) -> SeatId {
        self.left.seat(Script::boxed(body))
    }

    pub(crate) fn on_right(
        &mut self,
        body: impl FnMut(Picoseconds, &mut Sockets<'_>) -> Option<Picoseconds> + Send + 'static,
    ) -> SeatId {
        self.right.seat(Script::boxed(body))
    }

    /// Runs until `end`, or until nothing more happens.
    pub(crate) fn run(&mut self, end: Picoseconds) {
        loop {
            let wire = self.on_the_way.iter().map(|(at, ..)| *at).min();
            let next = [self.left.next_event(), self.right.next_event(), wire].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= end) else { break };
            self.now = self.now.max(next);
            self.steps += 1;
            self.deliver();
            for from_left in [true, false] {
                self.collect(from_left);
            }
        }
        self.now = end;
    }

    /// A copy that loses nothing; nothing when one of the PCs cannot be copied.
    pub(crate) fn snapshot(&self) -> Option<Self> {
        let copy = |host: &Host| {
            let copy: Box<dyn std::any::Any> = host.snapshot()?;
            Some(*copy.downcast::<Host>().expect("a PC's copy is a PC"))
        };
        Some(Self {
            left: copy(&self.left)?,
            right: copy(&self.right)?,
            delay: self.delay,
            loses: Box::new(|_, _| false),
            carried: self.carried.clone(),
            now: self.now,
            steps: self.steps,
            on_the_way: self.on_the_way.clone(),
            count: self.count,
        })
    }

    fn host(&mut self, left: bool) -> &mut Host {
        if left { &mut self.left } else { &mut self.right }
    }

    fn deliver(&mut self) {
        let now = self.now;
        let mut arrived = Vec::new();
        self.on_the_way.retain(|(at, from_left, frame)| {
            let due = *at <= now;
            if due {
                arrived.push((*at, !*from_left, frame.clone()));
            }
            !due
        });
        for (at, to_left, frame) in arrived {
            self.host(to_left).receive(at, &frame);
        }
    }

    fn collect(&mut self, from_left: bool) {
        let now = self.now;
        self.host(from_left).advance(now);
        while let Some(frame) = self.host(from_left).take_frame() {
            let carried = Carried { at: now, from_left, bytes: frame.bytes.clone() };
            let lost = (self.loses)(self.count, &carried);
            self.count += 1;
            self.carried.push(carried);
            if !lost {
                self.on_the_way.push((now + self.delay, from_left, frame));
            }
        }
    }

    pub(crate) fn tcp(&self) -> impl Iterator<Item = &Carried> {
        self.carried.iter().filter(|carried| carried.is_tcp())
    }
}

/// Bytes that tell their place.
pub(crate) fn pattern(from: usize, length: usize) -> Vec<u8> {
    (from..from + length).map(|n| (n % 251) as u8).collect()
}

/// RFC 1071.
pub(crate) fn checksum(bytes: &[u8]) -> u16 {
    let mut sum: u32 = bytes
        .chunks(2)
        .map(|pair| u32::from(u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&0)])))
        .sum();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

/// A ping without data.
pub(crate) fn echo_request(mac: [u8; 6], to_mac: [u8; 6], from: Ipv4Addr, to: Ipv4Addr) -> Vec<u8> {
    let mut frame = to_mac.to_vec();
    frame.extend_from_slice(&mac);
    frame.extend_from_slice(&[8, 0]);
    let mut ip = vec![0x45, 0, 0, 28, 0, 0, 0, 0, 64, 1, 0, 0];
    ip.extend_from_slice(&from.octets());
    ip.extend_from_slice(&to.octets());
    let sum = checksum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    let mut icmp = vec![8, 0, 0, 0, 0, 1, 0, 1];
    let sum = checksum(&icmp);
    icmp[2..4].copy_from_slice(&sum.to_be_bytes());
    frame.extend(ip);
    frame.extend(icmp);
    frame
}

/// What a script of this folder records of the kernel that runs here; nothing, with a word, where it cannot.
///
/// # Panics
/// When the script fails.
pub(crate) fn recorded_now(script: &str) -> Option<String> {
    recorded_of(script, &[])
}

/// The same of a script that is given words.
///
/// # Panics
/// When the script fails.
pub(crate) fn recorded_of(script: &str, words: &[&str]) -> Option<String> {
    let program = format!("{}/tests/host/{script}", env!("CARGO_MANIFEST_DIR"));
    let Ok(output) = std::process::Command::new("python3").arg(program).args(words).output() else {
        testing::leave_out("there is no python3");
        return None;
    };
    if output.status.code() == Some(77) {
        testing::leave_out(String::from_utf8_lossy(&output.stderr).trim());
        return None;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
