//! The GDB server as clients see it: a client of our own over TCP, and GDB itself where it is installed.

mod client;
mod real;

use board::gdb::{GdbEnd, GdbServer};
use client::*;
use mcu::Stop;
use mcu::{Observer, Step};
use proptest::prelude::*;
use units::Picoseconds;

use std::any::Any;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

const SP: u32 = 13;
const PC: u32 = 15;
const XPSR: u32 = 16;
const MSP: u32 = 17;
const PSP: u32 = 18;
const PRIMASK: u32 = 19;
const CONTROL: u32 = 20;

#[test]
fn both_cores_are_threads_with_registers_that_can_be_changed() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    assert_eq!(gdb.ask("qfThreadInfo"), "mp01.01,p01.02");
    assert_eq!(gdb.ask("qsThreadInfo"), "l");
    assert_eq!(gdb.pc(1), COUNT);
    assert_eq!(gdb.register(1, SP), 0x2004_2000);
    assert_eq!(gdb.register(1, MSP), 0x2004_2000);
    assert_eq!(gdb.ask("Hgp1.1"), "OK");
    assert_eq!(gdb.ask("g").len(), 21 * 8);
    for thread in [1, 2] {
        for number in (0..13).chain([14]) {
            gdb.set_register(thread, number, thread * 0x1000 + number);
        }
    }
    assert_eq!((gdb.register(1, 5), gdb.register(2, 5)), (0x1005, 0x2005));
    assert_eq!((gdb.register(1, 14), gdb.register(2, 14)), (0x100e, 0x200e));
    let (board, end) = board.stop();
    assert_eq!(end, GdbEnd::Interrupted);
    assert_eq!(board.core(1).registers()[12], 0x200c);
}

#[test]
fn the_special_registers_of_a_core_can_be_changed() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    gdb.set_register(1, PSP, 0x2000_4000);
    assert_eq!(gdb.register(1, SP), 0x2004_2000);
    gdb.set_register(1, CONTROL, 2);
    assert_eq!(gdb.register(1, SP), 0x2000_4000);
    assert_eq!(gdb.register(1, MSP), 0x2004_2000);
    gdb.set_register(1, SP, 0x2000_4100);
    assert_eq!((gdb.register(1, PSP), gdb.register(1, MSP)), (0x2000_4100, 0x2004_2000));
    gdb.set_register(1, PRIMASK, 1);
    assert_eq!((gdb.register(1, PRIMASK), gdb.register(2, PRIMASK)), (1, 0));
    gdb.set_register(1, XPSR, 0xa000_0000);
    assert_eq!(gdb.register(1, XPSR), 0xa100_0000);
    board.stop();
}

/// When each address was first reached.
#[derive(Debug, Default)]
struct Reached(Vec<(u32, u64)>);

impl Observer for Reached {
    fn instruction(&mut self, step: Step) {
        // The chip may tell an instruction twice that it decodes for the first time.
        if self.0.len() < 100 && self.0.last() != Some(&(step.pc, step.cycle)) {
            self.0.push((step.pc, step.cycle));
        }
    }
}

/// The cycles at which a board that nobody stops begins its first instructions.
fn undisturbed(entry: u32) -> Vec<(u32, u64)> {
    let mut chip = chip(entry);
    chip.observe(Some(Box::<Reached>::default()));
    chip.run_until(Picoseconds::new(units::PS_PER_MS));
    let observer: Box<dyn Any> = chip.observe(None).unwrap();
    observer.downcast::<Reached>().unwrap().0
}

#[test]
fn a_breakpoint_in_flash_stops_the_core_at_the_cycle_of_an_undisturbed_run() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    let expected: Vec<u64> =
        undisturbed(COUNT).iter().filter(|(pc, _)| *pc == LOOP).map(|&(_, at)| at).collect();
    // ADDS 1, STR 2, LDR 2, a branch that is taken 2: Cortex-M0+ Technical Reference Manual 3.3.
    assert_eq!(expected[9] - expected[8], 7);
    assert_eq!(gdb.ask(&format!("Z1,{LOOP:x},2")), "OK");
    for (turn, &cycle) in expected[..10].iter().enumerate() {
        assert_eq!(gdb.ask("vCont;c"), "T05thread:p01.01;hwbreak:;", "turn {turn}");
        assert_eq!(gdb.pc(1), LOOP);
        assert_eq!(gdb.cycle(), cycle, "turn {turn}");
    }
    assert_eq!(gdb.register(1, 1), 9);
    assert_eq!(gdb.ask(&format!("z1,{LOOP:x},2")), "OK");
    gdb.send("vCont;c");
    std::thread::sleep(Duration::from_millis(20));
    gdb.write(b"\x03");
    assert_eq!(gdb.answer(), "T02thread:p01.01;");
    board.stop();
}

#[test]
fn no_time_passes_while_the_board_stands_still() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    let before = gdb.cycle();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(gdb.cycle(), before);
    board.stop();
}

#[test]
fn a_step_is_one_instruction() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    for expected in [0x42, 0x44, 0x46, 0x48, 0x4a, 0x44, 0x46] {
        assert_eq!(gdb.ask("vCont;s:p1.1;c"), "T05thread:p01.01;");
        assert_eq!(gdb.pc(1), 0x1000_0000 + expected);
    }
    assert_eq!((gdb.register(1, 1), gdb.word(COUNTER)), (2, 1));
    // In the loop, which the cache of the flash holds by now, steps cost what a run costs.
    for _ in 7..40 {
        gdb.ask("vCont;s:p1.1;c");
    }
    assert_eq!((gdb.pc(1), gdb.cycle()), undisturbed(COUNT)[40]);
    board.stop();
}

#[test]
fn a_step_over_a_range_ends_behind_it() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    let (start, end) = (COUNT, LOOP + 4);
    assert_eq!(gdb.ask(&format!("vCont;r{start:x},{end:x}:p1.1;c")), "T05thread:p01.01;");
    assert_eq!(gdb.pc(1), end);
    board.stop();
}

#[test]
fn a_step_lets_a_pending_interrupt_be_handled_first() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    // SysTick: every 40 cycles of the processor's clock, with its interrupt.
    gdb.set_word(0xe000_e014, 39);
    gdb.set_word(0xe000_e018, 0);
    gdb.set_word(0xe000_e010, 7);
    assert_eq!(gdb.ask("vCont;s:p1.1;c"), "T05thread:p01.01;");
    for turn in 0..40 {
        for expected in [0x44, 0x46, 0x48, 0x4a] {
            assert_eq!(gdb.ask("vCont;s:p1.1;c"), "T05thread:p01.01;");
            assert_eq!(gdb.pc(1), 0x1000_0000 + expected, "turn {turn}");
        }
    }
    let time = gdb.monitor("time");
    let exceptions: u64 = time.split("asleep, ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(exceptions > 5, "{time}");
    // A breakpoint in the handler is obeyed all the same.
    assert_eq!(gdb.ask(&format!("Z1,{:x},2", FAULT_HANDLER + 2)), "OK");
    let mut steps = 0;
    while gdb.ask("vCont;s:p1.1;c") == "T05thread:p01.01;" {
        steps += 1;
        assert!(steps < 40);
    }
    assert_eq!(gdb.pc(1), FAULT_HANDLER + 2);
    board.stop();
}

#[test]
fn a_core_that_sleeps_for_ever_is_told() {
    let board = Served::new(chip(SLEEPS));
    let mut gdb = Client::connect(board.address);
    assert_eq!(gdb.ask("vCont;c"), "T11thread:p01.01;");
    assert!(gdb.told.contains("both cores sleep"), "{}", gdb.told);
    assert_eq!(gdb.pc(1), SLEEPS + 6);
    let hex: String =
        "core 0, asleep until an interrupt comes".bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(gdb.ask("qThreadExtraInfo,p1.1"), hex);
    // A new program counter wakes it.
    gdb.set_register(1, PC, LOOP);
    assert_eq!(gdb.ask("vCont;s:p1.1;c"), "T05thread:p01.01;");
    assert_eq!(gdb.pc(1), LOOP + 2);
    board.stop();
}

#[test]
fn a_watchpoint_stops_behind_the_access() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    assert_eq!(gdb.ask(&format!("Z2,{COUNTER:x},4")), "OK");
    for count in 1..4 {
        assert_eq!(gdb.ask("vCont;c"), format!("T05thread:p01.01;watch:{COUNTER:08x};"));
        assert_eq!((gdb.word(COUNTER), gdb.pc(1)), (count, LOOP + 4));
    }
    assert_eq!(gdb.ask(&format!("z2,{COUNTER:x},4")), "OK");
    assert_eq!(gdb.ask(&format!("Z3,{:x},1", COUNTER + 1)), "OK");
    assert_eq!(gdb.ask("vCont;c"), format!("T05thread:p01.01;rwatch:{:08x};", COUNTER + 1));
    assert_eq!(gdb.pc(1), LOOP + 6);
    assert_eq!(gdb.ask(&format!("z3,{:x},1", COUNTER + 1)), "OK");
    assert_eq!(gdb.ask(&format!("Z4,{COUNTER:x},4")), "OK");
    for behind in [4, 6, 4, 6] {
        assert_eq!(gdb.ask("vCont;c"), format!("T05thread:p01.01;awatch:{COUNTER:08x};"));
        assert_eq!(gdb.pc(1), LOOP + behind);
    }
    // A step over the access tells it at once.
    assert_eq!(gdb.ask("vCont;s:p1.1;c"), "T05thread:p01.01;");
    assert_eq!(gdb.ask("vCont;s:p1.1;c"), "T05thread:p01.01;");
    assert_eq!(gdb.ask("vCont;s:p1.1;c"), format!("T05thread:p01.01;awatch:{COUNTER:08x};"));
    board.stop();
}

#[test]
fn memory_and_registers_of_peripherals_can_be_written() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    assert_eq!(gdb.ask("M20001001,3:aabbcc"), "OK");
    assert_eq!(gdb.ask("m20001000,5"), "00aabbcc00");
    gdb.send_bytes(b"X20001003,2:}\x03\x11");
    assert_eq!(gdb.answer(), "OK");
    assert_eq!(gdb.ask("m20001003,2"), "2311");
    // SIO GPIO_OUT, and its alias that sets bits.
    gdb.set_word(0xd000_0010, 1 << 3);
    gdb.set_word(0xd000_0014, 1 << 5);
    assert_eq!(gdb.word(0xd000_0010), 1 << 3 | 1 << 5);
    assert_eq!(gdb.ask("m10000000,4"), "00200420");
    // Nothing is there, the ROM cannot be written, and what can be read up to a hole is read.
    assert!(gdb.ask("m30000000,4").starts_with('E'));
    assert!(gdb.ask("M0,4:00000000").starts_with('E'));
    assert_eq!(gdb.ask("m20041ffe,8").len(), 4);
    board.stop();
}

#[test]
fn after_detach_the_board_runs_on_until_the_next_client() {
    let board = Served::new(chip(COUNT));
    let mut first = Client::connect(board.address);
    let before = first.cycle();
    assert_eq!(first.ask(&format!("Z1,{LOOP:x},2")), "OK");
    assert_eq!(first.ask("D"), "OK");
    drop(first);
    std::thread::sleep(Duration::from_millis(50));
    let mut second = Client::connect(board.address);
    let after = second.cycle();
    assert!(after > before + 1_000, "{before} to {after}");
    assert_eq!(second.cycle(), after);
    // One that hangs up leaves the board standing still.
    drop(second);
    std::thread::sleep(Duration::from_millis(50));
    let mut third = Client::connect(board.address);
    assert_eq!(third.cycle(), after);
    assert_eq!(third.ask("D"), "OK");
    assert_eq!(board.stop().1, GdbEnd::Interrupted);
}

#[test]
fn a_client_can_kill_the_board() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    gdb.send("k");
    assert_eq!(board.end().1, GdbEnd::Killed);
}

#[test]
fn a_fault_is_a_signal_with_its_sentence() {
    let board = Served::new(chip(FAULTS));
    let mut gdb = Client::connect(board.address);
    assert_eq!(gdb.ask("vCont;c"), "T0bthread:p01.01;");
    assert!(gdb.told.contains("core 0 faulted at 0x10000062: read at 0x30000000"), "{}", gdb.told);
    assert_eq!(gdb.pc(1), FAULT_HANDLER);
    // The handler has the frame of the fault on its stack: R0 and, 24 bytes on, the program counter.
    let stack = gdb.register(1, SP);
    assert_eq!((gdb.word(stack), gdb.word(stack + 24)), (0x3000_0000, FAULTS + 2));
    assert_eq!(gdb.ask("D"), "OK");
    board.stop();
}

#[test]
fn a_breakpoint_instruction_stops_and_is_passed_and_the_exit_ends_the_board() {
    let board = Served::new(chip(TRAPS));
    let mut gdb = Client::connect(board.address);
    assert_eq!(gdb.ask("vCont;c"), "T05thread:p01.01;");
    assert!(gdb.told.contains("core 0 executed BKPT #3"), "{}", gdb.told);
    assert_eq!(gdb.pc(1), TRAPS);
    assert_eq!(gdb.ask("vCont;c"), "W00");
    assert_eq!(board.end().1, GdbEnd::Chip(Stop::Ended(0)));
}

#[test]
fn one_core_is_held_while_the_other_steps_or_both_go_on() {
    let board = Served::new(chip(BOTH));
    let mut gdb = Client::connect(board.address);
    assert_eq!(gdb.ask(&format!("Z0,{SECOND_LOOP:x},2")), "OK");
    assert_eq!(gdb.ask("vCont;c"), "T05thread:p01.02;swbreak:;");
    assert_eq!(gdb.pc(2), SECOND_LOOP);
    assert_eq!(gdb.ask(&format!("z0,{SECOND_LOOP:x},2")), "OK");
    let (first, second) = (gdb.pc(1), gdb.pc(2));
    assert_eq!(gdb.ask("vCont;s:p1.2"), "T05thread:p01.02;");
    assert_eq!((gdb.pc(1), gdb.pc(2)), (first, second + 2));
    assert_eq!(gdb.ask("vCont;s:p1.1"), "T05thread:p01.01;");
    assert_ne!(gdb.pc(1), first);
    assert_eq!(gdb.pc(2), second + 2);
    // Locked to core 0, core 1 does not count; then both do.
    let count = |gdb: &mut Client| (gdb.word(COUNTER), gdb.word(SECOND_COUNTER));
    let (_, before) = count(&mut gdb);
    gdb.send("vCont;c:p1.1");
    std::thread::sleep(Duration::from_millis(20));
    gdb.write(b"\x03");
    assert_eq!(gdb.answer(), "T02thread:p01.01;");
    let (counted, held) = count(&mut gdb);
    assert_eq!(held, before);
    assert!(counted > 100);
    for _ in 0..50 {
        assert_eq!(gdb.ask("vCont;s:p1.1;c"), "T05thread:p01.01;");
    }
    let (later, also) = count(&mut gdb);
    assert!(later > counted && also > held, "{later} {also}");
    board.stop();
}

#[test]
fn a_watchpoint_tells_the_core_that_made_the_access() {
    let board = Served::new(chip(BOTH));
    let mut gdb = Client::connect(board.address);
    assert_eq!(gdb.ask(&format!("Z2,{SECOND_COUNTER:x},4")), "OK");
    for _ in 0..5 {
        assert_eq!(gdb.ask("vCont;c"), format!("T05thread:p01.02;watch:{SECOND_COUNTER:08x};"));
        assert_eq!(gdb.pc(2), SECOND_LOOP + 4);
    }
    board.stop();
}

#[test]
fn flash_is_programmed_and_its_image_started() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    let map = gdb.ask("qXfer:memory-map:read::0,1000");
    assert!(map.contains("type=\"flash\" start=\"0x10000000\" length=\"0x200000\""), "{map}");
    // Some instructions first, so that the code is decoded.
    for _ in 0..5 {
        gdb.ask("vCont;s:p1.1;c");
    }
    assert_eq!(gdb.ask("vFlashErase:10000000,1000"), "OK");
    assert_eq!(gdb.word(LOOP), 0xffff_ffff);
    let bytes = image_bytes(TRAPS);
    let escaped: Vec<u8> = bytes
        .iter()
        .flat_map(|&byte| match byte {
            b'#' | b'$' | b'}' | b'*' => vec![b'}', byte ^ 0x20],
            byte => vec![byte],
        })
        .collect();
    gdb.send_bytes(&[b"vFlashWrite:10000000:", &escaped[..]].concat());
    assert_eq!(gdb.answer(), "OK");
    assert_eq!(gdb.ask("vFlashDone"), "OK");
    assert_eq!(gdb.pc(1), TRAPS);
    assert_eq!(gdb.ask("vCont;c"), "T05thread:p01.01;");
    assert!(gdb.told.contains("BKPT #3"), "{}", gdb.told);
    assert!(gdb.ask("vFlashErase:10200000,1000").starts_with('E'));
    assert!(gdb.ask("vFlashErase:20000000,1000").starts_with('E'));
    board.stop();
}

#[test]
fn monitor_commands_reset_and_tell() {
    let board = Served::new(chip(COUNT));
    let mut gdb = Client::connect(board.address);
    gdb.send("vCont;c");
    std::thread::sleep(Duration::from_millis(20));
    gdb.write(b"\x03");
    assert_eq!(gdb.answer(), "T02thread:p01.01;");
    assert!(gdb.monitor("reset halt").contains("stands at 0x10000040"));
    assert_eq!(gdb.pc(1), COUNT);
    let before = gdb.cycle();
    assert_eq!(gdb.cycle(), before);
    assert!(gdb.monitor("reset run").contains("runs"));
    std::thread::sleep(Duration::from_millis(50));
    assert!(gdb.cycle() > before);
    assert!(gdb.monitor("pins").contains("GP29 low"));
    assert!(gdb.monitor("help").contains("reset run"));
    assert!(gdb.monitor("dance").contains("no command \"dance\""));
    board.stop();
}

#[test]
fn a_port_that_is_taken_is_told_in_a_sentence() {
    let board = Served::new(chip(COUNT));
    let error = GdbServer::bind(&board.address.to_string()).unwrap_err().to_string();
    assert!(error.contains("another program may use the port"), "{error}");
    assert!(GdbServer::bind("3333x").unwrap_err().to_string().contains("give a port as in :3333"));
    board.stop();
}

/// Packets as GDB sends them, with anything behind.
fn packet() -> impl Strategy<Value = Vec<u8>> {
    let begin = prop::sample::select(vec![
        "",
        "m",
        "M",
        "X",
        "g",
        "G",
        "p",
        "P",
        "H",
        "Hg",
        "Hc",
        "vCont;",
        "vCont;s:",
        "vCont;r",
        "c",
        "s",
        "C",
        "S",
        "Z0,",
        "Z1,",
        "Z2,",
        "z3,",
        "vFlashErase:",
        "vFlashWrite:",
        "vFlashDone",
        "qRcmd,",
        "qXfer:memory-map:read::",
        "qXfer:features:read:target.xml:",
        "qSupported:",
        "qThreadExtraInfo,",
        "T",
        "D",
        "?",
        "vMustReplyEmpty",
    ]);
    let end = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..20),
        "[0-9a-f]{0,9}[,:;=]{0,1}[0-9a-f]{0,9}[:;]{0,1}[0-9a-f]{0,8}".prop_map(String::into_bytes),
    ];
    (begin, end, 0u8..10).prop_map(|(begin, end, damage)| {
        let body = [begin.as_bytes(), &end].concat();
        let checksum = body.iter().fold(u8::from(damage == 0), |sum, &byte| sum.wrapping_add(byte));
        [b"$", &body[..], format!("#{checksum:02x}").as_bytes()].concat()
    })
}

#[test]
fn malformed_packets_end_the_connection_at_most() {
    let board = Served::new(chip(COUNT));
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(packets in prop::collection::vec(packet(), 1..12))| {
        let mut stream = TcpStream::connect(board.address).unwrap();
        // The server may hang up at any of them.
        let _ = stream.write_all(&packets.concat());
        let _ = stream.write_all(b"\x03");
    });
    Client::connect(board.address).monitor("time");
    assert_eq!(board.stop().1, GdbEnd::Interrupted);
}
