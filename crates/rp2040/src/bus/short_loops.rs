//! Which looks at registers may be those of short loops, whose turns a core leaves out by itself without stopping
//! (`cortexm::short_spin`): it is worth a try at a place in the code as long as it succeeds there now and then.

use units::Picoseconds;

use crate::bus::block::Block;
use crate::bus::spin_loop::ROUNDED;
use crate::bus::{Bus, Size, Steady};

/// GPIO_IN of the single-cycle block (RP2040 datasheet 2.3.1.7).
pub(super) const GPIO_IN: u32 = 0xd000_0004;
/// SysTick's control and status register (ARMv6-M Architecture Reference Manual B3.3).
pub(super) const SYST_CSR: u32 = 0xe000_e010;
/// The bits of an address that tell the registers of a block apart.
const REGISTER: u32 = 0xffc;
/// Places that are known at once.
const PLACES: usize = 16;
/// So many looks in a row are tried in vain at a place, and so many are left alone then.
const TRIES: u8 = 4;
const LOOKS_LEFT_ALONE: u8 = 64;

/// An instruction that looks, and how many tries in a row were in vain.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    pc: u32,
    in_vain: u8,
    /// Whether a loop was found here.
    is_loop: bool,
}

/// Nothing of this is state of the chip: whoever forgets it leaves out fewer turns, and sees the same.
#[derive(Debug, Clone, Default)]
pub(super) struct ShortLoops {
    places: [Place; PLACES],
    /// Where the last look was that is worth a try, and what it was at; and whether the core has not tried yet.
    tried: Option<(usize, u32)>,
    is_new: bool,
}

impl ShortLoops {
    /// A core looks at a register; gives whether a loop was found at that place.
    #[inline]
    pub(super) fn look(&mut self, pc: u32, address: u32) -> bool {
        let number = pc as usize / 2 % PLACES;
        let place = &mut self.places[number];
        if place.pc != pc {
            *place = Place { pc, ..Place::default() };
        }
        self.is_new = place.in_vain < TRIES;
        self.tried = self.is_new.then_some((number, address));
        place.in_vain = (place.in_vain + 1) % LOOKS_LEFT_ALONE;
        place.is_loop && self.is_new
    }

    /// Whether the last load was a look that is worth a try; once for each.
    #[inline(always)]
    pub(super) fn take_look(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }

    /// The place of the last look, if that was one at this address.
    fn tried_at(&mut self, address: u32) -> Option<&mut Place> {
        let (number, tried) = self.tried?;
        (tried == address).then(|| &mut self.places[number])
    }
}

impl Bus {
    /// What a core would see that looks at a register now, and how many cycles that takes. Nothing where it may show something else soon.
    pub(super) fn seen_at(&self, core: usize, address: u32) -> Option<(u32, u64)> {
        let is_register = matches!(address >> 28, 0x4 | 0x5);
        self.steady_until(core, address).filter(|_| is_register)?;
        Some((self.peek(address, Size::Word)?, Self::register_read_cycles(address)))
    }

    /// How many turns of so many cycles a core may leave out behind a look at the first of these registers. Each ends with the same look,
    /// and none comes up to the next event, or to where the core stops.
    pub(super) fn unseen_turns(
        &mut self,
        core: usize,
        addresses: &[u32],
        cycle: u64,
        turn_cycles: u64,
    ) -> u64 {
        let cycles = addresses.iter().map(|&address| self.seen_for(core, address, cycle)).min();
        let Some(place) = self.spin.short_loops.tried_at(addresses[0]) else { return 0 };
        let turns = cycles.unwrap_or(0) / turn_cycles;
        if turns != 0 {
            (place.in_vain, place.is_loop) = (0, true);
            self.spin.end();
            self.note_looks(core, addresses, cycle + turns * turn_cycles);
        }
        turns
    }

    /// Keeps what core 0 waits for, where somebody wants to know, as it looks on up to a cycle.
    fn note_looks(&mut self, core: usize, addresses: &[u32], cycle: u64) {
        let until = self.clock.time_of(cycle);
        if let Some(waits) = self.waits.as_mut().filter(|_| core == 0 && !self.ppb[0].is_handling()) {
            waits.looks_on(addresses, until);
        }
    }

    /// For how many cycles a core that has looked at a register just now would see the same, up to where it stops.
    pub(super) fn seen_for(&self, core: usize, address: u32, cycle: u64) -> u64 {
        let Some(until) = self.steady_until(core, address) else { return 0 };
        self.clock.cycle_at(until - ROUNDED).min(self.limit).saturating_sub(cycle + 1)
    }

    /// Up to when a register shows the same, and nothing happens that anybody would notice; nothing where flows may go on meanwhile.
    fn steady_until(&self, core: usize, address: u32) -> Option<Picoseconds> {
        if self.attention || self.is_observed() {
            return None;
        }
        if address == GPIO_IN {
            return self.inputs_steady_until();
        }
        let own = if address == SYST_CSR {
            let passes_zero_at = self.ppb[core].passes_zero_at(self.cycle_now())?;
            self.clock.time_of(passes_zero_at)
        } else if Block::on_apb(address) == Some(Block::Timer) {
            let timer = Some(&self.blocks.timer).filter(|_| !self.blocks.is_held(Block::Timer))?;
            timer.shows_until(address & REGISTER, &self.io)?
        } else {
            let (steady, until) = self.steady(address)?;
            Some(until).filter(|_| steady == Steady::UntilEvent)?
        };
        Some(own.min(self.io.next_noticed()))
    }

    /// The same of the pins, whose levels take two cycles to come through.
    fn inputs_steady_until(&self) -> Option<Picoseconds> {
        let is_steady = !self.may_lead_on() && self.blocks.sio.shows_present_inputs(&self.io);
        is_steady.then(|| self.io.next_wake())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Setup;

    const RESETS_CLEARED: u32 = 0x4000_f000;
    const WATCHDOG_TICK: u32 = 0x4005_802c;
    const TIMERAWH: u32 = 0x4005_4024;
    const TIMERAWL: u32 = 0x4005_4028;
    const TIMELR: u32 = 0x4005_400c;
    const PAUSE: u32 = 0x4005_4030;
    const GPIO_OUT_XOR: u32 = 0xd000_001c;
    const GPIO_OE: u32 = 0xd000_0020;
    const IO_BANK0_CTRL: u32 = 0x4001_4004;
    const SYST_RVR: u32 = 0xe000_e014;
    const LONG: u64 = 1_000_000;

    /// A chip whose core 0 executes from a place in flash, at its ring oscillator's frequency.
    struct Bench {
        bus: Bus,
        cycle: u64,
    }

    impl Bench {
        fn new() -> Self {
            let mut bench =
                Self { bus: Bus::new(&Setup::default()).expect("the default setup is valid"), cycle: 0 };
            bench.bus.set_horizon(Picoseconds::new(i64::MAX), u64::MAX);
            bench.store(RESETS_CLEARED, u32::MAX);
            bench
        }

        fn store(&mut self, address: u32, value: u32) {
            self.bus.store(0, 0x1000_0100, address, Size::Word, value, &mut self.cycle).expect("a register");
            self.bus.attention = false;
        }

        fn look(&mut self, address: u32) -> u32 {
            let value = self.bus.load(0, 0x1000_0100, address, Size::Word, &mut self.cycle);
            self.bus.attention = false;
            value.expect("a register")
        }

        /// Looks at a register, and asks for how long that shows the same.
        fn shows_for(&mut self, address: u32) -> u64 {
            self.look(address);
            self.bus.seen_for(0, address, self.cycle)
        }

        /// What a look that ends at a cycle sees.
        fn seen_at_cycle(&mut self, address: u32, cycle: u64) -> u32 {
            self.cycle = cycle - Bus::register_read_cycles(address);
            self.look(address)
        }

        /// A register shows the same up to the cycle that is foretold, and another value in the next.
        fn assert_changes_when_foretold(&mut self, address: u32, about: std::ops::Range<u64>) {
            let before = self.look(address);
            let last = self.cycle + self.bus.seen_for(0, address, self.cycle);
            assert!(about.contains(&(last - self.cycle)), "{} cycles", last - self.cycle);
            assert_eq!(self.seen_at_cycle(address, last), before);
            assert_ne!(self.seen_at_cycle(address, last + 1), before);
        }
    }

    #[test]
    fn the_timer_shows_the_same_up_to_its_next_tick() {
        let mut bench = Bench::new();
        bench.store(WATCHDOG_TICK, 1 << 9 | 500);
        (0..5).for_each(|_| bench.assert_changes_when_foretold(TIMERAWL, 300..500));
        assert!((1..500).contains(&bench.shows_for(TIMERAWH)));
        assert_eq!(bench.shows_for(TIMELR), 0, "to look at it changes what TIMEHR shows");
        bench.store(PAUSE, 1);
        assert!(bench.shows_for(TIMERAWL) > LONG);
    }

    #[test]
    fn pins_show_the_same_once_their_last_change_has_come_through() {
        let mut bench = Bench::new();
        bench.store(IO_BANK0_CTRL, 5);
        bench.store(GPIO_OE, 1);
        let before = bench.look(GPIO_IN);
        bench.store(GPIO_OUT_XOR, 1);
        assert_eq!((bench.look(GPIO_IN), bench.bus.seen_for(0, GPIO_IN, bench.cycle)), (before, 0));
        bench.cycle += 2;
        assert_eq!(bench.look(GPIO_IN), before ^ 1);
        assert!(bench.shows_for(GPIO_IN) > LONG);
    }

    #[test]
    fn the_flag_of_systick_shows_the_same_until_it_passes_zero() {
        let mut bench = Bench::new();
        assert!(bench.shows_for(SYST_CSR) > LONG, "it stands still");
        bench.store(SYST_RVR, 999);
        bench.store(SYST_CSR, 5);
        (0..5).for_each(|_| bench.assert_changes_when_foretold(SYST_CSR, 900..1000));
        bench.cycle += 1500;
        bench.bus.io.now = bench.bus.clock.time_of(bench.cycle);
        assert_eq!(bench.bus.seen_for(0, SYST_CSR, bench.cycle), 0, "a look would clear the flag");
    }
}
