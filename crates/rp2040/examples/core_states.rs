//! Executes small programs on core 0 and answers with its state, for comparison with another engine
//! (tests/parity/test_unicorn.py, whose peer tests/parity/unicorn_engine.py speaks the same). JSON lines: the first one is
//! a [`Start`], each further one a [`Case`], which is answered by `[outcome, registers, flags, window]`.
//!
//! A fault is answered with the registers that the exception frame holds, so that the frame is compared as well.

use std::io::{BufRead, BufWriter, Write};

use mcu::Stop;
use mcu::image::{LoadOptions, RawBinary};
use mcu::{DebugEvent, FaultKind};
use rp2040::chip::{Rp2040, Setup};
use serde::Deserialize;
use units::Picoseconds;

const VECTORS: u32 = 0x2000_0000;
/// All exceptions are handled here.
const HANDLER: u32 = 0x2000_0100;
const BX_LR: [u8; 2] = [0x70, 0x47];
/// `str r0, [r1]`
const STORE: [u8; 2] = [0x08, 0x60];
const VTOR: u32 = 0xe000_ed08;
/// A stack frame to leave the handler with.
const RECOVERY_FRAME: u32 = 0x2000_0200;
const RETURN_TO_MAIN: u32 = 0xffff_fff9;
/// What ends a program that is run in one go.
const END: [u8; 2] = [0x5a, 0xbe];
const LIMIT: Picoseconds = Picoseconds::new(10_000_000_000);
const SP: usize = 13;
const PC: usize = 15;

/// What all cases share.
#[derive(Debug, Deserialize)]
struct Start {
    /// The memory that is compared.
    window: u32,
    /// What it holds where a case does not say otherwise, in hexadecimal.
    memory: String,
    /// Where programs are.
    code: u32,
    /// What is around them, in hexadecimal.
    background: String,
}

/// One program.
#[derive(Debug, Deserialize)]
struct Case {
    /// R0 to R15.
    registers: [u32; 16],
    /// The APSR.
    flags: u32,
    /// The program, in hexadecimal; it begins at the program counter.
    code: String,
    /// The window before, in hexadecimal.
    memory: Option<String>,
    /// Instructions to execute; with 0 the program runs to its end.
    #[serde(default)]
    steps: u32,
    /// On a new chip.
    #[serde(default)]
    fresh: bool,
    /// What handles exceptions: they are entered and not undone, and the answer has the xPSR in place of the flags.
    handler: Option<String>,
    /// BKPT is a fault, as without a debugger.
    #[serde(default)]
    bkpt_faults: bool,
}

/// The chip and what its memory holds between cases.
struct Engine {
    chip: Rp2040,
    start: Start,
    memory: Vec<u8>,
    background: Vec<u8>,
}

fn bytes_of(text: &str) -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(digits).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A chip whose vector table is in RAM.
fn new_chip() -> Rp2040 {
    let mut image = vec![0; 0x200];
    for vector in image[..48 * 4].chunks_exact_mut(4) {
        vector.copy_from_slice(&(HANDLER | 1).to_le_bytes());
    }
    image[..4].copy_from_slice(&0x2004_2000u32.to_le_bytes());
    let handler = (HANDLER - VECTORS) as usize;
    image[handler..handler + 2].copy_from_slice(&STORE);
    let options = LoadOptions { raw_binary: RawBinary::Ram };
    let image = rp2040::load_image(&image, "vectors", &options).expect("a vector table is an image");
    let setup = Setup { flash_bytes: 1 << 16, ..Setup::default() };
    let mut chip = Rp2040::new(&setup).expect("a chip with a small flash can be made");
    chip.load(&image).expect("an image in RAM starts");
    let core = chip.core_mut(0);
    core.set_register(0, VECTORS);
    core.set_register(1, VTOR);
    chip.step(0);
    chip
}

impl Engine {
    fn new(start: Start) -> Self {
        let (memory, background) = (bytes_of(&start.memory), bytes_of(&start.background));
        let mut engine = Self { chip: new_chip(), start, memory, background };
        engine.fill();
        engine
    }

    fn write(&mut self, address: u32, bytes: &[u8]) {
        self.chip.write_memory(address, bytes).expect("cases write to RAM");
    }

    fn fill(&mut self) {
        self.write(HANDLER, &BX_LR);
        self.write(self.start.window, &self.memory.clone());
        self.write(self.start.code, &self.background.clone());
        self.chip.set_debugger(true);
    }

    fn answer(&mut self, case: &Case) -> String {
        if case.fresh || case.handler.is_some() {
            self.chip = new_chip();
            self.fill();
        }
        let code = bytes_of(&case.code);
        let mut memory = None;
        self.prepare(case, &code);
        if let Some(text) = &case.memory {
            let bytes = bytes_of(text);
            self.write(self.start.window, &bytes);
            memory = Some(bytes);
        }
        let stop = match case.steps {
            0 => self.chip.run_until(self.chip.now() + LIMIT),
            steps => self.step(steps),
        };
        let end = case.registers[PC] + code.len() as u32;
        let mut outcome = self.outcome(stop, end);
        let core = self.chip.core(0);
        let (mut registers, mut flags) = (core.registers(), core.xpsr());
        if case.handler.is_none() {
            if matches!(stop, Stop::Fault(_)) {
                (registers, flags) = self.unstack(registers[SP]);
                self.recover();
            }
            flags &= 0xf000_0000;
        }
        if let Stop::LockedUp(_) = stop {
            outcome = "locked up".into();
        }
        let window = self.window(memory.as_deref());
        self.clean(case, code.len(), stop);
        serde_json::to_string(&(outcome, registers, flags, window)).expect("an answer is JSON")
    }

    fn prepare(&mut self, case: &Case, code: &[u8]) {
        self.write(case.registers[PC], code);
        if case.steps == 0 {
            self.write(case.registers[PC] + code.len() as u32, &END);
        }
        if let Some(handler) = &case.handler {
            self.chip.set_debugger(!case.bkpt_faults);
            self.chip.stop_at_faults(false);
            self.write(HANDLER, &bytes_of(handler));
        }
        let core = self.chip.core_mut(0);
        for (number, &value) in case.registers.iter().enumerate() {
            core.set_register(number, value);
        }
        core.set_apsr(case.flags);
    }

    fn step(&mut self, steps: u32) -> Stop {
        let mut stop = Stop::Time;
        for _ in 0..steps {
            stop = self.chip.step(0);
            if stop != Stop::Time {
                break;
            }
        }
        stop
    }

    /// How it ended, in the words that the other engine has for it as well.
    fn outcome(&self, stop: Stop, end: u32) -> String {
        match stop {
            Stop::Debug(0, DebugEvent::Bkpt(_)) if self.chip.core(0).registers()[PC] == end => "end".into(),
            Stop::Debug(..) => "exception".into(),
            Stop::Time => "stepped".into(),
            Stop::Fault(fault) => match fault.kind {
                FaultKind::Undefined { code } => format!("undefined {code:04x}"),
                FaultKind::Unmapped { write: false, .. } => "read".into(),
                FaultKind::Unmapped { write: true, .. } | FaultKind::ReadOnly { .. } => "write".into(),
                FaultKind::Fetch { .. } => "fetch".into(),
                _ => "exception".into(),
            },
            other => format!("{other:?}"),
        }
    }

    /// The registers as they were before the fault, out of the frame.
    fn unstack(&self, frame: u32) -> ([u32; 16], u32) {
        let word = |index: u32| self.chip.read_word(frame + 4 * index).expect("the frame is in RAM");
        let mut registers = self.chip.core(0).registers();
        for (index, number) in [0, 1, 2, 3, 12, 14, PC].into_iter().enumerate() {
            registers[number] = word(index as u32);
        }
        registers[SP] = frame + 32 + (word(7) >> 9 & 1) * 4;
        (registers, word(7))
    }

    /// Returns from the fault handler to thread mode.
    fn recover(&mut self) {
        let frame = [0, 0, 0, 0, 0, 0, HANDLER, 1 << 24].map(u32::to_le_bytes).concat();
        self.write(RECOVERY_FRAME, &frame);
        let core = self.chip.core_mut(0);
        core.set_register(SP, RECOVERY_FRAME);
        core.set_register(14, RETURN_TO_MAIN);
        core.set_register(PC, HANDLER);
        self.chip.step(0);
        assert_eq!(self.chip.core(0).xpsr() & 0x3f, 0, "a fault handler can return");
    }

    /// The window in hexadecimal where it was changed.
    fn window(&mut self, memory: Option<&[u8]>) -> String {
        let before = memory.unwrap_or(&self.memory);
        let after = self.chip.read_memory(self.start.window, before.len()).expect("the window is in RAM");
        let changed = if after == before { String::new() } else { hexadecimal(&after) };
        if after != self.memory {
            self.write(self.start.window, &self.memory.clone());
        }
        changed
    }

    /// What the next case does not expect is put back.
    fn clean(&mut self, case: &Case, code_bytes: usize, stop: Stop) {
        if case.fresh
            || case.handler.is_some()
            || !matches!(stop, Stop::Time | Stop::Debug(..) | Stop::Fault(_))
        {
            self.chip = new_chip();
            self.fill();
            return;
        }
        let from = (case.registers[PC] - self.start.code) as usize;
        let background = self.background[from..from + code_bytes + END.len()].to_vec();
        self.write(case.registers[PC], &background);
    }
}

fn main() {
    let mut lines = std::io::stdin().lock().lines().map(|line| line.expect("lines of text"));
    let first = lines.next().expect("a first line");
    let mut engine = Engine::new(serde_json::from_str(&first).expect("what all cases share"));
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in lines {
        let case = serde_json::from_str(&line).expect("a case");
        writeln!(out, "{}", engine.answer(&case)).expect("somebody reads the answers");
    }
}
