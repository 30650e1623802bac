//! How fast a board with a MAC by PIO goes while iperf's server takes all that a wire of 100 Mbit/s carries, in processor time, and what
//! its PHY saw. The board file may say `link_up = "0 s"`, so that nobody waits for negotiation.
//!
//! ```console
//! $ cargo run --release -p airwire-board --example rmii_speed -- pico-lan8720 iperf-rmii_dma_sram.elf 150000000 4 100
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use board::{Board, BoardOptions, read_image, with_settings};
use lan::lan8720::Lan8720;
use lan::{NetworkSetup, TrafficSetup};
use mcu::Console;
use units::{PS_PER_MS, Picoseconds};

/// What this thread has had of a processor, in milliseconds (Linux: proc(5), schedstat).
fn processor_ms() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: u64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds as f64 / 1e6)
}

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: rmii_speed BOARD IMAGE SYSTEM_HZ FLASH_DIVIDER MS";
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [name, image, hz, divider, ms] = &given[..] else { return Err(usage.into()) };
    let settings = [("system_hz", hz), ("flash_divider", divider), ("address", &"192.168.1.50".to_owned())];
    let settings: BTreeMap<String, String> =
        settings.into_iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let bulk = format!("bulk to=board:5001 time={ms}ms interval=10ms block=1460B");
    let mut network = NetworkSetup::default();
    network.traffic.push(TrafficSetup::from_words(&bulk)?);
    let mut board = Board::open(name, BoardOptions { network, ..BoardOptions::default() })?;
    board.load_image(with_settings(&read_image(Path::new(image), None)?, &settings)?)?;

    let step = Picoseconds::new(10 * PS_PER_MS);
    let before = processor_ms()?;
    let most = 10_000 / 10 + ms.parse::<i64>()? / 10;
    for n in 1..=most {
        board.chip_mut().run_until(Picoseconds::new(step.ps() * n));
        if board.clients_are_done() {
            break;
        }
    }
    let (now, took_ms) = (board.now(), processor_ms()? - before);
    println!("{} ms of virtual time in {took_ms:.0} ms of a processor", now.ps() / PS_PER_MS);
    println!("{}", String::from_utf8_lossy(board.console(Console::Uart0)));
    let notes = board.notes();
    let lan = board.parts().lan().expect("the board has a network");
    for id in lan.devices_of::<Lan8720>().collect::<Vec<_>>() {
        println!("{:?}", lan.device(id).map(Lan8720::counts));
    }
    for one in lan.results().iter().filter(|one| one.is_client) {
        println!("{}: done {}, waits {:?}, {:?}", one.name, one.is_done, one.waits_for, one.results);
    }
    notes.iter().for_each(|note| println!("{note}"));
    Ok(())
}
