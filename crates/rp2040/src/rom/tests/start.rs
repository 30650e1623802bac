//! From reset to the image, and core 1's launch.

use std::collections::VecDeque;

use crate::rom::boot::{BootError, boot};
use crate::rom::launch::{HoldingPen, LaunchPort, PenState};
use crate::rom::test_context::Bench;

/// 252 bytes of "code" and their checksum, computed with another algorithm than the ROM's (bytes through a table).
fn boot2() -> Vec<u8> {
    let table: Vec<u32> = (0..256u32)
        .map(|byte| (0..8).fold(byte << 24, |sum, _| sum << 1 ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 }))
        .collect();
    let mut bytes: Vec<u8> = (0..252u32).map(|at| (at * 31) as u8).collect();
    let sum =
        bytes.iter().fold(u32::MAX, |sum, &byte| sum << 8 ^ table[(sum >> 24 ^ u32::from(byte)) as usize]);
    bytes.extend(sum.to_le_bytes());
    bytes
}

#[test]
fn the_second_stage_is_checked_copied_and_entered_with_link_register_0() {
    let mut bench = Bench::new();
    let image = boot2();
    bench.flash.load(0, &image).expect("fits");
    bench.put(0x1800_0014, &[6, 0, 0, 0]);
    let rom = bench.rom.clone();
    let entry = boot(&rom, &mut bench).expect("the checksum is right");
    assert_eq!(
        (entry.program_counter, entry.stack_pointer, entry.link_register),
        (0x2004_1f00, 0x2004_1f00, 0)
    );
    assert_eq!(bench.get(0x2004_1f00, 256), image);
    // The ROM's source speaks of around 4 ms for an attempt at the 6.5 MHz of the ring oscillator, after the waits.
    let attempt_ms = f64::from(entry.cycles - 2 * 6144) / 6.5e3;
    assert!((3.0..6.0).contains(&attempt_ms), "{attempt_ms}");
}

#[test]
fn a_flash_without_a_second_stage_is_refused() {
    let mut bench = Bench::new();
    let rom = bench.rom.clone();
    let Err(BootError::Checksum { computed, stored }) = boot(&rom, &mut bench) else { panic!("it started") };
    assert_eq!(stored, u32::MAX);
    assert_ne!(computed, stored);
}

#[test]
fn watchdog_scratch_registers_redirect_the_start_once() {
    let mut bench = Bench::new();
    let rom = bench.rom.clone();
    let (magic, target, stack) = (0xb007_c0d3_u32, 0x2000_0101_u32, 0x2000_8000_u32);
    for (number, word) in [(4, magic), (5, target ^ magic.wrapping_neg()), (6, stack), (7, target)] {
        bench.put(0x4005_800c + 4 * number, &word.to_le_bytes());
    }
    let entry = boot(&rom, &mut bench).expect("no flash is needed");
    assert_eq!((entry.program_counter, entry.stack_pointer), (0x2000_0100, stack));
    assert!(boot(&rom, &mut bench).is_err(), "the magic is gone");
}

#[derive(Default)]
struct Fifos {
    to_core1: VecDeque<u32>,
    to_core0: VecDeque<u32>,
}

impl LaunchPort for Fifos {
    fn receive(&mut self) -> Option<u32> {
        self.to_core1.pop_front()
    }

    fn send(&mut self, word: u32) -> bool {
        let room = self.to_core0.len() < 8;
        if room {
            self.to_core0.push_back(word);
        }
        room
    }
}

/// As the SDK launches: a 0 empties the FIFO first, every word waits for its echo, a wrong echo starts again.
fn launch(pen: &mut HoldingPen, fifos: &mut Fifos, words: &[u32; 6]) -> Option<PenState> {
    let mut at = 0;
    for _ in 0..100 {
        if words[at] == 0 {
            fifos.to_core0.clear();
        }
        fifos.to_core1.push_back(words[at]);
        let state = pen.step(fifos);
        let echo = fifos.to_core0.pop_front();
        if state != PenState::Asleep {
            return Some(state);
        }
        at = if echo == Some(words[at]) { at + 1 } else { 0 };
    }
    None
}

#[test]
fn core_1_starts_after_the_sequence_of_the_sdk() {
    let (mut pen, mut fifos) = (HoldingPen::new(), Fifos::default());
    assert_eq!(pen.step(&mut fifos), PenState::Asleep);
    assert_eq!(fifos.to_core0, [0], "a waiting core greets with a 0");
    let words = [0, 0, 1, 0x1000_0100, 0x2004_1000, 0x1000_2345];
    let launched = launch(&mut pen, &mut fifos, &words);
    let Some(PenState::Launched { vector_table, stack_pointer, entry, .. }) = launched else {
        panic!("asleep")
    };
    assert_eq!((vector_table, stack_pointer, entry), (0x1000_0100, 0x2004_1000, 0x1000_2344));
}

#[test]
fn rubbish_and_a_broken_off_sequence_do_not_hinder_the_next() {
    let (mut pen, mut fifos) = (HoldingPen::new(), Fifos::default());
    pen.step(&mut fifos);
    for word in [7, 1, 0x2000_0000, 0] {
        fifos.to_core1.push_back(word);
        assert_eq!(pen.step(&mut fifos), PenState::Asleep);
    }
    let words = [0, 0, 1, 0x2000_0000, 0x2004_0000, 0x2000_0401];
    assert!(launch(&mut pen, &mut fifos, &words).is_some());
}

#[test]
fn a_full_fifo_keeps_the_answer_until_there_is_room() {
    let (mut pen, mut fifos) = (HoldingPen::new(), Fifos::default());
    fifos.to_core0.extend([9; 8]);
    assert_eq!(pen.step(&mut fifos), PenState::Asleep);
    fifos.to_core0.clear();
    pen.step(&mut fifos);
    assert_eq!(fifos.to_core0, [0]);
}
