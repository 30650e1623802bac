//! What core 0 sleeps for when a timer ends its sleep: the next look at what the chip has received, or a fixed time after a command.
//!
//! Both may follow SEND, and both may end with a look. A driver that polls has constant times between the ends, one that sleeps
//! after each SEND has a constant time from SEND. How often and how long a stack's own timers wake the processor in between
//! without a look at the chip's receive registers does not count.

use std::collections::BTreeMap;

use mcu::{Slept, Waker};
use units::{PS_PER_MS, PS_PER_US, Picoseconds};
use wiznet::{Access, Command, Role};

use super::Subject;
use super::accesses::looked_at;

/// What the length of a sleep may differ by: timers count microseconds, and code runs before and after.
const SAME: Picoseconds = Picoseconds::new(20 * PS_PER_US);
/// What an end may lie beside a raster.
const ON_RASTER: Picoseconds = Picoseconds::new(5 * PS_PER_US);
const SHARE_ON_RASTER: f64 = 0.9;
const FEWEST_PERIODS: usize = 3;
/// People write periods and sleeps as whole multiples of this.
const ROUND: i64 = PS_PER_MS / 10;

/// What a sleep that a timer ends is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The next look at this register.
    Look(Subject),
    /// A fixed time after this command.
    After(Command),
    /// Something else, with what was looked at last, where something was.
    Other(Option<Subject>),
}

/// A sleep that a timer ends, with what lies before and after it.
struct Wait {
    /// The last command before it, where nothing else was done since.
    command: Option<Command>,
    /// The time since that command's end, where nothing in between went unseen.
    since_command: Option<Picoseconds>,
    /// What was looked at before it otherwise.
    before: Option<Subject>,
    /// The register that was looked at next.
    look: Option<Subject>,
    /// The end of the last of its sleeps: further ones before the look belong to it.
    wake: Picoseconds,
}

/// The purpose of every sleep of core 0 that a timer ends; nothing for the others. Also the period of the looks.
///
/// Sleeps and accesses are all that there were in the stretches, in the order of time.
pub(super) fn purposes(
    sleeps: &[Slept],
    accesses: &[Access],
    stretches: &[(Picoseconds, Picoseconds)],
) -> (Vec<Option<Purpose>>, Option<Picoseconds>) {
    let own: Vec<&Slept> = sleeps.iter().filter(|slept| slept.core == 0).collect();
    let waits: Vec<Option<Wait>> =
        (0..own.len()).map(|place| wait(&own, place, accesses, stretches)).collect();
    let looks = wakes(waits.iter().flatten().filter(|wait| wait.look.is_some()));
    let raster = raster(&looks);
    let fixed = fixed_commands(&waits, raster);
    let purpose = |wait: &Wait| match (wait.command, &wait.look) {
        (Some(command), _) if fixed.contains(&command) => Purpose::After(command),
        (_, Some(register)) => Purpose::Look(register.clone()),
        _ => Purpose::Other(wait.before.clone()),
    };
    let found: Vec<Option<Purpose>> = waits.iter().map(|wait| wait.as_ref().map(purpose)).collect();
    let polls = waits.iter().zip(&found).filter(|(_, purpose)| matches!(purpose, Some(Purpose::Look(_))));
    let period = median_distance(&wakes(polls.filter_map(|(wait, _)| wait.as_ref())));
    let mut of_own = found.into_iter();
    let all = sleeps.iter().map(|slept| if slept.core == 0 { of_own.next().flatten() } else { None });
    (all.collect(), period)
}

fn wait(
    own: &[&Slept],
    place: usize,
    accesses: &[Access],
    stretches: &[(Picoseconds, Picoseconds)],
) -> Option<Wait> {
    let slept = own[place];
    if slept.woken_by != Some(Waker::Timer) {
        return None;
    }
    let before = before(accesses, slept.from);
    let told = before.and_then(|access| Some((access.command?, access.end)));
    let next = accesses.partition_point(|access| access.start < slept.to);
    // Reads of other registers, such as the link's, are a timer's that runs between two looks.
    let deed = accesses[next..].iter().find(|access| is_news(access) || is_deed(access));
    let deed_at = deed.map_or(slept.to, |access| access.start);
    let chain = || own[place..].iter().take_while(|other| other.to <= deed_at);
    let all_timers = chain().all(|other| other.woken_by == Some(Waker::Timer));
    let look = deed.filter(|access| is_news(access) && all_timers).map(looked_at);
    let wake = look.as_ref().and_then(|_| chain().last()).map_or(slept.to, |last| last.to);
    let seen_since = |at: Picoseconds| stretches.iter().any(|&(from, to)| from <= at && wake <= to);
    let since_command = told.filter(|&(_, end)| seen_since(end)).map(|(_, end)| wake - end);
    // A timer's own look, such as at the link, is not what the image sleeps for.
    let is_of_use = |access: &&Access| access.register().is_none() || access.is_of_news();
    let before = before.filter(|_| told.is_none()).filter(is_of_use).map(looked_at);
    Some(Wait { command: told.map(|(command, _)| command), since_command, before, look, wake })
}

fn is_news(access: &Access) -> bool {
    !access.write && access.is_of_news()
}

/// Interrupts are acknowledged before a look, so that none is lost: that is no deed.
fn is_deed(access: &Access) -> bool {
    access.write && !access.is_of_news()
}

/// What was done with the chip before a time: the command, where only its acceptance was looked at since.
fn before(accesses: &[Access], at: Picoseconds) -> Option<&Access> {
    let earlier = &accesses[..accesses.partition_point(|access| access.end <= at)];
    let accepted = |access: &&Access| !access.write && access.has_role(Role::Command);
    let told = earlier.iter().rev().find(|access| !accepted(access));
    told.filter(|access| access.command.is_some()).or(earlier.last())
}

/// The different ends, in the order of time.
fn wakes<'a>(waits: impl Iterator<Item = &'a Wait>) -> Vec<i64> {
    let mut wakes: Vec<i64> = waits.map(|wait| wait.wake.ps()).collect();
    wakes.sort_unstable();
    wakes.dedup();
    wakes
}

fn median_distance(times: &[i64]) -> Option<Picoseconds> {
    let mut apart: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    apart.sort_unstable();
    apart.get(apart.len() / 2).filter(|_| apart.len() >= FEWEST_PERIODS).map(|&ps| Picoseconds::new(ps))
}

/// The period of times that lie whole periods apart, from the first to the last.
fn raster(times: &[i64]) -> Option<i64> {
    let first = *times.first()?;
    let mut period = median_distance(times)?.ps() as f64;
    let mut near = 0_usize;
    for &time in &times[1..] {
        let gone = (time - first) as f64;
        let periods = (gone / period).round().max(1.0);
        if (gone - periods * period).abs() <= ON_RASTER.ps() as f64 {
            near += 1;
            // The farther the end, the better it tells the period.
            period = gone / periods;
        }
    }
    (near as f64 >= SHARE_ON_RASTER * (times.len() - 1) as f64).then_some(period.round() as i64)
}

/// The commands after which the driver sleeps a constant time.
fn fixed_commands(waits: &[Option<Wait>], raster: Option<i64>) -> Vec<Command> {
    let mut after: BTreeMap<Command, (BTreeMap<i64, i64>, bool)> = BTreeMap::new();
    for wait in waits.iter().flatten() {
        if let (Some(command), Some(length)) = (wait.command, wait.since_command) {
            let (lengths, looks) = after.entry(command).or_default();
            lengths.insert(wait.wake.ps(), length.ps());
            *looks |= wait.look.is_some();
        }
    }
    let is_fixed = |(lengths, looks): &(BTreeMap<i64, i64>, bool)| {
        let mut lengths: Vec<i64> = lengths.values().copied().collect();
        lengths.sort_unstable();
        let median = lengths[lengths.len() / 2];
        let tenth = lengths.len() / 10;
        let spread = lengths[lengths.len() - 1 - tenth] - lengths[tenth];
        let constant = spread <= SAME.ps().max(median / 100);
        // Where both are constant, somebody has chosen the rounder one.
        constant && !raster.is_some_and(|period| *looks && from_round(period) <= from_round(median))
    };
    after.into_iter().filter(|(_, lengths)| is_fixed(lengths)).map(|(command, _)| command).collect()
}

fn from_round(ps: i64) -> i64 {
    let rest = ps.rem_euclid(ROUND);
    rest.min(ROUND - rest)
}

#[cfg(test)]
mod tests {
    use units::PS_PER_S;

    use super::super::accesses::tested::{self, INTERRUPTS, OF_THE_PHY, RECEIVED};
    use super::*;

    fn at(us: i64) -> Picoseconds {
        Picoseconds::new(us * PS_PER_US)
    }

    fn slept(from_us: i64, to_us: i64) -> Slept {
        Slept { core: 0, from: at(from_us), to: at(to_us), woken_by: Some(Waker::Timer) }
    }

    fn size(us: i64) -> Access {
        tested::read(us, RECEIVED, &[5])
    }

    fn send(us: i64) -> Access {
        tested::told(us, Command::Send)
    }

    const ALL: [(Picoseconds, Picoseconds); 1] = [(Picoseconds::ZERO, Picoseconds::new(PS_PER_S))];

    /// Every 64 ms a look, then an answer after a time that varies, and sleep until the next look.
    fn polled(split: bool) -> (Vec<Slept>, Vec<Access>) {
        let (mut sleeps, mut accesses) = (Vec::new(), Vec::new());
        for n in 0..10 {
            let begin = n * 64_000;
            let sent = begin + 100 + 7 * n;
            let acknowledged = tested::write(begin + 2, INTERRUPTS, &[4]);
            accesses.extend([acknowledged, size(begin + 5), send(sent)]);
            if split {
                sleeps.extend([slept(sent + 10, begin + 20_000 + n), slept(begin + 20_030, begin + 40_000)]);
                accesses.push(tested::read(begin + 20_010, OF_THE_PHY, &[0xbf]));
                sleeps.push(slept(begin + 40_001, begin + 64_000));
            } else {
                sleeps.push(slept(sent + 10, begin + 64_000));
            }
        }
        accesses.push(size(640_005));
        (sleeps, accesses)
    }

    #[test]
    fn sleeps_after_send_that_end_on_a_raster_with_a_look_are_polls() {
        let (sleeps, accesses) = polled(false);
        let (found, period) = purposes(&sleeps, &accesses, &ALL);
        assert!(
            found.iter().all(|one| *one == Some(Purpose::Look(Subject::Register("Sn_RX_RSR")))),
            "{found:?}"
        );
        assert_eq!(period, Some(at(64_000)));
    }

    #[test]
    fn timers_of_a_stack_that_wake_in_between_do_not_change_the_raster() {
        let (sleeps, accesses) = polled(true);
        let (found, period) = purposes(&sleeps, &accesses, &ALL);
        assert!(
            found.iter().all(|one| *one == Some(Purpose::Look(Subject::Register("Sn_RX_RSR")))),
            "{found:?}"
        );
        assert_eq!(period, Some(at(64_000)));
    }

    #[test]
    fn a_constant_sleep_after_send_is_one_although_a_look_ends_it() {
        let (mut sleeps, mut accesses, mut now) = (Vec::new(), Vec::new(), 0);
        for n in 0..10 {
            accesses.push(send(now));
            sleeps.push(slept(now + 10, now + 5_003));
            accesses.push(size(now + 5_010));
            now += 5_070 + 13 * (n % 4);
        }
        let (found, period) = purposes(&sleeps, &accesses, &ALL);
        assert!(found.iter().all(|one| *one == Some(Purpose::After(Command::Send))), "{found:?}");
        assert_eq!(period, None, "a fixed sleep is no poll");
    }

    #[test]
    fn what_went_unseen_is_not_taken_for_a_sleep_after_the_last_command_seen() {
        let (mut sleeps, mut accesses, mut stretches) = (Vec::new(), Vec::new(), Vec::new());
        for n in 0..10 {
            // A stretch begins in a sleep and ends with the command, before the sleep that follows.
            let begin = n * 20_000 + 700 * (n % 3);
            sleeps.push(slept(begin, begin + 3_000));
            accesses.extend([size(begin + 3_005), send(begin + 3_100)]);
            sleeps.push(slept(begin + 3_110, begin + 8_103));
            accesses.extend([size(begin + 8_110), send(begin + 8_200)]);
            stretches.push((at(begin), at(begin + 8_210)));
        }
        let (found, _) = purposes(&sleeps, &accesses, &stretches);
        assert_eq!(found[1], Some(Purpose::After(Command::Send)));
        assert!(!found[2..].contains(&Some(Purpose::Look(Subject::Register("Sn_RX_RSR")))), "{found:?}");
    }

    #[test]
    fn of_a_constant_period_and_a_constant_sleep_the_round_one_was_chosen() {
        let steady = |length: i64, period: i64| {
            let sleeps: Vec<Slept> =
                (0..10).map(|n| slept(n * period + 10, n * period + 2 + length)).collect();
            let sends = (0..10).map(|n| send(n * period));
            let looks = (0..10).map(|n| size(n * period + length + 5));
            let mut accesses: Vec<Access> = sends.chain(looks).collect();
            accesses.sort_by_key(|access| access.start);
            purposes(&sleeps, &accesses, &ALL).0[5].clone()
        };
        assert_eq!(steady(5_000, 5_063), Some(Purpose::After(Command::Send)));
        assert_eq!(steady(937, 1_000), Some(Purpose::Look(Subject::Register("Sn_RX_RSR"))));
    }

    #[test]
    fn a_sleep_whose_length_varies_and_that_ends_with_a_deed_is_neither() {
        let lengths = [100, 900, 300, 700, 500];
        let place = |n: usize| n as i64 * 1_000;
        let sleeps: Vec<Slept> = (0..5).map(|n| slept(place(n) + 10, place(n) + 10 + lengths[n])).collect();
        let accesses: Vec<Access> = (0..6).map(|n| send(place(n))).collect();
        assert_eq!(purposes(&sleeps, &accesses, &ALL).0[2], Some(Purpose::Other(None)));
    }
}
