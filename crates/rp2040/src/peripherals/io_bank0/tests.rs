//! Both banks of pins through their registers.

use proptest::prelude::*;

use super::*;
use crate::pins::Pad;

const PROC1_INTE0: u32 = 0x130;
const DORMANT_WAKE_INTE0: u32 = 0x160;
const INTF: u32 = 0x10;
const INTS: u32 = 0x20;
const IRQ: u32 = 1 << Irq::IO_BANK0.0;
const SIO: u32 = 5;
const GPIO_QSPI_SS_CTRL: u32 = 0x0c;

const LEVEL_LOW: u32 = 0b0001;
const LEVEL_HIGH: u32 = 0b0010;
const EDGE_LOW: u32 = 0b0100;
const EDGE_HIGH: u32 = 0b1000;

fn ctrl(pin: u32) -> u32 {
    pin * 8 + 4
}

struct Bench {
    bank: IoBank0,
    io: Io,
}

impl Bench {
    fn new() -> Self {
        Self { bank: IoBank0::new(), io: Io::default() }
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.bank.read(offset, &mut self.io)
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.bank.write(offset, value, &mut self.io);
        self.follow();
    }

    fn drive(&mut self, pin: u8, level: bool) {
        self.io.pins.drive_outside(self.io.now, pin, Some(level));
        self.follow();
    }

    fn follow(&mut self) {
        let changed = self.io.pins.take_inputs_changed();
        self.bank.inputs_changed(changed, 0, &mut self.io);
        if let Some(at) = self.io.due(Source::IoBank0) {
            self.io.now = at;
            self.io.cancel(Source::IoBank0);
            self.bank.wake(Source::IoBank0, &mut self.io);
        }
    }
}

#[test]
fn an_edge_interrupts_three_cycles_after_the_pin_moved() {
    let mut bench = Bench::new();
    bench.write(PROC0_INTE0, EDGE_HIGH);
    bench.io.clocks.sys_hz = 125_000_000;
    bench.io.pins.drive_outside(bench.io.now, 0, Some(true));
    let changed = bench.io.pins.take_inputs_changed();
    bench.bank.inputs_changed(changed, 0, &mut bench.io);
    assert_eq!(bench.io.lines.irq(), 0);
    let at = bench.io.due(Source::IoBank0).expect("a pin's interrupt is on its way");
    assert_eq!((at - bench.io.now).ps(), 24_000);
    bench.follow();
    assert_eq!(bench.io.lines.irq(), IRQ);
}

#[test]
fn funcsel_decides_who_drives_a_pin() {
    let mut bench = Bench::new();
    bench.io.pins.drive(bench.io.now, Function::Sio, 1 << 25, 1 << 25, 1 << 25);
    assert_eq!(bench.io.pins.levels(), 0);
    bench.write(ctrl(25), SIO);
    assert_eq!(bench.io.pins.levels(), 1 << 25);
    assert_eq!(bench.read(ctrl(25)), SIO);
    bench.write(ctrl(25), SIO | 1 << 8);
    assert_eq!(bench.io.pins.levels(), 0, "OUTOVER inverts");
}

#[test]
fn the_status_shows_both_sides_of_every_override() {
    let mut bench = Bench::new();
    bench.io.pins.drive(bench.io.now, Function::Sio, 1 << 3, 1 << 3, 1 << 3);
    bench.write(ctrl(3), SIO);
    assert_eq!(
        bench.read(3 * 8),
        1 << 26 | 1 << 24 | 1 << 19 | 1 << 17 | 1 << 13 | 1 << 12 | 1 << 9 | 1 << 8
    );
    bench.write(ctrl(3), SIO | 2 << 28 | 2 << 16 | 2 << 8);
    assert_eq!(bench.read(3 * 8), 1 << 13 | 1 << 12 | 1 << 8, "all held low, the output enabled");
}

#[test]
fn a_falling_edge_stays_until_it_is_cleared() {
    let mut bench = Bench::new();
    bench.drive(21, true);
    bench.write(INTR0 + 8, EDGE_HIGH << 20);
    bench.write(PROC0_INTE0 + 8, EDGE_LOW << 20);
    assert_eq!(bench.io.lines.irq(), 0);
    bench.drive(21, false);
    bench.drive(21, true);
    assert_eq!(bench.io.lines.irq(), IRQ);
    assert_eq!(bench.read(INTR0 + 8) >> 20 & 0xf, EDGE_LOW | EDGE_HIGH | LEVEL_HIGH);
    assert_eq!(bench.read(PROC0_INTE0 + INTS + 8), EDGE_LOW << 20);
    bench.write(INTR0 + 8, EDGE_LOW << 20);
    assert_eq!(bench.io.lines.irq(), 0);
    assert_eq!(bench.read(INTR0 + 8) >> 20 & 0xf, EDGE_HIGH | LEVEL_HIGH);
}

#[test]
fn a_pulse_between_two_looks_leaves_both_edges() {
    let mut bench = Bench::new();
    bench.io.pins.drive_outside(bench.io.now, 0, Some(true));
    bench.io.pins.drive_outside(bench.io.now, 0, Some(false));
    bench.follow();
    assert_eq!(bench.read(INTR0) & 0xf, EDGE_LOW | EDGE_HIGH | LEVEL_LOW);
}

#[test]
fn a_function_that_raises_its_pin_makes_one_edge() {
    let mut bench = Bench::new();
    bench.io.pins.drive(bench.io.now, Function::Sio, 1, 1, 1);
    bench.write(ctrl(0), SIO);
    assert_eq!(bench.read(INTR0) & 0xf, EDGE_HIGH | LEVEL_HIGH);
    bench.bank.reset(&mut bench.io);
    bench.follow();
    assert_eq!(bench.read(INTR0) & 0xf, LEVEL_LOW, "a reset leaves no edge");
}

#[test]
fn a_level_interrupt_follows_the_pin_and_cannot_be_cleared() {
    let mut bench = Bench::new();
    bench.write(PROC0_INTE0, LEVEL_HIGH << 4);
    bench.drive(1, true);
    assert_eq!(bench.io.lines.irq(), IRQ);
    bench.write(INTR0, u32::MAX);
    assert_eq!(bench.io.lines.irq(), IRQ);
    bench.drive(1, false);
    assert_eq!(bench.io.lines.irq(), 0);
}

#[test]
fn each_core_has_the_interrupts_that_it_enabled() {
    let mut bench = Bench::new();
    bench.write(PROC0_INTE0, LEVEL_HIGH);
    bench.write(PROC1_INTE0 + 12, EDGE_HIGH << 20);
    bench.drive(29, true);
    assert_eq!(bench.bank.irq_levels(), [false, true]);
    bench.io.lines.take_irq_changed();
    bench.drive(0, true);
    assert_eq!(bench.bank.irq_levels(), [true, true]);
    assert!(bench.io.lines.take_irq_changed(), "the line was high, yet one core's interrupt is new");
}

#[test]
fn an_interrupt_can_be_forced() {
    let mut bench = Bench::new();
    bench.write(PROC1_INTE0 + INTF, EDGE_HIGH);
    assert_eq!(bench.read(PROC1_INTE0 + INTS), EDGE_HIGH);
    assert_eq!(bench.bank.irq_levels(), [false, true]);
}

#[test]
fn a_pin_can_wake_the_chip_from_dormant_mode() {
    let mut bench = Bench::new();
    bench.write(DORMANT_WAKE_INTE0, EDGE_HIGH << 8);
    assert!(!bench.bank.wakes_dormant());
    bench.drive(2, true);
    assert!(bench.bank.wakes_dormant());
    assert_eq!(bench.io.lines.irq(), 0);
}

#[test]
fn an_inverted_interrupt_sees_the_opposite_edge() {
    let mut bench = Bench::new();
    bench.write(ctrl(4), CTRL_RESET | 1 << 28);
    bench.write(INTR0, u32::MAX);
    bench.drive(4, true);
    assert_eq!(bench.read(INTR0) >> 16 & 0xf, EDGE_LOW | LEVEL_LOW);
}

#[test]
fn a_reset_takes_functions_and_interrupts_away() {
    let mut bench = Bench::new();
    bench.write(ctrl(7), SIO);
    bench.write(PROC0_INTE0, LEVEL_LOW);
    assert_eq!(bench.io.lines.irq(), IRQ);
    bench.bank.reset(&mut bench.io);
    assert_eq!((bench.io.lines.irq(), bench.bank.irq_levels()), (0, [false; 2]));
    assert_eq!(bench.io.pins.control(7).0, 31);
    assert_eq!(bench.read(INTR0), 0x1111_1111);
}

#[test]
fn chip_select_of_the_flash_can_be_forced() {
    let (mut bank, mut io) = (IoQspi::new(), Io::default());
    bank.write(GPIO_QSPI_SS_CTRL, 0, &mut io);
    assert_eq!(bank.ss_override(), None);
    bank.write(GPIO_QSPI_SS_CTRL, 2 << 8, &mut io);
    assert_eq!(bank.ss_override(), Some(false));
    bank.write(GPIO_QSPI_SS_CTRL, 3 << 8, &mut io);
    assert_eq!(bank.ss_override(), Some(true));
    bank.write(GPIO_QSPI_SS_CTRL, SIO, &mut io);
    bank.set_software_outputs(0b10, 0b10, &mut io);
    assert_eq!(bank.ss_override(), Some(true));
    bank.set_software_outputs(0, 0b10, &mut io);
    assert_eq!(bank.ss_override(), Some(false));
}

/// Output enable off, then the level of SS tells: what `bootsel` examples do.
#[test]
fn the_bootsel_button_pulls_chip_select_low_once_nothing_drives_it() {
    let (mut bank, mut io) = (IoQspi::new(), Io::default());
    bank.write(GPIO_QSPI_SS_CTRL, 0, &mut io);
    bank.set_bootsel(true, &mut io);
    assert_eq!(bank.inputs() >> 1 & 1, 1, "the flash interface holds it high");
    bank.write(GPIO_QSPI_SS_CTRL, 2 << 12, &mut io);
    assert_eq!(bank.inputs() >> 1 & 1, 0);
    bank.set_bootsel(false, &mut io);
    assert_eq!(bank.inputs() >> 1 & 1, 1, "the pull-up of the pad");
}

#[test]
fn flash_pins_interrupt_as_well() {
    let (mut bank, mut io) = (IoQspi::new(), Io::default());
    assert_eq!(bank.read(0x30, &mut io) >> 4 & 0xf, LEVEL_HIGH);
    bank.write(0x40, EDGE_LOW << 4, &mut io);
    bank.set_bootsel(true, &mut io);
    assert_eq!((bank.irq_levels(), io.lines.irq()), ([false, true], 1 << Irq::IO_QSPI.0));
    assert_eq!(bank.read(0x48, &mut io), EDGE_LOW << 4);
    bank.write(0x30, EDGE_LOW << 4, &mut io);
    assert_eq!(io.lines.irq(), 0);
}

proptest! {
    #[test]
    fn random_traffic_never_panics(
        steps in prop::collection::vec((0u32..1024, any::<u32>(), 0u8..40, any::<bool>()), 1..100),
    ) {
        let mut bench = Bench::new();
        let mut qspi = IoQspi::new();
        let pad = Pad { pull_up: true, pull_down: true, input_enable: true, output_disable: true };
        for (word, value, pin, level) in steps {
            let word = if level { word % 101 } else { word };
            bench.drive(pin, level);
            bench.write(word * 4, value);
            bench.read(word * 4);
            qspi.write(word * 4, value, &mut bench.io);
            qspi.read(word * 4, &mut bench.io);
            qspi.set_pads([pad; 6], &mut bench.io);
            let _ = (bench.bank.wakes_dormant(), qspi.wakes_dormant(), qspi.ss_override());
        }
    }
}
