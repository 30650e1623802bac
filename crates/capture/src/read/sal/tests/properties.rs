//! Captures of any shape, and damaged ones.

use super::*;

/// Runs of one channel in blocks, all channels of the same length.
fn channel_strategy(length: u64) -> impl Strategy<Value = (Vec<u64>, Vec<u64>, bool, u32)> {
    let runs = prop::collection::vec(prop_oneof![1_u64..100, 1_u64..1_000_000], 0..300);
    let cuts = prop::collection::vec(1..length, 0..5);
    (runs, cuts, any::<bool>(), 1_u32..=3).prop_map(move |(runs, cuts, level, version)| {
        let mut edges: Vec<u64> = Vec::new();
        let mut sample = 0;
        for run in runs {
            sample += run;
            if sample < length {
                edges.push(sample);
            }
        }
        let mut cuts = cuts;
        cuts.sort_unstable();
        cuts.dedup();
        (edges, cuts, level, version)
    })
}

/// The member of a channel that toggles at `edges`, in blocks that end at `cuts`.
fn channel_member(edges: &[u64], cuts: &[u64], first_level: bool, version: u32, length: u64) -> MemberText {
    let mut bounds = vec![0];
    bounds.extend(cuts);
    bounds.push(length);
    let level_at =
        |sample: u64| first_level ^ (edges.iter().filter(|edge| **edge <= sample).count() % 2 == 1);
    let cut_block = |pair: &[u64]| {
        let mut points = vec![pair[0]];
        points.extend(edges.iter().filter(|edge| pair[0] < **edge && **edge < pair[1]));
        points.push(pair[1]);
        let runs: Vec<u64> = points.windows(2).map(|points| points[1] - points[0]).collect();
        block(pair[0], i32::from(level_at(pair[0])), &runs)
    };
    member(version, bounds.windows(2).map(cut_block).collect())
}

const LENGTH: u64 = 20_000_000;

proptest! {
    #[test]
    fn channels_written_in_any_blocks_read_back_the_same(
        channels in prop::collection::vec(channel_strategy(LENGTH), 1..5),
        trim in prop::option::of((0..LENGTH / 2, LENGTH / 2..LENGTH)),
    ) {
        let (begin, end) = trim.map_or((0, LENGTH), |(first, last)| (first, last + 1));
        let members: Vec<MemberText> = channels
            .iter()
            .map(|(edges, cuts, level, version)| MemberText {
                trim: [trim.map(|(first, _)| first), trim.map(|(_, last)| last)],
                ..channel_member(edges, cuts, *level, *version, LENGTH)
            })
            .collect();
        let levels_at = |sample: u64| {
            channels.iter().enumerate().fold(0, |levels, (bit, (edges, _, first, _))| {
                let toggles = edges.partition_point(|edge| *edge <= sample) as u64;
                levels | ((u64::from(*first) + toggles) % 2) << bit
            })
        };
        let mut samples: Vec<u64> = channels.iter().flat_map(|(edges, ..)| edges.clone()).collect();
        samples.retain(|sample| (begin + 1..end).contains(sample));
        samples.push(begin);
        samples.sort_unstable();
        samples.dedup();
        let expected: Vec<(i64, u64)> =
            samples.iter().map(|sample| ((sample - begin) as i64 * PS_A_SAMPLE, levels_at(*sample))).collect();
        let capture = read(&members).unwrap();
        prop_assert_eq!(capture.changes, expected);
        prop_assert_eq!(capture.end_ps, (end - begin) as i64 * PS_A_SAMPLE);
    }

    #[test]
    fn a_damaged_file_gives_at_most_a_part_of_the_changes_and_an_error(
        channels in prop::collection::vec(channel_strategy(LENGTH), 1..3),
        cut in any::<prop::sample::Index>(),
        stored in any::<bool>(),
        whole_archive in any::<bool>(),
    ) {
        let members: Vec<MemberText> = channels
            .iter()
            .map(|(edges, cuts, level, version)| channel_member(edges, cuts, *level, *version, LENGTH))
            .collect();
        let method = if stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let first = members[0].bytes();
        let whole = [("meta.json", b"{}".to_vec()), ("digital-0.bin", first.clone())];
        let changes = read_zip(zipped(&whole, method), &[]).1.unwrap().changes;
        let damaged = if whole_archive {
            let mut zip = zipped(&whole, method);
            zip.truncate(cut.index(zip.len()));
            zip
        } else {
            let kept = first[..cut.index(first.len())].to_vec();
            zipped(&[("meta.json", b"{}".to_vec()), ("digital-0.bin", kept)], method)
        };
        let (read, result) = read_zip(damaged, &[]);
        prop_assert!(result.is_err());
        prop_assert_eq!(&changes[..read.len()], &read[..]);
    }

    #[test]
    fn no_bytes_make_it_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        (edges, cuts, level, version) in channel_strategy(1_000),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        number in prop_oneof![any::<u64>(), Just(u64::MAX), 0_u64..4],
    ) {
        let mut changed = channel_member(&edges, &cuts, level, version, 1_000).bytes();
        let at = at.index(changed.len());
        changed[at] = byte;
        let mut overwritten = changed.clone();
        let end = (at + 8).min(overwritten.len());
        overwritten[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
        let mut appended = changed[..at].to_vec();
        appended.extend(&bytes);
        for member in [changed, overwritten, appended, bytes.clone()] {
            let meta = if member.len() % 2 == 0 { b"{}".to_vec() } else { bytes.clone() };
            let members = [("meta.json", meta), ("digital-0.bin", member)];
            let _ = read_zip(zipped(&members, CompressionMethod::Stored), &[]);
        }
        let _ = read_zip(bytes, &[]);
    }
}
