//! Levels and times, over blocks, channels and trims.

use super::*;

#[test]
fn runs_of_all_lengths_toggle_the_level_in_every_version() {
    for version in 1..=3 {
        let runs = [1, 1, 63, 64, 65, 128, 8_191, 8_192, 8_193, 1 << 20, 1 << 34, 5];
        let capture = read(&[member(version, vec![block(0, 1, &runs)])]).unwrap();
        let mut expected = vec![(0, 1)];
        let mut sample = 0;
        for (edge, run) in runs[..runs.len() - 1].iter().enumerate() {
            sample += run;
            expected.push((sample as i64 * PS_A_SAMPLE, edge as u64 % 2));
        }
        assert_eq!(capture.changes, expected);
        assert_eq!(capture.end_ps, (sample as i64 + 5) * PS_A_SAMPLE);
        assert_eq!(capture.info.start.as_deref(), Some("2023-11-08T01:54:37.572612000Z"));
        assert_eq!(capture.info.sample_rate, units::Hertz::new(RATE));
        assert_eq!(capture.info.format, "Saleae Logic 2 session");
    }
}

#[test]
fn a_level_that_differs_between_blocks_is_an_edge_and_an_equal_one_is_none() {
    for version in 1..=2 {
        let blocks = vec![block(0, 0, &[3, 4]), block(7, 1, &[5]), block(12, 0, &[1, 1]), block(14, 1, &[9])];
        let capture = read(&[member(version, blocks)]).unwrap();
        let at = |sample: i64, level: u64| (sample * PS_A_SAMPLE, level);
        assert_eq!(capture.changes, [at(0, 0), at(3, 1), at(12, 0), at(13, 1)]);
        assert_eq!(capture.end_ps, 23 * PS_A_SAMPLE);
    }
}

#[test]
fn channels_with_different_blocks_are_joined_by_time() {
    let first = member(2, vec![block(0, 0, &[10, 10]), block(20, 1, &[10, 20])]);
    let second = member(1, vec![block(0, 1, &[5, 5, 20, 20])]);
    let capture = read(&[first.clone(), second.clone()]).unwrap();
    let at = |sample: i64, levels: u64| (sample * PS_A_SAMPLE, levels);
    assert_eq!(capture.changes, [at(0, 0b10), at(5, 0), at(10, 0b11), at(30, 0)]);
    let swapped = read_zip(sal(&[first, second]), &["done", "0"]).1.unwrap();
    assert_eq!(swapped.changes, [at(0, 0b01), at(5, 0), at(10, 0b11), at(30, 0)]);
    let labels: Vec<&str> = swapped.info.channels.iter().map(|channel| channel.label.as_str()).collect();
    assert_eq!(labels, ["done", "trigger"]);
}

#[test]
fn a_trimmed_capture_begins_and_ends_where_it_was_trimmed() {
    let blocks = vec![block(1_000, 0, &[10, 10, 10, 10, 10, 50])];
    let at = |sample: i64, level: u64| (sample * PS_A_SAMPLE, level);
    for (trim, changes, end) in [
        ([None, None], vec![at(0, 0), at(10, 1), at(20, 0), at(30, 1), at(40, 0), at(50, 1)], 100),
        ([Some(1_000), None], vec![at(0, 0), at(10, 1), at(20, 0), at(30, 1), at(40, 0), at(50, 1)], 100),
        ([Some(1_010), None], vec![at(0, 1), at(10, 0), at(20, 1), at(30, 0), at(40, 1)], 90),
        ([Some(1_019), Some(1_040)], vec![at(0, 1), at(1, 0), at(11, 1), at(21, 0)], 22),
        ([Some(1_019), Some(1_039)], vec![at(0, 1), at(1, 0), at(11, 1)], 21),
        ([Some(1_060), Some(1_099)], vec![at(0, 1)], 40),
        ([None, Some(1_000)], vec![at(0, 0)], 1),
    ] {
        let capture = read(&[MemberText { trim, ..member(1, blocks.clone()) }]).unwrap();
        assert_eq!((capture.changes, capture.end_ps), (changes, end * PS_A_SAMPLE), "{trim:?}");
    }
}

#[test]
fn the_start_is_that_of_the_first_sample_that_counts() {
    let trimmed =
        MemberText { trim: [Some(150_000_001), None], ..member(1, vec![block(0, 0, &[200_000_000])]) };
    assert_eq!(read(&[trimmed]).unwrap().info.start.as_deref(), Some("2023-11-08T01:54:39.072612010Z"));
}

#[test]
fn sample_times_are_cut_to_picoseconds_and_never_accumulated() {
    let runs = [1; 9];
    let at_24_mhz = BlockText { rate: 24_000_000, ..block(0, 0, &runs) };
    let capture = read(&[MemberText { rate: 24e6, ..member(1, vec![at_24_mhz]) }]).unwrap();
    let times: Vec<i64> = capture.changes.iter().map(|(ps, _)| *ps).collect();
    assert_eq!(times, [0, 41_666, 83_333, 125_000, 166_666, 208_333, 250_000, 291_666, 333_333]);
    assert_eq!(capture.end_ps, 375_000);
}
