//! How fast the virtual chip runs an image: `cargo run --release -p airwire-rp2040 --example speed -- IMAGE [seconds]`.

use mcu::Console;
use mcu::image::LoadOptions;
use rp2040::chip::{Rp2040, Setup};
use units::Picoseconds;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&arguments[1]).expect("the image can be read");
    let image = rp2040::load_image(&bytes, &arguments[1], &LoadOptions::default()).expect("an image");
    let seconds: f64 = arguments.get(2).map_or(1.0, |text| text.parse().expect("seconds"));
    let mut chip = Rp2040::new(&Setup::default()).expect("a chip");
    chip.load(&image).expect("it starts");
    let start = std::time::Instant::now();
    let end = Picoseconds::new((seconds * 1e12) as i64);
    let stop = match arguments.get(3) {
        None => chip.run_until(end),
        Some(text) => {
            chip.run_until(Picoseconds::new(end.ps() / 2));
            chip.send_console(Console::Usb, format!("{text}\r\n").as_bytes());
            chip.run_until(end)
        }
    };
    let wall = start.elapsed().as_secs_f64();
    for console in [Console::Uart0, Console::Uart1, Console::Usb] {
        let text: Vec<u8> = chip.take_console(console).into_iter().map(|(_, byte)| byte).collect();
        if !text.is_empty() {
            println!("{console:?}: {}", String::from_utf8_lossy(&text));
        }
    }
    let counts = chip.counts();
    println!("{stop:?} at {} {counts:?}", chip.now());
    println!("registers {:x?}", chip.core(0).registers());
    for unknown in chip.unknown_accesses() {
        println!("{unknown:x?}");
    }
    let busy = counts.cycles - counts.idle_cycles[0];
    println!(
        "{:.1} MHz busy, {:.1} MHz in all, {wall:.3} s",
        busy as f64 / wall / 1e6,
        counts.cycles as f64 / wall / 1e6
    );
}
