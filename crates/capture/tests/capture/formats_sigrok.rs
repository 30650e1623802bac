//! sigrok sessions: built here member by member, and written by sigrok-cli itself where it is installed.

use crate::support::{SigrokCli, channels, drain, plain_changes, read, read_file, refusal, zip};
use proptest::prelude::*;

const METADATA: &str = "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=8\n\
                        samplerate=1 MHz\ntotal analog=0\nprobe1=TX\nprobe2=RX\nprobe8=D7\nunitsize=1\n";

fn session(metadata: &str, parts: &[&[u8]]) -> Vec<u8> {
    let names: Vec<String> = (1..=parts.len()).map(|number| format!("logic-1-{number}")).collect();
    let mut members: Vec<(&str, &[u8])> = vec![("version", b"2"), ("metadata", metadata.as_bytes())];
    members.extend(names.iter().map(String::as_str).zip(parts.iter().copied()));
    zip(&members, true)
}

#[test]
fn samples_become_changes_at_exact_times() {
    let capture = read(session(METADATA, &[&[0, 1, 1, 0x83, 0x82]]), &[]).unwrap();
    assert_eq!(capture.labels(), ["TX", "RX", "D7"]);
    assert_eq!(capture.indices(), [0, 1, 7]);
    let us = 1_000_000;
    assert_eq!(capture.changes, [(0, 0), (us, 0b001), (3 * us, 0b111), (4 * us, 0b110)]);
    assert_eq!(capture.end_ps, 5 * us);
    assert_eq!(capture.info.sample_rate.unwrap().hz(), 1_000_000);
}

#[test]
fn channels_are_chosen_by_label_or_probe_and_become_bits_in_that_order() {
    let capture = read(session(METADATA, &[&[0, 1, 2, 0x80]]), &["7", "TX"]).unwrap();
    assert_eq!(capture.labels(), ["D7", "TX"]);
    let us = 1_000_000;
    assert_eq!(capture.changes, [(0, 0), (us, 0b10), (2 * us, 0), (3 * us, 0b01)]);
}

#[test]
fn changes_of_other_channels_are_folded_away() {
    let capture = read(session(METADATA, &[&[0, 2, 0, 2, 3]]), &["TX"]).unwrap();
    assert_eq!(capture.changes, [(0, 0), (4_000_000, 1)]);
}

#[test]
fn parts_are_joined_in_numeric_order_and_may_split_a_sample() {
    let metadata = METADATA.replace("unitsize=1", "unitsize=3");
    let mut samples = Vec::new();
    for sample in 0..10_u8 {
        samples.extend([sample & 1, 0xff, 0]);
    }
    let parts: Vec<&[u8]> = samples.chunks(2).collect();
    assert!(parts.len() > 10, "logic-1-10 must not come before logic-1-2");
    let capture = read(session(&metadata, &parts), &["TX"]).unwrap();
    assert_eq!(capture.changes.len(), 10);
    assert_eq!(capture.end_ps, 10_000_000);
}

#[test]
fn a_rate_that_is_no_whole_period_accumulates_no_error() {
    let metadata = METADATA.replace("1 MHz", "24 MHz");
    let mut samples = vec![0; 24_000_001];
    samples[24_000_000] = 1;
    let capture = read(session(&metadata, &[&samples]), &["TX"]).unwrap();
    assert_eq!(capture.changes, [(0, 0), (1_000_000_000_000, 1)]);
    assert_eq!(capture.end_ps, 1_000_000_041_666);
}

#[test]
fn a_session_of_the_first_version_has_one_member_of_samples_and_a_bare_rate() {
    let metadata = METADATA.replace("1 MHz", "1000000");
    let members: [(&str, &[u8]); 3] =
        [("version", b"1"), ("metadata", metadata.as_bytes()), ("logic-1", b"\0\x01")];
    assert_eq!(read(zip(&members, false), &["TX"]).unwrap().changes, [(0, 0), (1_000_000, 1)]);
}

#[test]
fn more_than_64_probes_can_be_read_a_few_at_a_time() {
    let mut metadata = METADATA.replace("unitsize=1", "unitsize=12");
    for probe in 9..=90 {
        metadata += &format!("probe{probe}=P{probe}\n");
    }
    let mut samples = vec![0; 24];
    samples[12 + 11] = 0b10;
    let bytes = session(&metadata, &[&samples]);
    assert_eq!(read(bytes.clone(), &["P90", "P89"]).unwrap().changes, [(0, 0), (1_000_000, 1)]);
    let message = refusal(bytes);
    assert!(message.contains("85 channels are more than the 64"), "{message}");
}

#[test]
fn mistakes_in_a_session_are_named_with_their_place() {
    for (metadata, part, expected) in [
        (METADATA.replace("samplerate=1 MHz\n", ""), &[0_u8][..], "capture:metadata: it gives no samplerate"),
        (METADATA.replace("1 MHz", "0 Hz"), &[0], "`0 Hz` is no samplerate"),
        (METADATA.replace("1 MHz", "2000 GHz"), &[0], "beyond 1 THz"),
        (METADATA.replace("probe", "other"), &[0], "only analogue ones"),
        (METADATA.replace("unitsize=1", "unitsize=0"), &[0], "a unitsize of 0 bytes has no room for probe8"),
        (METADATA.replace("unitsize=1", "unitsize=-"), &[0], "`-` is no unitsize"),
        (METADATA.replace("probe1", "probe0"), &[0], "probes count from 1"),
        (METADATA.replace("probe1", "probe4000000000"), &[0], "1024 is the highest"),
        (METADATA.replace("unitsize=1", "unitsize=2"), &[0, 0, 0], "sample 1: the samples end within one"),
        (METADATA.replace("logic-1", "logic-9"), &[0], "lacks the member logic-9-1"),
        (METADATA.replace("[device 1]", "[other]"), &[0], "no section [device 1]"),
        (METADATA.replace("samplerate=1 MHz", "samplerate=1 Hz"), &[], "holds no samples"),
    ] {
        let message = refusal(session(&metadata, &[part]));
        assert!(message.starts_with("capture") && message.contains(expected), "{message}");
    }
}

#[test]
fn a_missing_part_is_not_passed_over() {
    let members: [(&str, &[u8]); 4] =
        [("version", b"2"), ("metadata", METADATA.as_bytes()), ("logic-1-1", b"\0"), ("logic-1-3", b"\x01")];
    let message = refusal(zip(&members, false));
    assert!(message.contains("lacks the member logic-1-2"), "{message}");
}

#[test]
fn an_unknown_version_is_refused() {
    let message = refusal(zip(&[("version", b"3"), ("metadata", METADATA.as_bytes())], false));
    assert!(message.contains("capture:version: the session has format version `3`"), "{message}");
}

proptest! {
    #[test]
    fn any_samples_of_any_size_read_as_the_plainest_computation_says(
        unit_bytes in 1_usize..=9,
        runs in prop::collection::vec((0_u64..4, 1_usize..300), 1..40),
        part_bytes in 1_usize..5_000,
    ) {
        let samples: Vec<u64> =
            runs.iter().flat_map(|(levels, length)| std::iter::repeat_n(*levels, *length)).collect();
        let bytes: Vec<u8> = samples
            .iter()
            .flat_map(|levels| {
                let mut sample = vec![0xa5; unit_bytes];
                sample[0] = (*levels as u8 & 1) | 0x54;
                sample[unit_bytes - 1] = (sample[unit_bytes - 1] & 0x7f) | (*levels as u8 >> 1) << 7;
                sample
            })
            .collect();
        let last = unit_bytes * 8;
        let metadata =
            format!("[device 1]\ncapturefile=logic-1\nsamplerate=3 MHz\nunitsize={unit_bytes}\nprobe1=a\nprobe{last}=b\n");
        let parts: Vec<&[u8]> = bytes.chunks(part_bytes).collect();
        let capture = read(session(&metadata, &parts), &[]).unwrap();
        prop_assert_eq!((capture.changes, capture.end_ps), plain_changes(&samples, 3_000_000));
    }
}

#[test]
fn sessions_written_by_sigrok_read_the_same_as_their_raw_samples() {
    let Some(sigrok) = SigrokCli::find() else { return };
    let samples: Vec<u8> = (0..100_000_u32).map(|n| (n / 777 % 7 * 37 % 256) as u8).collect();
    for rate_hz in [1, 7, 24_000_000, 133_000_000, 5_000_000_000] {
        let path = sigrok.session_of(&samples, 8, rate_hz);
        let capture = read_file(&path).unwrap();
        let expected: Vec<u64> = samples.iter().copied().map(u64::from).collect();
        assert_eq!((capture.changes, capture.end_ps), plain_changes(&expected, rate_hz), "{rate_hz}");
    }
}

#[test]
fn a_session_that_sigrok_saved_of_some_channels_keeps_their_numbers() {
    let Some(sigrok) = SigrokCli::find() else { return };
    sigrok.session_of(&[0, 0x80, 0x82, 0x83], 8, 1_000);
    sigrok.run(&["-i", "x.sr", "-C", "1,7", "-o", "some.sr"]);
    let capture = drain(capture::open(&sigrok.path("some.sr"), &channels(&["7"])).unwrap()).unwrap();
    assert_eq!(capture.changes, [(0, 0), (1_000_000_000, 1)]);
    assert_eq!(read_file(&sigrok.path("some.sr")).unwrap().indices(), [1, 7]);
}
