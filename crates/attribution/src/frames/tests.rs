use super::*;

fn tcp(sequence: u32, payload: usize) -> Vec<u8> {
    let mut bytes = vec![0; 14 + 20 + 20 + payload];
    bytes[12] = 0x08;
    bytes[14] = 0x45;
    bytes[16..18].copy_from_slice(&((40 + payload) as u16).to_be_bytes());
    bytes[23] = 6;
    bytes[34..38].copy_from_slice(&[0x13, 0x88, 0xc3, 0x50]);
    bytes[38..42].copy_from_slice(&sequence.to_be_bytes());
    bytes[46] = 5 << 4;
    bytes[47] = 0x10;
    bytes
}

fn seen(at_ms: i64, from_board: bool, at_board: bool, bytes: &[u8]) -> TracedFrame {
    let start = Picoseconds::new(at_ms * PS_PER_MS);
    let end = start + Picoseconds::from_ns(6720);
    TracedFrame {
        from_board,
        at_board,
        start,
        end,
        over_air: false,
        pc_over_air: false,
        at_last_air: None,
        kept: None,
        bytes: bytes.to_vec(),
    }
}

fn passages(frames: Vec<TracedFrame>) -> Vec<Passage> {
    let mut passages = Passages::default();
    frames.into_iter().for_each(|frame| passages.add(frame));
    passages.finish();
    passages.done
}

#[test]
fn characters_without_a_pause_are_one_passage_and_no_chip_takes_them_in() {
    let at = |us: i64| Picoseconds::from_ns(us * 1000);
    let mut passages = Passages::default();
    for (from_board, us) in [(true, 0), (true, 10), (false, 12), (true, 29), (true, 49)] {
        passages.add_character(from_board, (at(us), at(us + 10)));
    }
    passages.finish();
    let found: Vec<_> =
        passages.done.iter().map(|one| (one.from_board, one.start, one.end, one.bytes)).collect();
    let expected = [(true, at(0), at(39), 3), (false, at(12), at(22), 1), (true, at(49), at(59), 1)];
    assert_eq!(found, expected);
    assert_eq!(taking_in(&passages.done, at(1)).count(), 0);
    let stage = on_the_wire(&passages.done[0]).stage;
    assert_eq!(stage, Stage::new(Cause::Wire, Site::Wire, Some(Subject::Characters(Site::Pc))));
}

#[test]
fn a_frame_to_the_board_is_in_its_chip_a_while_after_its_last_bit() {
    let at = |us: i64| Picoseconds::from_ns(us * 1000);
    let passages = [true, false].map(|from_board| passage_of(from_board, at(3), at(10), Content::Payload));
    let found: Vec<Interval> = taking_in(&passages, at(1)).collect();
    let [only] = &found[..] else { panic!("one frame came to the board, not {}", found.len()) };
    assert_eq!((only.start, only.end, only.stage.cause), (at(10), at(11), Cause::Chip));
}

#[test]
fn a_frame_is_on_its_way_from_the_first_bit_here_to_the_last_bit_there() {
    let frame = tcp(1, 12);
    let found = passages(vec![seen(1, true, true, &frame), seen(2, true, false, &frame)]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].end - found[0].start).ps(), PS_PER_MS + 6_720_000);
    assert_eq!(found[0].content, Content::Payload);
}

#[test]
fn a_segment_that_comes_again_ends_a_silence_and_a_lost_one_stays_short() {
    let frame = tcp(1, 12);
    let found = passages(vec![
        seen(0, true, true, &frame),
        seen(250, true, true, &frame),
        seen(251, true, false, &frame),
    ]);
    // The one that arrived is taken for the first of its kind, so that the way of the second is the lost one.
    assert_eq!(found.iter().filter(|one| one.content == Content::Again).count(), 1);
    let late = Passage { content: Content::Again, ..found[1].clone() };
    let (from, to) = (Picoseconds::new(PS_PER_MS), Picoseconds::new(260 * PS_PER_MS));
    let quiet = silences(&[on_the_wire(&late)], std::slice::from_ref(&late), from, to);
    assert_eq!(quiet[0].stage.subject, Some(Subject::Retransmission(Site::Board)));
}

#[test]
fn an_acknowledgement_ends_a_silence_only_where_the_other_side_waited_for_it() {
    let passage = |at_ms: i64, from_board, content| {
        let start = Picoseconds::new(at_ms * PS_PER_MS);
        passage_of(from_board, start, start + Picoseconds::from_ns(6720), content)
    };
    let ended = |next_from_board| {
        let acknowledgement = passage(40, false, Content::Acknowledgement);
        ended_by(&acknowledgement, &[passage(41, next_from_board, Content::Payload)])
    };
    assert_eq!(ended(true), Some(Subject::DelayedAcknowledgement(Site::Pc)));
    assert_eq!(ended(false), None);
}

#[test]
fn the_pc_thinks_before_it_opens_a_connection_and_after_the_board_has_agreed() {
    let passage = |at_ms: i64, from_board, content| {
        let start = Picoseconds::new(at_ms * PS_PER_MS);
        passage_of(from_board, start, start + Picoseconds::new(PS_PER_MS), content)
    };
    let opening = [
        passage(1, false, Content::Other),
        passage(5, true, Content::Other),
        passage(7, false, Content::Acknowledgement),
        passage(8, false, Content::Payload),
    ];
    let own: Vec<&Passage> = opening.iter().collect();
    let mut found: Vec<(i64, i64)> = thinking(&own, Picoseconds::ZERO, Picoseconds::new(9 * PS_PER_MS))
        .iter()
        .map(|one| (one.start.ps() / PS_PER_MS, one.end.ps() / PS_PER_MS))
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(0, 1), (6, 8)], "from 2 to 5 the board is at work");
}

#[test]
fn a_frame_through_the_wifi_of_both_ends_waits_for_a_beacon_in_one_of_them() {
    let at = |ms: i64| Picoseconds::new(ms * PS_PER_MS);
    let frame = tcp(1, 12);
    let through = |from_board: bool| {
        let sent =
            TracedFrame { over_air: true, pc_over_air: true, ..seen(0, from_board, from_board, &frame) };
        let came = TracedFrame {
            at_last_air: Some(at(4)),
            kept: Some((at(5), at(90))),
            ..TracedFrame { at_board: !from_board, ..seen(95, from_board, !from_board, &frame) }
        };
        let found = passages(vec![sent, came]);
        let ways = on_its_way(&found[0], false);
        let whole: i64 = ways.iter().map(|one| (one.end - one.start).ps()).sum();
        assert_eq!(whole, (found[0].end - found[0].start).ps(), "no time is lost or counted twice");
        ways.iter()
            .map(|one| (one.stage.cause, one.stage.site, one.start.ps() / PS_PER_MS))
            .collect::<Vec<_>>()
    };
    let expected = |first, second| {
        [
            (Cause::Air, first, 0),
            (Cause::Air, second, 4),
            (Cause::Gate, Site::Wire, 5),
            (Cause::Air, second, 90),
        ]
    };
    assert_eq!(through(false), expected(Site::Pc, Site::Wire));
    assert_eq!(through(true), expected(Site::Wire, Site::Pc));
}

#[test]
fn sequence_numbers_wrap() {
    let mut passages = Passages::default();
    let before = seen(0, true, true, &tcp(u32::MAX - 5, 6));
    let after = seen(1, true, true, &tcp(0, 6));
    assert_eq!([passages.content(&before), passages.content(&after)], [Content::Payload; 2]);
    assert_eq!(passages.content(&before), Content::Again);
}
