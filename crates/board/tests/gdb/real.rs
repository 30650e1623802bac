//! GDB itself, on images that are built from `tests/images` for it. Skips where GDB or the compiler is not installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use board::gdb::GdbEnd;
use mcu::image::LoadOptions;
use rp2040::chip::{Rp2040, Setup};

use crate::client::{Served, chip};

const GDB: &str = "gdb-multiarch";
const COMPILER: &str = "arm-none-eabi-gcc";

fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        testing::leave_out(&format!("{program} is not installed"));
    }
    found
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/images")
}

/// Builds an image of ours.
fn build(folder: &Path, name: &str) -> PathBuf {
    let elf = folder.join(name);
    let out = format!("OUT={}", folder.display());
    let made = Command::new("make").arg("-C").arg(sources()).arg(out).arg(&elf).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    elf
}

fn chip_with(elf: &Path) -> Rp2040 {
    let image =
        rp2040::load_image(&std::fs::read(elf).unwrap(), "image.elf", &LoadOptions::default()).unwrap();
    let mut chip = Rp2040::new(&Setup::default()).unwrap();
    chip.load(&image).unwrap();
    chip
}

/// What GDB prints when it is given these commands, and what the board tells.
fn debug(elf: &Path, board: &Served, commands: &[&str]) -> (String, String) {
    let target = format!("target remote {}", board.address);
    let sources = format!("directory {}", sources().display());
    let fixed = ["set confirm off", "set pagination off", &sources, &target];
    let mut gdb = Command::new(GDB);
    gdb.args(["--nx", "--batch", "--quiet"]).arg(elf);
    for command in fixed.iter().chain(commands) {
        gdb.args(["-ex", command]);
    }
    let output = gdb.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr))
}

/// The text has these parts, in this order.
#[track_caller]
fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("no {part:?} in what is left of\n{text}") };
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn gdb_debugs_c_on_both_cores() {
    if !has(GDB) || !has(COMPILER) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let elf = build(folder.path(), "multicore.elf");
    let board = Served::new(chip_with(&elf));
    let commands = [
        "break add_under_lock",
        "continue",
        "backtrace",
        "info threads",
        "print counter",
        "print core1_id",
        "stepi",
        "next",
        "watch counter",
        "continue",
        "continue",
        "delete",
        "info registers msp primask control",
        "monitor time",
        "continue",
        "print counter",
        "print core1_finished",
        "backtrace 1",
        "kill",
    ];
    let (text, told) = debug(&elf, &board, &commands);
    in_order(
        &text,
        &[
            "[Switching to Thread 1.2]",
            "hit Breakpoint 1, add_under_lock () at multicore.c:34",
            "#0  add_under_lock () at multicore.c:34",
            "in core1_main () at multicore.c:",
            "Thread 1.1 (core 0, a",
            "Thread 1.2 (core 1, awake)",
            "= 0",
            "= 1",
            "while (!SIO_SPINLOCK(0))",
            "Hardware watchpoint 2: counter",
            "Old value = 0",
            "New value = 1",
            "Old value = 1",
            "New value = 2",
            "control",
            "SIGSTOP",
            "= 2000",
            "= 1",
            "#0  wait_for_interrupt () at support/support.h:",
        ],
    );
    in_order(&told, &["virtual time", "core 1: ", "both cores sleep"]);
    assert_eq!(board.end().1, GdbEnd::Killed);
}

#[test]
fn gdb_unwinds_a_fault_and_loads_another_image() {
    if !has(GDB) || !has(COMPILER) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let elf = build(folder.path(), "fault_unaligned.elf");
    // The board has another image in its flash.
    let board = Served::new(chip(crate::client::COUNT));
    let commands = [
        "load",
        "monitor reset halt",
        "maintenance flush register-cache",
        "continue",
        "backtrace",
        "monitor reset halt",
        "maintenance flush register-cache",
        "tbreak read_word",
        "continue",
        "set variable address = 0x10000100",
        "finish",
        "print/x read_word(0x10000100)",
        "detach",
    ];
    let (text, told) = debug(&elf, &board, &commands);
    in_order(
        &text,
        &[
            "Loading section .boot2",
            "SIGSEGV",
            "hard_fault_handler () at fault.c:",
            "#0  hard_fault_handler () at fault.c:",
            "#1  <signal handler called>",
            "#2  ",
            "read_word (address=address@entry=536875009) at fault.c:",
            "read_two_words (address=address@entry=536875009) at fault.c:",
            "Temporary breakpoint 1 at",
            "hit Temporary breakpoint 1, read_word (address=",
            "read_two_words (address=",
            "Value returned is $1 = 537141249",
            "$2 = 0x20042001",
            "detached",
        ],
    );
    in_order(
        &told,
        &["the chip was reset and stands at", "read of 4 bytes at 0x20001001, which is not aligned"],
    );
    board.stop();
}
