//! What a peripheral may use while it is accessed or woken: the time, the wires to its neighbours, the agenda, the
//! clocks, the pins, and the outside.

use std::collections::BTreeMap;

use mcu::{Outside, Reaction, Unconnected, UnknownAccess};
use sim::Agenda;
use units::Picoseconds;

use crate::foretold::ForetoldCourse;
use crate::frequencies::{self, Frequencies};
use crate::lines::Lines;
use crate::peripherals::Source;
use crate::pins::Pins;

/// The surroundings of a peripheral inside the chip.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Io {
    /// The virtual time of this access or event.
    pub now: Picoseconds,
    /// By how much that is later than the clock of the core whose access is under way: while both cores are awake, the other
    /// one may have been some cycles ahead.
    pub ahead: Picoseconds,
    /// Interrupt lines and data requests.
    pub lines: Lines,
    /// The frequencies that the clock tree gives now.
    pub clocks: Frequencies,
    /// The pins.
    pub pins: Pins,
    /// What the pins are wired to.
    #[serde(skip, default = "unconnected")]
    pub outside: Box<dyn Outside>,
    /// What the outside did in answer; the bus carries it out.
    pub reactions: Vec<Reaction>,
    /// Levels that are known before they come at the pins, and how many were foretold so far.
    #[serde(skip)]
    pub(crate) foretold: Option<ForetoldCourse>,
    #[serde(skip)]
    pub(crate) foretold_count: u64,
    /// Program counter of the access that is under way.
    pub pc: u32,
    /// The core whose access is under way.
    pub core: u8,
    /// Address of the access that is under way.
    pub address: u32,
    agenda: Agenda,
    agenda_changed: bool,
    /// The sources (a bit each) whose next event is noticed only by whoever looks at registers or memory.
    pub(crate) patient: u64,
    /// Those of them that are PIO blocks.
    #[serde(skip)]
    pub(crate) patient_pio: u64,
    /// Those of which nobody notices anything until he looks.
    #[serde(skip)]
    pub(crate) unnoticed: u64,
    /// Pins have moved before this instant, and nobody was told.
    #[serde(skip)]
    pub(crate) moved_unnoticed: bool,
    #[serde(skip)]
    unknown: BTreeMap<(u32, bool), UnknownAccess>,
    /// A UART cannot tell what it receives before more is known of its line.
    #[serde(skip)]
    pub(crate) awaits_line: bool,
}

fn unconnected() -> Box<dyn Outside> {
    Box::new(Unconnected)
}

impl Default for Io {
    fn default() -> Self {
        Self {
            now: Picoseconds::ZERO,
            ahead: Picoseconds::ZERO,
            lines: Lines::default(),
            clocks: Frequencies::default(),
            pins: Pins::default(),
            outside: unconnected(),
            reactions: Vec::new(),
            foretold: None,
            foretold_count: 0,
            pc: 0,
            core: 0,
            address: 0,
            agenda: Agenda::new(Source::COUNT),
            agenda_changed: false,
            patient: 0,
            patient_pio: 0,
            unnoticed: 0,
            moved_unnoticed: false,
            unknown: BTreeMap::new(),
            awaits_line: false,
        }
    }
}

impl Io {
    /// Asks that a source be woken at a time; replaces what it asked for before. A time that is past means now.
    #[inline]
    pub fn wake_at(&mut self, source: Source, at: Picoseconds) {
        self.agenda.arm(source.index(), at.max(self.now));
        self.agenda_changed = true;
    }

    /// Asks that a source be woken after a number of cycles of a clock; a stopped clock never wakes it.
    pub fn wake_after(&mut self, source: Source, hz: u64, cycles: u64) {
        match frequencies::duration(hz, cycles).and_then(|d| self.now.ps().checked_add(d.ps())) {
            Some(at) => self.wake_at(source, Picoseconds::new(at)),
            None => self.cancel(source),
        }
    }

    /// Drops what a source asked for.
    pub fn cancel(&mut self, source: Source) {
        self.agenda.disarm(source.index());
    }

    /// When a source will be woken.
    pub fn due(&self, source: Source) -> Option<Picoseconds> {
        self.agenda.due(source.index())
    }

    /// When the first source will be woken; the end of time when none.
    #[inline]
    pub(crate) fn next_wake(&self) -> Picoseconds {
        self.agenda.next_time()
    }

    /// When a source has to be woken at the latest, if those that nobody can notice may wait; PIO blocks that are patient are left
    /// out.
    #[inline]
    pub(crate) fn latest_wake(&self, patience: Picoseconds) -> Picoseconds {
        self.agenda.latest(self.patient, patience, self.unnoticed | self.patient_pio)
    }

    /// The same where one of the patient sources may wait for a time of its own.
    #[inline]
    pub(crate) fn latest_wake_besides(
        &self,
        own: Source,
        patience: Picoseconds,
        of_own: Picoseconds,
    ) -> Picoseconds {
        let mask = 1 << own.index();
        let others = self.agenda.latest(self.patient, patience, self.unnoticed | self.patient_pio | mask);
        let own = self.due(own).map_or(i64::MAX, |due| due.ps().saturating_add(of_own.ps()));
        others.min(Picoseconds::new(own))
    }

    /// When the first source will be woken of which anybody may notice anything; the end of time when none.
    #[inline]
    pub(crate) fn next_noticed(&self) -> Picoseconds {
        if self.unnoticed == 0 { self.next_wake() } else { self.agenda.next_time_besides(self.unnoticed) }
    }

    /// The first source that is due up to and including `at`.
    #[inline]
    pub(crate) fn first_due(&self, at: Picoseconds) -> Option<Source> {
        let (_, index) = self.agenda.next().filter(|&(due, _)| due <= at)?;
        Some(Source::from_index(index))
    }

    /// When the first source will be woken that is not in a mask (a bit each); the end of time when none.
    #[inline]
    pub(crate) fn next_wake_besides(&self, mask: u64) -> Picoseconds {
        self.agenda.next_time_besides(mask | self.unnoticed)
    }

    /// Sets what two sources ask for, or drops it at the end of time; nobody is told of it.
    #[inline]
    pub(crate) fn set_wakes(&mut self, wakes: [(Source, Picoseconds); 2]) {
        self.agenda.set_two(wakes.map(|(source, at)| (source.index(), at)));
    }

    /// Tells that the agenda got an appointment.
    #[inline]
    pub(crate) fn tell_agenda_changed(&mut self) {
        self.agenda_changed = true;
    }

    /// Whether the agenda got an appointment that was not taken note of.
    #[inline]
    pub(crate) fn agenda_changed(&self) -> bool {
        self.agenda_changed
    }

    /// Whether the bus is to carry out anything: lines, pins or the agenda changed, or the surroundings answered.
    #[inline(always)]
    pub(crate) fn has_news(&self) -> bool {
        let is_settled = self.pins.are_settled() & self.lines.are_settled() & self.reactions.is_empty();
        !is_settled | self.agenda_changed | self.moved_unnoticed | self.awaits_line
    }

    /// Takes the first source that is due up to and including `at`.
    #[inline]
    pub(crate) fn take_due(&mut self, at: Picoseconds) -> Option<(Picoseconds, Source)> {
        let (due, index) = self.agenda.next().filter(|&(due, _)| due <= at)?;
        self.agenda.disarm(index);
        Some((due, Source::from_index(index)))
    }

    /// Whether the agenda got an appointment since the last call.
    pub(crate) fn take_agenda_changed(&mut self) -> bool {
        std::mem::take(&mut self.agenda_changed)
    }

    /// Tells outside of the pins that changed, just now, and carries out what is pulled in answer, or driven where the chip drives
    /// nothing; anything else is left to the bus.
    pub(crate) fn tell_outside(&mut self) {
        let (nets, levels, now) = (self.pins.take_changed(), self.pins.levels(), self.now);
        self.outside.pins_changed(now, nets, levels, &mut self.reactions);
        let pins = &mut self.pins;
        self.reactions.retain(|reaction| {
            match *reaction {
                Reaction::Pull { pin, level } => pins.pull_outside(now, pin, level),
                Reaction::Pin { pin, level } if !pins.drives(pin) => pins.drive_outside(now, pin, level),
                _ => return true,
            }
            false
        });
    }

    /// Notes an access to something that is not modelled.
    pub fn unknown(&mut self, block: &'static str, detail: &'static str, write: bool) {
        self.note(block, detail, write, false);
    }

    /// Notes a write that the chip ignores as well.
    pub fn ignored(&mut self, block: &'static str, detail: &'static str) {
        self.note(block, detail, true, true);
    }

    /// The same for a window of so many bytes (a power of two), of which only the first such write is noted.
    pub fn ignored_in_window(&mut self, bytes: u32, block: &'static str, detail: &'static str) {
        let (first, last) = (self.address & !(bytes - 1), self.address | (bytes - 1));
        if !self.unknown.range((first, false)..=(last, true)).any(|(&(_, write), _)| write) {
            self.ignored(block, detail);
        }
    }

    fn note(&mut self, block: &'static str, detail: &'static str, write: bool, ignored: bool) {
        let (address, pc, core) = (self.address, self.pc, self.core);
        self.unknown.entry((address, write)).or_insert(UnknownAccess {
            block,
            detail,
            address,
            write,
            pc,
            core,
            ignored,
        });
    }

    /// Every access so far to something that is not modelled, by address.
    pub fn unknown_accesses(&self) -> impl Iterator<Item = &UnknownAccess> {
        self.unknown.values()
    }

    /// A copy for a snapshot; nothing when what stands outside cannot be copied.
    pub fn snapshot(&self) -> Option<Self> {
        Some(self.copy_with(self.outside.snapshot()?))
    }

    /// A copy with nothing outside.
    pub(crate) fn copy_alone(&self) -> Self {
        self.copy_with(unconnected())
    }

    fn copy_with(&self, outside: Box<dyn Outside>) -> Self {
        Self {
            now: self.now,
            ahead: self.ahead,
            lines: self.lines.clone(),
            clocks: self.clocks,
            pins: self.pins.clone(),
            outside,
            reactions: self.reactions.clone(),
            foretold: self.foretold.clone(),
            foretold_count: self.foretold_count,
            pc: self.pc,
            core: self.core,
            address: self.address,
            agenda: self.agenda.clone(),
            agenda_changed: self.agenda_changed,
            patient: self.patient,
            patient_pio: 0,
            unnoticed: 0,
            moved_unnoticed: false,
            unknown: self.unknown.clone(),
            awaits_line: self.awaits_line,
        }
    }
}
