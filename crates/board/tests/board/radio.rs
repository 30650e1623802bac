//! The radio of a Pico W, told of its clock's pulses in rows, does what it does when it is told of every edge: our own firmware
//! uploads the radio's, joins and answers pings, on a board on which somebody else listens to all pins and on one on which nobody
//! does.

use board::parts::PinDevice;
use board::{Board, BoardOptions};
use lan::NetworkSetup;
use mcu::{Observer, Reaction, Step};
use units::{PS_PER_MS, Picoseconds};

const DATA: u32 = 24;
const SELECT: u32 = 25;
const CLOCK: u32 = 29;
/// From power-on until the radio's firmware has come up, at the latest.
const UPLOADED_MS: i64 = 500;
/// From then on until the board has joined and answered pings.
const ANSWERED_MS: i64 = 9_000;
const SRAM: u32 = 0x2000_0000;
const SRAM_BYTES: usize = 264 * 1024;

/// Listens to every pin, so that every edge is told at once, and does nothing.
#[derive(Debug, Clone)]
struct Attentive;

impl PinDevice for Attentive {
    fn changed(&mut self, _: Picoseconds, _: u32, _: u32, _: &mut Vec<Reaction>) {}

    fn snapshot(&self) -> Option<Box<dyn PinDevice>> {
        Some(Box::new(self.clone()))
    }
}

/// Follows every instruction, and does nothing.
#[derive(Debug)]
struct Follower;

impl Observer for Follower {
    fn instruction(&mut self, _: Step) {}
}

/// A board that is told in rows and one that is told of every edge; nothing where the image is not built.
fn boards(dma_from_bytes: &str) -> Option<[Board; 2]> {
    let board = || {
        let mut network = NetworkSetup::default();
        network.add_traffic("ping to=board count=20 interval=37ms").expect("options of ping");
        let settings = [("spi_dma_from_bytes", dma_from_bytes)];
        let options = BoardOptions { network, ..BoardOptions::default() };
        crate::built::board_on("pico-w", "ping-lwip_raw.elf", &settings, options)
    };
    let (quick, mut slow) = (board()?, board()?);
    slow.parts().connect_pins(Box::new(Attentive));
    Some([quick, slow])
}

/// Runs both to a time and holds them against each other.
fn run_alike(boards: &mut [Board; 2], ms: i64, how: &str) {
    let [quick, slow] = boards.each_mut().map(|board| {
        board.chip_mut().run_until(Picoseconds::new(ms * PS_PER_MS));
        let mut edges: Vec<_> =
            board.chip_mut().take_edges().iter().map(|edge| (edge.at, edge.pin, edge.level)).collect();
        edges.sort_unstable();
        let chip = board.chip();
        let memory = chip.read_memory(SRAM, SRAM_BYTES).expect("SRAM");
        let counts = (chip.counts(), chip.memory_counts(), chip.interrupts(), chip.core(0), chip.levels());
        (edges, counts, memory)
    });
    let first = quick.0.iter().zip(&slow.0).position(|(one, other)| one != other);
    assert_eq!((first, quick.0.len()), (None, slow.0.len()), "{how}, up to {ms} ms: edges");
    assert_eq!(quick.1, slow.1, "{how}, up to {ms} ms");
    assert_eq!(
        quick.2.iter().zip(&slow.2).position(|(one, other)| one != other),
        None,
        "{how}, up to {ms} ms"
    );
}

fn check(dma_from_bytes: &str, how: &str) {
    let Some(mut boards) = boards(dma_from_bytes) else { return };
    for board in &mut boards {
        board.chip_mut().record_pins(1 << DATA | 1 << SELECT | 1 << CLOCK);
    }
    for ms in (50..=UPLOADED_MS).step_by(50) {
        run_alike(&mut boards, ms, how);
    }
    // Edges are kept no longer: whether they are makes a difference to how rows are told.
    for board in &mut boards {
        board.chip_mut().record_pins(0);
    }
    run_alike(&mut boards, UPLOADED_MS + ANSWERED_MS, how);
    for board in &mut boards {
        let pings = board.parts().lan().expect("a network").results();
        let ping = pings.iter().find(|one| one.name == "ping").expect("it was asked for");
        assert_eq!(ping.results.samples.len(), 20, "{how}");
    }
}

#[test]
fn an_upload_is_the_same_in_rows_and_edge_by_edge_where_dma_moves_its_words() {
    check("32", "by DMA");
}

#[test]
fn an_upload_is_the_same_in_rows_and_edge_by_edge_where_a_core_moves_its_words() {
    check("0", "by a core");
}

/// A core that waits for a word of a PIO is led past its looks; whoever follows its instructions sees each of them. The clocks of
/// both were begun at different edges, so that their times differ by a rounded picosecond at 133 MHz.
#[test]
fn whoever_follows_the_instructions_of_a_web_server_on_freertos_changes_nothing() {
    let board = || {
        let mut network = NetworkSetup::default();
        network.add_traffic("http to=board path=/static.html requests=20").expect("options of http");
        let options = BoardOptions { network, ..BoardOptions::default() };
        crate::built::board_on("pico-w", "http_server-lwip_sockets.elf", &[], options)
    };
    let (Some(alone), Some(followed)) = (board(), board()) else { return };
    let mut boards = [alone, followed];
    let served_from_ms = 4_100;
    boards.iter_mut().for_each(|board| {
        board.chip_mut().run_until(Picoseconds::new(served_from_ms * PS_PER_MS));
    });
    boards[1].chip_mut().observe(Some(Box::new(Follower)));
    for ms in (served_from_ms + 5..served_from_ms + 300).step_by(5) {
        run_alike(&mut boards, ms, "on FreeRTOS");
    }
    boards[0].chip_mut().run_until(Picoseconds::new(ANSWERED_MS * PS_PER_MS));
    let results = boards[0].parts().lan().expect("a network").results();
    let samples = &results.iter().find(|one| one.name == "http").expect("it was asked for").results.samples;
    let last = samples.iter().last().expect("it has served");
    assert_eq!((samples.len(), last.trigger.ps() / PS_PER_MS < served_from_ms + 300), (20, true), "{last:?}");
}
