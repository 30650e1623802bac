//! Several owners of time, joined by wires. They take turns in virtual time; after each turn the wires hand over what was
//! put on them. What one owner does in a turn may reach the others only after it, so that neither the length of turns nor
//! who goes first changes anything. Two kinds of look-ahead see to that. A wire that takes time to carry anything bounds the
//! turn. Where it depends on the receiver when anything is noticed, the owner itself stops in the middle of a turn
//! ([`Ran::Waits`]). Where turns are too short for an owner that waits, they grow until time goes on. An owner that waits for
//! what lies beyond the end of a run goes on waiting in the next one.

use units::Picoseconds;

use crate::{Owner, Ran};

/// Turns without any progress before there are longer ones: in one of them an owner may just hear what it waited for.
const PATIENCE: u32 = 2;
/// Each is twice as long as the one before, up to so many times.
const MOST_DOUBLINGS: u32 = 24;

/// What joins owners.
pub trait Wire<O> {
    /// Why something cannot be handed over.
    type Error;

    /// For at least so long after it was begun nothing reaches another end: no turn may be longer.
    fn look_ahead(&self) -> Picoseconds;

    /// Hands over what was put on the wire in the turn that is over.
    ///
    /// # Errors
    /// When something comes too late: its receiver is beyond the time at which it arrives.
    fn exchange(&mut self, owners: &mut [O], taken: Taken<'_>) -> Result<(), Self::Error>;
}

impl<O, W: Wire<O>> Wire<O> for &mut W {
    type Error = W::Error;

    fn look_ahead(&self) -> Picoseconds {
        W::look_ahead(self)
    }

    fn exchange(&mut self, owners: &mut [O], taken: Taken<'_>) -> Result<(), Self::Error> {
        W::exchange(self, owners, taken)
    }
}

/// A turn that is over.
#[derive(Debug, Clone, Copy)]
pub struct Taken<'a> {
    /// How long turns are.
    pub turn: Picoseconds,
    /// Up to when each owner has run: those that wait stand before the turn's end.
    pub ran_to: &'a [Picoseconds],
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn<E> {
    /// All have run to its end, or as far as they can before they hear of each other.
    Taken,
    /// Nothing will ever happen again.
    Idle,
    /// One of them does not go on; those after it were not asked.
    Ended {
        /// The place of that one.
        owner: usize,
        /// How it ended.
        ended: E,
    },
}

/// Owners in step with each other.
#[derive(Debug)]
pub struct Lockstep<O, W, const N: usize> {
    /// In the order in which they run.
    pub owners: [O; N],
    /// What joins them.
    pub wire: W,
    now: Picoseconds,
    turn: Picoseconds,
    /// The turns since time went on.
    stalled: u32,
}

impl<O, W: Wire<O>, const N: usize> Lockstep<O, W, N> {
    /// Owners at the beginning of their time. Turns are as long as they may be, unless `turn` says otherwise.
    pub fn new(owners: [O; N], wire: W, turn: Option<Picoseconds>) -> Self {
        let turn = turn.unwrap_or_else(|| wire.look_ahead());
        Self { owners, wire, now: Picoseconds::ZERO, turn, stalled: 0 }
    }

    /// The time up to which all have run.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    fn next_turn(&self) -> Picoseconds {
        let doublings = self.stalled.saturating_sub(PATIENCE).min(MOST_DOUBLINGS);
        Picoseconds::new(self.turn.ps().saturating_mul(1 << doublings).min(i64::MAX / 4))
    }

    /// Takes one turn. Time in which nobody does anything is not cut into turns.
    ///
    /// # Errors
    /// When turns are so long that something comes too late.
    pub fn turn<C: ?Sized>(&mut self, end: Picoseconds, context: &C) -> Result<Turn<O::Ended>, W::Error>
    where
        O: Owner<C>,
    {
        let Some(due) = self.owners.iter_mut().filter_map(Owner::next_event).min() else {
            return Ok(Turn::Idle);
        };
        let until = (due.max(self.now).min(end) + self.next_turn()).min(end);
        let mut ran_to = [until; N];
        for (owner, one) in self.owners.iter_mut().enumerate() {
            match one.run_until(until, context) {
                Ran::Through => {}
                Ran::Waits => ran_to[owner] = one.now().min(until),
                Ran::Ended(ended) => return Ok(Turn::Ended { owner, ended }),
            }
        }
        let ran = ran_to.into_iter().min().unwrap_or(until);
        self.stalled = if ran > self.now { 0 } else { self.stalled + 1 };
        self.now = if self.stalled > PATIENCE && until == end { end } else { ran };
        self.wire.exchange(&mut self.owners, Taken { turn: self.turn, ran_to: &ran_to })?;
        Ok(Turn::Taken)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    const FLIGHT: i64 = 100;

    /// Answers each ball that arrives some time later, and counts them.
    #[derive(Debug, Default)]
    struct Player {
        now: i64,
        thinks: i64,
        due: VecDeque<i64>,
        thrown: Vec<i64>,
        throws: Vec<i64>,
    }

    impl Player {
        fn of(thinks: i64, first: Option<i64>) -> Self {
            Self { thinks, due: first.into_iter().collect(), ..Self::default() }
        }
    }

    impl Owner<()> for Player {
        type Ended = &'static str;

        fn now(&self) -> Picoseconds {
            Picoseconds::new(self.now)
        }

        fn next_event(&mut self) -> Option<Picoseconds> {
            self.due.front().map(|due| Picoseconds::new(*due))
        }

        fn run_until(&mut self, end: Picoseconds, (): &()) -> Ran<&'static str> {
            while let Some(&due) = self.due.front().filter(|due| **due <= end.ps()) {
                self.due.pop_front();
                self.throws.push(due);
                self.thrown.push(due);
            }
            self.now = end.ps();
            if self.throws.len() > 50 { Ran::Ended("tired") } else { Ran::Through }
        }
    }

    struct Air;

    impl Wire<Player> for Air {
        type Error = String;

        fn look_ahead(&self) -> Picoseconds {
            Picoseconds::new(FLIGHT)
        }

        fn exchange(&mut self, players: &mut [Player], _: Taken<'_>) -> Result<(), String> {
            for from in 0..2 {
                let (balls, to) = (std::mem::take(&mut players[from].thrown), &mut players[1 - from]);
                for ball in balls {
                    let at = ball + FLIGHT;
                    if at < to.now {
                        return Err(format!("a ball for {at} at {}", to.now));
                    }
                    to.due.push_back(at + to.thinks);
                }
            }
            Ok(())
        }
    }

    fn played(turn: Option<i64>, other_way: bool) -> Result<[Vec<i64>; 2], String> {
        let mut players = [Player::of(7, Some(3)), Player::of(11, None)];
        if other_way {
            players.reverse();
        }
        let mut game = Lockstep::new(players, Air, turn.map(Picoseconds::new));
        while game.now() < Picoseconds::new(4000) {
            assert_eq!(game.turn(Picoseconds::new(4000), &())?, Turn::Taken);
        }
        let mut throws = game.owners.map(|player| player.throws);
        if other_way {
            throws.reverse();
        }
        Ok(throws)
    }

    #[test]
    fn neither_the_length_of_turns_nor_who_goes_first_changes_anything() {
        let expected = played(None, false).unwrap();
        assert_eq!(expected[0][..3], [3, 221, 439]);
        for turn in [1, 13, 99] {
            assert_eq!(played(Some(turn), false).unwrap(), expected, "turns of {turn}");
        }
        assert_eq!(played(None, true).unwrap(), expected);
    }

    #[test]
    fn a_turn_longer_than_the_look_ahead_is_an_error() {
        assert!(played(Some(FLIGHT * 3), false).unwrap_err().starts_with("a ball for "));
    }

    #[test]
    fn the_first_that_ends_ends_all_and_the_idle_never_wake() {
        let mut game = Lockstep::new([Player::of(0, Some(0)), Player::of(0, None)], Air, None);
        let end = Picoseconds::new(i64::MAX / 2);
        let ended = (0..1000).map(|_| game.turn(end, &()).unwrap()).find(|turn| *turn != Turn::Taken);
        assert_eq!(ended, Some(Turn::Ended { owner: 0, ended: "tired" }));
        let mut still = Lockstep::new([Player::of(0, None), Player::of(0, None)], Air, None);
        assert_eq!(still.turn(end, &()), Ok(Turn::Idle));
    }

    /// Answers what it hears at once, but notices nothing before it has listened for so long. So far it may run beyond what
    /// it knows.
    #[derive(Debug)]
    struct Listener {
        now: i64,
        known_to: i64,
        listens: i64,
        heard: VecDeque<i64>,
        said: Vec<i64>,
        all: Vec<i64>,
    }

    impl Listener {
        fn of(listens: i64, first: Option<i64>) -> Self {
            let heard = first.map(|first| first - listens).into_iter().collect();
            Self { now: 0, known_to: 0, listens, heard, said: Vec::new(), all: Vec::new() }
        }
    }

    impl Owner<()> for Listener {
        type Ended = ();

        fn now(&self) -> Picoseconds {
            Picoseconds::new(self.now)
        }

        fn next_event(&mut self) -> Option<Picoseconds> {
            Some(Picoseconds::new(self.now))
        }

        fn run_until(&mut self, end: Picoseconds, (): &()) -> Ran<()> {
            let may = (self.known_to + self.listens).min(end.ps());
            while let Some(&heard) = self.heard.front().filter(|heard| **heard + self.listens <= may) {
                self.heard.pop_front();
                self.said.push(heard + self.listens);
                self.all.push(heard + self.listens);
            }
            self.now = self.now.max(may);
            if self.now < end.ps() { Ran::Waits } else { Ran::Through }
        }
    }

    /// Carries without delay.
    struct Ether;

    impl Wire<Listener> for Ether {
        type Error = ();

        fn look_ahead(&self) -> Picoseconds {
            Picoseconds::new(i64::MAX / 4)
        }

        fn exchange(&mut self, owners: &mut [Listener], taken: Taken<'_>) -> Result<(), ()> {
            for from in 0..2 {
                let said = std::mem::take(&mut owners[from].said);
                owners[1 - from].heard.extend(said);
                owners[1 - from].known_to = taken.ran_to[from].ps();
            }
            Ok(())
        }
    }

    #[test]
    fn who_waits_for_others_decides_the_length_of_turns_and_nothing_else_does() {
        let spoken = |turn: Option<i64>, other_way: bool| {
            let mut owners = [Listener::of(30, Some(3)), Listener::of(7, None)];
            if other_way {
                owners.reverse();
            }
            let mut talk = Lockstep::new(owners, Ether, turn.map(Picoseconds::new));
            let end = Picoseconds::new(4000);
            while talk.now() < end {
                assert_eq!(talk.turn(end, &()).unwrap(), Turn::Taken);
            }
            let mut all = talk.owners.map(|owner| owner.all);
            if other_way {
                all.reverse();
            }
            all
        };
        let expected = spoken(None, false);
        assert_eq!((&expected[0][..3], &expected[1][..2]), (&[3, 40, 77][..], &[10, 47][..]));
        assert_eq!(expected[0].len(), 109);
        for turn in [Some(1), Some(13), Some(1000)] {
            assert_eq!(spoken(turn, false), expected, "turns of {turn:?}");
        }
        assert_eq!(spoken(None, true), expected);
    }
}
