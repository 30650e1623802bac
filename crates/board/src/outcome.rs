//! The report of a run: how it ended, what was counted, which functions used the cores, and what went wrong.

use std::collections::BTreeMap;

use mcu::image::Symbols;
use mcu::{Counts, Sleep, Stop, UnknownAccess};
use serde::Serialize;
use units::Picoseconds;

use super::console_log::{CONSOLES, console_name};
use super::run::{Ended, RunUntil};
use super::traffic::{TrafficEntry, failure_of};
use super::{Board, BoardEnergy, profile};

/// What a run gave.
#[derive(Debug, Clone, Serialize)]
pub struct BoardRun {
    /// The board.
    pub board: String,
    /// The image's file.
    pub image: Option<String>,
    /// `time`, `text`, `pin`, `done`, `asleep`, `fault`, `locked-up`, `ended`, `boot-loader`, `breakpoint`,
    /// `killed` or `interrupted`.
    pub reason: &'static str,
    /// The same for people.
    pub sentence: String,
    /// The sentence without what became of clients that the run waited for.
    pub end: String,
    /// Whether the image faulted, ended with an error, or what was waited for did not come.
    pub failed: bool,
    /// The virtual time since the start.
    pub time_ps: i64,
    /// What the processor's clock is called, as `clk_sys`.
    pub clock: &'static str,
    /// Its cycles since the start.
    pub cycles: u64,
    /// Its frequency at the end; the name is the RP2040's.
    pub clk_sys_hz: u64,
    /// Resets by watchdog or software.
    pub resets: u32,
    /// Every core.
    pub cores: Vec<CoreCounts>,
    /// Interrupts that were taken, by line, the most frequent first.
    pub interrupts: Vec<InterruptCount>,
    /// How many samples the functions come from.
    pub samples: u64,
    /// Functions by cycles, the most first; estimated from samples.
    pub functions: Vec<FunctionShare>,
    /// What passed over buses and through memories.
    pub bus: BTreeMap<&'static str, u64>,
    /// Bytes that came out of each console.
    pub console_bytes: BTreeMap<&'static str, u64>,
    /// Accesses to what is not modelled, and writes that the chip ignores as well, each once.
    pub unknown: Vec<UnknownEntry>,
    /// The fault, if there was one.
    pub fault: Option<FaultEntry>,
    /// The clients at the other end of the wire, and the servers that anybody spoke to.
    pub traffic: Vec<TrafficEntry>,
    /// How long its radio did what, where it has one.
    pub radio: Option<RadioEntry>,
    /// What it took of its supply since the start.
    pub energy: BoardEnergy,
    /// What a user should know of the board.
    pub notes: Vec<String>,
}

/// A radio's states in time.
#[derive(Debug, Clone, Serialize)]
pub struct RadioEntry {
    /// How long it was in each: off, boot, awake, doze, transmit, receive.
    pub times_ps: BTreeMap<&'static str, i64>,
    /// The mean current while it had power.
    pub mean_ma: Option<f64>,
}

/// What was counted of a core.
#[derive(Debug, Clone, Serialize)]
pub struct CoreCounts {
    /// From 0.
    pub core: usize,
    /// Instructions executed.
    pub instructions: u64,
    /// Cycles awake.
    pub busy_cycles: u64,
    /// Their share of all cycles.
    pub busy_share: f64,
    /// Exceptions entered, interrupts among them.
    pub exceptions: u64,
    /// Whether it is awake at the end.
    pub awake: bool,
}

/// How often an interrupt was taken.
#[derive(Debug, Clone, Serialize)]
pub struct InterruptCount {
    /// The line of the NVIC.
    pub line: u8,
    /// Its name in the datasheet.
    pub name: &'static str,
    /// How often, all cores.
    pub count: u64,
}

/// A function's share of the busy cycles.
#[derive(Debug, Clone, Serialize)]
pub struct FunctionShare {
    /// Its name, or the address where there are no names.
    pub name: String,
    /// Cycles, estimated.
    pub cycles: u64,
    /// Share of all busy cycles.
    pub share: f64,
}

/// An access to something that is not modelled.
#[derive(Debug, Clone, Serialize)]
pub struct UnknownEntry {
    /// The block of the chip.
    pub block: &'static str,
    /// What exactly is missing.
    pub detail: &'static str,
    /// The address.
    pub address: u32,
    /// Whether it was written.
    pub write: bool,
    /// The program counter of the first access.
    pub pc: u32,
    /// The core.
    pub core: u8,
    /// Where that is in the image.
    pub place: String,
    /// The chip ignores it as well: a mistake of the image, and nothing that the model lacks.
    pub ignored: bool,
}

/// A fault.
#[derive(Debug, Clone, Serialize)]
pub struct FaultEntry {
    /// What the image did.
    pub what: String,
    /// The core.
    pub core: u8,
    /// The instruction.
    pub pc: u32,
    /// Where that is in the image.
    pub place: String,
    /// The whole report, for people.
    pub report: String,
}

impl Board {
    /// The report of a run that ended like that.
    pub fn outcome(&mut self, until: &RunUntil, ended: Ended) -> BoardRun {
        let counts = self.chip.counts();
        let (reason, sentence) = self.told(until, ended);
        let bus = self.bus_counts();
        let cores = self.core_counts(&counts);
        let traffic = self.traffic();
        let drops = self.parts().lan().is_some_and(|lan| lan.loses_frames());
        let missed = if until.clients { failure_of(&traffic, drops) } else { None };
        let failed = has_failed(until, ended, self.status_of(ended)) || missed.is_some();
        let busy = cores.iter().map(|core| core.busy_cycles).sum();
        BoardRun {
            board: self.file.name.clone(),
            image: self.image.as_ref().map(|image| image.name().to_owned()),
            reason,
            sentence: missed.map_or_else(|| sentence.clone(), |missed| format!("{sentence}; {missed}")),
            end: sentence,
            failed,
            time_ps: self.now().ps(),
            clock: self.chip.facts().clock_name,
            cycles: counts.cycles,
            clk_sys_hz: self.chip.clock_hz(),
            resets: counts.resets,
            cores,
            interrupts: self.interrupts(),
            samples: self.sampler.samples(),
            functions: self.functions(busy),
            bus,
            console_bytes: CONSOLES
                .into_iter()
                .map(|console| (console_name(console), self.consoles.count(console)))
                .collect(),
            unknown: self.chip.unknown_accesses().iter().map(|access| self.unknown(access)).collect(),
            fault: self.fault_entry(),
            traffic,
            radio: self.radio(),
            energy: self.energy().told(),
            notes: self.notes(),
        }
    }

    /// The report as of now, of a run that goes on.
    pub fn outcome_now(&mut self) -> BoardRun {
        self.outcome(&RunUntil::time(self.now()), Ended::Chip(Stop::Time))
    }

    /// The first radio of the board.
    fn radio(&mut self) -> Option<RadioEntry> {
        let now = self.now();
        let lan = self.parts().lan()?;
        let energy = lan.devices().find_map(|device| lan.radio_energy(now, device))?;
        let times_ps = energy.times.into_iter().map(|(state, time)| (state, time.ps())).collect();
        Some(RadioEntry { times_ps, mean_ma: energy.mean_milliamperes })
    }

    fn core_counts(&self, counts: &Counts) -> Vec<CoreCounts> {
        let of_core = |core: usize| {
            let busy_cycles = counts.cycles.saturating_sub(counts.idle_cycles[core]);
            CoreCounts {
                core,
                instructions: counts.instructions[core],
                busy_cycles,
                busy_share: share(busy_cycles, counts.cycles),
                exceptions: counts.exceptions[core],
                awake: self.chip.core(core).sleep == Sleep::Awake,
            }
        };
        (0..self.chip.facts().cores).map(of_core).collect()
    }

    /// Samples by function, scaled to the busy cycles, which are exact.
    fn functions(&self, busy_cycles: u64) -> Vec<FunctionShare> {
        let mut by_name: BTreeMap<String, u64> = BTreeMap::new();
        for (pc, cycles) in self.sampler.cycles() {
            *by_name.entry(self.function_name(pc)).or_default() += cycles;
        }
        let total: u64 = by_name.values().sum();
        let mut functions: Vec<FunctionShare> = by_name
            .into_iter()
            .map(|(name, cycles)| {
                let scaled = u128::from(cycles) * u128::from(busy_cycles) / u128::from(total.max(1));
                FunctionShare { name, cycles: scaled as u64, share: share(cycles, total) }
            })
            .collect();
        functions.sort_by(|one, other| other.cycles.cmp(&one.cycles).then_with(|| one.name.cmp(&other.name)));
        functions
    }

    /// The function that an address lies in, for a table.
    pub fn function_name(&self, address: u32) -> String {
        let symbols = self.image.as_ref().map(mcu::image::Image::symbols);
        let named = symbols.and_then(|symbols| symbols.function_at(address)).map(|(name, _)| name.to_owned());
        named.unwrap_or_else(|| profile::block_name(self.chip.facts(), address))
    }

    /// An address with its function and source line, for a sentence.
    pub fn place(&self, address: u32) -> String {
        let symbols = self.image.as_ref().map(mcu::image::Image::symbols);
        let line = symbols.and_then(|symbols| symbols.line_at(address)).map(|line| line.to_string());
        match line {
            Some(line) => format!("{address:#010x} ({line})"),
            None => match symbols.and_then(|symbols| symbols.function_at(address)) {
                Some((function, offset)) => format!("{address:#010x} ({function}+{offset})"),
                None => format!("{address:#010x} ({})", (self.chip.facts().code_memory)(address).name),
            },
        }
    }

    fn unknown(&self, access: &UnknownAccess) -> UnknownEntry {
        let UnknownAccess { block, detail, address, write, pc, core, ignored } = *access;
        UnknownEntry { block, detail, address, write, pc, core, place: self.place(pc), ignored }
    }

    fn told(&self, until: &RunUntil, ended: Ended) -> (&'static str, String) {
        let now = self.now();
        let awaited = until.text.is_some() || until.pin.is_some();
        let but = if awaited { format!(", and {} did not come", self.awaited(until)) } else { String::new() };
        match ended {
            Ended::Text(console) => {
                ("text", format!("{} came from {} at {now}", self.awaited(until), console_name(console)))
            }
            Ended::Pin => ("pin", format!("{} at {now}", self.awaited(until))),
            Ended::Clients => ("done", format!("all traffic was done at {now}")),
            Ended::Killed => ("killed", format!("GDB killed the board at {now}")),
            Ended::Interrupted => ("interrupted", format!("stopped at {now}")),
            Ended::Chip(stop) => {
                let (reason, sentence) = self.told_by_chip(stop, now);
                (reason, format!("{sentence}{but}"))
            }
        }
    }

    fn told_by_chip(&self, stop: Stop, now: Picoseconds) -> (&'static str, String) {
        let (chip, symbols) = (&self.chip, &self.symbols());
        let reason = match stop {
            Stop::Time | Stop::Console | Stop::Pin | Stop::AwaitsLine => {
                let hang = chip.describe_stopped_clock().or_else(|| chip.describe_hang(symbols));
                let hang = hang.map_or_else(String::new, |hang| format!("; {hang}"));
                return ("time", format!("ran until {now}{hang}"));
            }
            Stop::Asleep => {
                let cores = chip.describe_cores(symbols);
                if let Some(stopped) = chip.describe_stopped_clock() {
                    let reason = if chip.wakes_from_outside().is_empty() { "no-clock" } else { "asleep" };
                    return (reason, format!("nothing runs since {now}: {stopped} ({cores})"));
                }
                let told = match chip.wakes_from_outside().join(", or ") {
                    wakes if wakes.is_empty() => format!("every core sleeps for good since {now}: {cores}"),
                    wakes => format!(
                        "every core sleeps since {now} and waits for something from outside ({wakes}): {cores}"
                    ),
                };
                return ("asleep", told);
            }
            Stop::Fault(_) => "fault",
            Stop::LockedUp(_) => "locked-up",
            Stop::Ended(_) => "ended",
            Stop::BootLoader => "boot-loader",
            Stop::Debug(..) => "breakpoint",
        };
        let sentence = chip.describe_stop(symbols, stop);
        let at = match stop {
            Stop::Fault(fault) | Stop::LockedUp(fault) => chip.fault_report(symbols, fault).at,
            _ => now,
        };
        match (reason, self.end_status(stop)) {
            ("fault" | "locked-up", Some(0)) => ("ended", format!("{sentence} at {at}")),
            ("fault" | "locked-up", Some(status)) => {
                ("ended", format!("{sentence}, with status {status}, at {at}"))
            }
            _ => (reason, format!("{sentence} at {at}")),
        }
    }

    fn awaited(&self, until: &RunUntil) -> String {
        match (&until.text, until.pin) {
            (Some(text), _) => format!("{:?}", String::from_utf8_lossy(text)),
            (None, Some((pin, level))) => {
                format!("{} {}", self.file.pin_name(pin), if level { "high" } else { "low" })
            }
            (None, None) => "nothing".to_owned(),
        }
    }

    /// The image's names; none without an image.
    fn symbols(&self) -> Symbols {
        self.image.as_ref().map(|image| image.symbols().clone()).unwrap_or_default()
    }

    /// The last fault, unless that is how the image ended well.
    fn fault_entry(&self) -> Option<FaultEntry> {
        let fault = self.chip.fault().filter(|fault| self.end_status(Stop::Fault(*fault)) != Some(0))?;
        Some(FaultEntry {
            what: fault.kind.to_string(),
            core: fault.core,
            pc: fault.pc,
            place: self.place(fault.pc),
            report: self.chip.fault_report(&self.symbols(), fault).text,
        })
    }
}

/// Whether a run failed; `status` is what an image gave that ended itself.
fn has_failed(until: &RunUntil, ended: Ended, status: Option<u32>) -> bool {
    let awaited = until.text.as_ref().is_some_and(|text| !text.is_empty()) || until.pin.is_some();
    match (ended, status) {
        (Ended::Text(_) | Ended::Pin | Ended::Clients | Ended::Killed | Ended::Interrupted, _) => false,
        (_, Some(status)) => status != 0 || awaited,
        (Ended::Chip(Stop::Fault(_) | Stop::LockedUp(_)), None) => true,
        (Ended::Chip(_), None) => awaited,
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_fails_when_what_it_waits_for_does_not_come() {
        let mut until = RunUntil::time(Picoseconds::ZERO);
        assert!(!has_failed(&until, Ended::Chip(Stop::Time), None));
        assert!(!has_failed(&until, Ended::Chip(Stop::Ended(0)), Some(0)));
        assert!(has_failed(&until, Ended::Chip(Stop::Ended(3)), Some(3)));
        until.text = Some(b"done".to_vec());
        assert!(has_failed(&until, Ended::Chip(Stop::Time), None));
        assert!(has_failed(&until, Ended::Chip(Stop::Asleep), None));
        assert!(has_failed(&until, Ended::Chip(Stop::Ended(0)), Some(0)));
    }
}
