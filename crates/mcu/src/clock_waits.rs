//! A core that looks at a clock again and again until it is time: a pause of the firmware, in which the processor works on nothing.

use units::{PS_PER_S, PS_PER_US, Picoseconds};

/// Cycles between two looks of a loop that waits, calls and conversions among them. Whoever looks less often does something
/// meanwhile, such as a stack that reads its clock between two steps.
const MOST_CYCLES: i64 = 200;
/// Shorter waits are those of drivers for their chip.
const SHORTEST_WAIT: Picoseconds = Picoseconds::new(20 * PS_PER_US);
/// What is kept; later waits are left out.
const MOST_KEPT: usize = 1 << 20;

/// The waits of a core, while somebody wants to know. It is told of every access to anything but memory.
///
/// A wait is a row of looks at a clock with no other access of the same thread between them. Whether it ended because it was
/// time, or because an interrupt gave the reason that was waited for, shows in what came last: a look, or the interrupt.
#[derive(Debug, Clone, Default)]
pub struct ClockWaits {
    wait: Option<Wait>,
    ended: Vec<(Picoseconds, Picoseconds)>,
}

#[derive(Debug, Clone, Copy)]
struct Wait {
    from: Picoseconds,
    /// The last look.
    to: Picoseconds,
    /// The last that is known of an interrupt that came since then.
    handled: Option<Picoseconds>,
}

impl ClockWaits {
    /// The thread looks at a clock; its processor has so many cycles a second.
    pub fn look(&mut self, at: Picoseconds, hz: u64) {
        let longest_pause = Picoseconds::new(MOST_CYCLES * PS_PER_S / hz.max(1) as i64);
        match &mut self.wait {
            Some(wait) if at - wait.handled.unwrap_or(wait.to) <= longest_pause => {
                (wait.to, wait.handled) = (at, None);
            }
            _ => {
                self.end();
                self.wait = Some(Wait { from: at, to: at, handled: None });
            }
        }
    }

    /// The thread went on looking at the clock up to a time, with nothing else between its looks.
    pub fn look_on(&mut self, until: Picoseconds) {
        if let Some(wait) = &mut self.wait {
            (wait.to, wait.handled) = (until, None);
        }
    }

    /// The thread does something else, or has slept.
    pub fn act(&mut self) {
        if self.wait.is_some() {
            self.end();
        }
    }

    /// An interrupt's handler does something.
    pub fn handle(&mut self, at: Picoseconds) {
        if let Some(wait) = &mut self.wait {
            wait.handled = Some(at);
        }
    }

    /// The waits that ended since the last call, the one that is under way up to its last look.
    pub fn take(&mut self) -> Vec<(Picoseconds, Picoseconds)> {
        let rest = self.wait.map(|wait| Wait { from: wait.to, ..wait });
        self.end();
        self.wait = rest;
        std::mem::take(&mut self.ended)
    }

    fn end(&mut self) {
        if let Some(wait) = self.wait.take()
            && wait.handled.is_none()
            && wait.to - wait.from >= SHORTEST_WAIT
            && self.ended.len() < MOST_KEPT
        {
            self.ended.push((wait.from, wait.to));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HZ: u64 = 125_000_000;

    fn us(time: i64) -> Picoseconds {
        Picoseconds::new(time * PS_PER_US)
    }

    fn looked(waits: &mut ClockWaits, times_us: impl IntoIterator<Item = i64>) {
        times_us.into_iter().for_each(|time| waits.look(us(time), HZ));
    }

    fn seen(waits: &mut ClockWaits) -> Vec<(i64, i64)> {
        waits.take().iter().map(|(from, to)| (from.ps() / PS_PER_US, to.ps() / PS_PER_US)).collect()
    }

    #[test]
    fn looks_one_after_the_other_are_one_wait_until_something_else_is_done() {
        let mut waits = ClockWaits::default();
        looked(&mut waits, 100..=150);
        waits.act();
        looked(&mut waits, 152..=153);
        waits.act();
        assert_eq!(seen(&mut waits), [(100, 150)], "one of a microsecond is a driver's");
    }

    #[test]
    fn looks_that_are_told_together_are_one_wait_with_those_before_and_behind_them() {
        let mut waits = ClockWaits::default();
        waits.look(us(100), HZ);
        waits.look_on(us(900));
        waits.look(us(901), HZ);
        waits.act();
        waits.look_on(us(990));
        assert_eq!(seen(&mut waits), [(100, 901)]);
    }

    #[test]
    fn a_loop_that_asks_a_chip_between_its_looks_waits_for_the_chip() {
        let mut waits = ClockWaits::default();
        for time in 0..100 {
            waits.look(us(time), HZ);
            waits.act();
        }
        assert_eq!(seen(&mut waits), []);
    }

    #[test]
    fn looks_between_which_a_slow_processor_can_do_little_are_one_wait_and_between_which_a_fast_one_can_do_much_are_none()
     {
        for (hz, expected) in [(16_000_000, vec![(0, 50)]), (HZ, vec![])] {
            let mut waits = ClockWaits::default();
            (0..=10).for_each(|look| waits.look(us(5 * look), hz));
            assert_eq!(seen(&mut waits), expected);
        }
    }

    #[test]
    fn an_interrupt_within_a_wait_is_no_end_of_it_but_one_at_its_end_is_what_was_waited_for() {
        let mut waits = ClockWaits::default();
        looked(&mut waits, 0..=30);
        (31..70).for_each(|time| waits.handle(us(time)));
        looked(&mut waits, 70..=80);
        waits.act();
        looked(&mut waits, 100..=200);
        waits.handle(us(201));
        waits.act();
        assert_eq!(seen(&mut waits), [(0, 80)]);
    }

    #[test]
    fn a_wait_that_goes_on_while_it_is_taken_comes_in_two_pieces() {
        let mut waits = ClockWaits::default();
        looked(&mut waits, 0..=50);
        assert_eq!(seen(&mut waits), [(0, 50)]);
        looked(&mut waits, 51..=90);
        assert_eq!(seen(&mut waits), [(50, 90)]);
    }
}
