//! Random programs, on the block and on a machine that was written from the datasheet's text alone (`datasheet.rs`): after
//! each cycle every register shows the same. Firmware meanwhile fills and empties the FIFOs, writes instructions to
//! SMx_INSTR, stops, starts and restarts the machine, moves its flags and its pins.

use super::datasheet::{Config, Machine, Undocumented};
use super::*;

const DBG_PADOUT: u32 = 0x3c;
const DBG_PADOE: u32 = 0x40;
/// Pins that the programs may read and somebody outside drives; the others are theirs to write.
const OUTSIDE: std::ops::Range<u8> = 16..24;
const PADS: u32 = 0x3fff_ffff;
const CYCLES: u32 = 150;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    fn percent(&mut self, share: u32) -> bool {
        self.below(100) < share
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    /// A word whose halves are instructions, so that OUT EXEC and MOV EXEC find some.
    fn word(&mut self, config: &Config) -> u32 {
        match self.below(4) {
            0 => self.next() as u32,
            1 => self.below(6),
            _ => u32::from(self.instruction(config)) << 16 | u32::from(self.instruction(config)),
        }
    }

    /// First and number of pins to write: `OUTSIDE` is not among them.
    fn pins(&mut self, most: u32) -> (u8, u8) {
        let base = self.of(&[24, 28, 30, 31, 0, 3, 9, 13]);
        let room = (u32::from(OUTSIDE.start) + 32 - base) % 32;
        (base as u8, self.below(most.min(room) + 1) as u8)
    }

    fn config(&mut self) -> Config {
        let (out_base, out_count) = self.pins(32);
        let (set_base, set_count) = self.pins(5);
        let (side_base, side_count) = self.pins(5);
        let (top, bottom) = (self.of(&[31, 31, 5, 12, 20]), self.of(&[0, 0, 3, 7]));
        let threshold = |random: &mut Self| random.of(&[32, 32, 16, 8, 1, 5, 31]);
        let join = self.of(&[0, 0, 0, 1, 2]);
        Config {
            machine: self.below(4) as u8,
            wrap_bottom: bottom,
            wrap_top: top,
            side_enable: self.percent(40),
            side_pindirs: self.percent(20),
            jmp_pin: self.of(&[16, 17, 23, 0, 13, 31]),
            status_rx: self.percent(50),
            status_n: self.below(9) as u8,
            join_rx: join == 1,
            join_tx: join == 2,
            pull_threshold: threshold(self),
            push_threshold: threshold(self),
            out_right: self.percent(50),
            in_right: self.percent(50),
            autopull: self.percent(60),
            autopush: self.percent(50),
            side_count,
            set_count,
            out_count,
            in_base: self.of(&[16, 20, 0, 13, 31]),
            side_base,
            set_base,
            out_base,
        }
    }

    /// Any instruction that the datasheet defines.
    fn instruction(&mut self, config: &Config) -> u16 {
        let bits = self.of(&[0u16, 0, 1, 4, 8, 16, 31, 5]);
        let index = (self.below(8) | self.below(2) << 4) as u16;
        let body = match self.below(20) {
            0..3 => jmp(self.below(8) as u16, self.below(32) as u16),
            3 => wait(self.below(2) as u16, 0, self.of(&[16, 17, 23, 0])),
            4 => wait(self.below(2) as u16, 1, self.below(32) as u16),
            5 => wait(self.below(2) as u16, 2, index),
            6..9 => in_(self.of(&[PINS, X, Y, NULL, ISR, OSR]), bits),
            9..12 => out(self.below(7) as u16, bits),
            12 => out(OUT_EXEC, self.of(&[16, 16, 0, 8])),
            13 => push(self.of(&[0, BLOCK, IF, IF | BLOCK])),
            14 => pull(self.of(&[0, BLOCK, IF, IF | BLOCK])),
            15 | 16 => {
                let operation = self.of(&[0, 0, INVERTED, REVERSED]);
                let source = self.of(&[PINS, X, Y, NULL, STATUS, ISR, OSR]);
                mov(self.of(&[PINS, X, Y, EXEC, PC, ISR, OSR]), source) | operation
            }
            17 => irq(index) | self.of(&[0, 0, WAITING, CLEAR]),
            _ => set(self.of(&[PINS, X, Y, PINDIRS]), self.below(32) as u16),
        };
        d(body, self.delay_and_side(config))
    }

    fn delay_and_side(&mut self, config: &Config) -> u16 {
        let delay_bits = 5 - config.side_count;
        let delay = if self.percent(60) { 0 } else { self.below(1 << delay_bits.min(2)) };
        let mut side = self.below(1 << config.side_count);
        if config.side_enable && config.side_count > 0 && side >> (config.side_count - 1) == 0 {
            // Without its enable bit there is no side-set, and what its bits are then is not said.
            side = 0;
        }
        (side << delay_bits | delay) as u16
    }

    /// Any word is one of these, most often one that the datasheet defines.
    fn program(&mut self, config: &Config) -> [u16; 32] {
        std::array::from_fn(|_| self.instruction(config))
    }
}

/// The block, set up as firmware does it.
fn block(config: &Config, program: &[u16; 32], bypass: bool) -> Bench {
    let mut bench = Bench::with(program);
    let at = |register| register + u32::from(config.machine) * MACHINE;
    let bit = |set: bool, n: u32| u32::from(set) << n;
    bench.write(BYPASS, if bypass { !0 } else { 0 });
    bench.write(at(CLKDIV), 1 << 16);
    bench.write(
        at(EXECCTRL),
        bit(config.side_enable, 30)
            | bit(config.side_pindirs, 29)
            | u32::from(config.jmp_pin) << 24
            | wrap(config.wrap_bottom.into(), config.wrap_top.into())
            | bit(config.status_rx, 4)
            | u32::from(config.status_n),
    );
    bench.write(
        at(SHIFTCTRL),
        bit(config.join_rx, 31)
            | bit(config.join_tx, 30)
            | pull_at(config.pull_threshold)
            | push_at(config.push_threshold)
            | bit(config.out_right, 19)
            | bit(config.in_right, 18)
            | bit(config.autopull, 17)
            | bit(config.autopush, 16),
    );
    bench.write(
        at(PINCTRL),
        side_pins(config.side_base.into(), config.side_count.into())
            | set_pins(config.set_base.into(), config.set_count.into())
            | out_pins(config.out_base.into(), config.out_count.into())
            | in_pins(config.in_base.into()),
    );
    for pin in OUTSIDE {
        bench.drive(pin, false);
    }
    bench.run(4);
    bench
}

/// Why a program is not compared any further.
enum End {
    Undocumented,
    /// A register differs.
    Differs(String),
}

impl From<Undocumented> for End {
    fn from(_: Undocumented) -> Self {
        Self::Undocumented
    }
}

/// A program on both.
struct Pair {
    random: Random,
    theirs: Bench,
    ours: Machine,
    outside: u32,
    /// The pads after each cycle, the last one first. An input register, and two flip-flops before it where they are not
    /// bypassed (3.5.6.3), put as many cycles between a pad and an instruction.
    pads: [u32; 4],
    bypass: bool,
    log: Vec<String>,
}

impl Pair {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let config = random.config();
        let program = random.program(&config);
        let bypass = random.percent(50);
        let theirs = block(&config, &program, bypass);
        let ours = Machine::new(config, program);
        Self { random, theirs, ours, outside: 0, pads: [0; 4], bypass, log: Vec::new() }
    }

    fn write(&mut self, register: u32, value: u32) {
        self.log.push(format!("write {register:#x} {value:#x}"));
        self.theirs.write(register, value);
    }

    fn machine(&self, register: u32) -> u32 {
        register + u32::from(self.ours.config.machine) * MACHINE
    }

    fn fifo(&self, register: u32) -> u32 {
        register + 4 * u32::from(self.ours.config.machine)
    }

    fn enable(&mut self, enabled: bool) {
        self.ours.enabled = enabled;
        self.write(CTRL, u32::from(enabled) << self.ours.config.machine);
    }

    /// What firmware and whoever drives the pins do between two cycles.
    fn meddle(&mut self) -> Result<(), End> {
        match self.random.below(100) {
            0..18 => {
                let word = self.random.word(&self.ours.config.clone());
                self.ours.put(word);
                self.write(self.fifo(TXF0), word);
            }
            18..32 => {
                let ours = self.ours.get();
                let theirs = self.theirs.read(self.fifo(RXF0));
                self.log.push(format!("read {theirs:#x}"));
                // What an empty FIFO gives is not defined.
                self.same("RXF", theirs, ours.unwrap_or(theirs))?;
            }
            32..38 => self.force(),
            38..40 => self.enable(!self.ours.enabled),
            40 => {
                self.ours.restart();
                self.write(CTRL, (u32::from(self.ours.enabled) | 16) << self.ours.config.machine);
            }
            41..44 => {
                let flags = self.random.next() as u8;
                self.ours.irq |= flags;
                self.write(IRQ_FORCE, flags.into());
            }
            44..48 => {
                let flags = self.random.next() as u8;
                self.ours.irq &= !flags;
                self.write(IRQ, flags.into());
            }
            48..60 => {
                let pin = OUTSIDE.start + self.random.below(OUTSIDE.len() as u32) as u8;
                let level = self.random.percent(50);
                self.log.push(format!("pin {pin} {level}"));
                self.outside = self.outside & !(1 << pin) | u32::from(level) << pin;
                self.pads[0] = self.pads[0] & !self.outside_mask() | self.outside;
                self.theirs.drive(pin, level);
            }
            _ => {}
        }
        Ok(())
    }

    fn force(&mut self) {
        let instruction = self.random.instruction(&self.ours.config.clone());
        if self.ours.force(instruction) {
            self.write(self.machine(INSTR), instruction.into());
        }
    }

    fn cycle(&mut self) -> Result<(), End> {
        let inputs = self.pads[if self.bypass { 1 } else { 3 }];
        self.theirs.run(1);
        self.ours.cycle(inputs)?;
        let pads = self.ours.pad_out & self.ours.pad_oe & PADS & !self.outside_mask() | self.outside;
        self.pads = [pads, self.pads[0], self.pads[1], self.pads[2]];
        self.log.push(format!("cycle, pc {}", self.ours.pc));
        self.compare()
    }

    fn outside_mask(&self) -> u32 {
        OUTSIDE.fold(0, |mask, pin| mask | 1 << pin)
    }

    fn compare(&mut self) -> Result<(), End> {
        let m = u32::from(self.ours.config.machine);
        let ours = &self.ours;
        // What a written instruction took is shown late, which the datasheet does not say.
        let late = usize::from(self.theirs.pio.machines[m as usize].shown_late_at.is_some());
        let (tx, rx) = ((ours.tx.len() + late).min(ours.tx_room()), ours.rx.len());
        let bits = |full: bool, empty: bool, first: u32| (u32::from(full) | u32::from(empty) << 8) << first;
        let fstat = bits(tx >= ours.tx_room(), tx == 0, 16) | bits(rx >= ours.rx_room(), rx == 0, 0);
        let fdebug = u32::from(ours.tx_stall) << 24
            | u32::from(ours.tx_over) << 16
            | u32::from(ours.rx_under) << 8
            | u32::from(ours.rx_stall);
        let expected = [
            ("ADDR", ours.pc.into()),
            ("PADOUT", ours.pad_out & PADS),
            ("PADOE", ours.pad_oe & PADS),
            ("FLEVEL", (tx | rx << 4) as u32),
            ("FSTAT", fstat),
            ("FDEBUG", fdebug),
            ("IRQ", ours.irq.into()),
            ("EXEC_STALLED", u32::from(ours.exec_stalled().unwrap_or_default())),
        ];
        let stalled_is_said = ours.exec_stalled().is_some();
        let theirs = &mut self.theirs;
        let at = |register| register + m * MACHINE;
        let shown = [
            theirs.read(at(ADDR)),
            theirs.read(DBG_PADOUT) & PADS,
            theirs.read(DBG_PADOE) & PADS,
            theirs.read(FLEVEL) >> (8 * m) & 0xff,
            theirs.read(FSTAT) >> m & 0x0101_0101,
            theirs.read(FDEBUG) >> m & 0x0101_0101,
            theirs.read(IRQ),
            if stalled_is_said { theirs.read(at(EXECCTRL)) >> 31 } else { 0 },
        ];
        for ((name, expected), shown) in expected.into_iter().zip(shown) {
            self.same(name, shown, expected)?;
        }
        Ok(())
    }

    fn same(&self, name: &str, shown: u32, expected: u32) -> Result<(), End> {
        if shown == expected {
            return Ok(());
        }
        let Self { ours, bypass, log, .. } = self;
        let last = log[log.len().saturating_sub(40)..].join("; ");
        let (config, memory) = (&ours.config, &ours.memory);
        Err(End::Differs(format!(
            "{name} is {shown:#x} and not {expected:#x}\n{config:?}, bypass {bypass}\n{memory:x?}\n{last}"
        )))
    }

    /// Runs the program; how many cycles of it could be compared, or what differs.
    fn run(&mut self, sets_up_first: bool) -> Result<u32, String> {
        let mut cycles = 0;
        match self.run_counting(sets_up_first, &mut cycles) {
            Err(End::Differs(how)) => Err(how),
            Ok(()) | Err(End::Undocumented) => Ok(cycles),
        }
    }

    fn run_counting(&mut self, sets_up_first: bool, cycles: &mut u32) -> Result<(), End> {
        // As SDKs do it: instructions for a machine that is not enabled yet.
        for _ in 0..if sets_up_first { 20 } else { 0 } {
            self.meddle()?;
            self.cycle()?;
        }
        self.enable(true);
        while *cycles < CYCLES {
            self.meddle()?;
            self.cycle()?;
            *cycles += 1;
        }
        Ok(())
    }
}

/// Runs programs; how many cycles could be compared.
fn compare(seeds: std::ops::Range<u64>) -> u64 {
    let mut cycles = 0;
    let mut differing = Vec::new();
    for seed in seeds {
        match Pair::new(seed).run(seed % 2 == 1) {
            Ok(compared) => cycles += u64::from(compared),
            Err(how) => differing.push(format!("program {seed}: {how}")),
        }
    }
    assert!(
        differing.is_empty(),
        "{} programs differ\n{}",
        differing.len(),
        differing[..differing.len().min(6)].join("\n\n")
    );
    cycles
}

#[test]
fn a_thousand_random_programs_do_what_the_datasheet_says() {
    const PROGRAMS: u64 = 1_000;
    let cycles = compare(0..PROGRAMS);
    assert!(cycles > PROGRAMS * u64::from(CYCLES) / 2, "only {cycles} cycles could be compared");
}

#[test]
#[ignore = "half a minute; make test-slow runs it"]
fn very_many_random_programs_do_what_the_datasheet_says() {
    compare(1_000..500_000);
}
