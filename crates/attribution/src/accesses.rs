//! Accesses over SPI as intervals, split by what they move.

use units::{PS_PER_S, Picoseconds};
use wiznet::{Access, Model};

use super::{Interval, Rank, Stage};

const POINTERS: [&str; 6] = ["Sn_TX_FSR", "Sn_TX_RD", "Sn_TX_WR", "Sn_RX_RSR", "Sn_RX_RD", "Sn_RX_WR"];
const STATUS: [&str; 10] = ["Sn_SR", "Sn_IR", "Sn_IMR", "Sn_ICR", "IR", "IMR", "SIR", "SIMR", "IR2", "IMR2"];
pub(super) const COMMAND: &str = "Sn_CR";
const BITS_PER_BYTE: i128 = 8;
/// Registers that a loop looks at in one lap, at most.
const MOST_REGISTERS: usize = 8;

/// What an access is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Payload,
    Pointers,
    Commands,
    Status,
    Others,
}

/// The register or memory of an access, as its words begin.
pub(super) fn register(access: &Access) -> &str {
    let name = access.meaning.split([' ', ':']).next().unwrap_or_default();
    if matches!(name, "TX" | "RX") { "buffer" } else { name }
}

/// The command that an access gives.
pub(super) fn command(access: &Access) -> Option<&str> {
    let words = access.write.then(|| access.meaning.split_once(": "))??.1;
    (register(access) == COMMAND).then(|| words.split(',').next().unwrap_or(words))
}

fn subject(access: &Access) -> Subject {
    match register(access) {
        "buffer" => Subject::Payload,
        COMMAND => Subject::Commands,
        name if POINTERS.contains(&name) => Subject::Pointers,
        name if STATUS.contains(&name) => Subject::Status,
        _ => Subject::Others,
    }
}

impl Subject {
    fn words(self) -> &'static str {
        match self {
            Self::Payload => "payload over SPI",
            Self::Pointers => "pointers and sizes over SPI",
            Self::Commands => "commands over SPI",
            Self::Status => "status and interrupts over SPI",
            Self::Others => "other registers over SPI",
        }
    }
}

/// The accesses as intervals. `clock_hz` is that of SCK; 0 where it is not known.
pub fn intervals(accesses: &[Access], model: Model, clock_hz: u64) -> Vec<Interval> {
    let polls = polls(accesses);
    let of_one = |(access, poll): (&Access, bool)| of_access(access, poll, model, clock_hz);
    accesses.iter().zip(polls).flat_map(of_one).collect()
}

/// An access in the order header, data, and what SCK stood still between its bytes. Where the stills are is not known: they
/// stand at the end.
fn of_access(access: &Access, poll: bool, model: Model, clock_hz: u64) -> Vec<Interval> {
    let header = model.facts().header_bytes(access.bytes);
    let time = |bytes: u32| match clock_hz {
        0 => None,
        hz => Some((i128::from(bytes) * BITS_PER_BYTE * i128::from(PS_PER_S) / i128::from(hz)) as i64),
    };
    let whole = (access.end - access.start).ps();
    let all = header + access.bytes;
    let share = |bytes: u32| (i128::from(whole) * i128::from(bytes) / i128::from(all.max(1))) as i64;
    let clocked = |bytes: u32| time(bytes).map_or(share(bytes), |time| time.min(share(bytes)));
    let header_end = access.start + Picoseconds::new(clocked(header));
    let data_end = header_end + Picoseconds::new(clocked(access.bytes));
    let interval = |start, end, rank, stage, bytes| Interval { start, end, rank, stage, bytes };
    if poll {
        let stage = Stage::new("bus", format!("looking at {} over SPI", register(access)));
        return vec![interval(access.start, access.end, Rank::Polling, stage, u64::from(all))];
    }
    let moved = Stage::new("bus", subject(access).words());
    let still = Stage::new("cpu", "SPI stands still between bytes");
    vec![
        interval(
            access.start,
            header_end,
            Rank::Spi,
            Stage::new("bus", "headers over SPI"),
            u64::from(header),
        ),
        interval(header_end, data_end, Rank::Spi, moved, u64::from(access.bytes)),
        interval(data_end, access.end, Rank::Spi, still, 0),
    ]
}

/// Whether an access asks how things stand.
fn is_look(access: &Access) -> bool {
    !access.write && matches!(subject(access), Subject::Pointers | Subject::Status | Subject::Commands)
}

/// When the last of the looks begins that follow a time one after the other: the one that saw news. The time itself where none
/// does.
pub(super) fn last_look(accesses: &[Access], after: Picoseconds) -> Picoseconds {
    let next = accesses.partition_point(|access| access.start < after);
    let looks = accesses[next..].iter().take(MOST_REGISTERS).take_while(|access| is_look(access));
    looks.last().map_or(after, |access| access.start)
}

/// Which accesses looked at a register and are followed by another look that sees the same, before anything else is done.
fn polls(accesses: &[Access]) -> Vec<bool> {
    let is_poll = |place: usize| {
        let access = &accesses[place];
        let later = accesses[place + 1..].iter().take_while(|later| is_look(later));
        let same = |later: &Access| {
            (later.block, later.address) == (access.block, access.address) && later.data == access.data
        };
        is_look(access) && later.take(MOST_REGISTERS).any(same)
    };
    (0..accesses.len()).map(is_poll).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(start_ns: i64, write: bool, meaning: &str, data: &[u8]) -> Access {
        let start = Picoseconds::from_ns(start_ns);
        Access {
            start,
            end: start + Picoseconds::from_ns(5000),
            write,
            address: meaning.len() as u16,
            block: 1,
            data: data.to_vec(),
            bytes: data.len() as u32,
            meaning: meaning.to_owned(),
        }
    }

    #[test]
    fn looks_that_see_the_same_again_are_polls_and_the_last_one_is_none() {
        let size = "Sn_RX_RSR of socket 0";
        let accesses = [
            access(0, false, size, &[0, 0]),
            access(10, false, "Sn_SR of socket 0", &[0x17]),
            access(20, false, size, &[0, 0]),
            access(30, false, "Sn_SR of socket 0", &[0x17]),
            access(40, false, size, &[0, 5]),
            access(50, false, "RX buffer of socket 0 at 0x0000", &[1; 5]),
        ];
        assert_eq!(polls(&accesses), [true, true, false, false, false, false]);
    }

    #[test]
    fn a_loop_of_looks_lasts_until_the_look_that_saw_news() {
        let at = |ns: i64| Picoseconds::from_ns(ns);
        let look = |ns: i64, size: u8| access(ns, false, "Sn_TX_FSR of socket 0", &[size]);
        let accesses =
            [look(0, 0), look(10, 0), look(20, 9), access(30, true, "TX buffer of socket 0", &[1])];
        assert_eq!(last_look(&accesses, at(5)), at(20));
        assert_eq!(last_look(&accesses, at(25)), at(25));
    }

    #[test]
    fn an_access_is_header_data_and_the_rest_without_a_gap() {
        // 3 and 5 bytes at 16 MHz take 1.5 us and 2.5 us of 5 us.
        let accesses = [access(0, true, "TX buffer of socket 0 at 0x0000", &[1; 5])];
        let found = intervals(&accesses, Model::W5500, 16_000_000);
        let times: Vec<i64> = found.iter().map(|one| (one.end - one.start).ps() / 1000).collect();
        assert_eq!(times, [1500, 2500, 1000]);
        assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
    }

    #[test]
    fn a_command_is_known_by_its_name() {
        assert_eq!(command(&access(0, true, "Sn_CR of socket 0: SEND, 12 bytes", &[0x20])), Some("SEND"));
        assert_eq!(command(&access(0, false, "Sn_CR of socket 0: done", &[0])), None);
    }
}
