//! Accesses over SPI as intervals, split by what they move.

use sim::Cause;
use units::{PS_PER_S, Picoseconds};
use wiznet::{Access, Model, Role, Target};

use super::{Interval, Rank, Stage, Subject};

const BITS_PER_BYTE: i128 = 8;
/// Registers that a loop looks at in one lap, at most.
const MOST_REGISTERS: usize = 8;

/// What an access moves.
fn moved(access: &Access) -> Subject {
    match access.target {
        Target::Memory => Subject::Payload,
        Target::Register(register) => match register.role {
            Role::Command => Subject::Commands,
            Role::Pointer => Subject::Pointers,
            Role::Status => Subject::Status,
            Role::Other => Subject::OtherRegisters,
        },
        Target::Reserved => Subject::OtherRegisters,
    }
}

/// What an access looks at.
pub(super) fn looked_at(access: &Access) -> Subject {
    match access.target {
        Target::Register(register) => Subject::Register(register.name),
        Target::Memory => Subject::Memory,
        Target::Reserved => Subject::Reserved,
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
        let stage = Stage::of_board(Cause::Bus, Some(looked_at(access)));
        return vec![interval(access.start, access.end, Rank::Polling, stage, u64::from(all))];
    }
    let headers = Stage::of_board(Cause::Bus, Some(Subject::Headers));
    let moved = Stage::of_board(Cause::Bus, Some(moved(access)));
    let still = Stage::of_board(Cause::Cpu, Some(Subject::SpiPause));
    vec![
        interval(access.start, header_end, Rank::Spi, headers, u64::from(header)),
        interval(header_end, data_end, Rank::Spi, moved, u64::from(access.bytes)),
        interval(data_end, access.end, Rank::Spi, still, 0),
    ]
}

/// Whether an access asks how things stand.
fn is_look(access: &Access) -> bool {
    let says_how_things_stand = [Role::Pointer, Role::Status, Role::Command];
    !access.write && says_how_things_stand.iter().any(|&role| access.has_role(role))
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
    (0..accesses.len()).map(|place| looked_again(accesses, place).is_some()).collect()
}

/// The look at the same register that sees the same as this access, before anything else is done.
fn looked_again(accesses: &[Access], place: usize) -> Option<&Access> {
    let access = &accesses[place];
    let mut later = accesses[place + 1..].iter().take_while(|later| is_look(later)).take(MOST_REGISTERS);
    let same = |later: &&Access| {
        (later.block, later.address) == (access.block, access.address) && later.data == access.data
    };
    later.find(same).filter(|_| is_look(access))
}

/// The times in which registers were looked at again and again, and said the same each time: from the first look to the last.
/// They do not overlap, and are in the order of time.
pub(super) fn rounds(accesses: &[Access]) -> Vec<(Picoseconds, Picoseconds)> {
    let mut found: Vec<(Picoseconds, Picoseconds)> = Vec::new();
    for (place, access) in accesses.iter().enumerate() {
        let Some(again) = looked_again(accesses, place) else { continue };
        match found.last_mut().filter(|(_, until)| access.start <= *until) {
            Some((_, until)) => *until = (*until).max(again.end),
            None => found.push((access.start, again.end)),
        }
    }
    found
}

/// Accesses for tests.
#[cfg(test)]
pub(super) mod tested {
    use units::{PS_PER_US, Picoseconds};
    use wiznet::{Access, Command, Model, Register, Role, Target};

    const fn of_socket(name: &'static str, role: Role, tells_news: bool) -> Target {
        Target::Register(Register { name, socket: Some(0), role, tells_news })
    }

    pub(crate) const RECEIVED: Target = of_socket("Sn_RX_RSR", Role::Pointer, true);
    pub(crate) const FREE: Target = of_socket("Sn_TX_FSR", Role::Pointer, false);
    pub(crate) const STATUS: Target = of_socket("Sn_SR", Role::Status, false);
    pub(crate) const INTERRUPTS: Target = of_socket("Sn_IR", Role::Status, true);
    const COMMAND: Target = of_socket("Sn_CR", Role::Command, false);
    pub(crate) const OF_THE_PHY: Target =
        Target::Register(Register { name: "PHYCFGR", socket: None, role: Role::Other, tells_news: false });

    fn access(us: i64, write: bool, target: Target, data: &[u8]) -> Access {
        let place = match target {
            Target::Register(register) => register.name.len() as u16,
            Target::Memory | Target::Reserved => 0,
        };
        Access {
            model: Model::W5500,
            start: Picoseconds::new(us * PS_PER_US),
            end: Picoseconds::new((us + 2) * PS_PER_US),
            write,
            address: place,
            block: 1,
            data: data.to_vec(),
            bytes: data.len() as u32,
            target,
            command: None,
            send_bytes: None,
        }
    }

    pub(crate) fn read(us: i64, target: Target, data: &[u8]) -> Access {
        access(us, false, target, data)
    }

    pub(crate) fn write(us: i64, target: Target, data: &[u8]) -> Access {
        access(us, true, target, data)
    }

    pub(crate) fn told(us: i64, command: Command) -> Access {
        Access { command: Some(command), ..access(us, true, COMMAND, &[0]) }
    }

    /// The register of commands is looked at.
    pub(crate) fn accepted(us: i64) -> Access {
        access(us, false, COMMAND, &[0])
    }
}

#[cfg(test)]
mod tests {
    use super::tested::{FREE, RECEIVED, STATUS, read, write};
    use super::*;

    #[test]
    fn looks_that_see_the_same_again_are_polls_and_the_last_one_is_none() {
        let accesses = [
            read(0, RECEIVED, &[0, 0]),
            read(10, STATUS, &[0x17]),
            read(20, RECEIVED, &[0, 0]),
            read(30, STATUS, &[0x17]),
            read(40, RECEIVED, &[0, 5]),
            read(50, Target::Memory, &[1; 5]),
        ];
        assert_eq!(polls(&accesses), [true, true, false, false, false, false]);
    }

    #[test]
    fn a_loop_of_looks_lasts_until_the_look_that_saw_news() {
        let at = |us: i64| Picoseconds::from_ns(1000 * us);
        let look = |us: i64, size: u8| read(us, FREE, &[size]);
        let accesses = [look(0, 0), look(10, 0), look(20, 9), write(30, Target::Memory, &[1])];
        assert_eq!(last_look(&accesses, at(5)), at(20));
        assert_eq!(last_look(&accesses, at(25)), at(25));
    }

    #[test]
    fn an_access_is_header_data_and_the_rest_without_a_gap() {
        // 3 and 5 bytes at 16 MHz take 1.5 us and 2.5 us of 5 us.
        let whole = write(0, Target::Memory, &[1; 5]);
        let accesses = [Access { end: whole.start + Picoseconds::from_ns(5000), ..whole }];
        let found = intervals(&accesses, Model::W5500, 16_000_000);
        let times: Vec<i64> = found.iter().map(|one| (one.end - one.start).ps() / 1000).collect();
        assert_eq!(times, [1500, 2500, 1000]);
        assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
    }
}
