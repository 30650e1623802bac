//! Backtraces against gdb, which gets registers and memory of a chip at rest over its remote protocol.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use mcu::Stop;
use rp2040::chip::Rp2040;
use rp2040::report::{Found, Registers, backtrace};
use units::Picoseconds;

use super::support::{is_installed, load, own_images, public_image, started};

const GDB: &str = "gdb-multiarch";

/// Without inlined functions and the marks between a handler and what it interrupted.
const PRINT_FRAMES: &str = "python
frame = gdb.newest_frame()
while frame and frame.level() < 40:
  if frame.type() == gdb.NORMAL_FRAME: print('FRAME %x' % frame.pc())
  frame = frame.older()
";

/// The registers of a Cortex-M, so that gdb follows its exceptions.
fn description() -> String {
    let names =
        ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"];
    let registers: String =
        names.iter().map(|name| format!("<reg name=\"{name}\" bitsize=\"32\"/>")).collect();
    format!(
        "<?xml version=\"1.0\"?><target><architecture>arm</architecture>\
         <feature name=\"org.gnu.gdb.arm.m-profile\">{registers}<reg name=\"xpsr\" bitsize=\"32\" regnum=\"25\"/></feature>\
         <feature name=\"org.gnu.gdb.arm.m-system\"><reg name=\"msp\" bitsize=\"32\" regnum=\"26\"/>\
         <reg name=\"psp\" bitsize=\"32\" regnum=\"27\"/></feature></target>"
    )
}

struct Stub<'a> {
    chip: &'a Rp2040,
    core: usize,
}

impl Stub<'_> {
    fn serve(&self, mut stream: TcpStream) {
        let mut byte = [0];
        let mut packet: Option<Vec<u8>> = None;
        while matches!(stream.read(&mut byte), Ok(1)) {
            match (byte[0], &mut packet) {
                (b'$', _) => packet = Some(Vec::new()),
                (b'#', Some(_)) => {
                    let request = packet.take().expect("it has begun");
                    stream.read_exact(&mut [0; 2]).expect("a checksum follows");
                    let answer = self.answer(&String::from_utf8_lossy(&request));
                    let sum = answer.bytes().fold(0_u8, u8::wrapping_add);
                    let reply = format!("+${answer}#{sum:02x}");
                    if stream.write_all(reply.as_bytes()).is_err() || request == b"D" {
                        return;
                    }
                }
                (other, Some(packet)) => packet.push(other),
                _ => {}
            }
        }
    }

    fn answer(&self, request: &str) -> String {
        let registers = Registers::of(self.chip.core(self.core));
        let hex = |value: u32| format!("{:08x}", value.swap_bytes());
        match request.split_at(request.len().min(1)) {
            ("?", _) => "S05".to_owned(),
            ("g", _) => {
                let core: String = registers.r.into_iter().map(hex).collect();
                [&core, &hex(registers.xpsr), &hex(registers.main_stack), &hex(registers.process_stack)]
                    .map(String::as_str)
                    .concat()
            }
            ("p", number) => match u32::from_str_radix(number, 16) {
                Ok(25) => hex(registers.xpsr),
                Ok(26) => hex(registers.main_stack),
                Ok(27) => hex(registers.process_stack),
                Ok(number @ 0..16) => hex(registers.r[number as usize]),
                _ => "E01".to_owned(),
            },
            ("m", range) => self.memory(range).unwrap_or_else(|| "E01".to_owned()),
            ("q", rest) if rest.starts_with("Supported") => "PacketSize=1000;qXfer:features:read+".to_owned(),
            ("q", rest) if rest.starts_with("Xfer:features:read:target.xml") => format!("l{}", description()),
            ("q", "Attached") => "1".to_owned(),
            ("D", _) | ("H", _) => "OK".to_owned(),
            _ => String::new(),
        }
    }

    fn memory(&self, range: &str) -> Option<String> {
        let (start, length) = range.split_once(',')?;
        let start = u32::from_str_radix(start, 16).ok()?;
        let length = usize::from_str_radix(length, 16).ok()?;
        let bytes = self.chip.read_memory(start, length).ok()?;
        Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// gdb's frames: the address of each and its function, without inlined functions.
fn of_gdb(chip: &Rp2040, core: usize, elf: &Path) -> Vec<u32> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let target = format!("target remote 127.0.0.1:{port}");
    let mut gdb = Command::new(GDB);
    gdb.args(["-nx", "-batch"]);
    for command in ["set architecture armv6s-m", "set backtrace past-main on", &target, PRINT_FRAMES] {
        gdb.args(["-ex", command]);
    }
    gdb.args(["-ex", "detach"]).arg(elf).stdin(std::process::Stdio::null());
    let gdb = gdb.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
    let gdb = gdb.expect("gdb can be started");
    let (stream, _) = listener.accept().expect("gdb connects");
    Stub { chip, core }.serve(stream);
    let output = gdb.wait_with_output().expect("gdb ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let frames: Vec<u32> = text
        .lines()
        .filter_map(|line| line.strip_prefix("FRAME "))
        .filter_map(|line| u32::from_str_radix(line, 16).ok())
        .collect();
    assert!(!frames.is_empty(), "gdb said {text}{}", String::from_utf8_lossy(&output.stderr));
    frames
}

/// Compares at several moments. Where a frame is a guess, ours ends for this comparison.
fn compare(elf: &Path, at_ms: &[i64]) -> usize {
    let image = load(elf);
    let mut chip = started(&image);
    let mut compared = 0;
    for &ms in at_ms {
        let stop = chip.run_until(Picoseconds::new(ms * 1_000_000_000 + 123_457));
        for core in 0..2 {
            let registers = Registers::of(chip.core(core));
            let ours = backtrace(&registers, &|address| chip.read_word(address).ok(), image.symbols());
            let certain = ours.frames.iter().take_while(|frame| frame.found != Found::Guessed);
            let mut certain: Vec<u32> = certain.map(|frame| frame.place.address).collect();
            if certain.len() < 2 {
                continue;
            }
            let theirs = of_gdb(&chip, core, elf);
            // gdb has inlined functions as frames of their own, at the same address.
            let mut theirs_once = theirs.clone();
            theirs_once.dedup();
            certain.dedup();
            let common = certain.len().min(theirs_once.len());
            eprintln!(
                "{} core {core} {ms} ms: {} frames, gdb {}, {}",
                elf.display(),
                certain.len(),
                theirs_once.len(),
                ours.end
            );
            assert_eq!(
                certain[..common],
                theirs_once[..common],
                "{} core {core} at {ms} ms: {ours:#?}",
                elf.display()
            );
            compared += common;
        }
        if stop != Stop::Time {
            break;
        }
    }
    compared
}

#[test]
fn callers_in_our_own_images_are_those_that_gdb_finds() {
    let (true, Some(folder)) = (is_installed(GDB), own_images()) else { return };
    let mut compared = 0;
    for name in ["fault_unaligned", "fault_jump", "systick", "float_bench", "multicore"] {
        compared += compare(&folder.join(format!("{name}.elf")), &[9, 14]);
    }
    assert!(compared > 15, "{compared} frames are too few");
}

#[test]
fn callers_in_public_images_are_those_that_gdb_finds() {
    if !is_installed(GDB) {
        return;
    }
    for name in ["arduino_pico_fan", "arduino_term_new", "embassy_multicore", "uofu_sleep"] {
        if let Some(elf) = public_image(&format!("{name}.elf")) {
            assert!(compare(&elf, &[50, 777]) > 0, "{name} has no frames to compare");
        }
    }
}
