//! What core 0 waits for while it sleeps or looks at a full UART: intervals with the reason that ended them.

use mcu::{Slept, Waker};
use sim::Cause;
use units::{PS_PER_US, Picoseconds};
use wiznet::Access;

use super::purposes::{Purpose, purposes};
use super::{Interval, Rank, Stage, Subject};

/// Looks at a full UART with longer pauses are not one wait.
const LONGEST_LOOK: Picoseconds = Picoseconds::new(10 * PS_PER_US);

/// The sleeps of core 0 with what they are for, and the period of looks at the chip that a timer starts.
pub fn intervals(
    sleeps: &[Slept],
    accesses: &[Access],
    stretches: &[(Picoseconds, Picoseconds)],
) -> (Vec<Interval>, Option<Picoseconds>) {
    let (purposes, period) = purposes(sleeps, accesses, stretches);
    let own = sleeps.iter().zip(&purposes).filter(|(slept, _)| slept.core == 0);
    let asleep = |until| Stage::of_board(Cause::Sleep, Some(until));
    let intervals = own.map(|(slept, purpose)| {
        let stage = match slept.woken_by {
            Some(Waker::Timer) => by_timer(purpose.as_ref()),
            Some(Waker::Pin) => asleep(Subject::Pin),
            Some(Waker::Other(name)) => asleep(Subject::Interrupt(name)),
            None => asleep(Subject::Event),
        };
        Interval { start: slept.from, end: slept.to, rank: Rank::Asleep, stage, bytes: 0 }
    });
    (intervals.collect(), period)
}

fn by_timer(purpose: Option<&Purpose>) -> Stage {
    let subject = match purpose {
        Some(Purpose::After(command)) => Subject::Command(command.name()),
        Some(Purpose::Look(looked_at) | Purpose::Other(Some(looked_at))) => looked_at.clone(),
        Some(Purpose::Other(None)) | None => Subject::Timer,
    };
    Stage::of_board(Cause::Gate, Some(subject))
}

/// Waits for room in a UART: from the first look that found none to the last one, and those that an interrupt ended.
pub fn console_waits(
    looks: &[Picoseconds],
    until_interrupts: &[(Picoseconds, Picoseconds)],
) -> Vec<Interval> {
    let together = looks.chunk_by(|one, next| *next - *one <= LONGEST_LOOK);
    let looked = together.filter_map(|looks| Some((*looks.first()?, *looks.last()?)));
    let interval = |(start, end)| {
        let stage = Stage::of_board(Cause::Console, None);
        Interval { start, end, rank: Rank::Console, stage, bytes: 0 }
    };
    looked.chain(until_interrupts.iter().copied()).map(interval).collect()
}

#[cfg(test)]
mod tests {
    use units::PS_PER_S;
    use wiznet::Command;

    use super::super::accesses::tested;
    use super::*;

    const ALL: [(Picoseconds, Picoseconds); 1] = [(Picoseconds::ZERO, Picoseconds::new(PS_PER_S))];

    fn slept(from_us: i64, to_us: i64) -> Slept {
        let at = |us: i64| Picoseconds::new(us * PS_PER_US);
        Slept { core: 0, from: at(from_us), to: at(to_us), woken_by: Some(Waker::Timer) }
    }

    #[test]
    fn looks_at_a_full_uart_are_one_wait_until_they_pause() {
        let looks: Vec<_> = [0, 1, 2, 50, 51].map(|us| Picoseconds::new(us * PS_PER_US)).to_vec();
        let lengths: Vec<i64> =
            console_waits(&looks, &[]).iter().map(|one| (one.end - one.start).ps() / PS_PER_US).collect();
        assert_eq!(lengths, [2, 1]);
    }

    #[test]
    fn a_sleep_after_a_command_is_one_although_its_acceptance_was_looked_at() {
        let accesses = [tested::told(0, Command::Send), tested::accepted(2)];
        let stages = intervals(&[slept(4, 1000)], &accesses, &ALL).0;
        let after = Stage::of_board(Cause::Gate, Some(Subject::Command("SEND")));
        assert_eq!(stages[0].stage, after);
    }

    #[test]
    fn the_poll_period_is_that_of_wakes_that_look_at_the_chip() {
        let sleeps: Vec<Slept> = (0..5).map(|n| slept(n * 1000 + 10, (n + 1) * 1000)).collect();
        let look = |us: i64| tested::read(us, tested::RECEIVED, &[0, 0]);
        let accesses: Vec<Access> = (1..=5).map(|n| look(n * 1000 + 1)).collect();
        let (stages, period) = intervals(&sleeps, &accesses, &ALL);
        assert_eq!(period, Some(Picoseconds::new(1000 * PS_PER_US)));
        assert_eq!(intervals(&sleeps, &[], &ALL).1, None);
        let between_looks = Stage::of_board(Cause::Gate, Some(Subject::Register("Sn_RX_RSR")));
        assert_eq!(stages[1].stage, between_looks);
    }
}
