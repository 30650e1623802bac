//! How fast a board goes through a part of an image's run, in processor time: once as it is, and once with somebody who listens to
//! every pin, so that each edge is told. For a Pico W in the midst of its upload that is what rows of pulses are worth.
//!
//! ```console
//! $ cargo run --release -p airwire-board --example upload_speed -- picow_blink.uf2 375 100
//! ```

use std::error::Error;
use std::path::Path;

use board::parts::PinDevice;
use board::{Board, BoardOptions};
use mcu::Reaction;
use units::{PS_PER_MS, Picoseconds};

const ROUNDS: usize = 5;

/// Listens to every pin, and does nothing.
#[derive(Debug, Clone)]
struct Attentive;

impl PinDevice for Attentive {
    fn changed(&mut self, _: Picoseconds, _: u32, _: u32, _: &mut Vec<Reaction>) {}

    fn snapshot(&self) -> Option<Box<dyn PinDevice>> {
        Some(Box::new(self.clone()))
    }
}

/// What this thread has had of a processor, in milliseconds (Linux: proc(5), schedstat).
fn processor_ms() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: u64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds as f64 / 1e6)
}

/// The processor time in milliseconds from `start_ms` of the image's run on.
fn measured(image: &Path, (start_ms, length_ms): (i64, i64), attentive: bool) -> Result<f64, Box<dyn Error>> {
    let mut board = Board::open("pico-w", BoardOptions::default())?;
    board.load(image, None)?;
    if attentive {
        board.parts().connect_pins(Box::new(Attentive));
    }
    let at = |ms: i64| Picoseconds::new(ms * PS_PER_MS);
    board.chip_mut().run_until(at(start_ms));
    let before = processor_ms()?;
    board.chip_mut().run_until(at(start_ms + length_ms));
    Ok(processor_ms()? - before)
}

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: upload_speed IMAGE START_MS LENGTH_MS [rows|edges]";
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [image, start, length, only @ ..] = &given[..] else { return Err(usage.into()) };
    let part = (start.parse()?, length.parse()?);
    for (name, attentive) in [("rows", false), ("edges", true)] {
        if only.first().is_some_and(|wanted| wanted != name) {
            continue;
        }
        let mut times = (0..ROUNDS)
            .map(|_| measured(Path::new(image), part, attentive))
            .collect::<Result<Vec<f64>, _>>()?;
        times.sort_by(f64::total_cmp);
        let (least, median, most) = (times[0], times[ROUNDS / 2], times[ROUNDS - 1]);
        let speed = part.1 as f64 / median;
        println!("{name}: {median:.0} ms [{least:.0}-{most:.0}], {speed:.2} x real time");
    }
    Ok(())
}
