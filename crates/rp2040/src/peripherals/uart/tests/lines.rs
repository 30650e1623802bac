//! A line from the transmitter of one UART to the receiver of another.

use super::*;

/// A line from GPIO 4 of one to GPIO 5 of another.
struct Link {
    sender: Bench,
    receiver: Bench,
}

impl Link {
    fn new(sent: u32, received: u32) -> Self {
        let [mut sender, mut receiver] = [sent, received].map(Bench::new);
        for (bench, pin) in [(&mut sender, 4), (&mut receiver, 5)] {
            bench.io.pins.set_control(bench.io.now, pin, Function::Uart as u8, Overrides::default());
        }
        sender.io.pins.begin_line(sender.io.now, 4);
        receiver.uart.end_line(5, &mut receiver.io);
        Self { sender, receiver }
    }

    /// Lets both come to a time, the receiver once it knows the line up to there.
    fn run(&mut self, us: i64) {
        let until = Picoseconds::from_ns(us * 1000);
        let Self { sender, receiver } = self;
        run_to(sender, until);
        let edges = sender.io.pins.lines().take().edges;
        receiver.uart.hear_line(&edges, until, &mut receiver.io).unwrap();
        run_to(receiver, until);
    }

    fn words(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| (self.receiver.read(UARTFR) & FR_RXFE == 0).then(|| self.receiver.read(UARTDR)))
            .collect()
    }
}

fn run_to(bench: &mut Bench, until: Picoseconds) {
    let due = |bench: &Bench| {
        let sources = [Source::Uart1, Source::Uart1Receive, Source::Uart1Line].into_iter();
        sources.filter_map(|source| bench.io.due(source)).min()
    };
    while due(bench).is_some_and(|at| at <= until) {
        bench.step();
    }
    bench.io.now = until;
}

#[test]
fn a_break_on_a_line_is_one_empty_character_with_its_mark() {
    let mut link = Link::new(EIGHT_BITS | LCR_FEN, EIGHT_BITS | LCR_FEN);
    link.sender.send(b"x");
    link.run(100);
    link.sender.write(UARTLCR_H, EIGHT_BITS | LCR_FEN | LCR_BRK);
    link.run(5000);
    link.sender.write(UARTLCR_H, EIGHT_BITS | LCR_FEN);
    link.run(5100);
    link.sender.send(b"y");
    link.run(5300);
    assert_eq!(link.receiver.read(UARTRIS) & INT_ERRORS, INT_ERRORS & (1 << 7 | 1 << 9));
    assert_eq!(link.words(), [u32::from(b'x'), DR_BE | DR_FE, u32::from(b'y')]);
    assert_eq!(link.receiver.read(UARTRSR), 0, "the word that was read last had no error");
}

#[test]
fn a_line_with_another_parity_or_length_of_words_shows_errors() {
    let even = EIGHT_BITS | LCR_FEN | LCR_PEN | LCR_EPS;
    let mut link = Link::new(even, EIGHT_BITS | LCR_FEN | LCR_PEN);
    link.sender.send(b"ab");
    link.run(1000);
    assert_eq!(link.words(), [DR_PE | u32::from(b'a'), DR_PE | u32::from(b'b')]);
    assert_eq!(link.receiver.read(UARTRSR), DR_PE >> 8);
    let mut link = Link::new(even, EIGHT_BITS | LCR_FEN);
    link.sender.send(&[7, 3]);
    link.run(1000);
    assert_eq!(link.words(), [7, DR_FE | 3], "the parity bit stands where the stop bit should");
}

#[test]
fn a_pin_that_software_moves_is_heard_as_the_bits_that_it_makes() {
    let mut link = Link::new(EIGHT_BITS, EIGHT_BITS);
    let begin = 1_000_000;
    // Start, 1010 0110, stop.
    for (bit, level) in (0..).zip([0, 0, 1, 1, 0, 0, 1, 0, 1, 1]) {
        let pins = &mut link.sender.io.pins;
        let at = Picoseconds::new(begin + bit * 8_680_000);
        pins.drive(at, Function::Sio, 1 << 4, level << 4, 1 << 4);
        pins.set_control(at, 4, Function::Sio as u8, Overrides::default());
    }
    link.run(200);
    assert_eq!(link.words(), [0xa6]);
}

#[test]
fn a_character_for_another_function_of_its_pin_is_counted_and_lost() {
    let mut link = Link::new(EIGHT_BITS, EIGHT_BITS);
    let now = link.receiver.io.now;
    link.receiver.io.pins.set_control(now, 5, Function::Pio0 as u8, Overrides::default());
    link.sender.send(b"a");
    link.run(200);
    assert_eq!((link.words(), link.receiver.uart.unheard_characters()), (vec![], 1));
}

#[test]
fn a_receiver_asks_for_its_line_when_it_must_know_more_and_tells_what_comes_too_late() {
    let mut link = Link::new(EIGHT_BITS, EIGHT_BITS);
    assert!(!link.receiver.io.awaits_line);
    run_to(&mut link.receiver, Picoseconds::from_ns(80_000));
    assert!(link.receiver.io.awaits_line, "8.5 bits are 73.78 us");
    link.sender.send(b"a");
    link.receiver.io.now = Picoseconds::from_ns(87_301);
    let edges = link.sender.io.pins.lines().take().edges;
    let known_to = Picoseconds::from_ns(90_000);
    let error = link.receiver.uart.hear_line(&edges, known_to, &mut link.receiver.io);
    assert_eq!(error, Err(Picoseconds::from_ns(500 + 86_800)));
}
