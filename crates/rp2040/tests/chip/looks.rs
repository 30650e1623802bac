//! Looks at where the cores are, while the chip runs: they see what they would if the run ended there, and nobody can tell of them.

use mcu::{Mcu, Samples, Sleep};
use rp2040::chip::Rp2040;
use testing::Random;
use units::Picoseconds;

use crate::asm::Asm;
use crate::bench::*;
use crate::waiting::{WAITS, Wait, chip, same, same_list};

const END_US: i64 = 3000;
const UNHEARD: usize = usize::MAX;

/// Looks at times at random, and what they saw: the time, cycle and frequency, and where the cores are that are awake.
struct Notes {
    random: Random,
    due: Picoseconds,
    seen: Vec<(i64, (u64, u64), Vec<u32>)>,
}

impl Notes {
    fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), due: Picoseconds::ZERO, seen: Vec::new() }
    }
}

impl Samples for Notes {
    fn due(&self) -> Picoseconds {
        self.due
    }

    fn look(&mut self, now: Picoseconds, clock: (u64, u64), awake: &[u32]) {
        self.seen.push((now.ps(), clock, awake.to_vec()));
        self.due = now + Picoseconds::new(1 + i64::from(self.random.below(30_000_000)));
    }
}

/// A run that ends where a look is due.
fn run_in_pieces(chip: &mut Rp2040, end: Picoseconds, notes: &mut Notes) {
    while chip.now() < end {
        if notes.due <= chip.now() {
            let core = Mcu::core(chip, 0);
            let awake = if core.sleep == Sleep::Awake { vec![core.pc] } else { Vec::new() };
            notes.look(chip.now(), (chip.cycles(), chip.sys_hz()), &awake);
        }
        chip.run_until(end.min(notes.due));
    }
}

/// Asleep until SysTick's handler has come and gone.
fn asleep(asm: &mut Asm) {
    asm.wfi();
}

fn check(start: fn() -> Asm, wait: Wait, seed: u64) {
    let new = || chip(start, wait, 900 + Random::new(seed).below(3000), UNHEARD);
    let (mut whole, mut looked_at, mut in_pieces) = (new(), new(), new());
    let (mut looks, mut pieces) = (Notes::new(seed), Notes::new(seed));
    whole.run_until(us(END_US));
    looked_at.run_sampled(us(END_US), &mut looks);
    run_in_pieces(&mut in_pieces, us(END_US), &mut pieces);
    assert!(looks.seen.len() > 150, "{} looks", looks.seen.len());
    same_list(&looks.seen, &pieces.seen, &format!("seed {seed}"));
    same(&whole, &looked_at, &format!("looked at, seed {seed}"));
}

#[test]
fn a_look_sees_what_it_would_at_the_end_of_a_run() {
    for seed in 0..4 {
        for wait in WAITS {
            check(in_ram, wait, seed);
            check(in_flash, wait, seed);
        }
    }
}

#[test]
fn a_core_that_sleeps_is_seen_to_sleep() {
    for seed in 0..4 {
        check(in_ram, asleep, seed);
    }
    let mut chip = chip(in_ram, asleep, 3000, UNHEARD);
    let mut looks = Notes::new(9);
    chip.run_sampled(us(END_US), &mut looks);
    let asleep = looks.seen.iter().filter(|(_, _, awake)| awake.is_empty()).count();
    assert!(asleep > looks.seen.len() / 2, "{asleep} of {} looks", looks.seen.len());
}
