//! The peripherals' times, as datasheets and measurements give them, seen by the program or by who stands around the chip.

use std::sync::{Arc, Mutex};

use mcu::{Console, Mcu, Outside, Reaction, SpiFrame};
use units::Picoseconds;

use crate::support::{DATA, HANG, NOP, PC, chip, ldi, lds, out, read, run, step, sts};

const SPCR: u16 = 0x2c;
const SPSR: u16 = 0x2d;
const SPDR: u16 = 0x2e;
const DDRB: u16 = 0x04;
const PORTB: u16 = 0x05;
const PINB: u16 = 0x03;
const CYCLE_PS: i64 = 62_500;

/// What answers on the SPI with the byte and one more, and remembers what came.
#[derive(Debug, Clone, Default)]
struct Adder(Arc<Mutex<Vec<(i64, u16, u64)>>>);

impl Outside for Adder {
    fn spi_frame(&mut self, at: Picoseconds, frame: SpiFrame, _: &mut Vec<Reaction>) -> u16 {
        self.0.lock().unwrap().push((at.ps(), frame.sent, frame.clock_hz));
        frame.sent + 1
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

/// The SPI as controller at F/2, and 0x41 in R17.
const SPI_ON: [u16; 6] =
    [ldi_(16, 0x2c), out_(DDRB, 16), ldi_(16, 0x50), out_(SPCR, 16), ldi_(18, 1), out_(SPSR, 18)];

const fn ldi_(register: u16, value: u16) -> u16 {
    0xe000 | (value & 0xf0) << 4 | (register - 16) << 4 | value & 0xf
}

const fn out_(address: u16, register: u16) -> u16 {
    0xb800 | (address & 0x30) << 5 | register << 4 | address & 0xf
}

fn with_adder(words: &[u16]) -> (Box<dyn Mcu>, Adder) {
    let adder = Adder::default();
    let mut chip = chip(words);
    chip.connect(Box::new(adder.clone()));
    (chip, adder)
}

/// The byte that the program reads so many cycles after it has written 0x41.
fn read_after(cycles: usize) -> u32 {
    let wait = vec![NOP; cycles - 1];
    let words = [&SPI_ON[..], &[ldi(17, 0x41), out(SPDR, 17)], &wait, &[read(20, SPDR), HANG]].concat();
    let (mut chip, _) = with_adder(&words);
    run(&mut *chip, 100);
    chip.register(0, 20)
}

#[test]
fn a_byte_at_half_the_clock_can_be_read_seventeen_cycles_after_it_was_written() {
    // Measured on an ATmega32U4: tiberiusbrown/Ardens#134.
    assert_eq!([16, 17].map(read_after), [0, 0x42]);
}

#[test]
fn a_next_byte_can_be_written_eighteen_cycles_after_the_one_before() {
    let sent = |cycles: usize| {
        let wait = vec![NOP; cycles - 1];
        let words = [&SPI_ON[..], &[ldi(17, 0x41), out(SPDR, 17)], &wait, &[out(SPDR, 17), HANG]].concat();
        let (mut chip, adder) = with_adder(&words);
        run(&mut *chip, 100);
        let sent: Vec<u16> = adder.0.lock().unwrap().iter().map(|(_, byte, _)| *byte).collect();
        sent
    };
    assert_eq!(sent(16), [0x41], "it collides");
    assert_eq!(sent(17), [0x41, 0], "it is lost");
    assert_eq!(sent(18), [0x41, 0x41]);
}

#[test]
fn a_loop_that_sends_a_buffer_takes_twenty_two_cycles_a_byte() {
    // LD, OUT, and a poll of SPSR, as a compiler makes it of a W5200's burst: 22 cycles at F/2.
    let head = [&SPI_ON[..], &[ldi(26, 0), ldi(27, 2), ldi(24, 100), ldi(25, 0)]].concat();
    // 1: LD R18, X+; OUT SPDR, R18; 2: IN R0, SPSR; SBRS R0, 7; RJMP 2b; SBIW R24, 1; BRNE 1b.
    let body = [0x912d, out(SPDR, 18), read(0, SPSR), 0xfe07, 0xcffd, 0x9701, 0xf7c9, HANG];
    let (mut chip, adder) = with_adder(&[&head[..], &body].concat());
    run(&mut *chip, 4000);
    let times: Vec<i64> = adder.0.lock().unwrap().iter().map(|(at, ..)| *at).collect();
    assert_eq!(times.len(), 100);
    let apart = times.windows(2).map(|pair| (pair[1] - pair[0]) / CYCLE_PS);
    // The poll looks every 4 cycles: at 1, 5, 9, 13 and 17 after the write; skip 2, SBIW 2, BRNE 2, LD 2 follow, and OUT 1.
    assert!(apart.clone().all(|cycles| cycles == 17 + 1 + 2 + 2 + 2 + 2), "{:?}", apart.collect::<Vec<_>>());
}

#[test]
fn a_frame_of_a_uart_takes_ten_bits() {
    // 115200 baud at double speed is 16 * 8.5 cycles; with UBRR = 16 a bit takes 136.
    let mut words = vec![ldi(16, 2)];
    words.extend(sts(0xc0, 16));
    words.push(ldi(16, 16));
    words.extend(sts(0xc4, 16));
    words.push(ldi(16, 8));
    words.extend(sts(0xc1, 16));
    words.extend([ldi(16, 0x41), ldi(17, 0x42)]);
    let written = words.len() as u64;
    words.extend(sts(0xc6, 16));
    words.extend(sts(0xc6, 17));
    words.push(HANG);
    let mut chip = chip(&words);
    run(&mut *chip, 10_000);
    let printed = chip.take_console(Console::Uart0);
    let text: Vec<u8> = printed.iter().map(|(_, byte)| *byte).collect();
    assert_eq!(text, b"AB");
    assert_eq!(printed[1].0.ps() - printed[0].0.ps(), 10 * 136 * CYCLE_PS);
    // LDI and OUT take a cycle a word, STS two in all; the byte begins when it was written.
    assert_eq!(printed[0].0.ps(), (written as i64 + 2 + 10 * 136) * CYCLE_PS);
}

#[test]
fn what_is_typed_comes_at_the_receivers_own_rate() {
    // RXEN; poll UCSR0A bit 7, then keep the byte in R20.
    let mut words = vec![ldi(16, 0x10)];
    words.extend(sts(0xc1, 16));
    words.extend(lds(18, 0xc0));
    words.extend([0xff27, 0xcffc]);
    words.extend(lds(20, 0xc6));
    words.push(HANG);
    let mut chip = chip(&words);
    chip.send_console(Console::Uart0, b"q");
    run(&mut *chip, 500);
    assert_eq!(chip.register(0, 20), u32::from(b'q'));
}

#[test]
fn an_input_is_read_one_cycle_later() {
    // OUT, IN, IN: the synchroniser shows the level only to the second ("Reading the Pin Value").
    let words = [ldi(16, 0x20), out(DDRB, 16), out(PORTB, 16), read(20, PINB), read(21, PINB), HANG];
    let mut chip = chip(&words);
    run(&mut *chip, 20);
    assert_eq!((chip.register(0, 20) & 0x20, chip.register(0, 21) & 0x20), (0, 0x20));
}

#[test]
fn sbi_at_a_pin_register_toggles_one_pin() {
    let words = [ldi(16, 0xff), out(DDRB, 16), out(PORTB, 16), 0x9a1d, HANG];
    let mut chip = chip(&words);
    run(&mut *chip, 20);
    assert_eq!(chip.levels() & 0xff, 0xdf);
}

#[test]
fn a_byte_of_eeprom_takes_milliseconds() {
    // EEDR = 0x5a, EEMPE, EEPE; then wait for EEPE and read.
    let words = [ldi(16, 0x5a), out(0x20, 16), 0x9afa, 0x9af9, 0x99f9, 0xcffe, 0x9af8, read(20, 0x20), HANG];
    let mut chip = chip(&words);
    let mut cycles = 0;
    while chip.register(0, PC) != 2 * 8 {
        chip.step(0);
        cycles = chip.cycles();
        assert!(cycles < 100_000);
    }
    assert_eq!(chip.register(0, 20), 0x5a);
    assert_eq!(chip.read_memory(0x81_0000, 1).unwrap(), [0x5a]);
    // 3.4 ms of 16 MHz.
    assert!((54_400..54_430).contains(&cycles), "{cycles}");
}

#[test]
fn the_watchdog_resets_and_says_so() {
    // WDE with the shortest time, 16 ms; MCUSR is kept in R20 at the start.
    let words = [read(20, 0x34), ldi(16, 0x08), sts(0x60, 16)[0], 0x60, HANG];
    let mut chip = chip(&words);
    run(&mut *chip, 16_000 * 15);
    assert_eq!((chip.counts().resets, chip.register(0, 20)), (0, 1));
    run(&mut *chip, 16_000 * 2);
    assert_eq!((chip.counts().resets, chip.register(0, 20)), (1, 1 | 8));
}

#[test]
fn a_pwm_output_is_recorded_to_the_cycle() {
    // OC0A (PD6), fast PWM, OCR0A = 63: 64 of 256 cycles high.
    let words = [
        ldi(16, 0x40),
        out(0x0a, 16),
        ldi(16, 63),
        out(0x27, 16),
        ldi(16, 0x83),
        out(0x24, 16),
        ldi(16, 1),
        out(0x25, 16),
        HANG,
    ];
    let mut chip = chip(&words);
    chip.record_pins(1 << 22);
    run(&mut *chip, 2000);
    let edges = chip.take_edges();
    assert!(edges.len() > 10);
    for pair in edges[1..].windows(2) {
        let cycles = (pair[1].at - pair[0].at).ps() / CYCLE_PS;
        assert_eq!(cycles, if pair[0].level { 64 } else { 192 });
    }
}

#[test]
fn a_byte_that_leaves_a_wire_as_it_was_is_no_edge_of_it() {
    const SPCR: u16 = 0x2c;
    const SPDR: u16 = 0x2e;
    const MOSI: u8 = 3;
    let byte = |register| [&[out(SPDR, register)][..], &[NOP; 80]].concat();
    // SCK, MOSI and SS are outputs; SPE and MSTR. R17 is 0 and R18 is 255.
    let start = [ldi(16, 0x2c), out(DDRB, 16), ldi(16, 0x50), out(SPCR, 16), ldi(17, 0), ldi(18, 0xff)];
    let words = [&start[..], &byte(17), &byte(17), &byte(18), &byte(18), &byte(17), &[HANG]].concat();
    let mut chip = chip(&words);
    chip.record_pins(0b111 << MOSI);
    run(&mut *chip, 600);
    let edges = chip.take_edges();
    let of = |pin| edges.iter().filter(move |edge| edge.pin == pin).map(|edge| edge.level);
    assert_eq!(of(MOSI).collect::<Vec<_>>(), [true, false]);
    assert_eq!(of(MOSI + 1).count(), 0, "nobody drives MISO");
    assert_eq!(of(MOSI + 2).count(), 5 * 16);
}

#[test]
fn registers_that_nobody_has_are_named_once() {
    let mut words = sts(0x76, 16).to_vec();
    words.extend(sts(0x76, 16));
    words.push(HANG);
    let mut chip = chip(&words);
    step(&mut *chip, 3);
    let unknown = chip.unknown_accesses();
    assert_eq!(unknown.len(), 1);
    assert_eq!((unknown[0].address, unknown[0].write, unknown[0].pc), (DATA + 0x76, true, 0));
}

#[test]
fn a_crystal_of_timer_2_is_told_as_one_that_nobody_has() {
    const ASSR: u16 = 0xb6;
    let told = |value: u16| {
        let mut words = vec![ldi(16, value)];
        words.extend(sts(ASSR, 16));
        words.push(HANG);
        let mut chip = chip(&words);
        step(&mut *chip, 3);
        chip.unknown_accesses().iter().map(|one| (one.address, one.write, one.pc)).collect::<Vec<_>>()
    };
    // AS2 and EXCLK; zero, as the Arduino core and drivers write it, asks for nothing.
    assert_eq!(told(1 << 5), [(DATA + u32::from(ASSR), true, 2)]);
    assert_eq!(told(1 << 6), [(DATA + u32::from(ASSR), true, 2)]);
    assert_eq!(told(0), []);
}

#[test]
fn a_bit_of_a_register_that_nobody_has_is_named_with_its_instruction() {
    // IN R16, PINB, then SBI on DDRA, which an ATmega328P does not have.
    let mut chip = chip(&[read(16, PINB), NOP, 0x9a08, HANG]);
    step(&mut *chip, 4);
    let unknown = chip.unknown_accesses();
    let told: Vec<_> = unknown.iter().map(|one| (one.address, one.write, one.pc)).collect();
    assert_eq!(told, [(DATA + 0x21, false, 4), (DATA + 0x21, true, 4)]);
}

/// What pulls a pin the other way whenever it changes.
#[derive(Debug, Clone)]
struct Contradicts(u8);

impl Outside for Contradicts {
    fn pins_changed(&mut self, _: Picoseconds, _: u32, levels: u32, reactions: &mut Vec<Reaction>) {
        reactions.push(Reaction::Pin { pin: self.0, level: Some(levels >> self.0 & 1 == 0) });
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

#[test]
fn a_pin_that_its_surroundings_contradict_for_ever_does_not_stop_the_chip() {
    let mut chip = chip(&[ldi(16, 1), out(DDRB, 16), out(PORTB, 16), HANG]);
    chip.connect(Box::new(Contradicts(3)));
    chip.record_pins(1 << 3);
    step(&mut *chip, 4);
    assert_eq!(chip.driven(), 1);
    let edges = chip.take_edges();
    assert!(edges.len() > 1 && edges.len() <= 64, "{} edges", edges.len());
}

const TWSR: u16 = 0xb9;
const TWDR: u16 = 0xbb;
const TWCR: u16 = 0xbc;

/// Writes TWCR and waits for longer than a byte takes.
fn twi(control: u16) -> Vec<u16> {
    [&[ldi(16, control)][..], &sts(TWCR, 16), &[NOP; 400]].concat()
}

#[test]
fn a_stop_and_a_start_that_are_asked_for_at_once_follow_each_other() {
    // TWINT, TWSTA and TWEN, and then TWSTO as well.
    let words = [&twi(0xa4)[..], &twi(0xb4), &lds(20, TWSR), &lds(21, TWCR), &[HANG]].concat();
    let mut chip = chip(&words);
    run(&mut *chip, 2_000);
    assert_eq!(chip.register(0, 20) & 0xf8, 0x08, "a start, and none that is repeated");
    assert_eq!(chip.register(0, 21) & 0x90, 0x80, "TWINT is there and TWSTO gone");
}

#[test]
fn a_byte_for_the_twi_that_comes_at_the_wrong_time_is_a_collision() {
    let put = |value: u16| [&[ldi(16, value)][..], &sts(TWDR, 16)].concat();
    let words = [
        &put(0x12)[..],
        &lds(20, TWCR),
        &twi(0xa4),
        &lds(21, TWCR),
        &put(0x34),
        &lds(22, TWCR),
        &lds(23, TWDR),
        &[HANG],
    ]
    .concat();
    let mut chip = chip(&words);
    run(&mut *chip, 2_000);
    // TWWC, bit 3: while TWINT is low, and until a write while it is high.
    assert_eq!([20, 21, 22].map(|number| chip.register(0, number) & 8), [8, 8, 0]);
    assert_eq!(chip.register(0, 23), 0x34);
}

#[test]
fn a_controller_whose_ss_another_pin_pulls_low_by_a_wire_is_none_any_more() {
    // PB1 drives SS, PB2, high and then low; SCK and MOSI are outputs.
    let words = [
        ldi(16, 0x2a),
        out(DDRB, 16),
        ldi(16, 2),
        out(PORTB, 16),
        ldi(16, 0x50),
        out(SPCR, 16),
        NOP,
        read(20, SPCR),
        ldi(16, 0),
        out(PORTB, 16),
        NOP,
        NOP,
        read(21, SPCR),
        read(22, SPSR),
        HANG,
    ];
    let mut chip = chip(&words);
    chip.wire_pins(1, 2);
    run(&mut *chip, 100);
    assert_eq!([20, 21].map(|number| chip.register(0, number)), [0x50, 0x40]);
    assert_eq!(chip.register(0, 22) & 0x80, 0x80, "SPIF");
}
