//! The ideal MAC on a board: what a processor's accesses do on the network, with a driver of a few lines in the place of
//! firmware, and the PC at the other end.

use board::parts::{Parts, Reaction};
use board::{BoardFile, find_board};
use lan::NetworkSetup;
use mcu::Outside;
use mcu::outside::BOARD_WINDOW;
use units::{PS_PER_US, Picoseconds};

// docs/reference/ideal-mac.md.
const CONTROL: u32 = 0x04;
const STATUS: u32 = 0x08;
const MAC_LOW: u32 = 0x0c;
const MAC_HIGH: u32 = 0x10;
const RX_BYTES: u32 = 0x14;
const RX_DONE: u32 = 0x18;
const TX_ROOM: u32 = 0x1c;
const TX_SEND: u32 = 0x20;
const RX_MEMORY: u32 = 0x1000;
const TX_MEMORY: u32 = 0x2000;

const OWN_MAC: [u8; 6] = [2, 0, 0, 0x41, 0x57, 0x50];
const OWN_ADDRESS: [u8; 4] = [192, 168, 1, 50];
const PC_ADDRESS: [u8; 4] = [192, 168, 1, 1];
const INTERRUPT: u8 = 21;

fn us(count: i64) -> Picoseconds {
    Picoseconds::new(count * PS_PER_US)
}

/// A processor that does what the tests say, at its own time.
struct Driver {
    parts: Box<dyn Outside>,
    now: Picoseconds,
    /// When the interrupt output changed, and to what.
    interrupts: Vec<(Picoseconds, bool)>,
}

impl Driver {
    fn on(board: &BoardFile) -> Self {
        let parts = Parts::of(board, &NetworkSetup::default(), 1);
        Self { parts: Box::new(parts), now: us(0), interrupts: Vec::new() }
    }

    /// Started, with its address.
    fn listening() -> Self {
        let mut driver = Self::on(&find_board("ideal-mac").unwrap());
        driver.write(MAC_LOW, u32::from_le_bytes([2, 0, 0, 0x41]));
        driver.write(MAC_HIGH, u32::from_le_bytes([0x57, 0x50, 0, 0]));
        driver.write(CONTROL, 3);
        driver
    }

    fn read(&mut self, offset: u32) -> u32 {
        let mut reactions = Vec::new();
        let address = BOARD_WINDOW + offset;
        let value = self.parts.memory_read(self.now, address, 4, &mut reactions).expect("a register");
        self.note(&reactions);
        value
    }

    fn write(&mut self, offset: u32, value: u32) {
        let mut reactions = Vec::new();
        assert!(self.parts.memory_write(self.now, BOARD_WINDOW + offset, 4, value, &mut reactions));
        self.note(&reactions);
    }

    fn note(&mut self, reactions: &[Reaction]) {
        let now = self.now;
        self.interrupts.extend(reactions.iter().filter_map(|reaction| match *reaction {
            Reaction::Pin { pin: INTERRUPT, level: Some(level) } => Some((now, level)),
            _ => None,
        }));
    }

    fn wait(&mut self, time: Picoseconds) {
        let until = self.now + time;
        while let Some(at) = self.parts.next_event().filter(|&at| at <= until) {
            let mut reactions = Vec::new();
            self.now = at;
            self.parts.advance(at, &mut reactions);
            self.note(&reactions);
        }
        self.now = until;
    }

    fn send(&mut self, frame: &[u8]) {
        for (n, word) in (0..).zip(frame.chunks(4)) {
            let mut bytes = [0; 4];
            bytes[..word.len()].copy_from_slice(word);
            self.write(TX_MEMORY + 4 * n, u32::from_le_bytes(bytes));
        }
        self.write(TX_SEND, frame.len() as u32);
    }

    /// The frame that waits first, taken.
    fn take(&mut self) -> Option<Vec<u8>> {
        let bytes = self.read(RX_BYTES);
        let words = (0..bytes.div_ceil(4)).map(|n| self.read(RX_MEMORY + 4 * n));
        let mut frame: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        frame.truncate(bytes as usize);
        self.write(RX_DONE, 0);
        Some(frame).filter(|frame| !frame.is_empty())
    }
}

/// Who has the PC's address? (RFC 826.)
fn arp_request() -> Vec<u8> {
    let mut frame = vec![0xff; 6];
    frame.extend(OWN_MAC);
    frame.extend([8, 6, 0, 1, 8, 0, 6, 4, 0, 1]);
    frame.extend(OWN_MAC);
    frame.extend(OWN_ADDRESS);
    frame.extend([0; 6]);
    frame.extend(PC_ADDRESS);
    frame
}

#[test]
fn the_pc_answers_and_the_interrupt_stands_until_the_frame_is_taken() {
    let mut driver = Driver::listening();
    assert_eq!(driver.read(STATUS), 1, "a link at once");
    driver.send(&arp_request());
    driver.wait(us(1000));
    assert_eq!(driver.read(STATUS), 3);
    assert_eq!(driver.interrupts[0], (us(0), true), "the MAC drives its output from the start");
    // 72 bytes of preamble, frame and check sequence on the board's cable at 100 Mbit/s, each way; more on the PC's.
    let (fell, level) = driver.interrupts[1];
    assert!(!level && fell > us(2 * 72 * 8 / 100) && fell < us(200), "{fell}");
    let reply = driver.take().expect("a frame");
    assert_eq!((&reply[..6], &reply[12..14], reply[21]), (&OWN_MAC[..], &[8, 6][..], 2));
    assert_eq!((&reply[28..32], &reply[38..42]), (&PC_ADDRESS[..], &OWN_ADDRESS[..]));
    assert_eq!(driver.interrupts[2..], [(us(1000), true)]);
    assert_eq!((driver.take(), driver.read(STATUS)), (None, 1));
}

#[test]
fn a_burst_takes_its_time_on_the_wire_and_every_frame_is_answered() {
    let mut driver = Driver::listening();
    for left in (1..=16).rev() {
        assert_eq!(driver.read(TX_ROOM), left);
        driver.send(&arp_request());
    }
    assert_eq!(driver.read(TX_ROOM), 0);
    // 84 bytes with the gap: 6.72 us each.
    driver.wait(us(7));
    assert_eq!(driver.read(TX_ROOM), 1);
    driver.wait(us(1000));
    let answers = std::iter::from_fn(|| driver.take()).count();
    assert_eq!((answers, driver.read(TX_ROOM)), (16, 16));
}

#[test]
fn a_board_from_a_snapshot_goes_on_alike() {
    let mut driver = Driver::listening();
    driver.send(&arp_request());
    driver.wait(us(10));
    let parts = driver.parts.snapshot().expect("every part can be copied");
    let mut branch = Driver { parts, now: driver.now, interrupts: driver.interrupts.clone() };
    for driver in [&mut driver, &mut branch] {
        driver.wait(us(1000));
    }
    assert_eq!(driver.interrupts, branch.interrupts);
    let reply = driver.take();
    assert!(reply.is_some());
    assert_eq!(reply, branch.take());
}

#[test]
fn a_second_mac_lies_behind_the_first_and_there_is_nothing_behind_the_last() {
    let text = "mcu = 'rp2040'\n[chips.one]\nkind = 'ideal-mac'\ninterrupt = 20\n[chips.two]\nkind = 'ideal-mac'\ninterrupt = 21\n";
    let board = BoardFile::parse("two.toml".as_ref(), text).unwrap();
    let mut driver = Driver::on(&board);
    let id = |driver: &mut Driver, number: u32| {
        driver.parts.memory_read(us(0), BOARD_WINDOW + 0x1_0000 * number, 4, &mut Vec::new())
    };
    assert_eq!(id(&mut driver, 0), Some(u32::from_le_bytes(*b"IMAC")));
    assert_eq!(id(&mut driver, 1), id(&mut driver, 0));
    assert_eq!(id(&mut driver, 2), None);
    assert!(!driver.parts.memory_write(us(0), BOARD_WINDOW + 0x2_0000, 4, 0, &mut Vec::new()));
    assert_eq!(driver.parts.memory_peek(BOARD_WINDOW + 0x1_0008, 4), Some(1));
    let mut without = Driver::on(&find_board("w5500-evb-pico").unwrap());
    assert_eq!(id(&mut without, 0), None);
}
