//! What is refused, and with which sentence.

use super::*;

#[test]
fn what_breaks_the_format_is_refused_with_its_member_and_byte() {
    let good = |version| member(version, vec![block(0, 0, &[10, 10])]);
    let with_block = |version, change: fn(&mut BlockText)| {
        let mut channel = good(version);
        change(&mut channel.blocks[0]);
        channel
    };
    for (channel, message) in [
        (
            MemberText { magic: *b"<SALEAF>", ..good(1) },
            "0: it does not begin with <SALEAE>; save the capture again",
        ),
        (
            MemberText { version: 4, ..good(1) },
            "8: its format has version 4, but Airwire knows 1 to 3; export the capture as CSV",
        ),
        (
            MemberText { version: 0, ..good(1) },
            "8: its format has version 0, but Airwire knows 1 to 3; export the capture as CSV",
        ),
        (MemberText { kind: 101, ..good(1) }, "12: it is of type 101, 1, but digital data is 100, 1"),
        (MemberText { marker: 0, ..good(1) }, "12: it is of type 100, 0, but digital data is 100, 1"),
        (
            MemberText { rate: 0.0, ..good(1) },
            "17: a rate of 0 samples a second is no whole number from 1 to 10^12",
        ),
        (
            MemberText { rate: -1e8, ..good(1) },
            "17: a rate of -100000000 samples a second is no whole number from 1 to 10^12",
        ),
        (
            MemberText { rate: f64::NAN, ..good(1) },
            "17: a rate of NaN samples a second is no whole number from 1 to 10^12",
        ),
        (
            MemberText { rate: 1e13, ..good(1) },
            "17: a rate of 10000000000000 samples a second is no whole number from 1 to 10^12",
        ),
        (
            MemberText { rate: 0.5, ..good(1) },
            "17: a rate of 0.5 samples a second is no whole number from 1 to 10^12",
        ),
        (MemberText { fraction_ms: f64::INFINITY, ..good(1) }, "33: inf is no fraction of a millisecond"),
        (member(1, Vec::new()), "43: the channel has no samples; record it again"),
        (MemberText { tail: vec![0], ..good(2) }, "79: more data follows the last block"),
        (MemberText { extra_blocks: 1, ..good(2) }, "79: it ends here, in the middle of its data"),
        (with_block(1, |block| block.length = 21), "51: the block from sample 0 to 20 claims 21 samples"),
        (with_block(1, |block| block.begin = 30), "51: the block from sample 30 to 20 claims 20 samples"),
        (
            with_block(1, |block| block.rate = 1),
            "51: the block has 1 samples a second, but the channel 100 MHz",
        ),
        (
            with_block(1, |block| block.fifth = 2),
            "51: the block's fifth field is 2, but Airwire knows only 1",
        ),
        (
            with_block(1, |block| block.extra_bytes = u64::MAX / 2),
            "51: the block claims 9223372036854775809 bytes; the file is damaged",
        ),
        (with_block(1, |block| block.extra_bytes = 100_000), "149: it ends here, in the middle of its data"),
        (
            with_block(1, |block| block.index_entries = 0),
            "101: the block has no index, so its level is unknown",
        ),
        (with_block(1, |block| block.index_entries = 3), "149: it ends here, in the middle of its data"),
        (
            with_block(1, |block| block.index_entries = u64::MAX),
            "109: the block's index does not begin with its level",
        ),
        (with_block(1, |block| block.level = 2), "109: the block's index does not begin with its level"),
        (with_block(1, |block| block.level = -1), "109: the block's index does not begin with its level"),
        (
            with_block(2, |block| block.level = 2),
            "67: the block's level is marked 2 0, but Airwire knows only 0 0 and 1 0",
        ),
        (
            with_block(2, |block| block.level = 256),
            "67: the block's level is marked 0 1, but Airwire knows only 0 0 and 1 0",
        ),
        (with_block(2, |block| block.end = 0), "77: the block has no samples"),
        (
            with_block(2, |block| block.extra_bytes = u64::MAX / 2),
            "79: it ends here, in the middle of its data",
        ),
        (with_block(2, |block| block.end = 19), "78: the runs of this block go on beyond its end, sample 19"),
        (with_block(2, |block| block.end = 10), "78: the runs of this block go on beyond its end, sample 10"),
        (
            with_block(2, |block| block.end = 21),
            "79: the runs of this block end at sample 20, but the block at 21",
        ),
        (
            with_block(2, |block| block.data = Vec::new()),
            "77: the runs of this block end at sample 0, but the block at 20",
        ),
        (
            with_block(2, |block| block.data = vec![9, 0x80]),
            "78: this run has an encoding that Airwire does not know; export the capture as CSV",
        ),
        (
            with_block(2, |block| block.data = vec![9, 0x40]),
            "78: this run does not end within its block or 10 bytes",
        ),
        (
            with_block(2, |block| block.data = [vec![0x7f], vec![0xff; 20]].concat()),
            "77: this run does not end within its block or 10 bytes",
        ),
        (
            with_block(2, |block| block.data = [vec![0x7f], vec![0xff; 8], vec![0x7f]].concat()),
            "77: the runs of this block go on beyond its end, sample 20",
        ),
    ] {
        assert_eq!(error_of(&channel), format!("x.sal:digital-0.bin at byte {message}"), "{channel:?}");
    }
    let gap = member(2, vec![block(0, 0, &[10]), block(11, 1, &[10])]);
    let message = "x.sal:digital-0.bin at byte 104: the block begins at sample 11, but the one before it ends at 10; captures with gaps cannot be read";
    assert_eq!(error_of(&gap), message);
}

#[test]
fn channels_that_do_not_belong_together_are_refused() {
    let first = member(2, vec![block(0, 0, &[10, 10])]);
    let differs = "x.sal:digital-1.bin: its sample rate, start or trim differs from that of digital-0.bin; read them one by one";
    let not_in_data = "x.sal:digital-0.bin: the capture was trimmed to samples";
    for (channels, message) in [
        (vec![first.clone(), MemberText { rate: 5e7, ..first.clone() }], differs.to_owned()),
        (vec![first.clone(), MemberText { trim: [Some(1), None], ..first.clone() }], differs.to_owned()),
        (vec![first.clone(), MemberText { unix_ms: 0, ..first.clone() }], differs.to_owned()),
        (
            vec![first.clone(), member(2, vec![block(0, 0, &[10, 11])])],
            "x.sal:digital-1.bin: the channel ends at sample 21, but the capture at 20".to_owned(),
        ),
        (
            vec![MemberText { trim: [None, Some(20)], ..first.clone() }],
            "x.sal:digital-0.bin: the channel ends at sample 20, but the capture at 21".to_owned(),
        ),
        (
            vec![MemberText { trim: [Some(20), None], ..first.clone() }],
            "x.sal:digital-0.bin: the channel ends at sample 20, before the capture begins at 20".to_owned(),
        ),
        (
            vec![MemberText { trim: [Some(9), Some(8)], ..first.clone() }],
            format!("{not_in_data} 9 to 8, which its data lacks"),
        ),
        (
            vec![MemberText { trim: [Some(9), None], ..member(2, vec![block(10, 0, &[10])]) }],
            format!("{not_in_data} 9 to 9, which its data lacks"),
        ),
        (
            vec![MemberText { trim: [Some(u64::MAX), None], ..first.clone() }],
            format!("{not_in_data} {} to {}, which its data lacks", u64::MAX, u64::MAX),
        ),
        (
            vec![MemberText { unix_ms: u64::MAX, ..first.clone() }],
            "x.sal:digital-0.bin: the capture's start is no time before the year 10000".to_owned(),
        ),
        (
            vec![member(2, vec![block(0, 0, &[1 << 62, 5, 5])])],
            format!(
                "x.sal:digital-0.bin: sample {} lies more than 106 days after the capture's begin",
                1_u64 << 62
            ),
        ),
    ] {
        assert_eq!(read(&channels).map(|capture| capture.changes).unwrap_err(), message);
    }
}

#[test]
fn an_archive_without_its_parts_is_refused() {
    let channel = || member(1, vec![block(0, 0, &[10])]).bytes();
    let cases: [(Members, &str); 4] = [
        (
            vec![("digital-0.bin", channel())],
            "x.sal:meta.json: the archive lacks this file; save the capture again",
        ),
        (
            vec![("meta.json", b"{}".to_vec())],
            "x.sal: the capture has no digital channel; record at least one",
        ),
        (
            vec![("meta.json", META.into()), ("digital-1.bin", channel())],
            "x.sal: the archive lacks digital-0.bin, which meta.json names; save the capture again",
        ),
        (
            vec![("meta.json", META.as_bytes()[..50].to_vec()), ("digital-0.bin", channel())],
            "x.sal:meta.json: it is no valid JSON (EOF while parsing an object at line 2 column 11); save the capture again",
        ),
    ];
    for (members, message) in cases {
        assert_eq!(read_zip(zipped(&members, CompressionMethod::Stored), &[]).1.unwrap_err(), message);
    }
    let channels = [member(1, vec![block(0, 0, &[10])])];
    assert_eq!(
        read_zip(sal(&channels), &["done"]).1.unwrap_err(),
        "x.sal: there is no channel \"done\"; it has 0 (trigger). Name one of them"
    );
}

#[test]
fn damage_that_only_the_checksum_shows_is_found() {
    let mut zip = zipped(
        &[("meta.json", b"{}".to_vec()), ("digital-0.bin", member(2, vec![block(0, 0, &[9, 9, 9])]).bytes())],
        CompressionMethod::Stored,
    );
    let start = zip.windows(8).position(|window| window == b"<SALEAE>").unwrap();
    zip[start + 77] += 1;
    zip[start + 78] -= 1;
    let error = read_zip(zip, &[]).1.unwrap_err();
    assert!(error.contains("digital-0.bin") && error.contains("checksum"), "{error}");
}
